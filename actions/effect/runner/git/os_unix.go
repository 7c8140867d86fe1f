//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// inGroup starts the command in a process group of its own. When the command's context is done, the whole group is
// killed.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
