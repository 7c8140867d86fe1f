package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"samepage/store/db"
)

// Head is the position and the hash of the last entry of a journal. A copy that is kept elsewhere proves later whether
// the entries up to this position were removed or changed.
type Head struct {
	Org  string // handle of the organization
	Seq  int64
	Hash []byte
}

// String formats the head as "acme:42:3fa9…", which [ParseHead] reads.
func (h Head) String() string {
	return fmt.Sprintf("%s:%d:%s", h.Org, h.Seq, hex.EncodeToString(h.Hash))
}

// ParseHead parses the output of [Head.String]. It returns [Invalid] for any other text.
func ParseHead(s string) (Head, error) {
	parts := strings.Split(s, ":")
	bad := Errorf(Invalid, "A head looks like acme:42:3fa9…, as journal verify prints it.")
	if len(parts) != 3 {
		return Head{}, bad
	}
	seq, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return Head{}, bad
	}
	hash, err := hex.DecodeString(parts[2])
	if err != nil || len(hash) != sha256.Size {
		return Head{}, bad
	}
	return Head{Org: parts[0], Seq: seq, Hash: hash}, nil
}

// HeadsName is the name of a file in a data folder with the heads of all journals. With the file, the next start
// notices that the database or its write-ahead log has lost acknowledged work. The store writes the file some seconds
// after a change, and when the store is closed. Each line has the id of an organization and the head of its journal.
// The last line has the SHA-256 of the other lines.
const HeadsName = "samepage.heads"

// headsInterval is the time between a write to the database and the writing of the heads.
const headsInterval = 5 * time.Second

// headWriter is a goroutine that writes the heads of a store to a file beside its database.
type headWriter struct {
	store   *Store
	wake    chan struct{}
	stopped chan struct{}
	done    chan struct{}
	once    sync.Once

	mu      sync.Mutex // held while the file is written
	last    string     // content of the file after the last successful attempt
	known   bool       // the database has the record that the file exists; see [headsNote]
	failing bool       // the last attempt failed, and the log has a warning about it
}

func startHeadWriter(s *Store) *headWriter {
	n := &headWriter{store: s, wake: make(chan struct{}, 1), stopped: make(chan struct{}), done: make(chan struct{})}
	n.changed() // creates the file if it is missing
	go n.loop()
	return n
}

// changed makes the goroutine write the heads soon.
func (n *headWriter) changed() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *headWriter) stop() {
	n.once.Do(func() { close(n.stopped) })
	<-n.done
}

func (n *headWriter) loop() {
	defer close(n.done)
	for {
		select {
		case <-n.stopped:
			n.write()
			return
		case <-n.wake:
		}
		select {
		case <-n.stopped:
		case <-time.After(headsInterval):
			n.write()
		}
	}
}

// write writes the current heads to the file if they have changed. It logs only the first of several failures in a row.
func (n *headWriter) write() {
	n.mu.Lock()
	defer n.mu.Unlock()
	text, err := n.store.currentHeads(context.Background())
	if err == nil && text != n.last {
		path := filepath.Join(n.store.Folder(), HeadsName)
		err = db.Install(path, func(part string) error { return os.WriteFile(part, []byte(text), 0o600) })
	}
	if err == nil {
		n.last = text
		err = n.recordFile()
	}
	if err != nil && !n.failing {
		slog.Warn("the heads of the journals are not noted, so a start may miss that the database lost work",
			"file", HeadsName, "error", err)
	}
	n.failing = err != nil
}

// recordFile records in the database that the file with the heads exists, so that the loss of the file is noticed.
func (n *headWriter) recordFile() error {
	if n.known || n.last == "" {
		return nil
	}
	err := n.store.DB.Write(context.Background(), func(of *db.Tx) error {
		_, err := n.store.begin(of).Instance(headsNote, func() []byte { return []byte(HeadsName) })
		return err
	})
	n.known = err == nil
	return err
}

// headsNote is the key of the row in the table instance that records that the file with the heads exists.
const headsNote = "heads"

// ForgetHeads removes the record under [headsNote] from the database file at path, which must not be open as a store.
func ForgetHeads(ctx context.Context, path string) error {
	return db.OnFile(ctx, path, func(q *sqlx.Tx) error {
		_, err := q.ExecContext(ctx, `DELETE FROM instance WHERE key = ?`, headsNote)
		return err
	})
}

// MustHaveHeads returns [Invalid] if the file with the recorded heads is missing or empty, although the database has
// the record that the file exists. If an interrupted restore has renamed the file, MustHaveHeads undoes the renaming
// and returns nil.
func (s *Store) MustHaveHeads(ctx context.Context) error {
	if s.Folder() == "" {
		return nil
	}
	path := filepath.Join(s.Folder(), HeadsName)
	if info, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) && (err != nil || info.Size() > 0) {
		return nil // readHeads reports a file that cannot be read
	}
	return s.Read(ctx, func(tx *Tx) error {
		_, err := tx.Instance(headsNote, nil)
		switch {
		case CodeOf(err) == NotFound:
			return nil
		case err != nil:
			return err
		case putBack(path):
			return nil
		}
		return Errorf(Invalid, "%s, with the heads of the journals, is missing or empty. Nothing else tells whether the database has lost "+
			"its latest work: compare it with a backup. The next start of the server notes the heads anew.", path)
	})
}

// ReplacedSuffix is appended to the name of the file with the heads while a restore replaces the database.
const ReplacedSuffix = ".replaced"

// putBack removes [ReplacedSuffix], which a killed restore leaves, from the name of the file with the heads. It reports
// whether there was a file with the suffix.
func putBack(path string) bool {
	err := os.Rename(path+ReplacedSuffix, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		slog.Warn("the noted heads keep the name that an interrupted restore gave them", "error", err)
	}
	return !errors.Is(err, fs.ErrNotExist)
}

func (s *Store) currentHeads(ctx context.Context) (string, error) {
	var list []storedHead
	if err := s.DB.Read(ctx, func(tx *db.Tx) error {
		return tx.Select(&list, `SELECT id, handle, journal_seq, journal_hash FROM organizations WHERE journal_seq > 0 ORDER BY id`)
	}); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, h := range list {
		fmt.Fprintf(&b, "%s %s\n", h.ID, Head{Org: h.Handle, Seq: h.Seq, Hash: h.Hash})
	}
	if b.Len() == 0 {
		return "", nil
	}
	return b.String() + headsSum(b.String()), nil
}

func headsSum(lines string) string { return fmt.Sprintf("sha256 %x\n", sha256.Sum256([]byte(lines))) }

type storedHead struct {
	ID     string `db:"id"`
	Handle string `db:"handle"`
	Seq    int64  `db:"journal_seq"`
	Hash   []byte `db:"journal_hash"`
}

// NotedHeads returns the heads in the file beside the database, with the present handles of their organizations. The
// list is empty if the database is on a server or no heads were recorded yet. NotedHeads returns [Invalid] if the file
// cannot be parsed or its checksum is wrong.
func (s *Store) NotedHeads(ctx context.Context) ([]Head, error) {
	noted, err := s.readHeads()
	list := make([]Head, len(noted))
	for i, h := range noted {
		list[i] = Head{Org: h.Handle, Seq: h.Seq, Hash: h.Hash}
		rerr := s.DB.Read(ctx, func(tx *db.Tx) error {
			return tx.Get(&list[i].Org, `SELECT handle FROM organizations WHERE id = ?`, h.ID)
		})
		if rerr != nil && CodeOf(rerr) != NotFound {
			return nil, rerr
		}
	}
	return list, err
}

func (s *Store) readHeads() (list []storedHead, err error) {
	if s.Folder() == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(s.Folder(), HeadsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines, sum, _ := strings.Cut(string(text), "sha256 ")
	if len(text) > 0 && "sha256 "+sum != headsSum(lines) {
		return nil, Errorf(Invalid, "%s is damaged: its last line is not the SHA-256 of the others. The next start of the server "+
			"notes the heads anew; compare the database with a backup before.", filepath.Join(s.Folder(), HeadsName))
	}
	for line := range strings.Lines(lines) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		h, err := ParseHead(rest)
		if err != nil {
			return nil, Errorf(Invalid, "%s has a line that is no head of a journal: %q.",
				filepath.Join(s.Folder(), HeadsName), line)
		}
		list = append(list, storedHead{ID: id, Handle: h.Org, Seq: h.Seq, Hash: h.Hash})
	}
	return list, nil
}

// CheckNotedHeads returns [Unavailable] if the database lacks the journal entry of a recorded head, or has another
// entry in its place. If [Store.MustHaveHeads] returns [Invalid], or the file with the heads cannot be read, it logs
// the error and returns nil.
func (s *Store) CheckNotedHeads(ctx context.Context) error {
	missing := s.MustHaveHeads(ctx)
	if missing != nil && CodeOf(missing) != Invalid {
		return missing
	}
	noted, err := s.readHeads()
	if err == nil {
		err = missing
	}
	if err != nil {
		slog.Warn("the noted heads of the journals cannot be read, so the database is not compared with them", "error", err)
		return nil
	}
	return s.DB.Read(ctx, func(tx *db.Tx) error {
		for _, h := range noted {
			var hash []byte
			var end int64
			err := tx.Get(&hash, `SELECT hash FROM journal WHERE org_id = ? AND seq = ?`, h.ID, h.Seq)
			if err != nil && CodeOf(err) != NotFound {
				return err
			}
			if err == nil && bytes.Equal(hash, h.Hash) {
				continue
			}
			if err := tx.Get(&end, `SELECT coalesce(max(seq), 0) FROM journal WHERE org_id = ?`, h.ID); err != nil {
				return err
			}
			return Errorf(Unavailable,
				"%s has lost acknowledged work: entry %d of the journal of %s was noted, and is not there or is another one "+
					"(the journal ends with entry %d). The database or its write-ahead log, %[1]s-wal, was removed, cut off or "+
					"replaced. Put it back, or restore a backup with samepage restore. To go on with what is there, move %[5]s away.",
				s.Path(), h.Seq, h.Handle, end, filepath.Join(s.Folder(), HeadsName))
		}
		return nil
	})
}
