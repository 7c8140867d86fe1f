package demo

import (
	"path/filepath"
	"slices"
	"testing"

	"samepage/store"
	"samepage/web"
)

// TestTokensAreKept starts the demo several times with one file for its tokens. While the tokens are in force, a
// start uses these tokens and leaves no entry in the journal. After one of the tokens has ended, a start makes new
// tokens.
func TestTokensAreKept(t *testing.T) {
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	site, err := web.New(t.Context(), st, web.Config{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "new", "tokens")
	start := func() (tokens []string, n int) {
		w, err := Reseed(t.Context(), site, st, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range w.Tokens {
			tokens = append(tokens, token.Token)
		}
		return tokens, len(entries(t, st))
	}
	first, n := start()
	if again, m := start(); !slices.Equal(again, first) || m != n {
		t.Errorf("the second start has the tokens %v after %v, and %d entries after %d", again, first, m, n)
	}
	var ended string
	if err := st.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.AllTokens()
		for _, token := range list {
			if token.Label == "Scout" {
				ended = token.ID
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := site.RevokeToken(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	others, _ := start()
	for i, token := range others {
		if slices.Contains(first, token) {
			t.Errorf("after a token has ended, token %d is an old one", i)
		}
	}
	if again, _ := start(); !slices.Equal(again, others) {
		t.Error("the next start does not use the tokens of the start before")
	}
}
