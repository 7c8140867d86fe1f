package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"
)

var update = flag.Bool("update", false, "write the help page of the settings anew")

// address matches an example of an address in the usage of a flag. The help page shows it as code, so that it does not
// become a link.
var address = regexp.MustCompile(`[a-z]+://[^\s,;)]+`)

// settingsPage returns the help page of the settings, which is made from the flags of serve.
func settingsPage() string {
	var b strings.Builder
	b.WriteString("# Every setting\n\nThe flags of `samepage serve` by name. A setting is also a variable, named in its row, " +
		"and, but for `--config`, a line of the [configuration file](/help/self-hosting) under the name of the flag. " +
		"`samepage config` prints the values in effect.\n\n| Flag | Variable | Default | Meaning |\n| --- | --- | --- | --- |\n")
	flags := slices.Clone(app().Command("serve").Flags)
	slices.SortFunc(flags, func(a, b cli.Flag) int { return strings.Compare(a.Names()[0], b.Names()[0]) })
	for _, f := range flags {
		doc := f.(cli.DocGenerationFlag)
		usage := strings.NewReplacer("`", "", "|", `\|`, "*", `\*`).Replace(doc.GetUsage())
		usage = address.ReplaceAllString(usage, "`$0`")
		preset := ""
		switch v := f.Get().(type) {
		case string:
			preset = v
		case bool:
			preset = map[bool]string{true: "on"}[v]
		case time.Duration:
			preset = strings.TrimSuffix(strings.TrimSuffix(v.String(), "0s"), "0m")
		case int:
			preset = fmt.Sprint(v)
		}
		if preset != "" {
			preset = "`" + preset + "`"
		}
		variables := doc.GetEnvVars()
		for i := range variables {
			variables[i] = "`" + variables[i] + "`"
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s | %s |\n", f.Names()[0], strings.Join(variables, " "), preset, usage)
	}
	return b.String()
}

// TestSettingsPage compares the help page of the settings with the flags.
func TestSettingsPage(t *testing.T) {
	const file = "../../views/help/settings.md"
	want := settingsPage()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not as the flags are: run go test ./cmd/samepage -run TestSettingsPage -update (%v)", file, err)
	}
}
