//go:build !unix

package git

import "os/exec"

// inGroup does nothing, because this system has no process groups.
func inGroup(*exec.Cmd) {}
