package demo

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"samepage/store"
	"samepage/web"
)

// purpose is passed to [store.Tx.Seal] for every secret that [keep] stores.
const purpose = "demo"

func keep(ctx context.Context, st *store.Store, file, secret string) error {
	var sealed []byte
	if err := st.Read(ctx, func(tx *store.Tx) (err error) {
		sealed, err = tx.Seal(purpose, filepath.Base(file), secret)
		return err
	}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, sealed, 0o600)
}

// kept returns the secret that [keep] stored in a file. The secret is empty if there is no such file, or if the
// installation has other keys now.
func kept(ctx context.Context, st *store.Store, file string) (secret string, err error) {
	sealed, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	err = st.Read(ctx, func(tx *store.Tx) (err error) {
		secret, err = tx.Unseal(purpose, filepath.Base(file), sealed)
		return err
	})
	if errors.Is(err, store.ErrUnsealed) {
		return "", nil
	}
	return secret, err
}

// Reseed fills the installation like [Seed], but keeps the tokens in a file. While all tokens in the file are in force,
// Reseed makes no others, so that a restart leaves no trace in the journal.
func Reseed(ctx context.Context, site *web.Site, st *store.Store, file string) (w World, err error) {
	text, err := kept(ctx, st, file)
	if err != nil {
		return World{}, err
	}
	if text != "" && json.Unmarshal([]byte(text), &w) == nil && inForce(ctx, st, w.Tokens) {
		return w, nil
	}
	if w, err = seed(ctx, site, st, nil); err != nil {
		return World{}, err
	}
	data, err := json.Marshal(w)
	if err != nil {
		return World{}, err
	}
	return w, keep(ctx, st, file, string(data))
}

// inForce reports whether each agent of the demo has a token that is in force and has the listed scopes.
func inForce(ctx context.Context, st *store.Store, tokens []Token) bool {
	s := &seeder{ctx: ctx, store: st}
	return len(tokens) == len(agents) && !slices.ContainsFunc(tokens, func(t Token) bool {
		by, err := s.agent(t.Token)
		return err != nil || by.Grant.Scopes.String() != strings.Join(t.Scopes, " ")
	})
}
