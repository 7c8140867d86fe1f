package runner

import "golang.org/x/sys/unix"

// hideMemory forbids other processes of the same user, such as agents, to read the memory and the environment of this
// process, which contain its token. Processes of root can still read them.
func hideMemory() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
