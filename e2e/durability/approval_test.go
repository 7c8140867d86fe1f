//go:build linux

package durability

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// approve sends a person's approval, and reports whether the server acknowledged it.
func (s *server) approve(ctx context.Context, c *http.Client, at string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+at+"/actions/approve_request",
		strings.NewReader(`{"params":{}}`))
	if err != nil {
		s.t.Error(err)
		return false
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var said struct{ Message string }
	err = json.NewDecoder(resp.Body).Decode(&said)
	return err == nil && resp.StatusCode == http.StatusOK && strings.HasPrefix(said.Message, "Approved and done")
}

// TestKillBetweenApprovalAndAnswer kills the server while a person approves an agent's requests. Afterwards each
// request must either still wait, or be approved and have its action taken exactly once. If the approval was
// acknowledged, the action must have been taken.
func TestKillBetweenApprovalAndAnswer(t *testing.T) {
	const held = 12
	w := seeded(t)
	r := rand.New(rand.NewPCG(*seed, 1))
	waited, done := 0, 0
	for round := range count(t, *rounds, 2, 6, 60) {
		dir := w.folder(t)
		token := strings.TrimSpace(must(t, "token", "create", "--data", dir, "--member", "bob",
			"--label", "Asker", "--asks", "comment"))
		s := serve(t, dir)
		page := w.polls[r.IntN(len(w.polls))].url
		approvals := make([]string, held)
		for i := range approvals {
			status, body := s.post(&act{
				url:    page,
				name:   "comment",
				token:  token,
				params: map[string]any{"text": fmt.Sprintf("held-%02d", i)},
			})
			var out struct {
				Held bool
				URL  string
			}
			if err := json.Unmarshal([]byte(body), &out); err != nil || status != http.StatusAccepted || !out.Held {
				t.Fatalf("it was not held: %d %s", status, body)
			}
			approvals[i] = out.URL
		}
		bob := s.signIn("bob")
		acknowledged := make([]bool, held)
		var group sync.WaitGroup
		answered := make(chan bool, held)
		for i, at := range approvals {
			group.Go(func() {
				acknowledged[i] = s.approve(t.Context(), bob, at)
				answered <- true
			})
		}
		for range r.IntN(held) {
			<-answered
		}
		time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
		s.end(syscall.SIGKILL)
		group.Wait()
		s.output.calm(t)

		s = serve(t, dir)
		bob = s.signIn("bob")
		db := open(t, filepath.Join(dir, "samepage.db"))
		said := func(i int) (n int) {
			if err := db.QueryRow(`SELECT count(*) FROM comments WHERE text = ?`,
				fmt.Sprintf("held-%02d", i)).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for i, at := range approvals {
			_, body := s.read(at, token)
			is := strings.Contains(body, "Approved by @bob") && strings.Contains(body, "and done")
			waits := strings.Contains(body, "Waiting for @bob")
			switch n := said(i); {
			case is == waits || is && n != 1 || waits && n != 0:
				t.Fatalf("round %d of -seed %d: done %t, waits %t, %d comments:\n%s", round, *seed, is, waits, n, body)
			case acknowledged[i] && !is:
				t.Fatalf("round %d of -seed %d: it was acknowledged and is lost:\n%s", round, *seed, body)
			case is:
				done++
			default:
				waited++
				if !s.approve(t.Context(), bob, at) || said(i) != 1 {
					t.Fatalf("round %d of -seed %d: approved after the restart, there are %d comments",
						round, *seed, said(i))
				}
			}
		}
		s.end(syscall.SIGTERM)
	}
	t.Logf("%d were done before the kill, %d waited and were done after it", done, waited)
}
