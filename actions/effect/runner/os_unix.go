//go:build unix

package runner

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed. It returns an error if another process has locked it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
