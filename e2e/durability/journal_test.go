//go:build linux

package durability

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestJournalVerify edits the database directly, as a person with access to the file could. The command journal
// verify must find each edit.
func TestJournalVerify(t *testing.T) {
	long(t, "the command that finds an edited journal")
	w := seeded(t)
	honest := must(t, "journal", "verify", "--data", w.folder(t))
	head := headPrinted.FindStringSubmatch(honest)[1]
	for _, c := range []struct {
		name  string
		edits []string
		names []string // words that the command must print
	}{
		{"an edited title", []string{`UPDATE journal SET title = 'Something else' WHERE seq = 40`}, []string{"meadow", "entry 40"}},
		{"an edited text", []string{`UPDATE journal SET after = replace(after, 'a', 'b') WHERE seq = 41`}, []string{"meadow", "entry 41"}},
		{"an edited author", []string{
			`UPDATE journal SET member = 'bob' WHERE seq = (SELECT max(seq) FROM journal WHERE member = 'alice')`,
		}, []string{"meadow", "entry "}},
		{"a swapped pair", []string{`UPDATE journal SET seq = 100000 WHERE seq = 50`,
			`UPDATE journal SET seq = 50 WHERE seq = 51`,
			`UPDATE journal SET seq = 51 WHERE seq = 100000`}, []string{"meadow", "entry 50"}},
		{"an entry taken out", []string{`DELETE FROM journal WHERE seq = 60`}, []string{"meadow", "entry 60"}},
		{"an entry taken out and the rest moved up", []string{`DELETE FROM journal WHERE seq = 60`,
			`UPDATE journal SET seq = -seq WHERE seq > 60`,
			`UPDATE journal SET seq = -seq - 1 WHERE seq < 0`}, []string{"meadow", "entry 60"}},
		{"a changed name", []string{`UPDATE members SET name = 'Robert Baker' WHERE handle = 'bob'`}, []string{"meadow", "@bob"}},
		{"a changed handle", []string{`UPDATE members SET handle = 'bobby' WHERE handle = 'bob'`}, []string{"meadow", "@bobby"}},
		{"a changed agent", []string{`UPDATE agents SET label = 'Saint' WHERE label = 'Scribe'`}, []string{"meadow", "Scribe"}},
		{"a member from nowhere", []string{`UPDATE members SET id = 'aaaaaaaaaa' WHERE handle = 'frank'`}, []string{"meadow", "@frank"}},
		{"a tail cut off", []string{`DELETE FROM journal WHERE seq > 90`}, []string{"meadow", "entry 91"}},
		// This edit also sets back the head that the organization stores. Only a head that was noted beside the
		// database or elsewhere reveals this edit.
		{"a tail cut off with care", []string{`DELETE FROM journal WHERE seq > 90`,
			`UPDATE organizations SET journal_seq = 90, journal_hash = (SELECT hash FROM journal WHERE seq = 90)`},
			[]string{"meadow", "entry 91", "cut off"}},
		{"the organization is gone", []string{`UPDATE organizations SET handle = 'prairie'`}, []string{"meadow"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := w.folder(t)
			db := open(t, filepath.Join(dir, "samepage.db"))
			for _, edit := range append([]string{`PRAGMA foreign_keys = OFF`}, c.edits...) {
				if _, err := db.Exec(edit); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			out, code := samepage(t, "journal", "verify", "--data", dir, "--head", head)
			if code != 3 {
				t.Errorf("it exits with %d, want 3: %s", code, out)
			}
			for _, name := range c.names {
				if !strings.Contains(out, name) {
					t.Errorf("it does not name %s: %s", name, out)
				}
			}
			if c.name == "a tail cut off with care" {
				out, code := samepage(t, "journal", "verify", "--data", dir)
				if code != 3 || !strings.Contains(out, "samepage.heads") {
					t.Errorf("without the head, the noted heads should find it: exit code %d, %s", code, out)
				}
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		must(t, "journal", "verify", "--data", w.folder(t), "--head", head)
	})
}
