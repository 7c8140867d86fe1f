//go:build !unix

package asuser

import (
	"errors"
	"os/exec"
)

// Start fails: only Unix has users in this sense.
func Start(*exec.Cmd, uint32, uint32) error { return errors.ErrUnsupported }

// MakePipe fails: only Unix has named pipes in folders.
func MakePipe(string) error { return errors.ErrUnsupported }
