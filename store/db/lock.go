package db

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Serving is what the lock file says about the process that has a data folder open for writing.
type Serving struct {
	PID int    `json:"pid"`
	URL string `json:"url,omitempty"` // where it answers, if it serves
}

// InUse is the failure to open a data folder that another process has open.
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

// LockFolder takes the folder's lock; the kernel frees it when the process ends, however it ends.
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
		json.NewDecoder(f).Decode(&use.Serving) // an unreadable note only makes the message poorer
		return nil, use
	}
	if err := writeLock(f, Serving{PID: os.Getpid()}); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	return f, nil
}

// Announce notes in the lock file where this process answers, for others that want the same data folder.
func (s *sqliteFile) Announce(url string) error {
	return writeLock(s.lock, Serving{PID: os.Getpid(), URL: url})
}

func writeLock(f *os.File, v Serving) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	// In this order whoever reads meanwhile finds a whole note.
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(text)))
}
