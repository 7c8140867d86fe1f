//go:build !unix

package runner

import (
	"errors"
	"os"
)

// lock returns an error: runners work where files can be locked.
func lock(*os.File) error { return errors.New("runners work on Unix only") }

// unlock closes the file.
func unlock(f *os.File) { f.Close() }
