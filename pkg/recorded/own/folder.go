package own

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swapgate/swapgate/pkg/recorded"
)

const (
	manifestName = "manifest.json"
	requestsName = "requests.parquet"
	// mostFiles bounds what is looked at in a folder.
	mostFiles = 100_000
)

// Looks reports whether a folder or file holds raw data of ours.
func Looks(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return strings.HasSuffix(path, ".parquet")
	}
	manifests, tables, err := find(path)
	return err == nil && len(manifests)+len(tables) > 0
}

// find lists the manifests of steps and the tables of requests below a folder. Symbolic links are not followed.
func find(folder string) (manifests, tables []string, err error) {
	seen := 0
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if seen++; seen > mostFiles {
			return recorded.Fault(folder, "name the folder of one run", "holds more than %d files", mostFiles)
		}
		if entry.Type().IsRegular() {
			switch {
			case entry.Name() == manifestName:
				manifests = append(manifests, path)
			case entry.Name() == requestsName && !strings.Contains(filepath.ToSlash(path), "/rollout/"):
				tables = append(tables, path)
			}
		}
		return nil
	})
	return manifests, tables, err
}

// ReadPath reads a recording from a folder, or from one table.
func ReadPath(path string) (Recording, error) {
	r := Recording{Name: filepath.Base(path)}
	info, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	tables := []string{path}
	var manifests []string
	if info.IsDir() {
		if manifests, tables, err = find(path); err != nil {
			return r, err
		}
	}
	switch {
	case len(manifests) > 0:
		err = r.readManifests(manifests)
	case len(tables) > 0:
		err = r.readTables(tables)
	default:
		err = recorded.Fault(path, "copy the folder raw of a run: runs/TARGET/RUN/raw", "holds neither %s nor %s", manifestName, requestsName)
	}
	if err == nil && len(r.Blocks) == 0 {
		err = fmt.Errorf("%s: no block of requests is there", path)
	}
	return r, err
}
