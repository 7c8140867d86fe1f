package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// commandsPage returns the help page of the command line: every command that is not hidden, with its effect.
func commandsPage() string {
	var b strings.Builder
	b.WriteString("# The command line\n\nOne program is the server, the MCP server for stdio and the operator's tools. " +
		"`samepage COMMAND --help` lists the flags of a command, and [the settings](/help/self-hosting/settings) those " +
		"of the server.\n\n| Command | What it does |\n| --- | --- |\n")
	var list func(prefix string, commands []*cli.Command)
	list = func(prefix string, commands []*cli.Command) {
		for _, c := range commands {
			if c.Hidden || c.Name == "help" || c.Name == "completion" {
				continue
			}
			if name := prefix + " " + c.Name; len(c.Commands) > 0 {
				list(name, c.Commands)
			} else {
				fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.ReplaceAll(strings.ReplaceAll(c.Usage, "|", `\|`), "\n", " "))
			}
		}
	}
	list("samepage", app().Commands)
	return b.String()
}

// TestCommandsPage compares the help page of the command line with the commands.
func TestCommandsPage(t *testing.T) {
	const file = "../../views/help/commands.md"
	want := commandsPage()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not as the commands are: run go test ./cmd/samepage -run TestCommandsPage -update (%v)",
			file, err)
	}
}
