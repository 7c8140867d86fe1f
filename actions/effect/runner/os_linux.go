package runner

import "golang.org/x/sys/unix"

// hideMemory keeps the memory and the environment of this process, in which its token is, from other processes of the
// same user, such as agents. A process of root reads them nevertheless.
func hideMemory() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
