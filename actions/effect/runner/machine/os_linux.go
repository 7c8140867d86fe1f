package machine

import "golang.org/x/sys/unix"

// landlock returns the version of the Landlock ABI that the kernel supports.
func landlock() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(version), nil
}
