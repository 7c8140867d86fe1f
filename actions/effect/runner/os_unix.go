//go:build unix

package runner

import (
	"os"
	"syscall"
)

// lock locks a file. It returns an error if another process has locked it. The kernel unlocks it when the process ends.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// unlock unlocks and closes a file. A child process holds a copy of the descriptor until it executes its program, so
// that closing the file alone could leave it locked for a moment.
func unlock(f *os.File) {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}
