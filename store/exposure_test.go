package store_test

import (
	"testing"

	"samepage/store"
	"samepage/store/credential"
)

// TestExposureCountsPasswords checks that an account without a password is not counted as one that signs in with it.
func TestExposureCountsPasswords(t *testing.T) {
	w := newWorld(t)
	count := func() (n int) {
		w.write(func(tx *store.Tx) error {
			e, err := tx.Exposure()
			if err == nil {
				n = e.Users
			}
			return err
		})
		return n
	}
	before := count()
	w.write(func(tx *store.Tx) error { return credential.SetPassword(tx, w.bob.UserID, "") })
	if n := count(); before < 2 || n != before-1 {
		t.Errorf("%d people with a password, %d before one was removed", n, before)
	}
}
