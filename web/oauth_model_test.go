package web_test

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store/credential"
	"samepage/web/webtest"
)

// TestFamily takes random steps with the tokens of a grant, and compares the answers with a model. The steps are
// refreshes, repetitions within and after the grace period, revocations, a second use of the code, and the passing of
// time.
func TestFamily(t *testing.T) {
	type refresh struct {
		secret, next string
		used         time.Time
	}
	w := webtest.New(t)
	p := newProgram(t, w)
	checkHistories(t, func(rt *rapid.T) {
		_, c := w.SignIn("/login", "alice@acme.example", webtest.Password)
		p.cookie = c.Name + "=" + c.Value
		code := p.code("alice", "read")
		first, r := p.ask(p.redemption(code))
		if r.Status != http.StatusOK {
			rt.Fatal(r.Status, r.Body)
		}
		family := []*refresh{{secret: first.Refresh}}
		access, until := first.Access, w.Clock.Now().Truncate(time.Second).Add(time.Hour)
		ends, over := w.Clock.Now().Add(7*24*time.Hour), false
		rt.Repeat(map[string]func(*rapid.T){
			"refresh": func(rt *rapid.T) {
				x := family[rapid.IntRange(max(0, len(family)-4), len(family)-1).Draw(rt, "which")]
				got, r := p.ask(p.renewal(x.secret))
				now := w.Clock.Now()
				late := !x.used.IsZero() && now.Sub(x.used) > credential.RefreshGrace
				if over = over || !now.Before(ends); over || late {
					over = true
					if r.Status != http.StatusBadRequest || got.Error != "invalid_grant" {
						rt.Fatalf("late: %v, over: %v, and it is answered %d %s", late, over, r.Status, r.Body)
					}
					return
				}
				if r.Status != http.StatusOK || x.next != "" && got.Refresh != x.next {
					rt.Fatalf("%d %s, not the successor %q", r.Status, r.Body, x.next)
				}
				access, until = got.Access, now.Truncate(time.Second).Add(time.Hour)
				if x.used.IsZero() {
					x.used, x.next = now, got.Refresh
					family = append(family, &refresh{secret: got.Refresh})
				}
			},
			"time": func(rt *rapid.T) {
				w.Clock.Advance(rapid.SampledFrom([]time.Duration{time.Second, 30 * time.Second, time.Minute,
					time.Minute + time.Millisecond, time.Hour, 24 * time.Hour}).Draw(rt, "for"))
			},
			"redeem again": func(rt *rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "rarely") > 0 {
					rt.Skip()
				}
				if _, r := p.ask(p.redemption(code)); r.Status != http.StatusBadRequest {
					rt.Fatal(r.Status, r.Body)
				}
				over = true
			},
			"give back": func(rt *rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "rarely") > 0 {
					rt.Skip()
				}
				post(w, "/oauth/revoke",
					map[string][]string{"client_id": {p.id}, "token": {family[len(family)-1].secret}})
				over = true
			},
			"": func(rt *rapid.T) {
				now := w.Clock.Now()
				want := http.StatusOK
				if over || !now.Before(until) || !now.Before(ends) {
					want = http.StatusUnauthorized
				}
				if r := p.reads(access); r.Status != want {
					rt.Fatalf("it reads %d, not %d", r.Status, want)
				}
			},
		})
	})
}
