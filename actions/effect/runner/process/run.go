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

// run is the content of a run's file. PID is 0 until the program has started.
type run struct {
	Turn  string `json:"turn"`
	Key   string `json:"key"`   // value of the variable mark in each process of the run
	PID   int    `json:"pid"`   // also the id of the process group
	Start uint64 `json:"start"` // start time, in clock ticks after the boot
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

// Leftover is a run that had not ended when the runner stopped.
type Leftover struct {
	Turn  string
	Ended int // number of processes that were ended
}

// EndLeftovers ends the processes of all runs that have a file in the folder, and removes the files. A process is ended
// only if its id and start time are those in the file, if its environment has the run's key, or if it is in the
// process group of the run with such a process. EndLeftovers must be called before the first call of [Start].
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
	// [Process] may have removed the file already.
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return left, err
	}
	return left, nil
}

// provenGroup returns the id of the run's process group, or 0 if nothing proves that the group still belongs to the
// run.
func provenGroup(r run) int {
	if r.PID <= 1 {
		return 0
	}
	if at, err := startOf(r.PID); err == nil {
		if at == r.Start {
			return r.PID
		}
		return 0 // another process has the id now
	}
	// While the group has members, no other process gets the id.
	for _, p := range processes() {
		if p.group == r.PID && hasKey(p.pid, r.Key) {
			return r.PID
		}
	}
	return 0
}
