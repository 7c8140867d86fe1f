package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"samepage/store/effort"
)

// TestManualNamesEverything looks up every command and every flag in the manual page, and in the completions that the
// program prints.
func TestManualNamesEverything(t *testing.T) {
	effort.Slow(t)
	out, code := runCommand(t, "man")
	if code != 0 {
		t.Fatal(out)
	}
	page := strings.ReplaceAll(out, `\-`, "-")
	var walk func(cmd *cli.Command, path ...string)
	walk = func(cmd *cli.Command, path ...string) {
		for _, f := range cmd.Flags {
			name := "--" + f.Names()[0]
			if !strings.Contains(page, name) {
				t.Errorf("the manual page lacks %s of %v", name, path)
			}
			said := completed(t, append(path[:len(path):len(path)], name[:len(name)-1])...)
			if len(path) > 0 && !strings.Contains(said, name) {
				t.Errorf("completing %s of %v gives %q", name, path, said)
			}
		}
		for _, sub := range cmd.Commands {
			if sub.Hidden || sub.Name == "help" {
				continue
			}
			if !strings.Contains(page, sub.Name) {
				t.Errorf("the manual page lacks %s", sub.Name)
			}
			if said := completed(t, path...); !strings.Contains("\n"+said, "\n"+sub.Name) {
				t.Errorf("completing %v lacks %s: %s", path, sub.Name, said)
			}
			walk(sub, append(path[:len(path):len(path)], sub.Name)...)
		}
	}
	walk(app())
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out, code := runCommand(t, "completion", shell); code != 0 || !strings.Contains(out, "samepage") {
			t.Errorf("%s: %d %s", shell, code, out)
		}
	}
}

// completed returns the completions that the program offers after these words.
func completed(t *testing.T, words ...string) string {
	t.Helper()
	before := os.Args // the library reads os.Args
	defer func() { os.Args = before }()
	os.Args = append(append([]string{"samepage"}, words...), "--generate-shell-completion")
	out, code := runCommand(t, append(words, "--generate-shell-completion")...)
	if code != 0 {
		t.Errorf("%v: %d %s", words, code, out)
	}
	return out
}

// TestManualIsWellFormed renders the manual page with man and expects no warnings.
func TestManualIsWellFormed(t *testing.T) {
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("left out: man is not installed")
	}
	out, code := runCommand(t, "man")
	if code != 0 {
		t.Fatal(out)
	}
	cmd := exec.Command("man", "--warnings", "--encoding=UTF-8", "-l", "-")
	cmd.Stdin = strings.NewReader(out)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat")
	var problems strings.Builder
	cmd.Stderr = &problems
	text, err := cmd.Output()
	if err != nil || problems.Len() > 0 || !strings.Contains(string(text), "samepage") {
		t.Errorf("%v: %s", err, problems.String())
	}
}
