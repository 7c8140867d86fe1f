// Package store stores the state of the application in one SQLite file, or in a PostgreSQL database that several
// processes share. Each kind of data, such as studios and roles, has a file with its SQL and its rules. The kinds of a
// domain, such as decisions, are in a package below this one, such as governance. Reads run in parallel, each on a
// snapshot. Writes to the same organization run one after another.
package store

import (
	"context"
	"embed"
	"encoding/binary"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"samepage/store/blob"
	"samepage/store/db"
	"samepage/store/keyfile"
)

//go:embed migrations
var migrationFiles embed.FS

// schema holds the migrations, in one folder for SQLite and one for PostgreSQL.
var schema = func() fs.FS {
	dir, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err)
	}
	return dir
}()

const (
	// AtMost is a LIMIT clause with a parameter. SQLite does not plan the query again for each value of the parameter.
	AtMost = db.AtMost

	// FileName is the name of the database file in a data folder.
	FileName = db.FileName
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	db.DB
	clock     func() time.Time
	trace     func(query string, args []any)
	watchers  watchers
	blobs     blob.Store
	text      fullText    // nil if the program was built without full-text search
	index     *indexer    // nil if the store is opened beside another process or there is nothing to index
	heads     *headWriter // nil if the store is opened beside another process, and for a database on a server
	keys      string
	sealing   atomic.Pointer[keyfile.Keys]          // the keys that [Tx.Seal] uses; nil before [Store.UseKeys]
	outgoing  atomic.Pointer[func(*url.URL) string] // says why a URL is refused; nil before [Store.UseOutgoing]
	retention Retention
}

// Options configures a [Store]. The zero Options are those of a server.
type Options struct {
	Clock  func() time.Time // clock of the store; nil for time.Now
	Beside bool             // open the folder even while another process has it open; for the operator's commands
	Keys   string           // path of the key file; empty for the one in the data folder
	// Reading permits a data folder that cannot be written, for example on a full disk. The store is then read-only.
	Reading   bool
	Retention Retention
	// Outdated is called once if another process migrates the database to a newer schema. Every later transaction then
	// returns the same error. Outdated may be nil.
	Outdated func(err error)
}

// ServerOf returns the description of the process that has the data folder open or had it open last; see [db.ServerOf].
func ServerOf(dir string) db.Serving { return db.ServerOf(dir) }

// OnServer reports whether where is the URL of a PostgreSQL database, and not the path of a data folder.
func OnServer(where string) bool { return db.OnServer(where) }

// Leftover returns the path of a file or folder that shows that a data folder has or had a database, or "" if there is
// none.
func Leftover(dir string) string {
	// Lstat also finds a symbolic link to a missing target.
	for _, name := range []string{FileName, FileName + "-wal", HeadsName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	if list, err := os.ReadDir(filepath.Join(dir, blob.FolderName)); err == nil && len(list) > 0 {
		return filepath.Join(dir, blob.FolderName)
	}
	return ""
}

// Open opens the database in a folder or at a postgres:// URL, and creates or migrates it if necessary. It returns an
// error if the database file is damaged. Unless [Options] has Beside, it also returns [*InUse] if another process has
// the folder open, and [Unavailable] if a recorded journal entry is missing or was replaced; see
// [Store.CheckNotedHeads].
func Open(ctx context.Context, where string, o Options) (*Store, error) {
	s := &Store{clock: o.Clock, keys: o.Keys, retention: o.Retention.or(DefaultRetention)}
	if s.clock == nil {
		s.clock = time.Now
	}
	var err error
	s.DB, err = db.Open(ctx, where,
		db.Options{Schema: schema, Clock: s.clock, Beside: o.Beside, Prepare: s.prepare, Receive: s.watchers.received,
			Reading: o.Reading, Outdated: o.Outdated, Companions: []string{HeadsName, blob.FolderName}})
	if err != nil {
		return nil, err
	}
	if s.blobs = blob.InFolder(s.Folder(), s.DB); OnServer(where) {
		s.blobs = blob.Table{DB: s.DB}
	}
	if !o.Beside && s.Folder() != "" {
		if err := s.CheckNotedHeads(ctx); err != nil {
			s.Close()
			return nil, s.NameDamage(err)
		}
		s.heads = startHeadWriter(s)
	}
	if !o.Beside {
		if s.index, err = s.startIndexer(ctx); err != nil {
			s.Close()
			return nil, s.NameDamage(err)
		}
	}
	return s, nil
}

// CheckDatabase checks the database file at path, which must not be open as a store. The parameter more names tables
// outside the schema, which are not checked. CheckDatabase returns [Invalid] if the file is damaged or not a database
// of this application, and [Unavailable] if this program does not know its schema.
func CheckDatabase(ctx context.Context, path string, more ...string) error {
	return db.CheckFile(ctx, schema, path, more...)
}

// NameDamage adds [Store.Path] to an error about damaged data, and returns other errors unchanged. The result is for
// operators only, because answers to members must not contain the path.
func (s *Store) NameDamage(err error) error { return db.NameDamage(s.Path(), err) }

// prepare creates the full-text index if necessary. Migrations do not create it, because some builds of SQLite cannot.
func (s *Store) prepare(ctx context.Context, conn *sqlx.Conn, server bool) (err error) {
	if !server {
		s.text, err = openSQLiteText(ctx, conn)
		return err
	}
	s.text, err = openPostgresText(ctx, conn)
	return err
}

// KeysFile returns the path of the key file of the installation. The path is empty for a database on a server unless
// [Options] gave one.
func (s *Store) KeysFile() string {
	if s.keys == "" && s.Folder() != "" {
		return filepath.Join(s.Folder(), keyfile.Name)
	}
	return s.keys
}

// Now returns the time of the store's clock.
func (s *Store) Now() time.Time { return s.clock() }

// Close waits for the accepted writes and closes the database.
func (s *Store) Close() error {
	if s.index != nil {
		s.index.stop()
	}
	if s.heads != nil {
		s.heads.stop()
	}
	return s.DB.Close()
}

// Write runs fn in a write transaction of [db.DB]. Before the commit, it updates the summaries of items and the search
// index for the changes of fn.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return s.DB.Write(ctx, func(of *db.Tx) error {
		tx := s.begin(of)
		if s.heads != nil {
			of.AfterCommit(s.heads.changed)
		}
		if err := fn(tx); err != nil {
			return err
		}
		if err := tx.summarizeChanged(); err != nil {
			return err
		}
		tx.tellTopics()
		return tx.indexMarked()
	})
}

// CheckWrite returns an error if the database cannot be written, for example on a full disk.
func (s *Store) CheckWrite(ctx context.Context) error {
	return s.DB.CheckWrite(ctx, func(tx *db.Tx) error {
		value := binary.BigEndian.AppendUint64(make([]byte, probeSize), uint64(time.Now().UnixNano()))
		return tx.Exec(`INSERT INTO instance (key, value) VALUES ('probe', ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, value)
	})
}

// probeSize is the size in bytes of the row that [Store.CheckWrite] writes. It is larger than a page of the database,
// so that the write needs room on the disk.
const probeSize = 16 << 10

// Read runs fn in one snapshot of the database. It returns [Unavailable] if the snapshot was given up because it became
// too old.
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.DB.Read(ctx, func(of *db.Tx) error { return fn(s.begin(of)) })
}

// Tx is a transaction. The field Now does not change while the transaction runs.
type Tx struct {
	*db.Tx

	store   *Store
	text    fullText      // nil if the program was built without full-text search
	marks   []mark        // changed documents, to be indexed before the commit
	changed []summaryMark // changed items, to be summarized before the commit
	topics  []Topic       // topics to announce after the commit
}

// One reads one row. It returns [Missing] if there is no row.
func One[T any](tx *Tx, query string, args ...any) (*T, error) {
	var row T
	err := tx.Get(&row, query, args...)
	return &row, err
}

// All runs a query and returns all its rows.
func All[T any](tx *Tx, query string, args ...any) (list []T, err error) {
	err = tx.Select(&list, query, args...)
	return list, err
}

// SetTrace sets a function that later transactions call with each of their statements, or none if it is nil. It must
// not be called during a transaction.
func (s *Store) SetTrace(trace func(query string, args []any)) { s.trace = trace }

func (s *Store) begin(of *db.Tx) *Tx {
	of.Trace = s.trace
	return &Tx{Tx: of, store: s, text: s.text}
}

// Nested runs fn within a savepoint. If fn returns an error, only the changes of fn are undone, and Nested returns the
// error.
func (tx *Tx) Nested(fn func() error) error {
	marked, changed, announced := len(tx.marks), len(tx.changed), len(tx.topics)
	err := tx.Tx.Nested(fn)
	if err != nil {
		tx.marks, tx.changed, tx.topics = tx.marks[:marked], tx.changed[:changed], tx.topics[:announced]
	}
	return err
}

// Serialize locks the actor's organizations and the organization orgID until the transaction ends, so that no other
// transaction writes to them. If waited is true, other transactions may have written to them in the meantime, and the
// caller must read all rows again.
func (tx *Tx) Serialize(by Actor, orgID string) (waited bool, err error) {
	ids := make([]string, 0, len(by.Members)+1)
	for _, m := range by.Members {
		ids = append(ids, m.OrgID)
	}
	if orgID != "" {
		ids = append(ids, orgID)
	}
	return tx.Tx.Serialize(slices.Compact(ids)...)
}

// Error is a failure with a sentence for the user, which gives the cause and the next step.
type Error = db.Error

// Address is an argument of [Errorf] for the path of a page, which the sentence shows as a link where possible.
type Address = db.Address

// Code is the class of a failure.
type Code = db.Code

// These are the codes of failures; see [db.Code].
const (
	Invalid         = db.Invalid
	Unauthenticated = db.Unauthenticated
	Forbidden       = db.Forbidden
	NotFound        = db.NotFound
	Conflict        = db.Conflict
	TooLarge        = db.TooLarge
	Limited         = db.Limited
	Unavailable     = db.Unavailable
	Uncertain       = db.Uncertain
	Internal        = db.Internal
)

// InUse is the error for a data folder that another process has open.
type InUse = db.InUse

// Errorf returns an [Error]. The sentence gives the cause and the next step.
func Errorf(code Code, format string, args ...any) error { return db.Errorf(code, format, args...) }

// CodeOf returns the code of the first [Error] that err wraps, or [Internal] if there is none.
func CodeOf(err error) Code { return db.CodeOf(err) }

// IsRefusal reports whether the error refuses a request because of the request, the actor or the state of the page.
// Other errors are faults, such as a lost connection.
func IsRefusal(err error) bool { return db.IsRefusal(err) }

// Missing returns the error for a page that does not exist. The error for a page that the actor may not see is the
// same, so that it does not reveal which pages exist.
func Missing() error { return db.Missing() }
