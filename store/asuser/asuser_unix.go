//go:build unix

package asuser

import (
	"os/exec"
	"syscall"
)

// Start makes the command run as this user and group. Unless the process runs as root, the command's start then fails.
func Start(cmd *exec.Cmd, uid, gid uint32) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	return nil
}

// MakePipe creates a named pipe. Opening it for reading blocks until a program opens it for writing.
func MakePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
