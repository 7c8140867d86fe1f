package db

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// Serving is the content of the lock file in a data folder. It describes the process that has the folder open for
// writing.
type Serving struct {
	PID int    `json:"pid"`
	URL string `json:"url,omitempty"` // set for a server
	// Listens is the host and port at which this machine reaches the server. The URL may lead to another machine, and
	// may not work from inside a container.
	Listens string `json:"listens,omitempty"`
}

// InUse is the error for a data folder that another process has open.
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

const lockName = "samepage.lock"

// FolderLock is the lock on a data folder. It locks the folder itself, if the system can, so that the lock holds even
// if the lock file is removed.
type FolderLock struct{ folder, file *os.File }

// LockFolder locks the folder. It returns [*InUse] if another process has locked it. The kernel releases the lock when
// the process ends, even after a crash.
func LockFolder(dir string) (*FolderLock, error) {
	l := &FolderLock{}
	var taken bool
	var err error
	if l.folder, taken, err = tryLockFolder(dir); err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if taken {
		return nil, inUse(dir)
	}
	if l.file, err = os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		taken, err = tryLock(l.file)
	}
	if taken {
		l.Close()
		return nil, inUse(dir)
	}
	if err == nil {
		err = l.write(Serving{PID: os.Getpid()})
	}
	if err != nil && (l.folder == nil || !IsFullDisk(err)) {
		l.Close()
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if err != nil {
		slog.Warn("the disk is full, so the lock file does not name this process", "error", err)
	}
	return l, nil
}

func inUse(dir string) *InUse {
	use := &InUse{}
	if s, err := readLock(dir); err == nil { // otherwise the message does not name the process
		use.Serving = s
	}
	return use
}

func readLock(dir string) (s Serving, err error) {
	text, err := os.ReadFile(filepath.Join(dir, lockName))
	if err != nil {
		return s, err
	}
	// The file may end with the rest of a longer value, which the decoder ignores.
	return s, json.NewDecoder(bytes.NewReader(text)).Decode(&s)
}

// ServerOf describes the process that has the data folder open or had it open last. It returns the zero Serving if the
// lock file cannot be read.
func ServerOf(dir string) Serving {
	s, err := readLock(dir)
	if err != nil {
		return Serving{}
	}
	return s
}

// Close releases the lock.
func (l *FolderLock) Close() {
	if l != nil {
		unlock(l.file)
		unlock(l.folder)
	}
}

// Announce implements [DB].
func (s *sqliteFile) Announce(url, listens string) error {
	return s.lock.write(Serving{PID: os.Getpid(), URL: url, Listens: listens})
}

func (l *FolderLock) write(v Serving) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	// The file is truncated last, so that a concurrent reader finds a complete value.
	if _, err := l.file.WriteAt(text, 0); err != nil {
		return err
	}
	return l.file.Truncate(int64(len(text)))
}
