//go:build unix

package asuser

import (
	"os/exec"
	"syscall"
)

// Start has the command run as this user and group. It takes root.
func Start(cmd *exec.Cmd, uid, gid uint32) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	return nil
}

// MakePipe makes a named pipe, which blocks its readers.
func MakePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
