//go:build !unix

package asuser

import (
	"errors"
	"os/exec"
)

// Start returns an error, because only Unix has users with numeric ids.
func Start(*exec.Cmd, uint32, uint32) error { return errors.ErrUnsupported }

// MakePipe returns an error, because only Unix has named pipes in folders.
func MakePipe(string) error { return errors.ErrUnsupported }
