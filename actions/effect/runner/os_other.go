//go:build !unix

package runner

import (
	"errors"
	"os"
)

// lock always returns an error, because runners need file locks.
func lock(*os.File) error { return errors.New("runners work on Unix only") }

// unlock closes the file.
func unlock(f *os.File) { f.Close() }
