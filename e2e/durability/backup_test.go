//go:build linux

package durability

import (
	"bytes"
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

// TestBackup takes backups with the backup command while 8 writers act. Each backup must be
// consistent and have every action that was acknowledged before the backup began.
func TestBackup(t *testing.T) {
	long(t, "12 backups under 8 writers, each restored and checked")
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 5)))
	dir, out := w.folder(t), memory(t)
	s := serve(t, dir)
	group := l.write(t.Context(), s, 8, 4*time.Millisecond)
	var promised [][]*act
	const backups = 12
	for i := range backups {
		l.reach(t, 8)
		promised = append(promised, l.those(acknowledged))
		must(t, "backup", "--data", dir, "--with-keys", filepath.Join(out, fmt.Sprint(i)))
	}
	group.stop()
	l.mustNotRefuse(t)
	for i, sure := range promised {
		restored := filepath.Join(out, fmt.Sprint("restored-", i))
		must(t, "restore", "--data", restored, filepath.Join(out, fmt.Sprint(i)))
		f, _, wrong := inspect(t, restored, "")
		if wrong = append(wrong, l.check(f, sure)...); len(wrong) > 0 {
			t.Fatalf("backup %d of -seed %d:\n%s", i, *seed, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
		}
	}
	t.Logf("%d of %d backups are consistent; the last holds the %d actions acknowledged before it",
		backups, backups, len(promised[backups-1]))
	if out, code := samepage(t, "restore", "--data", dir, filepath.Join(out, "0")); code == 0 ||
		!strings.Contains(out, "in use") {
		t.Errorf("a restore into a folder in use exits with %d: %s", code, out)
	}
	if out, code := samepage(t, "backup", "--data", dir, filepath.Join(out, "0")); code == 0 ||
		!strings.Contains(out, "exists") {
		t.Errorf("a backup onto an earlier one exits with %d: %s", code, out)
	}
	sound(t, s, l, dir)
	restoreAside(t, dir, filepath.Join(out, "3"), l, promised[3])
}

// restoreAside restores a backup over an existing database. The restore must keep the old database
// in another file.
func restoreAside(t *testing.T, dir, backup string, l *ledger, sure []*act) {
	t.Helper()
	must(t, "doctor", "--data", dir) // the doctor checkpoints the log, so that the database file is complete
	old := load(t, dir)["samepage.db"]
	must(t, "restore", "--data", dir, backup)
	aside, err := filepath.Glob(filepath.Join(dir, "samepage.db.2*Z"))
	if err != nil || len(aside) != 1 {
		t.Fatalf("the old database should be beside the new one, and there are %v", aside)
	}
	kept, err := os.ReadFile(aside[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, old) {
		t.Error("the old database was changed when it was moved aside")
	}
	f, _, wrong := inspect(t, dir, "")
	if wrong = append(wrong, l.check(f, sure)...); len(wrong) > 0 {
		t.Fatalf("after the restore:\n%s", strings.Join(wrong[:min(len(wrong), 20)], "\n"))
	}
}

// TestKillRestore kills a restore at a random moment. Afterwards the folder must have either the old or the new
// database. With no database, the next start would treat the folder as a new installation.
func TestKillRestore(t *testing.T) {
	long(t, "25 restores that are killed")
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 10))
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	newer := w.folder(t)
	s := serve(t, newer)
	l := newLedger(w, r)
	group := l.write(t.Context(), s, writers, 0)
	l.reach(t, 50)
	group.stop()
	backup := filepath.Join(t.TempDir(), "backup")
	must(t, "backup", "--data", newer, backup)
	s.end(syscall.SIGKILL)
	dir := w.folder(t)
	begun := time.Now()
	must(t, "restore", "--data", dir, backup)
	usual := time.Since(begun)
	early, late := 0, 0
	for i := range 25 {
		dir := w.folder(t)
		cmd := exec.Command(path, "restore", "--data", dir, backup)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		patience := time.Duration(r.Int64N(int64(usual) * 3 / 2))
		time.Sleep(patience)
		cmd.Process.Kill() // the process may have ended already
		cmd.Wait()
		if load(t, dir)["samepage.db"] == nil {
			t.Fatalf("round %d of -seed %d: killed after %v, it leaves no database; a start would make a new one",
				i, *seed, patience)
		}
		f, _, wrong := inspect(t, dir, "")
		switch len(f.journal) {
		case 0:
			early++
		case len(l.those(acknowledged)):
			late++
		default:
			wrong = append(wrong, fmt.Sprintf("%d of %d actions are there", len(f.journal), len(l.those(acknowledged))))
		}
		if len(wrong) > 0 {
			t.Fatalf("round %d of -seed %d, killed after %v:\n%s", i, *seed, patience, strings.Join(wrong, "\n"))
		}
	}
	t.Logf("25 restores killed within %v: %d left the old database, %d the new one", usual, early, late)
}

// TestBeside runs commands on a folder while a server serves the folder and writers write. The
// commands must find no error, and must not disturb the server.
func TestBeside(t *testing.T) {
	long(t, "66 commands beside a server under 8 writers")
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	dir := w.folder(t)
	s := serve(t, dir)
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 12)))
	group := l.write(t.Context(), s, 8, 4*time.Millisecond)
	for i := range 60 { // the quickest command, because only the opening of the database can conflict with the server
		must(t, "token", "list", "--data", dir)
		if i%20 == 0 {
			must(t, "doctor", "--data", dir)
			must(t, "journal", "verify", "--data", dir)
		}
	}
	group.stop()
	l.mustNotRefuse(t)
	sound(t, s, l, dir)
}
