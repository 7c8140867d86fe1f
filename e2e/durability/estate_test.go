//go:build linux

package durability

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"samepage/store/asuser"
)

// estate is a folder with everything that an operator has: the data folder of a killed server, a folder with two
// backups, and a single backup with the keys.
type estate struct {
	dir      string
	world    *world
	attached []attachment
	tables   map[string]string // digest of each compared table, by its name
	keys     string
	heads    []byte
	rotated  []string // file names of the backups in their folder
	data     []string // paths of the data folder's files, relative to the estate
	backups  []string // paths of the other files: the folder of backups and the single backup
}

// attachment is a file that is attached to a poll.
type attachment struct {
	id   string
	data []byte
}

func (a *attachment) hash() string {
	sum := sha256.Sum256(a.data)
	return hex.EncodeToString(sum[:])
}

// path returns the path of the bytes, relative to a data folder or to a folder of backups.
func (a *attachment) path() string { return filepath.Join("files", a.hash()[:2], a.hash()[2:]) }

var onlyEstate struct {
	sync.Once
	*estate
}

// newEstate returns the estate, which is made once for all tests. Tests must not change it.
func newEstate(t *testing.T) *estate {
	t.Helper()
	onlyEstate.Do(func() { onlyEstate.estate = makeEstate(t) })
	if onlyEstate.estate == nil {
		t.Fatal("there is no estate")
	}
	return onlyEstate.estate
}

func makeEstate(t *testing.T) *estate {
	if _, err := built(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(scratch, 0o711); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(scratch, "estate-")
	if err != nil {
		t.Fatal(err)
	}
	e := &estate{dir: dir, world: seeded(t)}
	data, backups := filepath.Join(dir, "data"), filepath.Join(dir, "backups")
	store(t, data, e.world.files)
	r := rand.New(rand.NewPCG(*seed, 20))
	s := serve(t, data)
	for i, size := range []int{22, 70_000, 1_500_000} {
		content := []byte(strings.Repeat(fmt.Sprintf("Line %d of the plan. ", i), size/20+1))
		garble(r, content, min(20, len(content)), len(content))
		content[0] = 'L'
		id := s.mustUpload(e.world.polls[i].url, e.world.tokens[i], fmt.Sprint("estate-", i),
			fmt.Sprintf("Plan %d", i), content)
		e.attached = append(e.attached, attachment{id, content})
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("the server exits with %d:\n%s", code, s.output)
	}
	e.backUp(t, data, backups, "20200102T030405Z") // the backup gets an old time, so that the next backup is due
	s = serve(t, data, "SAMEPAGE_BACKUP_TO="+backups)
	before, err := os.ReadFile(filepath.Join(data, "samepage.heads"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		a := &act{id: fmt.Sprintf("estate-comment-%d", i), url: e.world.polls[i%3].url, name: "comment", token: e.world.tokens[i%6],
			params: map[string]any{"text": strings.Repeat("It is in the log. ", 50)}}
		if status, body := s.post(a); status != 200 {
			t.Fatal(status, body)
		}
	}
	last := before
	for deadline := time.Now().Add(hangs); ; time.Sleep(100 * time.Millisecond) {
		if now, err := os.ReadFile(filepath.Join(data, "samepage.heads")); err == nil && !bytes.Equal(now, last) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the heads are not noted")
		}
	}
	for len(e.rotatedIn(t, backups)) < 2 {
		time.Sleep(20 * time.Millisecond)
	}
	s.end(syscall.SIGKILL)
	e.rotated = e.rotatedIn(t, backups)
	e.note(t)
	return e
}

// backUp has a server make a backup in the folder of backups, and puts the given time into the backup's name.
func (e *estate) backUp(t *testing.T, data, backups, at string) {
	t.Helper()
	s := serve(t, data, "SAMEPAGE_BACKUP_TO="+backups)
	for len(e.rotatedIn(t, backups)) == 0 {
		time.Sleep(20 * time.Millisecond)
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("the server exits with %d:\n%s", code, s.output)
	}
	name := e.rotatedIn(t, backups)[0]
	if err := os.Rename(filepath.Join(backups, name), filepath.Join(backups, "samepage-"+at+".backup")); err != nil {
		t.Fatal(err)
	}
}

func (e *estate) rotatedIn(t *testing.T, backups string) (names []string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(backups, "*.backup"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		names = append(names, filepath.Base(path))
	}
	return names
}

// note records the healthy state, lists the files, and makes the single backup.
func (e *estate) note(t *testing.T) {
	t.Helper()
	data := filepath.Join(e.dir, "data")
	copied := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(copied, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	must(t, "backup", "--data", copied, "--with-keys", filepath.Join(e.dir, "single"))
	var err error
	if e.tables, err = dump(filepath.Join(copied, "samepage.db"), true); err != nil {
		t.Fatal(err)
	}
	if e.heads, err = os.ReadFile(filepath.Join(data, "samepage.heads")); err != nil {
		t.Fatal(err)
	}
	e.keys = keysIn(data)
	for _, root := range []string{"data", "backups"} {
		if err := filepath.WalkDir(filepath.Join(e.dir, root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(e.dir, path)
			if root == "data" {
				e.data = append(e.data, name)
			} else {
				e.backups = append(e.backups, name)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	e.backups = append(e.backups, "single")
	for _, name := range []string{"data/samepage.db", "data/samepage.db-wal", "data/samepage.keys", "data/samepage.heads"} {
		if info, err := os.Stat(filepath.Join(e.dir, name)); err != nil || info.Size() == 0 {
			t.Fatalf("%s is not there to be damaged: %v", name, err)
		}
	}
}

// compared lists the tables that tests compare. These tables hold acknowledged work. Other tables also change without
// a request.
var compared = []string{"organizations", "members", "studios", "roles", "items", "comments", "versions", "files", "decisions",
	"options", "ballots", "commitments", "participants", "notes", "note_rows", "journal", "users"}

// dump returns the digest of each compared table. It opens a copy of the database with its log. If sound is true,
// dump returns an error if SQLite's check of the database finds a fault.
func dump(path string, sound bool) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "dump-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && (suffix == "" || !os.IsNotExist(err)) {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "db"+suffix), data, 0o600); err != nil {
			return nil, err
		}
	}
	db, err := sql.Open("sqlite3", filepath.Join(dir, "db"))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if found, err := texts(db, `PRAGMA integrity_check`); sound && (err != nil || len(found) != 1 || found[0] != "ok") {
		return nil, errors.Join(err, fmt.Errorf("%v", found))
	}
	tables := map[string]string{}
	for _, name := range compared {
		if tables[name], err = digest(db, name); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// digest returns a digest of the rows of a table.
func digest(db *sql.DB, table string) (string, error) {
	rows, err := db.QueryContext(context.Background(), `SELECT * FROM `+table+` NOT INDEXED ORDER BY 1, 2, 3`)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q\n", values)
	}
	return hex.EncodeToString(sum.Sum(nil)), rows.Err()
}

// keysIn returns the line with the keys in a data folder, or "" if there is none.
func keysIn(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "samepage.keys"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "samepage-keys-1 ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// losses is a set of things that were lost, by name.
type losses map[string]bool

// without returns the losses except those with these names.
func (l losses) without(names ...string) losses {
	left := maps.Clone(l)
	for _, name := range names {
		delete(left, name)
	}
	return left
}

func (l losses) String() string { return strings.Join(slices.Sorted(maps.Keys(l)), ", ") }

// readable reports whether a file is a regular file that its owner may read. Root could read it in any case.
func readable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o400 != 0
}

// asNobody makes the command run as a user without privileges, who gets the folder, because root could read every
// file. If the test itself does not run as root, asNobody does nothing.
func asNobody(t *testing.T, dir string, cmd *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, asuser.Nobody, asuser.Nobody))
	}); err != nil {
		t.Fatal(err)
	}
	if err := asuser.Start(cmd, asuser.Nobody, asuser.Nobody); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
