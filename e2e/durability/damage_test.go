//go:build linux

package durability

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wound is one way to damage a database file.
type wound struct {
	name   string
	inside bool // whether the damage is in a part that the server does not read when it starts on a large file
	do     func(r *rand.Rand, db []byte) []byte
}

var wounds = []wound{
	{"cut off in its header", false, func(_ *rand.Rand, db []byte) []byte { return db[:50] }},
	{"cut off after its header", false, func(_ *rand.Rand, db []byte) []byte { return db[:100] }},
	{"cut off after its first page", false, func(_ *rand.Rand, db []byte) []byte { return db[:4096] }},
	{"cut in half", false, func(_ *rand.Rand, db []byte) []byte { return db[:len(db)/2] }},
	{"cut off by a byte", false, func(_ *rand.Rand, db []byte) []byte { return db[:len(db)-1] }},
	{"a text", false, func(*rand.Rand, []byte) []byte { return []byte(strings.Repeat("This is no database.\n", 500)) }},
	{"garbage", false, func(r *rand.Rand, db []byte) []byte { return garble(r, db, 0, len(db)) }},
	{"garbage as its first page", false, func(r *rand.Rand, db []byte) []byte { return garble(r, db, 0, 4096) }},
	{"garbage behind its header", false, func(r *rand.Rand, db []byte) []byte { return garble(r, db, 100, 4096) }},
	{"zeros as its second half", true, func(_ *rand.Rand, db []byte) []byte { clear(db[len(db)/8192*4096:]); return db }},
	{"garbage as one page", true, garblePage},
	{"garbage as one page", true, garblePage},
	{"garbage as one page", true, garblePage},
	{"garbage as one page", true, garblePage},
	{"two pages swapped", true, func(_ *rand.Rand, db []byte) []byte {
		const a, b = 1, 3 // the roots of two tables; swapping two free pages would do no damage
		one := bytes.Clone(db[a*4096 : (a+1)*4096])
		copy(db[a*4096:], db[b*4096:(b+1)*4096])
		copy(db[b*4096:], one)
		return db
	}},
}

// garblePage damages a random page that is in use, except the first page. SQLite never reads the content of free
// pages, so garbage there would do no damage.
func garblePage(r *rand.Rand, db []byte) []byte {
	free := freePages(db)
	for {
		if page := 1 + r.IntN(len(db)/4096-1); !free[page] {
			return garble(r, db, page*4096, (page+1)*4096)
		}
	}
}

// freePages returns the set of free pages without content, counted from 0. For the format of the list, see
// https://www.sqlite.org/fileformat.html#the_freelist.
func freePages(db []byte) map[int]bool {
	number := func(at int) int { return int(binary.BigEndian.Uint32(db[at:])) }
	free := map[int]bool{}
	for trunk := number(32); trunk != 0; trunk = number((trunk - 1) * 4096) {
		at := (trunk - 1) * 4096
		for i := range number(at + 4) {
			free[number(at+8+4*i)-1] = true
		}
	}
	return free
}

func garble(r *rand.Rand, db []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		db[i] = byte(r.Uint32())
	}
	return db
}

// TestDamage damages a small and a large database in many ways. The server must refuse to start and
// say what to do next. If the damage is deep inside a large file, the server may serve the rest,
// and the doctor must find the damage. No command may panic, and a restore must repair the
// database.
func TestDamage(t *testing.T) {
	long(t, "15 ways to damage a small and a large database")
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 8))
	for _, size := range []string{"small", "large"} {
		dir := filepath.Join(memory(t), "data")
		store(t, dir, w.files)
		if size == "large" {
			grow(t, w, r, dir)
		}
		backup := filepath.Join(dir, "backup")
		must(t, "backup", "--data", dir, backup)
		healthy := load(t, dir)["samepage.db"]
		for _, wound := range wounds {
			t.Run(size+"/"+wound.name, func(t *testing.T) {
				dir := filepath.Join(memory(t), "data")
				store(t, dir, map[string][]byte{"samepage.db": wound.do(r, bytes.Clone(healthy)),
					"samepage.keys": w.files["samepage.keys"]})
				examine(t, w, r, dir, wound.inside && size == "large")
				must(t, "restore", "--data", dir, backup)
				must(t, "doctor", "--data", dir)
			})
		}
	}
}

// grow lets writers act until the database is too large for a full check at each start.
func grow(t *testing.T, w *world, r *rand.Rand, dir string) {
	t.Helper()
	s := serve(t, dir)
	l := newLedger(w, r)
	group := l.write(t.Context(), s, writers, 0)
	l.reach(t, 1500)
	group.stop()
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("the server exited with %d", code)
	}
	if n := len(load(t, dir)["samepage.db"]); n <= 2<<20 {
		t.Fatalf("the database has only grown to %d bytes", n)
	}
}

// examine starts the server on a damaged database, reads pages if the server starts, and runs the
// doctor.
func examine(t *testing.T, w *world, r *rand.Rand, dir string, mayServe bool) {
	t.Helper()
	before := load(t, dir)["samepage.db"]
	s := serve(t, dir)
	s.output.calm(t)
	if s.url == "" {
		saysDamaged(t, "serve", s.cmd.ProcessState.ExitCode(), s.output.String())
		if !bytes.Equal(load(t, dir)["samepage.db"], before) {
			t.Error("the damaged file was changed by a start that failed")
		}
	} else {
		if !mayServe {
			t.Error("the server starts on it")
		}
		l := newLedger(w, r)
		group := l.write(t.Context(), s, 4, 0)
		for _, path := range []string{"/", "/studios/team", w.polls[0].url, "/orgs/meadow/journal",
			"/orgs/meadow/members"} {
			if status, body := s.read(path, w.tokens[0]); status != 200 && status != 503 {
				t.Errorf("%s answers %d: %s", path, status, body)
			}
		}
		time.Sleep(100 * time.Millisecond)
		group.stop()
		s.alive()
		for _, a := range l.those(refused) {
			if !strings.HasPrefix(a.answer, "503 ") {
				t.Errorf("%s is refused with %s", a.name, a.answer)
				break
			}
		}
		if code := s.end(syscall.SIGTERM); code != 0 {
			t.Errorf("the server exits with %d", code)
		}
	}
	out, code := samepage(t, "doctor", "--data", dir)
	saysDamaged(t, "doctor", code, out)
}

// saysDamaged checks that a command has failed, and that its output names the file and says what is
// wrong and what to do next.
func saysDamaged(t *testing.T, command string, code int, out string) {
	t.Helper()
	if code != 1 && code != 3 || panicked(out) || !strings.Contains(out, "samepage.db") ||
		!strings.Contains(out, "damaged") || !strings.Contains(out, "samepage restore") {
		t.Errorf("%s exits with %d and says: %s", command, code, out)
	}
}

// TestDamagedLog starts the server on a healthy database with a damaged write-ahead log. The server may lose the
// contents of the log, because the log looks as if a crash had cut it short. Everything else must stay complete. If
// only the database file is missing, the server must not create a new database.
func TestDamagedLog(t *testing.T) {
	long(t, "damaged logs")
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 9))
	dir := filepath.Join(memory(t), "data")
	store(t, dir, w.files)
	l := newLedger(w, r)
	s := serve(t, dir)
	group := l.write(t.Context(), s, writers, 0)
	l.reach(t, 50)
	s.end(syscall.SIGKILL)
	group.Wait()
	left := load(t, dir)
	for range 10 {
		log := bytes.Clone(left["samepage.db-wal"])
		from := r.IntN(len(log))
		damaged := filepath.Join(memory(t), "data")
		store(t, damaged, left)
		store(t, damaged, map[string][]byte{"samepage.db-wal": garble(r, log, from, min(len(log), from+4096))})
		f, _, wrong := inspect(t, damaged, "")
		if wrong = append(wrong, l.check(f, []*act{})...); len(wrong) > 0 {
			t.Fatalf("garbage at %d of the log: %s", from, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
		}
	}
	for _, db := range [][]byte{nil, {}} {
		lone := filepath.Join(memory(t), "data")
		files := map[string][]byte{"samepage.db-wal": left["samepage.db-wal"]}
		if db != nil {
			files["samepage.db"] = db
		}
		store(t, lone, files)
		s := serve(t, lone)
		if s.url != "" {
			t.Error("the server starts anew beside the log of a lost database")
			continue
		}
		saysDamaged(t, "serve", s.cmd.ProcessState.ExitCode(), s.output.String())
		if info, err := os.Stat(filepath.Join(lone, "samepage.db-wal")); err != nil ||
			info.Size() != int64(len(left["samepage.db-wal"])) {
			t.Errorf("the log was touched: %v", err)
		}
	}
}
