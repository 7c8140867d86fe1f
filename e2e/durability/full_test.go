//go:build linux

package durability

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"samepage/store/effort"
)

// TestFull fills a small disk while the server runs. The server must refuse writes with an answer that says what to
// do, continue to answer reads, lose no acknowledged action, and recover without a restart.
func TestFull(t *testing.T) {
	long(t, "filling the disk under 16 writers, twice on each of three kinds of disk")
	t.Run("tmpfs", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "disk")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
			t.Skipf("left out: a tmpfs cannot be mounted here: %v", err)
		}
		t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
		filler := filepath.Join(dir, "filler")
		fillDisk(t, filepath.Join(dir, "data"), fault{
			begin: func(room int64) { fill(t, filler, dir, room) },
			end:   func() { os.Remove(filler) },
			says:  saysFull,
		})
	})
	// Some disks cannot make a file longer but still accept writes inside the file.
	t.Run("refusing to grow", func(t *testing.T) {
		dir := t.TempDir()
		sign := filepath.Join(dir, "full")
		fillDisk(t, filepath.Join(dir, "data"), fault{
			env: []string{preload(t), "POWERCUT_DIR=" + filepath.Join(dir, "data"),
				"POWERCUT_LOG=/dev/null", "POWERCUT_FULL=" + sign},
			begin: func(int64) { store(t, dir, map[string][]byte{"full": {}}) },
			end:   func() { os.Remove(sign) },
			says:  saysFull,
		})
	})
	// If a disk cannot confirm a flush, the server must not acknowledge any action.
	t.Run("failing to flush", func(t *testing.T) {
		dir := t.TempDir()
		sign := filepath.Join(dir, "fail")
		fillDisk(t, filepath.Join(dir, "data"), fault{
			env: []string{preload(t), "POWERCUT_DIR=" + filepath.Join(dir, "data"),
				"POWERCUT_LOG=/dev/null", "POWERCUT_FAIL=" + sign},
			begin: func(int64) { store(t, dir, map[string][]byte{"fail": {}}) },
			end:   func() { os.Remove(sign) },
			says:  []string{"could not be written", "check the disk"},
		})
	})
}

// fault begins and ends a fault of a disk. During the fault the disk has only the given room in bytes, or it fails in
// another way.
type fault struct {
	env   []string
	begin func(room int64)
	end   func()
	says  []string // texts that every refusal contains during the fault; a bar separates alternatives
}

// saysFull has two alternatives in each text. SQLite reports a full disk as an input or output error if it cannot
// extend the shared-memory index of its log.
var saysFull = []string{"disk is full|could not be written", "free some space|check the disk"}

// fill writes a file that leaves at most the given room on the disk, in bytes.
func fill(t *testing.T, path, dir string, room int64) {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		t.Fatal(err)
	}
	if size := int64(stat.Bavail)*stat.Bsize - room; size > 0 {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

func fillDisk(t *testing.T, dir string, f fault) {
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 3)))
	store(t, dir, w.files)
	s := serve(t, dir, f.env...)
	rooms := []int64{0, 300 << 10, 3 << 20, 12 << 20}
	rooms = rooms[:effort.Of(2, 2, len(rooms))]
	effort.LeftOut(t, "all but %d amounts of room on the disk", len(rooms))
	for _, room := range rooms {
		group := l.write(t.Context(), s, writers, 0)
		l.reach(t, 50)
		before := len(l.those(refused))
		f.begin(room)
		for deadline := time.Now().Add(hangs); len(l.those(refused)) < before+50; {
			s.alive()
			if time.Now().After(deadline) {
				t.Fatalf("room for %d bytes, and writes go on", room)
			}
			time.Sleep(10 * time.Millisecond)
		}
		for _, path := range []string{w.polls[0].url, "/studios/team", "/orgs/meadow/journal", "/readyz"} {
			if status, body := s.read(path, w.tokens[0]); status != 200 && path != "/readyz" {
				t.Errorf("while the disk is full, %s answers %d: %s", path, status, body)
			} else if path == "/readyz" {
				t.Logf("while the disk is full, /readyz answers %d", status)
			}
		}
		f.end()
		l.reach(t, 50)
		s.alive()
		group.stop()
	}
	saysWhatToDo(t, l, f.says)
	l.again(s)
	l.mustNotRefuse(t)
	sound(t, s, l, dir)
}

// sound kills the server, and then runs the usual checks on its data.
func sound(t *testing.T, s *server, l *ledger, dir string) {
	t.Helper()
	s.alive()
	s.end(syscall.SIGKILL)
	f, _, wrong := inspect(t, dir, "")
	if wrong = append(wrong, l.check(f, nil)...); len(wrong) > 0 {
		t.Fatalf("-seed %d:\n%s", *seed, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
	}
	t.Logf("%d actions acknowledged, all there once", len(l.those(acknowledged)))
}

// saysWhatToDo checks that every refusal says what to do.
func saysWhatToDo(t *testing.T, l *ledger, says []string) {
	t.Helper()
	list := l.those(refused)
	for _, a := range list {
		for _, part := range append([]string{`"code":"unavailable"`}, says...) {
			said := func(s string) bool { return strings.Contains(a.answer, s) }
			if !strings.HasPrefix(a.answer, "503 ") || !slices.ContainsFunc(strings.Split(part, "|"), said) {
				t.Errorf("a write is refused with %s", a.answer)
				return
			}
		}
	}
	t.Logf("%d actions refused, such as with %s", len(list), list[0].answer)
}

// TestFullStart starts the server on a full disk. The server may refuse to start, but it must not call the database
// damaged. When the disk has room again, the server must start.
func TestFullStart(t *testing.T) {
	long(t, "starting on a full disk")
	w := seeded(t)
	temp := t.TempDir()
	dir, sign := filepath.Join(temp, "data"), filepath.Join(temp, "full")
	store(t, dir, w.files)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 4)))
	env := []string{preload(t), "POWERCUT_DIR=" + dir, "POWERCUT_LOG=/dev/null", "POWERCUT_FULL=" + sign}
	s := serve(t, dir, env...)
	group := l.write(t.Context(), s, writers, 0)
	l.reach(t, 100)
	s.end(syscall.SIGKILL)
	group.Wait()
	store(t, temp, map[string][]byte{"full": {}})
	s = serve(t, dir, env...)
	s.output.calm(t)
	if s.url != "" {
		t.Log("it serves")
		s.end(syscall.SIGKILL)
	}
	if text := s.output.String(); strings.Contains(text, "damaged") ||
		s.url == "" && !strings.Contains(text, "disk is full") {
		t.Errorf("on a full disk it should say so, and says:\n%s", text)
	}
	os.Remove(sign)
	s = serve(t, dir, env...)
	if s.url == "" {
		t.Fatalf("there is room again and it does not start:\n%s", s.output)
	}
	l.retry(s)
	l.mustNotRefuse(t)
	sound(t, s, l, dir)
}
