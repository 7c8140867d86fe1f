package db

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// freeBytes returns the number of free bytes on the disk of a folder, for the user of this process, and whether it is
// known.
func freeBytes(dir string) (int64, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, false
	}
	return int64(free), true
}

// tryLockFolder locks nothing, because Windows does not remove an open lock file.
func tryLockFolder(string) (f *os.File, taken bool, err error) { return nil, false, nil }

// tryLock locks one byte far behind the content of a file, until the file is closed. The result `taken` is true if
// another process has locked it.
func tryLock(f *os.File) (taken bool, err error) {
	at := windows.Overlapped{Offset: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}

// unlock closes a file, which unlocks it.
func unlock(f *os.File) { f.Close() }
