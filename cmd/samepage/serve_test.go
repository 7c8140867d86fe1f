package main

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web"
)

// TestMCPChallenge: whoever comes to the MCP endpoint without a valid token, by whatever method, learns where to get one.
func TestMCPChallenge(t *testing.T) {
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	site, err := web.New(context.Background(), st, web.Config{Origin: "https://team.example"})
	if err != nil {
		t.Fatal(err)
	}
	h := handler(site, "https://team.example")
	const pointer = `resource_metadata="https://team.example/.well-known/oauth-protected-resource/mcp", scope="read"`
	for _, method := range []string{"GET", "POST", "DELETE", "HEAD"} {
		for authorization, want := range map[string]string{"": "Bearer " + pointer, "Bearer sp_rubbish": `Bearer error="invalid_token", ` + pointer, "Bearer a.b.c": `Bearer error="invalid_token", ` + pointer,
			"Basic YTpi": `Bearer error="invalid_token", ` + pointer} {
			r := httptest.NewRequest(method, "https://team.example/mcp", strings.NewReader("{}"))
			if authorization != "" {
				r.Header.Set("Authorization", authorization)
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			if got := rec.Header().Get("WWW-Authenticate"); rec.Code != 401 || got != want {
				t.Errorf("%s with %q: %d %s", method, authorization, rec.Code, got)
			}
		}
	}
}

func TestOutgoingAllow(t *testing.T) {
	if out, code := runCommand(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--outgoing-allow", "intranet"); code != exitUsage || !strings.Contains(out, "10.0.0.0/8") {
		t.Errorf("%d %s", code, out)
	}
}

func TestRekey(t *testing.T) {
	dir := t.TempDir()
	runCommand(t, "demo", "--data", dir)
	for range 2 {
		if out, code := runCommand(t, "token", "rekey", "--data", dir); code != 0 || !strings.Contains(out, "A new key signs") {
			t.Fatalf("%d %s", code, out)
		}
	}
	st, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Read(t.Context(), func(tx *store.Tx) error {
		keys, err := tx.SigningKeys()
		if len(keys) != 1 {
			t.Errorf("%d keys", len(keys))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
