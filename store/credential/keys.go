package credential

import (
	"context"
	"errors"
	"io/fs"

	"samepage/store"
	"samepage/store/keyfile"
)

// keysNote is the key of the row in the table instance that has the fingerprint of the keys.
const keysNote = "keys"

// Keys returns the database's keys from the file [store.Store.KeysFile], which the first call creates if it is missing.
// Keys returns [store.Unavailable] if the file is missing later or has other keys, and [store.Invalid] if it has no
// keys or its path is not known.
func Keys(ctx context.Context, st *store.Store) (*keyfile.Keys, error) {
	noted, k, err := findKeys(ctx, st)
	if err != nil || noted {
		return k, err
	}
	err = st.Write(ctx, func(tx *store.Tx) (err error) {
		// Make reads the file if another process has made it meanwhile, and Instance keeps a fingerprint that is stored
		// already.
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

// CheckKeys returns an error with a remedy if the path of the key file is not known, or if the file does not have the
// keys of the database. A database for which [Keys] was never called has no keys.
func CheckKeys(ctx context.Context, st *store.Store) error {
	_, _, err := findKeys(ctx, st)
	return err
}

// findKeys returns the database's keys, or false for noted if the database has no fingerprint of keys yet.
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

// notedKeys returns the fingerprint of the keys, or "" before the first call of [Keys].
func notedKeys(tx *store.Tx) (string, error) {
	v, err := tx.Instance(keysNote, nil)
	if store.CodeOf(err) == store.NotFound {
		err = nil
	}
	return string(v), err
}

// MustBeNoted returns [store.Unavailable] if the database's keys are no longer k.
func MustBeNoted(tx *store.Tx, k *keyfile.Keys) error {
	if fingerprint, err := notedKeys(tx); err != nil || fingerprint == k.Fingerprint() {
		return err
	}
	return store.Errorf(store.Unavailable, "The keys of the database were replaced. Start this node again with the new file.")
}

// ReplaceKeys creates new keys for the database. It deletes the signing keys, because only the former keys can decrypt
// them. The former file is renamed, with the time in its new name. No other process may use the database meanwhile.
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
