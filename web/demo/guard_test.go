package demo

import (
	"errors"
	"testing"

	"samepage/store"
	"samepage/store/faulttest"
)

// TestMustBeDemo checks that the demo is not told in an organization that only looks like that of the demo. Each
// case gives another handle or address to a person.
func TestMustBeDemo(t *testing.T) {
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s := &seeder{ctx: t.Context(), store: st}
	for _, want := range []bool{true, false} {
		if fresh, err := s.found(); fresh != want || err != nil {
			t.Fatalf("fresh: %v, want %v: %v", fresh, want, err)
		}
	}
	faulttest.EachStatement(t, st, "the demo", mustBeDemo)
	first, last := people[0].handle, people[len(people)-1].handle
	rename := func(tx *store.Tx, to, from string) error {
		return tx.Exec(`UPDATE members SET handle = ? WHERE handle = ?`, to, from)
	}
	move := func(tx *store.Tx, to, from string) error {
		return tx.Exec(`UPDATE users SET email = ? WHERE email = ?`, to, from)
	}
	for name, change := range map[string]func(tx *store.Tx) error{
		"another handle":  func(tx *store.Tx) error { return rename(tx, "other", last) },
		"another address": func(tx *store.Tx) error { return move(tx, "other@acme.example", email(last)) },
		"the address of another": func(tx *store.Tx) error {
			return errors.Join(move(tx, "other@acme.example", email(first)), move(tx, email(first), email(last)))
		},
		"the handle of another": func(tx *store.Tx) error {
			list, err := tx.Organizations()
			if err != nil {
				return err
			}
			_, err = tx.CreateMember(list[0].ID, "other", "Other", "other@acme.example", "-")
			return errors.Join(err, rename(tx, "former", last), rename(tx, last, "other"))
		},
	} {
		undo := errors.New("undo")
		if err := st.Write(t.Context(), func(tx *store.Tx) error {
			if err := change(tx); err != nil {
				return err
			}
			if err := mustBeDemo(tx); store.CodeOf(err) != store.Conflict {
				t.Errorf("%s: %v", name, err)
			}
			return undo
		}); !errors.Is(err, undo) {
			t.Error(name, err)
		}
	}
}
