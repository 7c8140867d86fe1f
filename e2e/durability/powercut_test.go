package durability

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// shim compiles testdata/powercut.c, once.
var shim = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "powercut.so")
	out, err := exec.Command("gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", path, "testdata/powercut.c", "-ldl", "-lpthread").CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return path, nil
})

func preload(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("left out: there is no gcc to compile testdata/powercut.c with")
	}
	path, err := shim()
	if err != nil {
		t.Fatalf("compile testdata/powercut.c: %v\n%s", err, path)
	}
	return "LD_PRELOAD=" + path
}

// machine is a computer whose power goes again and again, with a workspace on its disk.
type machine struct {
	t      *testing.T
	rand   *rand.Rand
	env    []string
	disk   map[string][]byte
	ledger *ledger
	head   string

	answered, starts, ends int // actions acknowledged; cuts before it served; cuts by time and not by operation
}

func newMachine(t *testing.T, r *rand.Rand, env ...string) *machine {
	w := seeded(t)
	return &machine{t: t, rand: r, env: append([]string{preload(t)}, env...), disk: w.files, ledger: newLedger(w, r)}
}

// run starts the server, lets 16 writers act and cuts the power. It says what is wrong with what is left.
func (m *machine) run() (wrong []string) {
	m.t.Helper()
	temp, err := os.MkdirTemp(fast, "cut-")
	if err != nil {
		m.t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	dir, log := filepath.Join(temp, "data"), filepath.Join(temp, "log")
	store(m.t, dir, m.disk)
	after := 1 + m.rand.IntN(2500)
	if m.rand.IntN(5) == 0 {
		after = 1 + m.rand.IntN(40) // while it starts and takes over the log
	}
	s := serve(m.t, dir, append(m.env, "POWERCUT_DIR="+dir, "POWERCUT_LOG="+log, "POWERCUT_AFTER="+strconv.Itoa(after))...)
	if s.url == "" {
		m.starts++
	} else {
		m.ledger.retry(s)
		group := m.ledger.write(m.t.Context(), s, writers, 0)
		select {
		case <-s.ended:
		case <-time.After(400 * time.Millisecond):
			m.ends++
		}
		s.end(syscall.SIGKILL)
		group.Wait()
	}
	s.output.calm(m.t)
	m.ledger.mustNotRefuse(m.t)
	if code := s.cmd.ProcessState.ExitCode(); code != 137 && code != -1 {
		m.t.Fatalf("cut at operation %d: the server exited with %d:\n%s", after, code, s.output)
	}
	noted, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	d, err := replay(m.disk, noted)
	if err != nil {
		m.t.Fatal(err)
	}
	m.disk = d.cut(m.rand)
	copied := filepath.Join(temp, "copy")
	store(m.t, copied, m.disk)
	f, head, wrong := inspect(m.t, copied, m.head)
	m.head = head
	return append(wrong, m.ledger.check(f, nil)...)
}

// fast is a folder in memory, where there is one: the disk is simulated anyway.
var fast = func() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}()

// TestPowerCut cuts the power at any operation of SQLite on the disk, under 16 writers, and loses or tears what was not
// flushed. The next round starts from what was left.
func TestPowerCut(t *testing.T) {
	n := count(t, *cuts, 200, 10)
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 1))
	var m *machine
	acknowledgedInAll, starts, ends, began := 0, 0, 0, time.Now()
	sum := func() {
		acknowledgedInAll, starts, ends = acknowledgedInAll+len(m.ledger.those(acknowledged)), starts+m.starts, ends+m.ends
	}
	for i := range n {
		if i%life == 0 {
			if m != nil {
				sum()
			}
			m = newMachine(t, r)
		}
		if wrong := m.run(); len(wrong) > 0 {
			t.Fatalf("cut %d of -seed %d:\n%s", i, *seed, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
		}
	}
	sum()
	if acknowledgedInAll == 0 {
		t.Fatal("nothing was acknowledged, so nothing was tested")
	}
	t.Logf("%d cuts in %v, %d before it served, %d by the clock: %d actions acknowledged, nothing lost, doubled or torn",
		n, time.Since(began).Round(time.Second), starts, ends, acknowledgedInAll)
}

// TestPowerCutFindsLoss shows that the harness can see: with a weaker setting acknowledged actions must be found lost.
func TestPowerCutFindsLoss(t *testing.T) {
	for _, weak := range []string{"NORMAL", "OFF"} {
		t.Run(weak, func(t *testing.T) {
			t.Logf("-seed %d", *seed)
			r := rand.New(rand.NewPCG(*seed, 2))
			for i := range 20 {
				wrong := newMachine(t, r, "SAMEPAGE_TEST_SYNCHRONOUS="+weak).run()
				lost := 0
				for _, line := range wrong {
					if strings.HasPrefix(line, "LOST") {
						lost++
					}
				}
				if lost > 0 {
					t.Logf("cut %d: %d actions lost, as it should be", i, lost)
					return
				}
			}
			t.Fatal("20 power cuts without flushing lost nothing: the harness is blind")
		})
	}
}
