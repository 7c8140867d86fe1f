package demo

import (
	"errors"
	"testing"

	"samepage/store"
	"samepage/store/faulttest"
)

// TestMustBeDemo changes the people of the demo. The demo is not told in an organization that only looks like its own.
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
	const handle, address = `UPDATE members SET handle = ? WHERE handle = ?`, `UPDATE users SET email = ? WHERE email = ?`
	for name, changes := range map[string][][]any{
		"another handle":  {{handle, "other", last}},
		"another address": {{address, "other@acme.example", email(last)}},
		"another user":    {{address, "other@acme.example", email(first)}, {address, email(first), email(last)}},
	} {
		undo := errors.New("undo")
		if err := st.Write(t.Context(), func(tx *store.Tx) error {
			for _, c := range changes {
				if err := tx.Exec(c[0].(string), c[1:]...); err != nil {
					return err
				}
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
