package web_test

import (
	"log/slog"
	"testing"

	"samepage/store"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

// TestLinksHaveThePort checks the origin of links in webhooks, with and without a configured origin.
func TestLinksHaveThePort(t *testing.T) {
	where := webtest.Where(t)
	st, err := store.Open(t.Context(), where, store.Options{Keys: pgtest.Keys(where)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	const local = "http://127.0.0.1:8123"
	for origin, want := range map[string]string{"": local, webtest.Origin: webtest.Origin} {
		s, err := web.New(t.Context(), st, web.Config{Origin: origin, Local: local, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Links(); got != want {
			t.Errorf("with the origin %q, links begin with %s, want %s", origin, got, want)
		}
	}
}
