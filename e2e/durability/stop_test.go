//go:build linux

package durability

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestDuplicates sends each action 100 times at the same time with the same idempotency key. The action must have one
// effect, and all answers must be the same.
func TestDuplicates(t *testing.T) {
	long(t, "100 parallel duplicates of an action")
	w := seeded(t)
	dir := w.folder(t)
	s := serve(t, dir)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 6)))
	for _, name := range []string{"comment", "cast_vote", "comment"} {
		var a *act
		for a == nil || a.name != name {
			a = w.think(l.rand, prefix+"duplicate-"+name+"-"+time.Now().Format("150405.000000000"), w.tokens[3])
		}
		l.note(a)
		var group sync.WaitGroup
		statuses := make([]int, 100)
		for i := range statuses {
			group.Go(func() { statuses[i], _ = s.post(a) })
		}
		group.Wait()
		for i, status := range statuses {
			if status != 200 {
				t.Fatalf("duplicate %d is answered with %d", i, status)
			}
		}
		a.fate = acknowledged
	}
	sound(t, s, l, dir)
}

// TestStop asks the server to stop while 16 writers act. The server must finish the running
// requests, checkpoint its log, and exit with 0.
func TestStop(t *testing.T) {
	long(t, "ten graceful stops under 16 writers")
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	dir := w.folder(t)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 7)))
	unanswered := 0
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		for range 5 {
			s := serve(t, dir)
			l.retry(s)
			group := l.write(t.Context(), s, writers, 0)
			time.Sleep(time.Duration(50+l.rand.IntN(100)) * time.Millisecond)
			begun := time.Now()
			if code := s.end(sig); code != 0 {
				t.Fatalf("after %v it exits with %d:\n%s", sig, code, s.output)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Logf("after %v it took %v to stop", sig, took)
			}
			group.Wait()
			s.output.calm(t)
			if _, err := os.Stat(filepath.Join(dir, "samepage.db-wal")); err == nil {
				t.Errorf("after %v the log is left beside the database", sig)
			}
			// A caller whose connection was cut may retry. Therefore the server must not have taken an action that it
			// did not answer.
			f, _, wrong := inspect(t, dir, "")
			if wrong = append(wrong, l.check(f, nil)...); len(wrong) > 0 {
				t.Fatalf("after %v:\n%s", sig, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
			}
			for _, a := range l.those(unknown) {
				unanswered++
				if f.journal[a.id] > 0 {
					t.Errorf("after %v, %s %s was done and never answered", sig, a.name, a.id)
				}
			}
			for _, a := range l.those(refused) {
				if a.answer[:4] != "503 " {
					t.Fatalf("while it stops it refuses with %s", a.answer)
				}
			}
		}
	}
	t.Logf("%d requests met a closed connection, none of them done", unanswered)
	s := serve(t, dir)
	l.retry(s)
	l.again(s)
	l.mustNotRefuse(t)
	sound(t, s, l, dir)
}
