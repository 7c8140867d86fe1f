package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samepage/store/pgtest"
)

// TestOperatingMoves moves the demo's organization to another database and back.
func TestOperatingMoves(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	into := []string{"--data", to}
	if pgtest.Given() != "" {
		into = []string{"--database", pgtest.Database(t)}
	}
	if out, code := runCommand(t, "demo", "--data", from); code != 0 {
		t.Fatal(out)
	}
	first, again := filepath.Join(from, "meadow"), filepath.Join(from, "again")
	bad := filepath.Join(from, "bad")
	if err := os.WriteFile(bad, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"export", "--data", from, "--org", "nowhere", first}, exitUsage, "no organization nowhere"},
		{[]string{"export", "--data", from, "--org", "meadow"}, exitUsage, "name one new file"},
		{[]string{"export", "--data", from, "--org", "meadow", first}, 0, "Written to"},
		{[]string{"export", "--data", from, "--org", "meadow", first}, exitFailed, "exists already"},
		{slices.Concat([]string{"import", "organization"}, into, []string{bad}), exitUsage, "not an organization"},
		{slices.Concat([]string{"import", "organization"}, into, []string{first}), 0, "meadow is here"},
		{slices.Concat([]string{"import", "organization"}, into, []string{first}), exitFailed, "here already"},
		{append([]string{"doctor"}, into...), 0, "meadow: "},
		{slices.Concat([]string{"export", "--org", "meadow"}, into, []string{again}), 0, "Written to"},
		{[]string{"doctor", "--database", "/srv/samepage"}, exitUsage, "begins with postgres://"},
		{[]string{"doctor", "--database", "postgres://nobody@127.0.0.1:1/x"}, exitFailed, "cannot be reached"},
	} {
		if out, code := runCommand(t, c.args...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("samepage %s: exit %d, want %d; it says %q, want %q",
				strings.Join(c.args, " "), code, c.code, out, c.says)
		}
	}
	one, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(again)
	// Besides the rows of the first file, the copy has the journal's entry about the import.
	if err != nil || strings.Count(string(two), "\n") != strings.Count(string(one), "\n")+1 ||
		!strings.Contains(string(two), `"import_organization"`) {
		t.Errorf("the file of the copy has other rows (%v)", err)
	}
	if info, err := os.Stat(first); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
