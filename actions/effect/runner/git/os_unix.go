//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// inGroup gives the command a process group of its own, which is killed when the command's context is done.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
