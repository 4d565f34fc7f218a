package swapgate_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/swapgate/swapgate"

const (
	maxFileLines = 400
	maxFuncLines = 80
)

// importRule forbids imports to the packages below some folders. It holds for what they reach through swapgate's own
// packages too, so that nothing is smuggled in by a helper.
type importRule struct {
	name      string
	folders   []string
	forbidden []string
}

var importRules = []importRule{
	{
		name:      "packages know no workflow",
		folders:   []string{"pkg"},
		forbidden: []string{"go.temporal.io/sdk/workflow", "go.temporal.io/sdk/activity"},
	},
	{
		name:    "workflows do no I/O",
		folders: []string{"workflows"},
		forbidden: []string{
			"net", "net/http", "os", "os/exec", "io/fs", "github.com/minio/minio-go/v7",
			modulePath + "/pkg/runstore", modulePath + "/pkg/engine", modulePath + "/pkg/load",
			modulePath + "/pkg/telemetry", modulePath + "/pkg/traffic", modulePath + "/pkg/notify",
		},
	},
	{
		name:      "deciding is pure",
		folders:   []string{"pkg/stats", "pkg/judge", "pkg/rollout", "pkg/swap"},
		forbidden: []string{"net", "net/http", "os", "os/exec", "io/fs"},
	},
	{
		name:      "the wire contract imports nothing of ours",
		folders:   []string{"pkg/swap"},
		forbidden: []string{modulePath},
	},
}

// goPackage is one package of this module without its tests.
type goPackage struct {
	imports []string
	files   map[string]*ast.File
}

func TestArchitecture(t *testing.T) {
	fset, packages := loadModule(t)
	t.Run("import rules", func(t *testing.T) { checkImports(t, packages) })
	t.Run("every package says what it is", func(t *testing.T) { checkPackageComments(t, packages) })
	t.Run("files and functions stay small", func(t *testing.T) { checkSizes(t, fset, packages) })
}

func checkImports(t *testing.T, packages map[string]goPackage) {
	t.Helper()
	for _, rule := range importRules {
		t.Run(rule.name, func(t *testing.T) {
			checked := 0
			for _, path := range sortedPaths(packages) {
				if !inFolders(path, rule.folders) {
					continue
				}
				checked++
				for via, bad := range rule.violations(packages, path) {
					t.Errorf("%s imports %s (through %s)", path, bad, via)
				}
			}
			require.Positive(t, checked, "no package below %v: the rule checks nothing", rule.folders)
		})
	}
}

func TestImportRuleSeesThroughHelpers(t *testing.T) {
	packages := map[string]goPackage{
		modulePath + "/workflows":         {imports: []string{"time", modulePath + "/pkg/helper"}},
		modulePath + "/pkg/helper":        {imports: []string{"os", modulePath + "/pkg/load/rawlog", modulePath + "/pkg/load/plan"}},
		modulePath + "/pkg/engine/detect": {imports: []string{"net/http"}},
	}
	rule := importRule{forbidden: []string{"os", modulePath + "/pkg/load"}}
	require.Equal(t, map[string]string{modulePath + "/pkg/helper": modulePath + "/pkg/load/plan"},
		rule.violations(packages, modulePath+"/workflows"), "the last of several is named")
	require.Empty(t, rule.violations(packages, modulePath+"/pkg/engine/detect"))
	require.True(t, covers(modulePath+"/pkg/engine", modulePath+"/pkg/engine/detect"))
	require.False(t, covers("net", "net/netip"), "a name of the standard library means itself only")
}

// violations maps each package through which path reaches a forbidden import to that import.
func (r importRule) violations(packages map[string]goPackage, path string) map[string]string {
	found := map[string]string{}
	seen := map[string]bool{}
	var visit func(string)
	visit = func(p string) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, imported := range packages[p].imports {
			if slices.ContainsFunc(r.forbidden, func(f string) bool { return covers(f, imported) }) {
				found[p] = imported
			}
			visit(imported)
		}
	}
	visit(path)
	return found
}

// covers reports whether a forbidden path means the import: itself, or for a module and for swapgate's own packages
// everything below it. pkg/load/rawlog is only the record of a request and does no I/O.
func covers(forbidden, imported string) bool {
	if imported == modulePath+"/pkg/load/rawlog" && forbidden == modulePath+"/pkg/load" {
		return false
	}
	return imported == forbidden || strings.Contains(forbidden, ".") && strings.HasPrefix(imported, forbidden+"/")
}

func checkPackageComments(t *testing.T, packages map[string]goPackage) {
	t.Helper()
	for _, path := range sortedPaths(packages) {
		documented := false
		for _, f := range packages[path].files {
			documented = documented || f.Doc != nil
		}
		require.True(t, documented, "%s has no package comment", path)
	}
}

func checkSizes(t *testing.T, fset *token.FileSet, packages map[string]goPackage) {
	t.Helper()
	for _, path := range sortedPaths(packages) {
		for name, f := range packages[path].files {
			if ast.IsGenerated(f) {
				continue
			}
			if n := fset.Position(f.FileEnd).Line; n > maxFileLines {
				t.Errorf("%s has %d lines, more than %d: split it by idea", name, n, maxFileLines)
			}
			for _, fault := range longFunctions(fset, f) {
				t.Errorf("%s: %s", name, fault)
			}
		}
	}
}

func longFunctions(fset *token.FileSet, f *ast.File) []string {
	var faults []string
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > maxFuncLines {
			faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d", fn.Name.Name, n, maxFuncLines))
		}
	}
	return faults
}

// loadModule parses every file that this platform would build.
func loadModule(t *testing.T) (*token.FileSet, map[string]goPackage) {
	t.Helper()
	fset := token.NewFileSet()
	packages := map[string]goPackage{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return addFile(fset, packages, path)
	})
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	return fset, packages
}

func addFile(fset *token.FileSet, packages map[string]goPackage, path string) error {
	dir, name := filepath.Split(path)
	if built, err := build.Default.MatchFile(dir, name); err != nil || !built {
		return err
	}
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	importPath := strings.TrimSuffix(modulePath+"/"+filepath.ToSlash(dir), "/")
	p, ok := packages[importPath]
	if !ok {
		p.files = map[string]*ast.File{}
	}
	p.files[path] = f
	for _, i := range f.Imports {
		p.imports = append(p.imports, strings.Trim(i.Path.Value, `"`))
	}
	packages[importPath] = p
	return nil
}

func sortedPaths(packages map[string]goPackage) []string {
	paths := make([]string, 0, len(packages))
	for p := range packages {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

func inFolders(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return path == modulePath+"/"+f || strings.HasPrefix(path, modulePath+"/"+f+"/")
	})
}
