package db

import (
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// SQLite needs some disk space to open a database, for the index of the write-ahead log. Therefore the data folder has
// a reserve, which is a file of zeros. On a full disk, a start removes it. Reads then work, and writes return errors
// until there is space.

const reserveName = "samepage.reserve"

const (
	reserveSize  = 512 << 10       // bytes
	reserveLeast = 64 << 10        // bytes; the size on an almost full disk
	reserveFrom  = 8 * reserveSize // keepReserve needs this number of free bytes on the disk
	reservePause = time.Minute     // time between attempts to create the reserve again
)

// keepReserve creates a missing or small reserve if the disk has enough space, and reports whether there is a reserve
// of full size.
func (s *sqliteFile) keepReserve() (kept bool) {
	path := filepath.Join(s.dir, reserveName)
	if size(path) >= reserveSize {
		return true
	}
	if room, ok := freeBytes(s.dir); !ok || room < reserveFrom {
		return false
	}
	return makeReserve(path, reserveSize)
}

func makeReserve(path string, size int64) bool {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	if err := allocate(f, size); err != nil {
		os.Remove(path)
		return false
	}
	return true
}

// leaveReserve creates a missing reserve after the database was closed, which may have freed space.
func (s *sqliteFile) leaveReserve() {
	path := filepath.Join(s.dir, reserveName)
	if size(path) == 0 && !makeReserve(path, reserveSize) && !makeReserve(path, reserveLeast) {
		slog.Warn("the disk is full, and there is no reserve for the next start", "file", path)
	}
}

// spendReserve removes the reserve if a full disk may have caused the failure, and reports whether it did.
func spendReserve(dir string, failure error) bool {
	if !wantsRoom(failure) {
		return false
	}
	path := filepath.Join(dir, reserveName)
	if size(path) == 0 || os.Remove(path) != nil {
		return false
	}
	slog.Warn("the disk is full: the reserve is removed so that reads can go on; writes are refused until there is room",
		"file", path)
	return true
}

// wantsRoom reports whether a full disk may have caused err. It also accepts errors of reading and opening files,
// because SQLite returns these if the index of the log cannot grow.
func wantsRoom(err error) bool {
	e, _ := sqliteError(err)
	return IsFullDisk(err) || e.code == sqliteIOErr || e.code == sqliteCantOpen
}

// writeZeros writes zeros into an empty file, because not every system can reserve disk space without a write.
func writeZeros(f *os.File, size int64) error {
	_, err := f.Write(make([]byte, size))
	return err
}

// restoreReserve tries to create the reserve until it succeeds or the database is closed.
func (s *sqliteFile) restoreReserve() {
	tick := time.NewTicker(reservePause)
	defer tick.Stop()
	for !s.keepReserve() {
		select {
		case <-s.writer.stopped:
			return
		case <-tick.C:
		}
	}
}
