package runner

import "golang.org/x/sys/unix"

// hideMemory prevents other processes of the same user, such as agents, from reading the memory and the environment of
// this process, where the runner's token may be. Processes of root can still read them.
func hideMemory() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
