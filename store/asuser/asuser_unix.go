//go:build unix

package asuser

import (
	"os/exec"
	"syscall"
)

// Start prepares the command so that it runs as this user and group. This works only for root.
func Start(cmd *exec.Cmd, uid, gid uint32) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	return nil
}

// MakePipe creates a named pipe. A program that opens the pipe for reading waits for a writer.
func MakePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
