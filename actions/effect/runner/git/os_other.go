//go:build !unix

package git

import "os/exec"

// inGroup does nothing: there are no process groups here, and only the command itself ends with its context.
func inGroup(*exec.Cmd) {}
