package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// TestDocumentation holds docs/cli.md to the command tree: every command and every flag in the section of its command.
func TestDocumentation(t *testing.T) {
	b, err := os.ReadFile("../docs/cli.md")
	require.NoError(t, err)
	doc := string(b)
	root := newRoot(&app{})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, top := range root.Commands() {
		if top.Hidden {
			continue
		}
		section := sectionOf(doc, top.CommandPath())
		require.NotEmpty(t, section, "docs/cli.md has no heading for %s", top.CommandPath())
		if top.Name() == "completion" {
			continue // its subcommands are cobra's
		}
		for _, cmd := range append(top.Commands(), top) {
			require.Contains(t, section, "`"+cmd.CommandPath(), "section of %s", top.CommandPath())
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				require.Contains(t, section, "`--"+f.Name, "section of %s", top.CommandPath())
			})
		}
	}
}

// sectionOf is the text below the heading that names the command.
func sectionOf(doc, command string) string {
	for _, part := range strings.Split(doc, "\n## ")[1:] {
		heading, _, _ := strings.Cut(part, "\n")
		for name := range strings.SplitSeq(heading, ", ") {
			if name == command {
				return part
			}
		}
	}
	return ""
}

func TestExitCodesAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../docs/cli.md")
	require.NoError(t, err)
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(b), -1) {
		documented = append(documented, m[1])
	}
	require.Equal(t, "[0 1 2 3 4 64 69 70 130]", fmt.Sprint(documented))
	require.Equal(t, "[0 1 2 3 4 64 69 70 130]", fmt.Sprint([]int{
		exitPass, exitFail, exitInconclusive, exitAborted, exitNotify, exitUsage, exitUnavailable, exitNoVerdict, exitDetached,
	}))
}

func TestEveryCommandSaysWhatItDoes(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		require.NotEmpty(t, c.Short, c.CommandPath())
		require.True(t, c.Args != nil || c.DisableFlagParsing, "%s takes any arguments", c.CommandPath())
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&app{}))
}

// TestLinksOfTheDocumentationLeadSomewhere holds every relative link of the documentation to a file or folder that there is.
func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	files = append(files, "../README.md", "../CONTRIBUTING.md")
	link := regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)\s]*)?\)`)
	checked := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			_, err := os.Stat(filepath.Join(filepath.Dir(file), m[1]))
			require.NoError(t, err, "%s links to it", file)
			checked++
		}
	}
	require.Greater(t, checked, 50)
}
