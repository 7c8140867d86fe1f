package db

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// Every start that can write to an existing database file checks the version of the schema and the length of the file.
// It also checks the first row of every ordinary table, or every page and index of a small file ([SmallFile]).

// SmallFile is the greatest size in bytes of a file of which a start checks every page and index.
const SmallFile = 4 << 20

// damaged returns the error for a damaged file. The code also selects the remedy: [Invalid] is for a backup, and
// [Unavailable] for the database in use.
func damaged(code Code, path, what string, args ...any) error {
	remedy := "Keep the file, and restore a backup with samepage restore."
	if code == Invalid {
		remedy = "Nothing was changed; name another backup."
	}
	return Errorf(code, "%s is damaged: %s. %s", path, fmt.Sprintf(what, args...), remedy)
}

// NameDamage adds the path to an error about damaged data, and returns other errors unchanged.
func NameDamage(path string, err error) error {
	if !IsDamage(err) || strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, Explain(err))
}

// size returns the size of a file in bytes, or 0 if it cannot be read.
func size(path string) int64 {
	if info, err := os.Stat(path); err == nil {
		return info.Size()
	}
	return 0
}

// rollBackJournal makes SQLite undo a transaction that a power cut has interrupted and that has left a rollback
// journal. Only the first start uses such a journal, to turn on the write-ahead log. Until the transaction is undone,
// any part of the file may be damaged, even the header.
func rollBackJournal(ctx context.Context, path string) error {
	if size(path) == 0 || size(path+"-journal") == 0 {
		return nil
	}
	db, err := sqlx.Open("sqlite3", FileURL(path)+"?mode=rw")
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer db.Close()
	var version int64
	// Damage is not an error here, because the next checks report it.
	if err := db.GetContext(ctx, &version, "PRAGMA schema_version"); err != nil && !IsDamage(err) {
		return fmt.Errorf("undo an unfinished transaction: %w", Explain(err))
	}
	return nil
}

// checkBeside returns an error if a file that SQLite keeps beside the database cannot be read. The error names the
// file, unlike SQLite's own error.
func checkBeside(path string) error {
	for _, suffix := range logSuffixes {
		info, err := os.Lstat(path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !info.Mode().IsRegular() { // also for a symbolic link, which SQLite does not accept
			err = errors.New("it is no file")
		}
		if err == nil {
			var f *os.File
			f, err = os.Open(path + suffix)
			f.Close()
		}
		if err != nil {
			return Errorf(Unavailable, "%s%s belongs to the database and cannot be read: %v. Nothing was changed. Put the file "+
				"back, or give it to the account of the server. If it is lost, move what is there away, and restore a backup "+
				"with samepage restore; a lost %[1]s-shm alone is made anew.", path, suffix, err)
		}
	}
	return nil
}

// checkHeader checks the header without SQLite, and reports whether the file is empty or missing. If such a file has a
// write-ahead log, checkHeader returns an error, because SQLite would create a new database and remove the log.
func checkHeader(code Code, path string) (fresh bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && size(path) == 0 {
		f.Close()
		if n := size(path + "-wal"); n > 0 {
			return false, damaged(code, path, "it is missing or empty, but its write-ahead log has %d bytes", n)
		}
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("open database: %w", err)
	}
	defer f.Close()
	head := make([]byte, 100)
	if _, err := io.ReadFull(f, head); err != nil {
		return false, damaged(code, path, "it is cut off within its header")
	}
	if !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return false, damaged(code, path, "it does not begin like an SQLite database")
	}
	// The header (https://sqlite.org/fileformat.html#the_database_header) has the page size and the number of pages.
	// The number of pages is valid only if the change counter at byte 24 equals the version-valid-for number at byte
	// 92.
	page, pages := int64(binary.BigEndian.Uint16(head[16:])), int64(binary.BigEndian.Uint32(head[28:]))
	known := bytes.Equal(head[24:28], head[92:96])
	if have := size(path); known && have < page*pages && size(path+"-wal") == 0 {
		return false, damaged(code, path, "it is cut off: it has %d bytes and should have %d", have, page*pages)
	}
	return false, nil
}

// checkStart makes the checks of a start on a file that is not empty.
func checkStart(ctx context.Context, db *sqlx.DB, path string) error {
	// The log that a crash has left must be in the database before the sizes are compared.
	_, err := runCheckpoint(ctx, db, "TRUNCATE")
	if IsFullDisk(err) { // the database can still be read, with its log
		slog.Warn("the disk is full, so the write-ahead log is not taken over; writes are refused until there is room", "error", err)
		err = nil
	}
	if err != nil && !IsDamage(err) { // no damage, so a backup is no remedy
		return fmt.Errorf("take over the write-ahead log: %w", Explain(err))
	}
	if err != nil {
		return damaged(Unavailable, path, "its write-ahead log cannot be taken over (%v)", err)
	}
	var pages, page int64
	if err := errors.Join(db.GetContext(ctx, &pages, "PRAGMA page_count"),
		db.GetContext(ctx, &page, "PRAGMA page_size")); err != nil {
		return damaged(Unavailable, path, "%v", err)
	}
	// The size of the log must be read first, because a server writes new pages to the log before the database.
	written := size(path+"-wal") > 0
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	if !written && info.Size() < pages*page {
		return damaged(Unavailable, path, "it has %d bytes and should have %d", info.Size(), pages*page)
	}
	if info.Size() <= SmallFile {
		return checkPragma(ctx, db, Unavailable, path, "PRAGMA integrity_check(1)")
	}
	var tables []string
	if err := db.SelectContext(ctx, &tables,
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'"); err != nil {
		return damaged(Unavailable, path, "%v", err)
	}
	for _, t := range tables {
		if err := db.QueryRowxContext(ctx, `SELECT * FROM "`+t+`" LIMIT 1`).MapScan(map[string]any{}); err != nil &&
			!errors.Is(err, sql.ErrNoRows) {
			return damaged(Unavailable, path, "its table %s cannot be read (%v)", t, err)
		}
	}
	return nil
}

// checkPragma runs a PRAGMA that checks the database, and returns the first fault as an error.
func checkPragma(ctx context.Context, q sqlx.QueryerContext, kind Code, path, pragma string) error {
	var found []string
	if err := sqlx.SelectContext(ctx, q, &found, pragma); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return damaged(kind, path, "%v", err)
	}
	if len(found) > 0 && found[0] != "ok" {
		return damaged(kind, path, "%s", found[0])
	}
	return nil
}

func checkWhole(ctx context.Context, q sqlx.QueryerContext, kind Code, path string) error {
	if err := checkPragma(ctx, q, kind, path, "PRAGMA integrity_check(1)"); err != nil {
		return err
	}
	return checkReferences(ctx, q, kind, path)
}

// checkWithoutTables checks every page, index and reference, but ignores damage inside the tables in `apart`, because
// their rows have their own hashes.
func checkWithoutTables(ctx context.Context, q sqlx.QueryerContext, path string, apart []string) error {
	whole := checkPragma(ctx, q, Invalid, path, "PRAGMA integrity_check(1)")
	if whole == nil || ctx.Err() != nil {
		return errors.Join(ctx.Err(), checkReferences(ctx, q, Invalid, path))
	}
	var tables []string
	if err := sqlx.SelectContext(ctx, q, &tables, `SELECT name FROM sqlite_schema
		WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'`); err != nil {
		return whole
	}
	holds := false
	for _, t := range append(tables, "sqlite_schema") {
		if slices.Contains(apart, t) {
			holds = true
		} else if err := checkPragma(ctx, q, Invalid, path, `PRAGMA integrity_check("`+t+`")`); err != nil {
			return err
		}
	}
	if !holds {
		return whole
	}
	return checkReferences(ctx, q, Invalid, path)
}

func checkReferences(ctx context.Context, q sqlx.QueryerContext, kind Code, path string) error {
	rows, err := q.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return damaged(kind, path, "%v", err)
	}
	defer rows.Close()
	if rows.Next() {
		var table, parent string
		var row, key sql.NullInt64
		if err := rows.Scan(&table, &row, &parent, &key); err != nil {
			return err
		}
		return damaged(kind, path, "a row of %s refers to a row of %s that does not exist", table, parent)
	}
	return rows.Err()
}

// Check implements [DB]. It takes about a second per 100 MB.
func (s *sqliteFile) Check(ctx context.Context) error {
	// The check is long and would block one of the few readers, so it gets its own connection.
	db, err := sqlx.Open("sqlite3", s.dsn(false))
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	defer db.Close()
	return checkWhole(ctx, db, Unavailable, s.path)
}

// CheckFile checks the database in a backup without creating files beside it. It ignores damage inside the tables in
// `apart`. It returns [Invalid] if the file is missing, damaged or not a backup, and [Unavailable] if this program does
// not know its schema.
func CheckFile(ctx context.Context, schema fs.FS, path string, apart ...string) error {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && (info.Size() == 0 || info.IsDir()) {
		return Errorf(Invalid, "There is no backup at %s. Name the file that samepage backup wrote.", path)
	}
	if _, err := checkHeader(Invalid, path); err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if size(path+suffix) > 0 {
			return Errorf(Invalid,
				"%s has a log beside it (%[1]s%s), so it is not a backup but a copy of a database in use. Use "+
					"samepage backup to make one.", path, suffix)
		}
	}
	db, err := sqlx.Open("sqlite3", FileURL(path)+"?mode=ro&immutable=1")
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	defer db.Close()
	if err := checkWithoutTables(ctx, db, path, apart); err != nil {
		return err
	}
	version, err := sqliteVersion(ctx, db)
	if err != nil {
		return Errorf(Invalid, "%s is not a database of Samepage. Name the file that samepage backup wrote.", path)
	}
	p, err := Migrations(schema, goose.DialectSQLite3, db)
	if err != nil {
		return err
	}
	return checkVersion(path, version, p)
}

// checkVersion returns an error if the database's schema is newer than this program knows, or older than the program's
// first migration. The version of a database without tables is 0.
func checkVersion(path string, version int64, p *goose.Provider) error {
	if known := newest(p); version > known {
		return Errorf(Unavailable,
			"%s was written by a newer version of Samepage (schema %d; this one knows up to %d). Use that "+
				"version or a later one.", path, version, known)
	}
	if first := p.ListSources()[0].Version; version > 0 && version < first {
		return Errorf(Unavailable,
			"%s was made by a development version of Samepage (schema %d; the first that this one knows is %d). "+
				"Nothing was changed, and it cannot be brought up to date: "+
				"use the version that made it, or start this one with an empty folder or database.", path, version, first)
	}
	return nil
}

func newest(p *goose.Provider) (version int64) {
	for _, m := range p.ListSources() {
		version = max(version, m.Version)
	}
	return version
}
