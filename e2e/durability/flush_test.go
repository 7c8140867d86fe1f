//go:build linux

package durability

import (
	"bufio"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// flushes records a program's operations on files, as strace saw them. It knows the contents and names that a power
// cut may lose.
type flushes struct {
	dirty map[string]bool // paths of files whose content was written and not flushed since
	names []rename        // changes of names in folders that were not flushed since
	calls map[string]call // calls that have begun and not ended, by thread
	known map[string]bool // paths that exist
}

// rename is a change of a file's name. The field from is empty for a new file.
type rename struct{ from, to string }

type call struct {
	name, text string
	stale      bool // the file was written during its flush, so it stays dirty
}

// traced changes cmd so that it runs under strace, which writes its log to the given file. It returns cmd. It skips the
// test if there is no strace.
func traced(t *testing.T, cmd *exec.Cmd, log string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("left out: there is no strace to see what is flushed")
	}
	args := []string{path, "-f", "-y", "-s", "0", "--seccomp-bpf", "-e", "signal=none", "-o", log,
		"-e", "trace=openat,write,pwrite64,ftruncate,fallocate,fsync,fdatasync,rename,renameat,renameat2," +
			"link,linkat,unlink,unlinkat,mkdirat"}
	cmd.Args = append(args, append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = path
	return cmd
}

var (
	straceLine = regexp.MustCompile(`^(\d+) +(.*)$`)
	straceCall = regexp.MustCompile(`^(\w+)\((.*)$`)
	straceFile = regexp.MustCompile(`^\d+<([^>]*)>`)
	straceText = regexp.MustCompile(`"([^"]*)"`)
)

// seen reads the log of strace. The last arguments are the paths that existed before the program started.
func seen(t *testing.T, log string, before ...string) *flushes {
	t.Helper()
	f := &flushes{dirty: map[string]bool{}, calls: map[string]call{}, known: map[string]bool{}}
	for _, path := range before {
		f.known[path] = true
	}
	in, err := os.Open(log)
	if errors.Is(err, fs.ErrNotExist) {
		return f // the cut came before strace began
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := straceLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		thread, text := m[1], m[2]
		if strings.HasPrefix(text, "<... ") {
			c := f.calls[thread]
			delete(f.calls, thread)
			f.end(c, text)
			continue
		}
		m = straceCall.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		c := call{name: m[1], text: m[2]}
		f.begin(c)
		if strings.HasSuffix(text, "<unfinished ...>") {
			f.calls[thread] = c
			continue
		}
		f.end(c, text)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return f
}

// begin records a write. The write may have happened even if the call never ends. If a flush of the same file is
// under way, it might not include the write.
func (f *flushes) begin(c call) {
	m := straceFile.FindStringSubmatch(c.text)
	if m == nil || !slices.Contains([]string{"write", "pwrite64", "ftruncate", "fallocate"}, c.name) {
		return
	}
	f.dirty[m[1]] = true
	for thread, other := range f.calls {
		if strings.HasPrefix(other.name, "f") && strings.Contains(other.text, "<"+m[1]+">") {
			other.stale = true
			f.calls[thread] = other
		}
	}
}

// end records the effect of a call that has succeeded.
func (f *flushes) end(c call, text string) {
	if c.name == "" || strings.Contains(text, "= -1 ") || !strings.Contains(text, " = ") {
		return
	}
	var paths []string
	for _, m := range straceText.FindAllStringSubmatch(c.text, -1) {
		paths = append(paths, m[1])
	}
	switch c.name {
	case "fsync", "fdatasync":
		path := straceFile.FindStringSubmatch(c.text)[1]
		if !c.stale {
			delete(f.dirty, path)
		}
		f.names = slices.DeleteFunc(f.names, func(n rename) bool { return filepath.Dir(n.to) == path })
	case "openat":
		if path := paths[0]; strings.Contains(c.text, "O_CREAT") && !f.known[path] {
			f.known[path] = true
			f.names = append(f.names, rename{"", path})
		}
	case "mkdirat":
		f.known[paths[0]] = true
		f.names = append(f.names, rename{"", paths[0]})
	case "rename", "renameat", "renameat2":
		from, to := paths[0], paths[len(paths)-1]
		f.names = slices.DeleteFunc(f.names, func(n rename) bool { return n.to == from }) // superseded by this rename
		if !f.known[to] {
			f.names = append(f.names, rename{from, to})
		}
		f.known[from], f.known[to] = false, true
		if f.dirty[from] {
			f.dirty[to] = true
		}
		delete(f.dirty, from)
	case "link", "linkat":
		f.known[paths[len(paths)-1]] = true
		f.names = append(f.names, rename{"", paths[len(paths)-1]})
	case "unlink", "unlinkat":
		f.known[paths[0]] = false
		delete(f.dirty, paths[0])
	}
}

// cut applies the losses that a power cut may cause to the folder: contents that were not flushed, and names in
// folders that were not flushed. Files for which spare returns true stay as they are. The result losses is the number
// of losses.
func (f *flushes) cut(t *testing.T, r *rand.Rand, dir string, spare func(path string) bool) (losses int) {
	t.Helper()
	for path := range f.dirty {
		if !strings.HasPrefix(path, dir) || spare(path) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			losses++
			if err := os.Truncate(path, info.Size()*int64(r.IntN(3))/3); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, n := range slices.Backward(f.names) {
		if !strings.HasPrefix(n.to, dir) || spare(n.to) || r.IntN(4) == 0 {
			continue
		}
		if _, err := os.Lstat(n.to); err != nil {
			continue
		}
		losses++
		var err error
		if n.from == "" {
			err = os.RemoveAll(n.to)
		} else {
			err = os.Rename(n.to, n.from)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return losses
}

// pathsIn lists a folder with all files and folders in it.
func pathsIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	}); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return paths
}
