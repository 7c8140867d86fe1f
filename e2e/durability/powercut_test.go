//go:build linux

package durability

import (
	"maps"
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

// shim compiles testdata/powercut.c once and returns the path of the library.
var shim = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "powercut.so")
	out, err := exec.Command("gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", path,
		"testdata/powercut.c", "-ldl", "-lpthread").CombinedOutput()
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

// machine simulates a computer with repeated power cuts. Its disk has a workspace.
type machine struct {
	t      *testing.T
	rand   *rand.Rand
	env    []string
	disk   map[string][]byte
	ledger *ledger
	head   string

	// starts, checkpoints and ends are numbers of power cuts: before the server served, during a checkpoint of the
	// log, and after a time instead of at an operation.
	starts, checkpoints, ends int
}

func newMachine(t *testing.T, r *rand.Rand, env ...string) *machine {
	w := seeded(t)
	return &machine{t: t, rand: r, env: append([]string{preload(t)}, env...), disk: w.files, ledger: newLedger(w, r)}
}

// run starts the server, lets 16 writers act, and cuts the power. It returns the errors in the remaining data.
func (m *machine) run() (wrong []string) {
	m.t.Helper()
	temp := memory(m.t) // in memory, because the disk is simulated anyway
	defer os.RemoveAll(temp)
	dir, log := filepath.Join(temp, "data"), filepath.Join(temp, "log")
	store(m.t, dir, m.disk)
	after, patience := 1+m.rand.IntN(2500), 400*time.Millisecond
	switch m.rand.IntN(10) {
	case 0, 1: // during the start, which recovers the log
		after = 1 + m.rand.IntN(40)
	case 2: // when the log is long enough for a checkpoint during the writes
		after, patience = 4000+m.rand.IntN(8000), 2*time.Second
	}
	s := serve(m.t, dir, append(m.env, "POWERCUT_DIR="+dir, "POWERCUT_LOG="+log,
		"POWERCUT_AFTER="+strconv.Itoa(after))...)
	if s.url == "" {
		m.starts++
	} else {
		m.ledger.retry(s)
		group := m.ledger.write(m.t.Context(), s, writers, 0)
		select {
		case <-s.ended:
		case <-time.After(patience):
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
	if f := d.files[d.names["samepage.db"]]; f != nil && len(f.pending) > 0 {
		m.checkpoints++
	}
	m.disk = d.cut(m.rand)
	maps.Copy(m.disk, flushed(m.t, dir))
	copied := filepath.Join(temp, "copy")
	store(m.t, copied, m.disk)
	f, head, wrong := inspect(m.t, copied, m.head)
	m.head = head
	return append(wrong, m.ledger.check(f, nil)...)
}

// flushed returns the files that the program itself flushes before a transaction refers to them: the noted journal
// heads and the attached files. The shim simulates only SQLite's files. [TestPowerCutOfFiles] tests the files that
// the program writes itself.
func flushed(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := loadFiles(t, dir)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.Contains(name, ".part-") })
	if heads := load(t, dir)["samepage.heads"]; heads != nil {
		files["samepage.heads"] = heads
	}
	return files
}

// TestPowerCut cuts the power at a random disk operation of SQLite while 16 writers act. The cut loses or tears data
// that was not flushed. The next round starts from the remaining data.
func TestPowerCut(t *testing.T) {
	n := count(t, *cuts, 10, 80, 400)
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 1))
	var m *machine
	acknowledgedInAll, starts, checkpoints, ends, began := 0, 0, 0, 0, time.Now()
	sum := func() {
		acknowledgedInAll += len(m.ledger.those(acknowledged))
		starts, checkpoints, ends = starts+m.starts, checkpoints+m.checkpoints, ends+m.ends
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
	t.Logf("%d cuts in %v, %d before it served, %d within a checkpoint, %d by the clock: %d actions "+
		"acknowledged, nothing lost, doubled or torn",
		n, time.Since(began).Round(time.Second), starts, checkpoints, ends, acknowledgedInAll)
}

// TestPowerCutFindsLoss checks that [TestPowerCut] can detect losses. If SQLite synchronizes less, acknowledged
// actions must be found missing.
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

// TestPowerCutFirstStart cuts the power while the server creates a new database. There is no data to lose yet, so the
// server must start again and must not call the remains damaged.
func TestPowerCutFirstStart(t *testing.T) {
	n := count(t, *cuts, 10, 40, 200)
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 11))
	served := 0
	for i := range n {
		temp := memory(t)
		dir, log := filepath.Join(temp, "data"), filepath.Join(temp, "log")
		after := 1 + r.IntN([]int{40, 2500}[i%2]) // before there is a log, or at any time until the server serves
		s := serve(t, dir, preload(t), "POWERCUT_DIR="+dir, "POWERCUT_LOG="+log, "POWERCUT_AFTER="+strconv.Itoa(after))
		if s.url != "" {
			served++
			s.end(syscall.SIGKILL)
		}
		noted, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		d, err := replay(nil, noted)
		if err != nil {
			t.Fatal(err)
		}
		left := d.cut(r)
		again := filepath.Join(temp, "again")
		store(t, again, left)
		// The program flushes the keys before the transaction that refers to them. The shim simulates only SQLite's
		// files, so the keys are copied.
		if keys := load(t, dir)["samepage.keys"]; keys != nil {
			store(t, again, map[string][]byte{"samepage.keys": keys})
		}
		s = serve(t, again)
		if s.output.calm(t); s.url == "" {
			for name, data := range left {
				t.Logf("%s has %d bytes", name, len(data))
			}
			t.Fatalf("cut %d of -seed %d, at operation %d: it does not start again:\n%s", i, *seed, after, s.output)
		}
		if code := s.end(syscall.SIGTERM); code != 0 {
			t.Fatalf("the server exits with %d:\n%s", code, s.output)
		}
		must(t, "doctor", "--data", again)
	}
	t.Logf("%d cuts of a first start, %d after it served", n, served)
}
