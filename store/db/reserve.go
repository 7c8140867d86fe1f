package db

import (
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// A start needs some room: SQLite keeps the index of the write-ahead log in a file. So the data folder has a file that
// only takes up room, and a start on a full disk removes it. Reads then work, and writes are refused until there is room.

// ReserveName is the name of that file in a data folder.
const ReserveName = "samepage.reserve"

const (
	reserveSize  = 512 << 10 // bytes
	reserveLeast = 64 << 10
	reserveFrom  = 8 * reserveSize // free bytes at which the file is made
	reservePause = time.Minute     // between two looks for room to make it again
)

// keepReserve makes the file if it is not there and there is room.
func (s *sqliteFile) keepReserve() (kept bool) {
	path := filepath.Join(s.dir, ReserveName)
	if size(path) >= reserveSize {
		return true
	}
	if room, ok := freeBytes(s.dir); !ok || room < reserveFrom {
		return false
	}
	return makeReserve(path, reserveSize)
}

// makeReserve makes the file. False if there is no room for it.
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

// leaveReserve takes up for the next start what the end of the database has freed, on a disk that is still full.
func (s *sqliteFile) leaveReserve() {
	path := filepath.Join(s.dir, ReserveName)
	if size(path) == 0 && !makeReserve(path, reserveSize) && !makeReserve(path, reserveLeast) {
		slog.Warn("the disk is full, and there is no reserve for the next start", "file", path)
	}
}

// spendReserve removes the file after a start has failed for want of room. False if it did not, or there is no file.
func spendReserve(dir string, failure error) bool {
	if !wantsRoom(failure) {
		return false
	}
	path := filepath.Join(dir, ReserveName)
	if size(path) == 0 || os.Remove(path) != nil {
		return false
	}
	slog.Warn("the disk is full: the reserve is removed so that reads can go on; writes are refused until there is room",
		"file", path)
	return true
}

// wantsRoom reports an error that a full disk may cause: SQLite has no code of its own for an index that cannot grow.
func wantsRoom(err error) bool {
	e, _ := sqliteError(err)
	return IsFullDisk(err) || e.code == sqliteIOErr || e.code == sqliteCantOpen
}

// writeZeros gives a file its size where the system cannot.
func writeZeros(f *os.File, size int64) error {
	_, err := f.Write(make([]byte, size))
	return err
}

// restoreReserve makes the file again once there is room, and looks for that until the database is closed.
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
