package db

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/jmoiron/sqlx"
)

// A command that only reads can open a data folder without writing to it, for example on a read-only mount or a full
// disk. It then changes neither the database nor the lock file.

var errReading = Errorf(Unavailable, "The data folder cannot be written, so it is open for reading only. Nothing was changed.")

func openReading(ctx context.Context, o Options, dir string) (*sqliteFile, error) {
	s := &sqliteFile{options: o, dir: dir, path: filepath.Join(dir, FileName), reading: "mode=ro"}
	s.guard = schemaGuard{path: s.path, report: o.Outdated}
	if err := checkBeside(s.path); err != nil {
		return nil, err
	}
	switch fresh, err := checkHeader(Unavailable, s.path); {
	case err != nil:
		return nil, err
	case fresh:
		return nil, Errorf(Unavailable, "%s is missing or empty, and its folder cannot be written. Put the database back, or "+
			"restore a backup with samepage restore.", s.path)
	}
	folder, taken, err := tryLockFolder(dir)
	if err != nil {
		return nil, err
	}
	if !taken {
		s.lock = &FolderLock{folder: folder}
	}
	if folder != nil && size(s.path+"-wal") == 0 { // no process writes, and SQLite needs no index of a log
		s.reading += "&immutable=1"
	}
	if s.writing, err = sqlx.Open("sqlite3", s.dsn(true)); err == nil {
		err = s.openForReading(ctx)
	}
	if err != nil {
		s.Close()
		if size(s.path+"-wal") > 0 && size(s.path+"-shm") == 0 {
			return nil, Errorf(Unavailable, "%s has a write-ahead log that was not taken over, and its folder cannot be written. "+
				"Copy the folder to a place that can, and name the copy.", s.path)
		}
		return nil, fmt.Errorf("open %s for reading: %w", s.path, err)
	}
	return s, nil
}

func (s *sqliteFile) openForReading(ctx context.Context) (err error) {
	if err := s.mustBeCurrent(ctx); err != nil {
		return err
	}
	if err := s.finish(ctx); err != nil {
		return err
	}
	if s.readers, err = sqlx.Open("sqlite3", s.dsn(false)); err != nil {
		return err
	}
	s.readers.SetMaxOpenConns(readerCount())
	return nil
}

func (s *sqliteFile) dsn(writer bool) string {
	if s.reading != "" {
		return FileURL(s.path) + "?" + s.reading
	}
	return sqliteDSN(s.path, writer)
}
