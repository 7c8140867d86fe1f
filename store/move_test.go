package store_test

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// lived returns a world with rows from all actions.
func lived(t testing.TB) *world {
	w := newWorld(t)
	w.everything()
	for _, by := range []store.Actor{w.bob, w.scribe} {
		if err := w.vote(by, w.decision(w.alice, w.team, "Really?", "Yes", "No"), "[1]"); err != nil {
			t.Fatal(err)
		}
	}
	w.raw(`INSERT INTO answers (actor, key, call, answer, at) VALUES (?, 'k', ?, '{}', ?)`,
		w.scribe.Key(), []byte{1, 0xff, 0}, store.At(friday))
	w.raw(`INSERT INTO pins (studio_id, item_id, org_id, member_id, at) VALUES (?, ?, ?, ?, 1)`,
		w.team.ID, w.standups.ID, w.acme.ID, w.bob.MemberID())
	w.attach("\x00\xff bytes")
	// Texts that a wrong JSON or SQL encoder would change.
	w.raw(`UPDATE items SET body = ? WHERE id = ?`,
		"<&> \u2028 \\ \" ' $1 ? \r\n\t e\u0301 \U0001F642 \\x00", w.standups.ID)
	return w
}

func (w *world) export(handle string) string {
	w.t.Helper()
	var b bytes.Buffer
	if _, err := archive.Export(w.t.Context(), w.Store, handle, &b); err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// empty returns a database without organizations.
func empty(t testing.TB, where string) *world {
	t.Helper()
	w := &world{t: t, clock: &clock{now: friday}, dir: where}
	w.open()
	t.Cleanup(func() { w.Store.Close() })
	return w
}

// withoutImport returns a file without the entries that imports add to the journal, and without the lines that count
// them: the organization's row and the last line.
func withoutImport(file string) string {
	var kept []string
	table := ""
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, `{"table":`) {
			table = line
		}
		row := strings.HasPrefix(line, `{"row":`)
		counts := row && strings.HasPrefix(table, `{"table":"organizations"`) || strings.HasPrefix(line, `{"rows":`)
		if !counts && !(row && strings.Contains(line, `"`+archive.Imported+`"`)) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestMoving moves organizations to another database and back. Every export must have the same bytes, apart from the
// journal entries about the imports.
func TestMoving(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	kinds := map[string]func() string{"a folder": func() string { return t.TempDir() }}
	if pgtest.Given() != "" {
		kinds["a server"] = func() string { return newWhere(t) }
	} else {
		t.Log("left out: to and from a server. go run ./e2e/all does that.")
	}
	from := w
	for range 2 {
		for kind, where := range kinds {
			to := empty(t, where())
			for _, org := range []string{"globex", "acme"} {
				file := from.export(org)
				handle, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(file))
				if err != nil || handle != org {
					t.Fatalf("into %s: %q, %v", kind, handle, err)
				}
				if again := to.export(org); withoutImport(again) != withoutImport(file) {
					t.Errorf("into %s and out again, the file of %s is another:\n%s\n%s", kind, org, file, again)
				}
				if _, err := to.verify(org); err != nil {
					t.Error(err)
				}
				if _, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(file)); store.CodeOf(err) != store.Conflict ||
					!strings.Contains(err.Error(), "here already") {
					t.Error("twice:", err)
				}
			}
			to.read(func(tx *store.Tx) error {
				by, err := tx.ActorByToken(w.secret)
				if err != nil || by.Name() != w.scribe.Name() {
					t.Errorf("the token is %q's, %v", by.Name(), err)
				}
				if sum := sha256.Sum256([]byte("\x00\xff bytes")); to.blob(sum[:]) != "\x00\xff bytes" {
					t.Error("the bytes of a file have not moved")
				}
				var logins int
				if err := tx.Get(&logins, `SELECT count(*) FROM logins`); err != nil || logins != 0 {
					t.Errorf("%d logins have moved, %v", logins, err)
				}
				return nil
			})
			if err := to.Check(t.Context()); err != nil {
				t.Error(err)
			}
			from = to
		}
	}
}

// TestEveryTableMovesOrStays expects every table either to be exported or to be listed in [archive.Stays].
func TestEveryTableMovesOrStays(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	file := w.export("acme")
	w.read(func(tx *store.Tx) error {
		tables, err := tx.Tables()
		for i := range tables {
			name := tables[i].Name
			moves, remains := archive.MovedRows(&tables[i]) != "", slices.Contains(archive.Stays, name)
			if moves == remains {
				t.Errorf("does %s move with an organization? Give it an org_id, or name it in move.go", name)
			}
		}
		return err
	})
	if strings.Contains(file, w.globex.ID) || strings.Contains(file, "oscar@") {
		t.Error("something of another organization is in the file")
	}
}

// TestADamagedFileIsRefused changes, truncates and doubles an export. Nothing may be imported.
func TestADamagedFileIsRefused(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	file := w.export("acme")
	to := newEmpty(t)
	lines := strings.SplitAfter(strings.TrimSuffix(file, "\n"), "\n")
	change := func(old, new string) string {
		if !strings.Contains(file, old) {
			t.Fatalf("there is no %s in the file", old)
		}
		return strings.Replace(file, old, new, 1)
	}
	try := func(name, file string) {
		t.Helper()
		if _, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(file)); store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		to.read(func(tx *store.Tx) error {
			var n int
			err := tx.Get(&n, `SELECT (SELECT count(*) FROM users) + (SELECT count(*)
				FROM organizations) + (SELECT count(*) FROM journal)`)
			if n != 0 || err != nil {
				t.Fatalf("%s: %d rows are left, %v", name, n, err)
			}
			return nil
		})
	}
	for i := range lines {
		if i%7 == 0 || i > len(lines)-4 {
			try("cut off", strings.Join(lines[:i], ""))
			try("a line less", strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")+"\n")
		}
	}
	try("half a line", file[:len(file)-2])
	try("nothing", "")
	try("text", "Hello\n")
	try("another kind of file", `{"samepage":"board","schema":1,"organization":"acme"}`+"\n")
	try("a name", change(`"Bob"`, `"Rob"`))
	try("a name of a table", change(`{"table":"pins"`, `{"table":"pens"`))
	try("a word for a number", change(`"alice"`, `7`))
	try("another schema", change(`"schema":`, `"schema":9`))
	try("something behind", file+"\n")
	try("twice", file+file)
	if handle, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(file)); err != nil || handle != "acme" {
		t.Error(handle, err)
	}
}

// TestMovingBesideOthers imports into a database with other organizations. The import must be refused while the handle
// of the organization or of a studio is taken. People who have an account there must keep their password.
func TestMovingBesideOthers(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	file := w.export("acme")
	to := newWorld(t)
	if _, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(file)); store.CodeOf(err) != store.Conflict {
		t.Error(err)
	}
	to.raw(`UPDATE organizations SET handle = 'umbrella' WHERE handle = 'acme'`)
	if _, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(file)); store.CodeOf(err) != store.Conflict ||
		!strings.Contains(err.Error(), "of studios") {
		t.Error(err)
	}
	to.raw(`UPDATE studios SET handle = 'old-' || handle`)
	to.raw(`UPDATE users SET password = 'mine'`)
	if _, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	to.read(func(tx *store.Tx) error {
		u, err := tx.UserByEmail("bob@acme.example")
		if err != nil {
			return err
		}
		var orgs []string
		err = tx.Select(&orgs, `SELECT o.handle FROM members m JOIN organizations o ON o.id = m.org_id
			WHERE m.user_id = ? ORDER BY 1`, u.ID)
		if u.Password != "mine" || !slices.Equal(orgs, []string{"acme", "umbrella"}) {
			t.Errorf("%+v is in %s", u, orgs)
		}
		return err
	})
	if _, err := to.verify("acme"); err != nil {
		t.Error(err)
	}
}
