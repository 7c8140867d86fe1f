//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// inGroup lets a command run in a process group of its own, which ends with it when its context is done.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
