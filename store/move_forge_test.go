package store_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/effort"
)

// forged is an export with changed rows and a digest that fits them.
type forged struct {
	t     *testing.T
	lines []map[string]any
}

func forge(t *testing.T, file string) *forged {
	t.Helper()
	f := &forged{t: t}
	for line := range strings.Lines(file) {
		m := map[string]any{}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		f.lines = append(f.lines, m)
	}
	return f
}

// table returns the names of the columns of a table and the index of its first row.
func (f *forged) table(name string) (columns []any, first int) {
	f.t.Helper()
	i := slices.IndexFunc(f.lines, func(m map[string]any) bool { return m["table"] == name })
	if i < 0 {
		f.t.Fatalf("there is no table %s in the file", name)
	}
	return f.lines[i]["columns"].([]any), i + 1
}

// set changes columns of the first row of a table.
func (f *forged) set(name string, values map[string]any) {
	f.t.Helper()
	columns, i := f.table(name)
	row, ok := f.lines[i]["row"].([]any)
	if !ok {
		f.t.Fatalf("the table %s is empty", name)
	}
	for column, v := range values {
		row[slices.Index(columns, any(column))] = v
	}
}

// add puts a copy of the first row of a table, with changed columns, in front of it.
func (f *forged) add(name string, values map[string]any) {
	f.t.Helper()
	_, i := f.table(name)
	f.lines = slices.Insert(f.lines, i, map[string]any{"row": slices.Clone(f.lines[i]["row"].([]any))})
	f.set(name, values)
}

func (f *forged) String() string {
	sum, rows, b := sha256.New(), 0, strings.Builder{}
	for _, m := range f.lines[:len(f.lines)-1] {
		if m["row"] != nil {
			rows++
		}
		line, err := json.Marshal(m)
		if err != nil {
			f.t.Fatal(err)
		}
		sum.Write(append(line, '\n'))
		b.Write(append(line, '\n'))
	}
	last, _ := json.Marshal(map[string]any{"rows": rows, "sha256": hex.EncodeToString(sum.Sum(nil)), "frame": ""})
	return b.String() + string(last) + "\n"
}

// TestAnImportStaysInItsOrganization imports files with a row, a reference or a person of another organization in the
// same database. Each file must be refused, and nothing may be written.
func TestAnImportStaysInItsOrganization(t *testing.T) {
	effort.Slow(t)
	file := lived(t).export("acme")
	to := newWorld(t)
	to.raw(`UPDATE organizations SET handle = 'umbrella' WHERE handle = 'acme'`)
	to.raw(`UPDATE studios SET handle = 'old-' || handle`)
	var agent, oscar string
	to.write(func(tx *store.Tx) error {
		token, _, err := tx.CreateToken(to.oscar.Member, store.Grant{Label: "Probe", Scopes: store.Scopes()})
		if err != nil {
			return err
		}
		agent, oscar = token.AgentID, to.oscar.Member.ID
		return tx.Exec(`UPDATE tokens SET revoked_at = 1 WHERE id = ?`, token.ID)
	})
	globex := to.globex.ID
	cases := map[string]func(f *forged){
		"a token of another organization": func(f *forged) {
			f.set("tokens", map[string]any{"org_id": globex, "member_id": oscar, "agent_id": agent, "roles": nil})
		},
		"a second token, of another organization": func(f *forged) {
			f.add("tokens", map[string]any{"id": "a000000001", "hash": "AAAA", "org_id": globex, "member_id": oscar,
				"agent_id": agent, "roles": nil})
		},
		"a domain of email of another organization": func(f *forged) {
			_, i := f.table("email_domains")
			f.lines = slices.Insert(f.lines, i, map[string]any{"row": []any{"evil.example", globex}})
		},
		"a follow of another organization's studio": func(f *forged) {
			f.set("follows", map[string]any{"subject_id": to.team.ID})
		},
		"a second organization": func(f *forged) {
			f.add("organizations", map[string]any{"id": "a000000002", "handle": "third", "owner_id": nil})
		},
		"a membership of a person that is not in the file": func(f *forged) {
			f.set("members", map[string]any{"user_id": to.oscar.UserID})
		},
		"a person without a membership": func(f *forged) {
			f.add("users", map[string]any{"id": "a000000003", "email": "mallory@evil.example"})
		},
		"an answer to a token of another organization": func(f *forged) {
			f.set("answers", map[string]any{"actor": "token:a000000004"})
		},
	}
	count := func() (n int) {
		to.read(func(tx *store.Tx) error {
			return tx.Get(&n, `SELECT (SELECT count(*) FROM organizations) + (SELECT count(*) FROM tokens) +
				(SELECT count(*) FROM users) + (SELECT count(*) FROM email_domains) + (SELECT count(*) FROM journal)`)
		})
		return n
	}
	before := count()
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			f := forge(t, file)
			spoil(f)
			_, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(f.String()))
			if store.CodeOf(err) != store.Invalid || strings.Contains(err.Error(), "digest") {
				t.Errorf("the import of %s: %v", name, err)
			}
			if n := count(); n != before {
				t.Errorf("after %s there are %d rows, not %d", name, n, before)
			}
		})
	}
	if _, _, err := archive.Import(t.Context(), to.Store, strings.NewReader(forge(t, file).String())); err != nil {
		t.Error("without a change:", err)
	}
	var last string
	to.read(func(tx *store.Tx) error {
		return tx.Get(&last, `SELECT j.action FROM journal j JOIN organizations o ON o.id = j.org_id AND o.journal_seq = j.seq
			WHERE o.handle = 'acme'`)
	})
	if last != archive.Imported {
		t.Errorf("the last entry in the journal is %s", last)
	}
}

// TestAHashIsNoFile imports a file whose row names the hash of bytes that only another organization has. The imported
// row must not lead to these bytes, and the import must report that.
func TestAHashIsNoFile(t *testing.T) {
	effort.Slow(t)
	f := forge(t, lived(t).export("acme"))
	to := newWorld(t)
	to.raw(`UPDATE organizations SET handle = 'umbrella' WHERE handle = 'acme'`)
	to.raw(`UPDATE studios SET handle = 'old-' || handle`)
	const secret = "the budget of another organization"
	hash, err := to.KeepBlob([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	f.set("files", map[string]any{"hash": base64.StdEncoding.EncodeToString(hash), "size": len(secret)})
	_, found, err := archive.Import(t.Context(), to.Store, strings.NewReader(f.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Broken) != 1 || !strings.Contains(found.Broken[0].String(), "another organization here has bytes with that hash") {
		t.Errorf("the import says %v", found.Broken)
	}
	var rows [][]byte
	to.read(func(tx *store.Tx) error {
		return tx.Select(&rows, `SELECT f.hash FROM files f JOIN organizations o ON o.id = f.org_id WHERE o.handle = 'acme'`)
	})
	for _, of := range rows {
		if b, err := to.OpenBlob(of, int64(len(secret))); err == nil {
			b.Close()
			t.Error("the imported row leads to the bytes of another organization")
		}
	}
	if _, err := to.OpenBlob(hash, int64(len(secret))); err != nil {
		t.Errorf("the other organization has lost its file: %v", err)
	}
}
