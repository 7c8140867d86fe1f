package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"samepage/store/effort"
	"samepage/store/pgtest"
)

// TestOperatingMoves moves the demo's organization to another database and back.
func TestOperatingMoves(t *testing.T) {
	effort.Slow(t)
	from, to := t.TempDir(), t.TempDir()
	into := []string{"--data", to}
	if pgtest.Given() != "" {
		into = []string{"--database", pgtest.Database(t)}
	}
	copyDemo(t, from)
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
		{slices.Concat([]string{"import", "organization"}, into, []string{first}), 0, "sessions are revoked"},
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

// TestAForgedBallotIsNamed changes a ballot of an open or a closed decision, in a backup and in an export whose digest
// fits the changed content. Import, doctor and restore must name the decision.
func TestAForgedBallotIsNamed(t *testing.T) {
	effort.Slow(t)
	dir, out := filepath.Join(t.TempDir(), "data"), t.TempDir()
	copyDemo(t, dir)
	export, backup := filepath.Join(out, "export"), filepath.Join(out, "backup")
	for _, args := range [][]string{{"export", "--data", dir, "--org", "meadow", export},
		{"backup", "--data", dir, backup}} {
		if out, code := runCommand(t, args...); code != 0 {
			t.Fatal(out)
		}
	}
	text, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	find := func(closed string) (id, other string) {
		db := openFile(t, filepath.Join(dir, "samepage.db"))
		if err := db.QueryRow(`SELECT d.id, (SELECT b.marks FROM ballots b WHERE b.decision_id = d.id AND b.marks <>
			(SELECT marks FROM ballots WHERE decision_id = d.id ORDER BY voter LIMIT 1) LIMIT 1) AS other
			FROM decisions d JOIN items i ON i.id = d.id WHERE d.method = 'acceptance' AND d.anonymous = 0 AND d.imported = ''
			AND other IS NOT NULL AND i.opened_at IS NOT NULL AND i.closed_at IS `+closed+`
			ORDER BY d.id LIMIT 1`).Scan(&id, &other); err != nil {
			t.Fatal(err)
		}
		return id, other
	}
	for _, c := range []struct{ closed, column, value, says string }{
		{"NULL", "marks", "", "do not make the count"},
		{"NOT NULL", "marks", "", "do not make the result"},
		{"NULL", "cast_at", "1", "the journal has no entry of 1 of its ballots"},
		{"NOT NULL", "weight", "3", "are kept as its number"},
	} {
		id, other := find(c.closed)
		if c.value == "" {
			c.value = other
		}
		file := filepath.Join(out, "forged")
		if err := os.WriteFile(file, forgedBallot(t, text, id, c.column, c.value), 0o600); err != nil {
			t.Fatal(err)
		}
		into := filepath.Join(t.TempDir(), "data")
		for _, args := range [][]string{{"import", "organization", "--data", into, file}, {"doctor", "--data", into}} {
			if out, code := runCommand(t, args...); code != exitDamage || !strings.Contains(out, id+": ") ||
				!strings.Contains(out, c.says) {
				t.Errorf("%q after %s = %s: exit %d; it says %s", args[0], c.column, c.value, code, out)
			}
		}
		changed := filepath.Join(t.TempDir(), "backup")
		if data, err := os.ReadFile(backup); err != nil || os.WriteFile(changed, data, 0o600) != nil {
			t.Fatal(err)
		}
		db := openFile(t, changed)
		db.MustExec(`UPDATE ballots SET `+c.column+` = ? WHERE decision_id = ?
			AND voter = (SELECT min(voter) FROM ballots WHERE decision_id = ?)`, c.value, id, id)
		db.Close()
		if out, code := runCommand(t, "restore", "--data", filepath.Join(t.TempDir(), "data"),
			changed); code != exitDamage ||
			!strings.Contains(out, id+": ") || !strings.Contains(out, c.says) {
			t.Errorf("restore after %s = %s: exit %d; it says %s", c.column, c.value, code, out)
		}
	}
}

func openFile(t *testing.T, path string) *sqlx.DB {
	t.Helper()
	db, err := sqlx.Open("sqlite3", "file:"+path+"?_journal_mode=DELETE")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// forgedBallot changes a column of the first ballot of a decision in an export, and updates the digest at the end of
// the export.
func forgedBallot(t *testing.T, export []byte, id, column, value string) []byte {
	t.Helper()
	var columns []string
	var b bytes.Buffer
	done := false
	for line := range bytes.Lines(export) {
		var l struct {
			Table   string   `json:"table"`
			Columns []string `json:"columns"`
			Row     []any    `json:"row"`
			Digest  string   `json:"sha256"`
			Rows    int      `json:"rows"`
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Table != "":
			columns = nil
			if l.Table == "ballots" {
				columns = l.Columns
			}
		case l.Digest != "":
			sum := sha256.Sum256(b.Bytes())
			fmt.Fprintf(&b, `{"rows":%d,"sha256":"%x","frame":""}`+"\n", l.Rows, sum)
			continue
		case columns != nil && !done && l.Row[slices.Index(columns, "decision_id")] == id:
			i := slices.Index(columns, column)
			if _, number := l.Row[i].(json.Number); number {
				l.Row[i] = json.Number(value)
			} else {
				l.Row[i] = value
			}
			text, err := json.Marshal(map[string]any{"row": l.Row})
			if err != nil {
				t.Fatal(err)
			}
			line, done = append(text, '\n'), true
		}
		b.Write(line)
	}
	if !done {
		t.Fatal("there is no such ballot in the file")
	}
	return b.Bytes()
}
