package credential

import (
	"context"
	"errors"
	"io/fs"

	"samepage/store"
	"samepage/store/keyfile"
)

// The database notes the fingerprint of its keys under this name, so that a start with others, or without, is refused.
const keysNote = "keys"

// Keys returns the keys of the database, from the file [store.Store.KeysFile]. At the first start it makes them. Later, a
// missing file and a file with the keys of another installation give [store.Unavailable].
func Keys(ctx context.Context, st *store.Store) (*keyfile.Keys, error) {
	noted, k, err := findKeys(ctx, st)
	if err != nil || noted {
		return k, err
	}
	err = st.Write(ctx, func(tx *store.Tx) (err error) {
		// Another process may have made them meanwhile; then its fingerprint stands.
		if k, err = keyfile.Make(st.KeysFile()); err != nil {
			return err
		}
		_, err = tx.Instance(keysNote, func() []byte { return []byte(k.Fingerprint()) })
		return err
	})
	if err != nil {
		return nil, err
	}
	_, k, err = findKeys(ctx, st)
	return k, err
}

// CheckKeys reports an error, with its remedy, if the keys of the database are not in their file. It changes nothing. A
// database that was not served yet has none.
func CheckKeys(ctx context.Context, st *store.Store) error {
	_, _, err := findKeys(ctx, st)
	return err
}

// findKeys returns the keys that the database has noted, or false if it has noted none.
func findKeys(ctx context.Context, st *store.Store) (noted bool, k *keyfile.Keys, err error) {
	path := st.KeysFile()
	if path == "" {
		return false, nil, store.Errorf(store.Invalid, "The keys of a database on a server are in a file that all its nodes "+
			"have. Name it with --keys or SAMEPAGE_KEYS: the first node makes it, and the others need a copy.")
	}
	var fingerprint string
	if err := st.Read(ctx, func(tx *store.Tx) (err error) {
		fingerprint, err = notedKeys(tx)
		return err
	}); err != nil || fingerprint == "" {
		return false, nil, err
	}
	k, err = keyfile.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil, store.Errorf(store.Unavailable, "The keys of this database (fingerprint %s) are not in %s. %s",
			fingerprint, path, otherKeys)
	case err != nil:
		return true, nil, err
	case k.Fingerprint() != fingerprint:
		return true, nil, store.Errorf(store.Unavailable, "%s has other keys (fingerprint %s) than those of this database "+
			"(fingerprint %s). %s", path, k.Fingerprint(), fingerprint, otherKeys)
	}
	return true, k, nil
}

const otherKeys = "Put the right file there. If it is lost, samepage keys replace makes new keys, and says what ends with the old."

// notedKeys returns the fingerprint of the database's keys; empty before the first start.
func notedKeys(tx *store.Tx) (string, error) {
	v, err := tx.Instance(keysNote, nil)
	if store.CodeOf(err) == store.NotFound {
		err = nil
	}
	return string(v), err
}

// MustBeNoted refuses keys that are not those of the database any more, with [store.Unavailable].
func MustBeNoted(tx *store.Tx, k *keyfile.Keys) error {
	if fingerprint, err := notedKeys(tx); err != nil || fingerprint == k.Fingerprint() {
		return err
	}
	return store.Errorf(store.Unavailable, "The keys of the database were replaced. Start this node again with the new file.")
}

// ReplaceKeys makes new keys for the database and deletes the signing keys that the former ones sealed. The former file
// gets a name with the time. No other process may use the folder meanwhile.
func ReplaceKeys(ctx context.Context, st *store.Store) (*keyfile.Keys, error) {
	if st.KeysFile() == "" {
		return nil, CheckKeys(ctx, st)
	}
	k := keyfile.New()
	if err := k.Install(st.KeysFile()); err != nil {
		return nil, err
	}
	return k, st.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteInstance(keysNote); err != nil {
			return err
		}
		if _, err := tx.Instance(keysNote, func() []byte { return []byte(k.Fingerprint()) }); err != nil {
			return err
		}
		return RemoveSigningKeys(tx)
	})
}
