//go:build unix

package runner

import (
	"os"
	"syscall"
)

// lock locks a file, or returns an error if it is locked already. The kernel unlocks it when this process ends.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// unlock unlocks and closes a file. Closing alone could leave the file locked for a moment, because a child process has
// a copy of the descriptor until it executes its program.
func unlock(f *os.File) {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}
