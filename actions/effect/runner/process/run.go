package process

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// run is the file of a run. PID is 0 until the program has started.
type run struct {
	Turn  string `json:"turn"`
	Key   string `json:"key"`   // the value of mark in the environment of each process of the run
	PID   int    `json:"pid"`   // also the id of the process group
	Start uint64 `json:"start"` // in clock ticks after the boot
	Boot  string `json:"boot"`

	file string
}

const runSuffix = ".run"

func newRun(folder, turn string) (*run, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	r := &run{Turn: turn, Key: rand.Text(), Boot: bootID(), file: filepath.Join(folder, turn+runSuffix)}
	if _, err := os.Lstat(r.file); err == nil {
		return nil, errors.New("this run has been started, or EndLeftovers was not called: " + r.file)
	}
	return r, r.write()
}

func (r *run) started(pid int) error {
	at, err := startOf(pid)
	if err != nil {
		return err
	}
	r.PID, r.Start = pid, at
	return r.write()
}

// write replaces the file as a whole.
func (r *run) write() error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.file+"~", data, 0o600); err != nil {
		return err
	}
	return os.Rename(r.file+"~", r.file)
}

// Leftover is a run of an earlier start of the runner that had not ended.
type Leftover struct {
	Turn  string
	Ended int // how many of its processes were ended
}

// EndLeftovers ends the processes of the runs that have a file in the folder, and removes the files. A process is ended
// if its id and start time are those of the file, if it has the run's key in its environment, or if it is in a group
// with such a process. No other process is touched. It must be called before the first Start.
func EndLeftovers(folder string) ([]Leftover, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*"+runSuffix))
	if err != nil {
		return nil, err
	}
	var list []Leftover
	var errs []error
	for _, file := range files {
		left, err := endLeftover(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, left)
	}
	if half, err := filepath.Glob(filepath.Join(folder, "*"+runSuffix+"~")); err == nil {
		for _, file := range half {
			errs = append(errs, os.Remove(file))
		}
	}
	return list, errors.Join(errs...)
}

func endLeftover(file string) (Leftover, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Leftover{}, err
	}
	var r run
	if err := json.Unmarshal(data, &r); err != nil {
		return Leftover{}, err
	}
	left := Leftover{Turn: strings.TrimSuffix(filepath.Base(file), runSuffix)}
	if r.Key != "" && r.Boot == bootID() {
		left.Ended = endGroup(provenGroup(r), r.Key, Grace)
	}
	// [Process] removes the file as well once its program has ended.
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return left, err
	}
	return left, nil
}

// provenGroup returns the process group of a run if it still is the group of that run, and else 0.
func provenGroup(r run) int {
	if r.PID <= 1 {
		return 0
	}
	if at, err := startOf(r.PID); err == nil {
		if at == r.Start {
			return r.PID
		}
		return 0 // the id is another process's by now
	}
	// The first process is gone. As long as the group has members, no process gets its id.
	for _, p := range processes() {
		if p.group == r.PID && hasKey(p.pid, r.Key) {
			return r.PID
		}
	}
	return 0
}
