//go:build linux

package durability

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tracer runs commands under strace and simulates a power cut.
type tracer struct {
	*testing.T
	rand   *rand.Rand
	n      int
	losses int
}

// command calls prepare, runs a command of the program, and cuts the power of the folder after the given time, or
// after the command's end if the time is 0. command reports whether the program's command had succeeded before the
// cut. Sometimes strace fails while threads of an ending program stop (PTRACE_LISTEN: Input/output error) and its log
// is incomplete. Such a run is repeated.
func (c *tracer) command(dir string, prepare func(), after time.Duration, args ...string) bool {
	c.Helper()
	path, err := built()
	if err != nil {
		c.Fatal(err)
	}
	for range 5 {
		prepare()
		before := pathsIn(c.T, dir)
		log := filepath.Join(c.TempDir(), "strace")
		cmd := traced(c.T, exec.Command(path, args...), log)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			c.Fatal(err)
		}
		if after > 0 {
			time.AfterFunc(after, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		}
		err = cmd.Wait()
		if err != nil && strings.Contains(out.String(), cmd.Path+": ptrace(") {
			c.Logf("strace failed, once more: %v\n%s", err, &out)
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			continue
		}
		if after == 0 && err != nil || panicked(out.String()) {
			c.Fatalf("samepage %v: %v\n%s", args, err, &out)
		}
		c.n++
		c.losses += seen(c.T, log, before...).cut(c.T, c.rand, dir, func(string) bool { return false })
		return err == nil
	}
	c.Fatalf("samepage %v: strace failed five times", args)
	return false
}

// TestPowerCutOfFiles cuts the power of a server that takes uploads and makes backups, and of the commands backup and
// restore, during or after their run. The cut loses all contents that strace did not see flushed, but only of files
// that the program itself writes. [TestPowerCut] tests the database in use. Each acknowledged upload must be
// complete. Each backup must be complete or absent, and present if the command succeeded. A restore must leave the
// old or the new database, and the new one if it succeeded.
func TestPowerCutOfFiles(t *testing.T) {
	t.Logf("-seed %d", *seed)
	w := seeded(t)
	r := rand.New(rand.NewPCG(*seed, 23))
	c := &tracer{T: t, rand: r}
	n, begun, uploads, backups, restores := count(t, *cuts/10, 2, 8, 40), time.Now(), 0, 0, 0
	for range n {
		dir := memory(t)
		data, backed := filepath.Join(dir, "data"), filepath.Join(dir, "backed")
		store(t, data, w.files)
		uploads += c.serve(w, data, backed)
		backups += c.backUp(dir, data)
		restores += c.restore(w, dir, data)
	}
	if c.losses == 0 {
		t.Error("no cut lost anything, so nothing was tested")
	}
	t.Logf("%d cuts in %v lost %d contents and names that were not flushed: %d acknowledged uploads, %d backups and %d restores are whole",
		c.n, time.Since(begun).Round(time.Second), c.losses, uploads, backups, restores)
}

// serve cuts the power of a server that takes uploads and makes a backup.
func (c *tracer) serve(w *world, data, backed string) (uploads int) {
	c.Helper()
	log := filepath.Join(c.TempDir(), "strace")
	before := pathsIn(c.T, data)
	cmd := traced(c.T, serving(c.T, data, "127.0.0.1:0", "SAMEPAGE_BACKUP_TO="+backed), log)
	cmd.SysProcAttr.Setpgid = true
	s := start(c.T, cmd).wait()
	if s.url == "" {
		c.Fatal(s.output)
	}
	l := newLedger(w, c.rand)
	group := l.write(c.Context(), s, 8, 0)
	time.Sleep(time.Duration(200+c.rand.IntN(500)) * time.Millisecond)
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	group.Wait()
	<-s.ended
	s.output.calm(c.T)
	l.mustNotRefuse(c.T)
	c.n++
	live := func(path string) bool { return strings.HasPrefix(filepath.Base(path), "samepage.") }
	f := seen(c.T, log, before...)
	c.losses += f.cut(c.T, c.rand, data, live) + f.cut(c.T, c.rand, backed, func(string) bool { return false })
	found, _, wrong := inspect(c.T, data, "")
	if wrong = append(wrong, l.check(found, nil)...); len(wrong) > 0 {
		c.Fatalf("-seed %d:\n%s", *seed, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
	}
	list, err := filepath.Glob(filepath.Join(backed, "*.backup"))
	if err != nil {
		c.Fatal(err)
	}
	for _, path := range list {
		must(c.T, "backup", "--verify", path)
	}
	for _, a := range l.those(acknowledged) {
		if a.file != nil {
			uploads++
		}
	}
	return uploads
}

// backUp cuts the power of the command backup, at a random time and after its end.
func (c *tracer) backUp(dir, data string) (made int) {
	c.Helper()
	out := filepath.Join(dir, "out")
	for i, after := range []time.Duration{0, time.Duration(1 + c.rand.Int64N(int64(600*time.Millisecond)))} {
		file := filepath.Join(out, fmt.Sprint(i))
		ended := c.command(out, func() {
			if err := errors.Join(os.MkdirAll(out, 0o700), os.RemoveAll(file)); err != nil {
				c.Fatal(err)
			}
		}, after, "backup", "--data", data, file)
		_, err := os.Stat(file)
		if err != nil && ended {
			c.Fatalf("-seed %d: a backup that was made is gone: %v", *seed, err)
		}
		if err == nil {
			must(c.T, "backup", "--verify", file)
			made++
		}
	}
	return made
}

// restore cuts the power of the command restore, at a random time and after its end.
func (c *tracer) restore(w *world, dir, data string) (made int) {
	c.Helper()
	backup := filepath.Join(dir, "backup")
	must(c.T, "backup", "--data", data, "--with-keys", backup)
	want, err := dump(filepath.Join(data, "samepage.db"), true)
	if err != nil {
		c.Fatal(err)
	}
	for i, after := range []time.Duration{0, time.Duration(1 + c.rand.Int64N(int64(800*time.Millisecond)))} {
		into := filepath.Join(dir, fmt.Sprint("into-", i))
		ended := c.command(into, func() {
			if err := os.RemoveAll(into); err != nil {
				c.Fatal(err)
			}
			store(c.T, into, w.files)
		}, after, "restore", "--data", into, backup)
		have, err := dump(filepath.Join(into, "samepage.db"), true)
		if err != nil {
			c.Fatalf("-seed %d: after a restore that was cut off after %v: %v", *seed, after, err)
		}
		switch whole := fmt.Sprint(have) == fmt.Sprint(want); {
		case ended && !whole:
			c.Fatalf("-seed %d: a restore that has ended is undone", *seed)
		case whole:
			made++
			must(c.T, "files", "check", "--data", into)
		}
		must(c.T, "restore", "--data", into, backup) // restores once more, beside the files of the interrupted restore
		must(c.T, "doctor", "--data", into)
	}
	return made
}
