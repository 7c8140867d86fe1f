package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// texts returns README and the pages of the help.
func texts(t *testing.T) map[string]string {
	t.Helper()
	list, err := filepath.Glob("../../views/help/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range append(list, "../../README.md") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = string(data)
	}
	return all
}

// TestShownCommands checks that the program has each command and flag that README and the help show in code blocks, and
// that the tests run the agents that these blocks install.
func TestShownCommands(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ *(?:[A-Z_]+=\S+ )*(?:\./)?samepage ([a-z][^#|&\n]*(?:\\\n[^#|&\n]*)*)`)
	installed := regexp.MustCompile(`npm install --global (\S+)`)
	pinned, err := os.ReadFile("../../e2e/agents/package.json")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for file, text := range texts(t) {
		for i, block := range strings.Split(text, "```") {
			if i%2 == 0 {
				continue
			}
			for _, m := range line.FindAllStringSubmatch(block, -1) {
				shown++
				if problem := shownWrong(m[1]); problem != "" {
					t.Errorf("%s shows samepage %s: %s", file, m[1], problem)
				}
			}
			for _, m := range installed.FindAllStringSubmatch(block, -1) {
				if !strings.Contains(string(pinned), `"`+m[1]+`"`) {
					t.Errorf("%s installs %s, which no test runs", file, m[1])
				}
			}
		}
	}
	if shown < 6 {
		t.Errorf("%d commands were found", shown)
	}
}

// shownWrong returns what is wrong with a command line, or "" if its command and its flags exist.
func shownWrong(line string) string {
	words := strings.Fields(strings.ReplaceAll(line, "\\\n", " "))
	cmd := app()
	for len(words) > 0 {
		sub := cmd.Command(words[0])
		if sub == nil {
			break
		}
		cmd, words = sub, words[1:]
	}
	for _, w := range words {
		name, ok := strings.CutPrefix(w, "--")
		if name, _, _ = strings.Cut(name, "="); ok && !slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool {
			return slices.Contains(f.Names(), name)
		}) {
			return "there is no flag --" + name
		}
	}
	if cmd.Name == "samepage" {
		return "there is no such command"
	}
	return ""
}

// TestDoctorBeforeTheFirstStart checks that doctor prints the programs that a runner would find, even if there is no
// database.
func TestDoctorBeforeTheFirstStart(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out, code := runCommand(t, "doctor", "--data", t.TempDir())
	for _, say := range []string{"git is not installed. To get it:",
		"there is no claude-agent-acp in the PATH. To get it: npm install",
		"So a runner here keeps no repository: it needs git.", "there is no database in"} {
		if !strings.Contains(out, say) {
			t.Errorf("the doctor does not say %q:\n%s", say, out)
		}
	}
	if code != exitUsage {
		t.Errorf("the doctor ends with %d", code)
	}
}
