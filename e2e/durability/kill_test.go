//go:build linux

package durability

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// life is the number of rounds on one workspace, before the next round starts again from the demo. In that many
// rounds damage can accumulate, but the workspace stays small.
const life = 10

// TestKill kills the server at a random moment while 16 writers act, in many rounds on the same workspace. The
// kernel's page cache survives a kill, so TestKill checks the order of writes, but not whether they reach the disk.
// [TestPowerCut] checks that.
func TestKill(t *testing.T) {
	n := count(t, *rounds, 3, 15, 100)
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	var l *ledger
	var dir, head string
	r := rand.New(rand.NewPCG(*seed, 0))
	acknowledgedInAll, retried, start := 0, 0, time.Now()
	for round := range n {
		if round%life == 0 {
			if l != nil {
				acknowledgedInAll += len(l.those(acknowledged))
			}
			l, dir, head = newLedger(w, r), w.folder(t), ""
		}
		patience := time.Duration(20+r.IntN(180)) * time.Millisecond
		var s *server
		if r.IntN(10) == 0 { // kill the server while it starts
			s = launch(t, dir)
			time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
			s.end(syscall.SIGKILL)
		} else {
			s = serve(t, dir)
			if s.url == "" {
				t.Fatalf("round %d: the server did not come back:\n%s", round, s.output)
			}
			retried += len(l.those(unknown))
			l.retry(s)
			group := l.write(t.Context(), s, writers, 0)
			time.Sleep(patience)
			s.end(syscall.SIGKILL)
			group.Wait()
		}
		s.output.calm(t)
		l.mustNotRefuse(t)
		// The checks run on a copy, so that the next round begins with the folder as the kill left it.
		copied := filepath.Join(t.TempDir(), "copy")
		store(t, copied, load(t, dir))
		f, next, wrong := inspect(t, copied, head)
		if wrong = append(wrong, l.check(f, nil)...); len(wrong) > 0 {
			t.Fatalf("round %d of -seed %d, killed after %v:\n%s", round, *seed, patience,
				strings.Join(wrong[:min(len(wrong), 20)], "\n"))
		}
		head = next
	}
	acknowledgedInAll += len(l.those(acknowledged))
	if acknowledgedInAll == 0 {
		t.Fatal("nothing was acknowledged, so nothing was tested")
	}
	t.Logf("%d kills in %v: %d actions acknowledged, %d asked for again, nothing lost, doubled or torn",
		n, time.Since(start).Round(time.Second), acknowledgedInAll, retried)
}
