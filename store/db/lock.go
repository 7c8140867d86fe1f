package db

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Serving is the content of the lock file in a data folder. It describes the process that has the folder open
// for writing.
type Serving struct {
	PID int    `json:"pid"`
	URL string `json:"url,omitempty"` // the URL of the process if it is a server
}

// InUse is the error on opening a data folder that another process has open.
type InUse struct{ Serving }

func (e *InUse) Error() string {
	s := "The data folder is in use by another process."
	if e.PID != 0 {
		s = fmt.Sprintf("The data folder is in use by process %d.", e.PID)
	}
	if e.URL != "" {
		s += " It serves " + e.URL + "."
	}
	return s + " Stop it first, or use its address."
}

// LockFolder locks the folder. The kernel releases the lock when the process ends for any reason.
func LockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "samepage.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if taken, err := tryLock(f); taken || err != nil {
		defer f.Close()
		if err != nil {
			return nil, fmt.Errorf("lock data folder: %w", err)
		}
		use := &InUse{}
		json.NewDecoder(f).Decode(&use.Serving) // without it the message lacks the process
		return nil, use
	}
	if err := writeLock(f, Serving{PID: os.Getpid()}); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	return f, nil
}

// Announce implements [DB]. It stores the URL in the lock file.
func (s *sqliteFile) Announce(url string) error {
	return writeLock(s.lock, Serving{PID: os.Getpid(), URL: url})
}

func writeLock(f *os.File, v Serving) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	// This order gives a concurrent reader a complete content.
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(text)))
}
