package runner

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"samepage/store/work/wire"
)

// TestNoTurnOutlivesItsClaim lets the server answer claims and renewals late, or never. The runner must end the turn
// when the claim expires. A claim begins when the runner requests it.
func TestNoTurnOutlivesItsClaim(t *testing.T) {
	for name, c := range map[string]struct{ claim, refusal time.Duration }{
		"no answer":                  {0, 0},
		"late refusals":              {0, 19 * time.Second},
		"a late claim":               {25 * time.Second, 0},
		"a late claim, and refusals": {25 * time.Second, 19 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case strings.HasSuffix(r.URL.Path, "/claim"):
						time.Sleep(c.claim)
						_, _ = w.Write([]byte(`{"secret":"a"}`))
					case strings.HasSuffix(r.URL.Path, "/renew") && c.refusal > 0:
						time.Sleep(c.refusal)
						w.WriteHeader(http.StatusBadGateway)
					default:
						<-r.Context().Done()
					}
				})
				r := &Runner{Config: Config{Page: "/mill", Log: slog.New(slog.DiscardHandler),
					Verbs: Verbs{ClaimTurn: "claim", RenewTurn: "renew", FinishTurn: "finish"}},
					site: &site{handler: answers}, working: map[string]*working{}}
				began := time.Now()
				var agents sync.WaitGroup
				if err := r.claim(context.WithoutCancel(t.Context()), &wire.Turn{ID: "one"}, &agents); err != nil {
					t.Fatal(err)
				}
				agents.Wait()
				if took := time.Since(began); took != wire.TurnLease {
					t.Errorf("the runner worked on the turn for %v, and the claim holds for %v", took, wire.TurnLease)
				}
			})
		})
	}
}

// TestPostponedJobsAreDoneSoon has a job on a worktree in which an agent works. The runner must claim the job as soon
// as the turn has ended, even if its page does not change.
func TestPostponedJobsAreDoneSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ends = 5 * time.Second
		const page = `{"version":"1","data":{"jobs":[{"id":"job","state":"waiting","worktree_id":"tree"}]}}`
		began := time.Now()
		ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
		var claimed time.Duration
		answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Query().Has("wait"):
				select {
				case <-r.Context().Done():
				case <-time.After(waitFor):
				}
			case r.Method == http.MethodGet:
				_, _ = w.Write([]byte(page))
				return
			case strings.HasSuffix(r.URL.Path, "/take"):
				claimed = time.Since(began)
				stop()
			case strings.HasSuffix(r.URL.Path, "/finish"):
				time.Sleep(ends)
			}
			_, _ = w.Write([]byte(`{"secret":"a"}`))
		})
		r := &Runner{Config: Config{Page: "/mill", Log: slog.New(slog.DiscardHandler), Verbs: Verbs{Announce: "announce",
			Claim: "take", ClaimTurn: "claim", FinishTurn: "finish"}}, site: &site{handler: answers},
			working: map[string]*working{}, ended: make(chan struct{}, 1)}
		var agents sync.WaitGroup
		if err := r.claim(ctx, &wire.Turn{ID: "one", WorktreeID: "tree"}, &agents); err != nil {
			t.Fatal(err)
		}
		r.again(ctx, r.poll)
		agents.Wait()
		if claimed != ends {
			t.Errorf("the job was claimed after %v, and the turn ended after %v", claimed, ends)
		}
	})
}
