//go:build linux

package durability

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// ledger records all actions on a workspace, with the answers of the server.
type ledger struct {
	world *world
	rand  *rand.Rand // for the test's own goroutine; each writer has its own

	mu    sync.Mutex
	acts  []*act
	files map[string]int // number of files that were attached to each page
}

// mostFiles is the number of files that the writers attach to one page at most. The product allows more.
const mostFiles = 45

// lastAct is the number of the last action in all ledgers.
var lastAct atomic.Int64

func newLedger(w *world, r *rand.Rand) *ledger {
	return &ledger{world: w, rand: r, files: map[string]int{}}
}

// crew is a group of writers who act at the same time.
type crew struct {
	sync.WaitGroup
	cancel context.CancelFunc
}

// stop stops the writers. Each writer first finishes its current action.
func (c *crew) stop() {
	c.cancel()
	c.Wait()
}

// write starts n writers who act independently, with a pause of the given average length between two actions. Each
// writer continues until it is stopped or the outcome of its last action is unknown.
func (l *ledger) write(ctx context.Context, s *server, n int, pause time.Duration) *crew {
	ctx, cancel := context.WithCancel(ctx)
	group := &crew{cancel: cancel}
	for i := range n {
		r := rand.New(rand.NewPCG(l.rand.Uint64(), 0))
		token := l.world.tokens[i%len(l.world.tokens)]
		group.Go(func() {
			for ctx.Err() == nil {
				a := l.think(r, token)
				if l.ask(s, a); l.of(a) == unknown {
					return
				}
				if pause > 0 {
					time.Sleep(time.Duration(r.Int64N(int64(2 * pause))))
				}
			}
		})
	}
	return group
}

// reach waits until n more actions have been acknowledged.
func (l *ledger) reach(t *testing.T, n int) {
	t.Helper()
	n += len(l.those(acknowledged))
	for deadline := time.Now().Add(hangs); len(l.those(acknowledged)) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the writers have only got through %d of %d actions", len(l.those(acknowledged)), n)
		}
	}
}

// think invents an action and adds it to the ledger.
func (l *ledger) think(r *rand.Rand, token string) *act {
	id := fmt.Sprintf("%s%06d", prefix, lastAct.Add(1))
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.world.think(r, id, token)
	for a.file != nil && l.files[a.url] == mostFiles {
		a = l.world.think(r, id, token)
	}
	if a.file != nil {
		l.files[a.url]++
	}
	l.acts = append(l.acts, a)
	return a
}

func (l *ledger) note(a *act) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acts = append(l.acts, a)
}

func (l *ledger) of(a *act) fate {
	l.mu.Lock()
	defer l.mu.Unlock()
	return a.fate
}

// ask sends an action and records the answer. A success status acknowledges the action, even if the rest of the
// answer does not arrive.
func (l *ledger) ask(s *server, a *act) {
	status, body := s.post(a)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case status >= 200 && status < 300:
		a.fate = acknowledged
	case strings.Contains(body, "may have been done"): // the outcome is unknown
	case status > 0:
		a.fate, a.answer = refused, fmt.Sprintf("%d %s", status, body)
	}
}

// post sends the action over HTTP. It returns the status 0 if there was no answer.
func (s *server) post(a *act) (status int, body string) {
	if a.file != nil {
		return s.upload(a.url, a.token, a.id, a.id, a.file)
	}
	call, err := json.Marshal(map[string]any{"params": a.params, "idempotency_key": a.id, "why": a.id})
	if err != nil {
		panic(err)
	}
	r, err := http.NewRequest(http.MethodPost, s.url+a.url+"/actions/"+a.name, bytes.NewReader(call))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, err.Error()
	}
	return resp.StatusCode, string(text)
}

// retry repeats every action whose outcome is unknown, with the same idempotency key. Some of these actions are sent
// twice at the same time.
func (l *ledger) retry(s *server) {
	var group sync.WaitGroup
	for _, a := range l.those(unknown) {
		for range 1 + l.rand.IntN(2) {
			group.Go(func() { l.ask(s, a) })
		}
	}
	group.Wait()
}

// again repeats each refused action once. A caller may do so, because the refusal says that nothing was changed.
func (l *ledger) again(s *server) {
	for _, a := range l.those(refused) {
		l.ask(s, a)
	}
}

// those returns the actions that have the given fate at this moment.
func (l *ledger) those(f fate) []*act {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []*act{} // not nil, because check reads nil as all acknowledged actions
	for _, a := range l.acts {
		if a.fate == f {
			list = append(list, a)
		}
	}
	return list
}

// mustNotRefuse fails the test if an action was refused.
func (l *ledger) mustNotRefuse(t *testing.T) {
	t.Helper()
	if list := l.those(refused); len(list) > 0 {
		t.Fatalf("%d actions were refused; the first, %s on %s, with %s", len(list), list[0].name,
			list[0].url, list[0].answer)
	}
}

// check compares the traces in a database with the answers, and returns the errors. Every action in the list sure must
// have its traces. If the list is nil, check uses all acknowledged actions.
func (l *ledger) check(f *found, sure []*act) (wrong []string) {
	if sure == nil {
		sure = l.those(acknowledged)
	}
	certain := map[*act]bool{}
	for _, a := range sure {
		certain[a] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := map[string]bool{}
	for _, a := range l.acts {
		asked[a.id] = true
		entries, answers, comments, files := f.journal[a.id], f.answers[a.id], f.comments[a.id], f.files[a.id]
		switch {
		case certain[a] && entries == 0:
			wrong = append(wrong, fmt.Sprintf("LOST: %s %s was acknowledged and is gone", a.name, a.id))
		case a.fate == refused && entries+answers+comments+files > 0:
			wrong = append(wrong, fmt.Sprintf("%s %s was refused (%s) and is there", a.name, a.id, a.answer))
		case entries > 1 || comments > 1 || files > 1:
			wrong = append(wrong, fmt.Sprintf("%s %s took effect twice: %d entries, %d comments, %d files",
				a.name, a.id, entries, comments, files))
		case answers != entries, a.name == "comment" && comments != entries, a.name == "attach" && files != entries:
			wrong = append(wrong, fmt.Sprintf("%s %s is there by half: %d entries, %d answers, %d "+
				"comments, %d files", a.name, a.id, entries, answers, comments, files))
		}
	}
	for id := range f.journal {
		if !asked[id] {
			wrong = append(wrong, "nobody asked for "+id)
		}
	}
	return wrong
}
