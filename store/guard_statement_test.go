package store_test

import (
	"testing"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/faulttest"
	"samepage/store/keyfile"
)

// TestGuardsThatAskTheDatabase lets each statement of the guards fail. Such a guard never permits the action.
func TestGuardsThatAskTheDatabase(t *testing.T) {
	w := newWorld(t)
	under := w.studio("under", "organization", w.alice)
	keys := keyfile.New()
	w.write(func(tx *store.Tx) error {
		_, err := tx.Instance("keys", func() []byte { return []byte(keys.Fingerprint()) })
		return err
	})
	for name, guard := range map[string]func(tx *store.Tx) error{
		"the name of an agent": func(tx *store.Tx) error { return tx.MustBeLabel(w.alice.Member, "Clerk") },
		"the name of a member": func(tx *store.Tx) error { return tx.MustNotBeLabel(w.acme.ID, "Carol") },
		"a parent of a studio": func(tx *store.Tx) error { return tx.MustBeAbove(w.team.ID, under) },
		"leaving a studio":     func(tx *store.Tx) error { return tx.MustBeFree(under, w.bob.MemberID()) },
		"the keys of a node":   func(tx *store.Tx) error { return credential.MustBeNoted(tx, keys) },
	} {
		faulttest.EachStatement(t, w.Store, name, guard)
	}
}
