//go:build linux

package durability

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sector is the number of bytes that a disk writes completely or not at all.
const sector = 512

// disk is the state of a folder before a power cut. The flushed data survives a power cut. Any part of the later
// writes may survive too.
type disk struct {
	files   map[uint32]*file
	names   map[string]uint32 // names of files that were flushed to the disk
	renames []naming          // creations and removals of names that were not flushed
}

type file struct {
	synced  []byte
	pending []change
}

// change is a write to a file, or a truncation. If data is nil, it sets the length of the file to offset.
type change struct {
	at     uint64
	offset int64
	data   []byte
}

// naming is the creation of a file, or its removal if file is 0.
type naming struct {
	at   uint64
	name string
	file uint32
}

// These are the kinds of records that testdata/powercut.c writes.
const (
	recordName = iota + 1
	recordWrite
	recordTruncate
	recordSync
	recordUnlink
	recordSyncDir
)

const recordSize = 32

// replay returns the disk after the logged operations. The argument before has the files that were already on the disk.
func replay(before map[string][]byte, log []byte) (*disk, error) {
	d := &disk{files: map[uint32]*file{}, names: map[string]uint32{}}
	// Files that the program never opened get ids outside the range of the log.
	for i, name := range slices.Sorted(maps.Keys(before)) {
		id := uint32(1<<20 + i)
		d.files[id], d.names[name] = &file{synced: slices.Clone(before[name])}, id
	}
	for n := uint64(0); len(log) >= recordSize; n++ {
		kind, id := binary.LittleEndian.Uint32(log), binary.LittleEndian.Uint32(log[4:])
		at, offset, size := binary.LittleEndian.Uint64(log[8:]),
			int64(binary.LittleEndian.Uint64(log[16:])), binary.LittleEndian.Uint64(log[24:])
		if at != n {
			return nil, fmt.Errorf("record %d says it is %d", n, at)
		}
		if uint64(len(log)-recordSize) < size {
			break // the process was killed while it wrote this record, so the operation was never acknowledged
		}
		data := log[recordSize : recordSize+size]
		log = log[recordSize+size:]
		switch kind {
		case recordName:
			// The offset is 1 if the program created the file, and 0 if it opened an existing file. An existing file
			// with a known name gets a new id. If the name is not known, Go created the file with a system call that
			// the shim does not see.
			if known, ok := d.names[string(data)]; ok && offset == 0 {
				d.files[id] = d.files[known]
				d.names[string(data)] = id
				break
			}
			d.files[id] = &file{}
			d.renames = append(d.renames, naming{at, string(data), id})
		case recordWrite:
			d.files[id].pending = append(d.files[id].pending, change{at, offset, data})
		case recordTruncate:
			d.files[id].pending = append(d.files[id].pending, change{at, offset, nil})
		case recordSync:
			d.files[id].sync(uint64(offset))
		case recordUnlink:
			d.renames = append(d.renames, naming{at, string(data), 0})
		case recordSyncDir:
			for len(d.renames) > 0 && d.renames[0].at < uint64(offset) {
				d.renames[0].apply(d.names)
				d.renames = d.renames[1:]
			}
		default:
			return nil, fmt.Errorf("record %d is of no known kind", n)
		}
	}
	return d, nil
}

func (n naming) apply(names map[string]uint32) {
	if n.file == 0 {
		delete(names, n.name)
		return
	}
	names[n.name] = n.file
}

func (f *file) sync(before uint64) {
	for len(f.pending) > 0 && f.pending[0].at < before {
		c := f.pending[0]
		f.synced = c.apply(f.synced, nil)
		f.pending = f.pending[1:]
	}
}

// apply makes the change to b. A write extends the file if needed, but writes only the sectors for which keep returns
// true, or all sectors if keep is nil.
func (c change) apply(b []byte, keep func() bool) []byte {
	if c.data == nil {
		return resize(b, c.offset)
	}
	end := c.offset + int64(len(c.data))
	if int64(len(b)) < end {
		b = resize(b, end)
	}
	if keep == nil {
		copy(b[c.offset:], c.data)
		return b
	}
	for from := c.offset; from < end; {
		to := min((from/sector+1)*sector, end)
		if keep() {
			copy(b[from:to], c.data[from-c.offset:to-c.offset])
		}
		from = to
	}
	return b
}

func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size:size]
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

// cut returns the files after a power cut. At random, it keeps, drops or tears each change that was not flushed.
func (d *disk) cut(r *rand.Rand) map[string][]byte {
	// The chances differ from cut to cut, as disks differ in how much they lose.
	kept, torn := []float64{0, 0.1, 0.5, 0.9, 1}[r.IntN(5)], []float64{0, 0.2, 0.9}[r.IntN(3)]
	coin := func() bool { return r.Float64() < kept }
	names := maps.Clone(d.names)
	for _, n := range d.renames {
		if coin() {
			n.apply(names)
		}
	}
	left := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f := d.files[names[name]]
		b := slices.Clone(f.synced)
		for _, c := range f.pending {
			switch {
			case c.data != nil && r.Float64() < torn:
				b = c.apply(b, coin)
			case coin():
				b = c.apply(b, nil)
			}
		}
		left[name] = b
	}
	return left
}

// store writes the files into a new folder.
func store(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// load reads the database, its log, its keys, the noted journal heads and the attached files from the folder.
func load(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := loadFiles(t, dir)
	for _, name := range []string{"samepage.db", "samepage.db-wal", "samepage.keys", "samepage.heads"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err == nil {
			files[name] = data
		}
	}
	return files
}

// loadFiles reads the attached files from the folder, by their paths.
func loadFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(dir, "files"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			files[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}
