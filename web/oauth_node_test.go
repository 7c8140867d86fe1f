package web_test

import (
	"net/http"
	"testing"

	"samepage/web/webtest"
)

// TestOAuthOnTwoServers uses two servers on one database. Each accepts the tokens of the other. If a refresh token
// is used on both at the same time, both give the same new token. If a code is redeemed on both, one attempt
// succeeds, and the other attempts revoke the tokens that it obtained. A token that is revoked on one server is
// refused by the other on the next request.
func TestOAuthOnTwoServers(t *testing.T) {
	a, b := nodes(t)
	here := newProgram(t, a)
	there := *here
	there.w = b
	servers := []*program{here, &there}
	each := func(ask func(p *program) (tokens, *webtest.Response)) (won []tokens) {
		for _, got := range inParallel(40, func(i int) (tokens, *webtest.Response) { return ask(servers[i%2]) }) {
			if got.response.Status == http.StatusOK {
				won = append(won, got.tokens)
			}
		}
		return won
	}
	first := here.tokens("alice", "read write")
	if r := there.reads(first.Access); r.Status != http.StatusOK {
		t.Fatalf("the other server refuses the token: %d", r.Status)
	}
	won := each(func(p *program) (tokens, *webtest.Response) { return p.ask(p.renewal(first.Refresh)) })
	for _, got := range won {
		if len(won) != 40 || got.Refresh != won[0].Refresh {
			t.Fatalf("%d were refreshed, to %s and %s", len(won), got.Refresh, won[0].Refresh)
		}
	}
	code := here.code("alice", "read")
	if won := each(func(p *program) (tokens, *webtest.Response) {
		return p.ask(p.redemption(code))
	}); len(won) != 1 || here.reads(won[0].Access).Status != 401 || there.reads(won[0].Access).Status != 401 {
		t.Errorf("%d redeemed the code", len(won))
	}
	if r := there.reads(won[0].Access); r.Status != http.StatusOK {
		t.Fatalf("refreshed at either server: %d", r.Status)
	}
	if r := a.As("alice").Post("/settings/tokens", "revoke_token",
		map[string]any{"token": grantOf(t, a, here.id)}); r.Status != http.StatusSeeOther {
		t.Fatal(r.Status, r.Body)
	}
	if r := there.reads(won[0].Access); r.Status != http.StatusUnauthorized {
		t.Errorf("revoked at one, at the other: %d", r.Status)
	}
}
