//go:build linux

package durability

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"samepage/store/effort"
)

// harmed is a copy of the estate in which one file is damaged.
type harmed struct {
	*testing.T
	*estate
	at   string // path of the copy
	file string // path of the damaged file, relative to the estate
	runs *atomic.Int64
}

// The method each calls examine for each of the files and each way to damage a file. For each call, the estate is
// copied again. Only a run with SAMEPAGE_E2E=record tries all cases.
func (e *estate) each(t *testing.T, files []string, examine func(c *harmed)) {
	t.Logf("-seed %d", *seed)
	var cases, runs atomic.Int64
	begun := time.Now()
	left := 0
	t.Run("each", func(t *testing.T) {
		for i, file := range files {
			for j, h := range harms {
				quick := h.quick && !e.minor(file)
				if !effort.Of(quick, quick || (i+j)%10 == 0, true) {
					left++
					continue
				}
				t.Run(strings.ReplaceAll(file, "/", " ")+" "+h.name, func(t *testing.T) {
					t.Parallel()
					c := &harmed{T: t, estate: e, at: filepath.Join(memory(t), "copy"), file: file, runs: &runs}
					if err := os.CopyFS(c.at, os.DirFS(e.dir)); err != nil {
						t.Fatal(err)
					}
					if err := os.Chmod(filepath.Dir(c.at), 0o711); err != nil {
						t.Fatal(err)
					}
					if err := h.do(rand.New(rand.NewPCG(*seed, uint64(i*1000+j))), filepath.Join(c.at, file)); err != nil {
						t.Fatal(err)
					}
					examine(c)
					cases.Add(1)
				})
			}
		}
	})
	t.Logf("%d kinds of damage to %d files, %d commands in %v; nothing healthy was lost", cases.Load(), len(files), runs.Load(),
		time.Since(begun).Round(time.Second))
	if left > 0 {
		effort.LeftOut(t, "%d kinds of damage", left)
	}
}

// minor reports whether a short run leaves this file undamaged.
func (e *estate) minor(file string) bool {
	for _, a := range e.attached[1:] {
		if strings.HasSuffix(file, a.path()) {
			return true
		}
	}
	return strings.HasSuffix(file, "-shm") || strings.HasSuffix(file, ".reserve")
}

// run runs a command of the program in the copy of the estate, and returns its output and exit code.
func (c *harmed) run(args ...string) (string, int) {
	c.Helper()
	path, err := built()
	if err != nil {
		c.Fatal(err)
	}
	cmd := exec.CommandContext(c.Context(), path, args...)
	cmd.Dir = c.at
	asNobody(c.T, c.at, cmd)
	c.runs.Add(1)
	text, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !exit.Exited()) {
		c.Fatalf("samepage %v: %v\n%s", args, err, text)
	}
	if panicked(string(text)) {
		c.Errorf("samepage %v: %s", args, text)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// check runs a command. The command must fail and name everything that is lost. If nothing is lost, the command must
// succeed or name the damaged file. check returns the output.
func (c *harmed) check(name string, lost losses, args ...string) string {
	c.Helper()
	out, code := c.run(args...)
	c.judge(name, lost, out, code)
	return out
}

func (c *harmed) judge(name string, lost losses, out string, code int) {
	c.Helper()
	switch {
	case len(lost) > 0 && code == 0:
		c.Errorf("%s exits with 0, and lost are %s: %s", name, lost, out)
	case code != 0 && len(lost) == 0 && !strings.Contains(out, filepath.Base(c.file)) && !strings.Contains(out, "one is due"):
		c.Errorf("%s exits with %d, though nothing is lost, and does not name the file: %s", name, code, out)
	}
	if strings.Contains(out, "cannot be reached") {
		c.Errorf("%s says that the database cannot be reached: %s", name, out)
	}
	if lost["samepage.db"] {
		lost = losses{"samepage.db": true} // without the database, the program knows of no other files
	}
	for thing := range lost {
		if !strings.Contains(out, thing) && !(thing == "samepage.db" && strings.Contains(out, "journal of meadow")) {
			c.Errorf("%s does not name %s: %s", name, thing, out)
		}
	}
}

// lost compares a data folder with its healthy state. It returns the names of all lost things: attached files by
// their hashes, and the database, the keys and the heads by their file names.
func (c *harmed) lost(dir string) losses {
	c.Helper()
	dir = filepath.Join(c.at, dir)
	l := c.lostFiles(dir)
	if !c.whole(filepath.Join(dir, "samepage.db")) {
		l["samepage.db"] = true
	}
	if !readable(filepath.Join(dir, "samepage.keys")) || keysIn(dir) != c.keys {
		l["samepage.keys"] = true
	}
	heads := filepath.Join(dir, "samepage.heads")
	if text, err := os.ReadFile(heads); err != nil || !readable(heads) || !bytes.Equal(text, c.heads) {
		l["samepage.heads"] = true
	}
	return l
}

// lostFiles returns the hashes of the attached files that a folder lacks.
func (c *harmed) lostFiles(dir string) losses {
	l := losses{}
	for i := range c.attached {
		path := filepath.Join(dir, c.attached[i].path())
		if data, err := os.ReadFile(path); err != nil || !readable(path) || !bytes.Equal(data, c.attached[i].data) {
			l[c.attached[i].hash()] = true
		}
	}
	return l
}

// whole reports whether a database has all rows of the healthy state.
func (c *harmed) whole(path string) bool {
	wal := path + "-wal"
	link, err := os.Lstat(path)
	if err != nil || !readable(path) {
		return false
	}
	if log, err := os.Lstat(wal); err == nil && (!readable(wal) || !log.Mode().IsRegular() || !link.Mode().IsRegular()) {
		return false // SQLite looks for the log beside the target of a link
	}
	tables, err := dump(path, true)
	if err != nil {
		return false
	}
	for name, digest := range c.tables {
		if tables[name] != digest {
			return false
		}
	}
	return true
}

// subtle returns the tables in the data folder's database that have changed without SQLite noticing. For example, a
// changed byte can turn a value into another valid one, because SQLite has no checksums. The doctor finds such a
// change only in rows that the journal covers.
func (c *harmed) subtle() (names []string) {
	path := filepath.Join(c.at, "data", "samepage.db")
	if c.file != "data/samepage.db" || !readable(path) {
		return nil
	}
	tables, err := dump(path, true)
	if err != nil {
		return nil
	}
	for name, digest := range c.tables {
		if tables[name] != digest {
			names = append(names, name)
		}
	}
	return names
}

// lostBackups returns the names of the backups whose database is lost, and the hashes of the attached files that are
// missing in the folder of backups.
func (c *harmed) lostBackups() losses {
	l := c.lostFiles(filepath.Join(c.at, "backups"))
	for _, name := range append([]string{"backups/single"}, c.rotated...) {
		path := filepath.Join(c.at, "backups", name)
		healthy := filepath.Join(c.dir, "backups", name)
		if name == "backups/single" {
			name, path, healthy = "single", filepath.Join(c.at, "single"), filepath.Join(c.dir, "single")
		}
		want, err := dump(healthy, false)
		if err != nil {
			c.Fatal(err)
		}
		have, err := dump(path, false)
		if err != nil || !readable(path) || fmt.Sprint(have) != fmt.Sprint(want) {
			l[name] = true
		}
	}
	return l
}

// restored verifies and restores a backup that was made from the damaged folder. The argument copied is the path of the
// backup, and out is the output of the command that made it. If the output says that a backup was written, and the
// database is not lost, the backup must exist.
func (c *harmed) restored(copied string, lost losses, out string) {
	c.Helper()
	if _, err := os.Stat(filepath.Join(c.at, copied)); err != nil {
		if !lost["samepage.db"] && strings.Contains(out, "Written") {
			c.Errorf("no backup: %v", err)
		}
		return
	}
	if lost["samepage.db"] {
		c.check("verify", losses{}, "backup", "--verify", copied) // the backup has the other files, which are sound
		return
	}
	own := lost.without("samepage.keys", "samepage.heads")
	c.check("verify", own, "backup", "--verify", copied)
	c.restoredFrom(copied, own)
}

// restoredFrom restores a backup to a new folder, which must then contain everything except the losses.
func (c *harmed) restoredFrom(from string, lost losses) {
	c.Helper()
	dir := "restored " + filepath.Base(from)
	out, code := c.run("restore", "--data", dir, from)
	c.judge("restore", lost, out, code)
	if !strings.Contains(out, "Restored to") {
		if code == 0 || len(lost) == 0 && c.file != from {
			c.Errorf("restore does not restore and exits with %d: %s", code, out)
		}
		return
	}
	for hash := range c.lostFiles(filepath.Join(c.at, dir)) {
		if !lost[hash] && !strings.Contains(out, hash) { // a damaged backup may have lost any file
			c.Errorf("%s is not restored: %s", hash, out)
		}
	}
	if _, err := dump(filepath.Join(c.at, dir, "samepage.db"), true); err != nil {
		c.Errorf("the restored database is damaged: %v", err)
	}
}

// serves starts the server on the damaged data folder. The server must refuse to start and name the reason, or serve
// everything that is not lost.
func (c *harmed) serves(lost losses) {
	c.Helper()
	cmd := serving(c.T, filepath.Join(c.at, "data"), "127.0.0.1:0")
	asNobody(c.T, c.at, cmd)
	c.runs.Add(1)
	s := start(c.T, cmd).wait()
	s.output.calm(c.T)
	defer s.end(syscall.SIGKILL)
	fatal := losses{}
	for _, name := range []string{"samepage.db", "samepage.keys"} {
		if lost[name] {
			fatal[name] = true
		}
	}
	if s.url == "" {
		c.judge("serve", fatal, s.output.String(), s.cmd.ProcessState.ExitCode())
		return
	}
	if len(fatal) > 0 {
		c.Errorf("the server starts, and lost are %s:\n%s", fatal, s.output)
	}
	for i := range c.attached {
		a := &c.attached[i]
		status, body := s.read("/files/"+a.id+"/download", c.world.tokens[0])
		if whole := status == 200 && body == string(a.data); whole == lost[a.hash()] || status == 200 && !whole {
			if status == 200 && len(a.data) > 1<<20 && len(body) == len(a.data) {
				continue // before the download of a large file, the server checks only its size
			}
			c.Errorf("%s is answered with %d and %d bytes", a.hash(), status, len(body))
		}
	}
	if status, body := s.read(c.world.polls[0].url, c.world.tokens[0]); status != 200 {
		c.Errorf("a page is answered with %d: %s", status, body)
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		c.Errorf("the server exits with %d:\n%s", code, s.output)
	}
	if lost["samepage.heads"] && !strings.Contains(s.output.String(), "samepage.heads") {
		c.Errorf("the server says nothing of the heads:\n%s", s.output)
	}
}

// kept checks that the commands have lost nothing more than was lost before, and have not changed a file that does
// not belong to the program.
func (c *harmed) kept(dir string, before losses) {
	c.Helper()
	for name := range c.lost(dir) {
		if !before[name] && name != "samepage.heads" { // the program writes this file again
			c.Errorf("%s is lost now", name)
		}
	}
	unknown := filepath.Join(c.at, filepath.Dir(c.file), "unknown")
	if text, err := os.ReadFile(unknown); err == nil && string(text) != "unknown" || err != nil && !os.IsNotExist(err) {
		c.Errorf("the unknown file has %q (%v)", text, err)
	}
}

// repaired restores the single backup to the damaged folder. Afterwards the folder must contain everything, or the
// restore must have failed and named everything that is still lost.
func (c *harmed) repaired(before losses) {
	c.Helper()
	old, _ := os.ReadFile(filepath.Join(c.at, "data", "samepage.db"))
	out, code := c.run("restore", "--data", "data", "single")
	after := c.lost("data").without("samepage.heads")
	c.judge("repair", after, out, code)
	if len(after) > 0 && code == 0 {
		c.Errorf("%s are not restored: %s", after, out)
	}
	if code == 0 {
		c.check("doctor after the repair", losses{}, "doctor", "--data", "data")
	}
	if aside, _ := filepath.Glob(filepath.Join(c.at, "data", "samepage.db.2*Z")); before["samepage.db"] && len(old) > 0 {
		if len(aside) == 0 && strings.Contains(out, "Restored") {
			c.Errorf("the damaged database is not kept: %s", out)
		}
	}
}

// upload attaches a file to a page. It returns the status 0 if there was no answer.
func (s *server) upload(page, token, key, name string, data []byte) (status int, body string) {
	var text bytes.Buffer
	m := multipart.NewWriter(&text)
	m.WriteField("_why", key) // writing to a buffer never fails
	part, err := m.CreateFormFile("file", name)
	if err != nil {
		panic(err)
	}
	part.Write(data)
	m.Close()
	r, err := http.NewRequest(http.MethodPost, s.url+page+"/actions/attach", &text)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Idempotency-Key", key)
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, err.Error()
	}
	return resp.StatusCode, string(answer)
}

// mustUpload attaches a file and returns its id, the last part of its address.
func (s *server) mustUpload(page, token, key, name string, data []byte) string {
	s.t.Helper()
	if status, body := s.upload(page, token, key, name, data); status != http.StatusOK {
		s.t.Fatalf("attach: %d %s", status, body)
	}
	_, text := s.read(page, token)
	_, rest, ok := strings.Cut(text, "["+name+"]("+s.url+"/files/")
	if !ok {
		s.t.Fatalf("%s is not on the page:\n%s", name, text)
	}
	id, _, _ := strings.Cut(rest, ")")
	return id
}
