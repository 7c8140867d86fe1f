//go:build !unix

package git

import "os/exec"

// inGroup does nothing, because this system has no process groups. When the context is done, only git itself is
// killed.
func inGroup(*exec.Cmd) {}
