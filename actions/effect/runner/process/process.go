// Package process starts programs for a runner, each in a process group of its own, and ends the whole group. A file
// for each run of a program makes it possible to end its processes after a crash of the runner. Processes that are not
// proven to belong to the run are left alone.
package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Grace is the time between SIGTERM and SIGKILL.
const Grace = 5 * time.Second

// maxTail is the number of bytes that are kept of the end of a program's standard error.
const maxTail = 16 << 10

// mark is the environment variable with the random key of a run, which its processes inherit.
const mark = "SAMEPAGE_PROCESS"

// Spec has the parameters of [Start].
type Spec struct {
	Argv []string // program, as a path or a name in the PATH of Env, and its arguments; no shell is involved
	Dir  string   // working directory
	Env  []string // environment variables, such as those of [Environment]
	Home string   // becomes HOME, with TMPDIR below; created for this user only; if "", Env must have both variables
	Turn string   // name of the run, valid as a file name
	Runs string   // folder with a file for each run
}

// Exit is the result of a program.
type Exit struct {
	Code   int    // -1 if a signal ended the program
	Signal string // such as "killed", or ""
	Stderr string // end of the standard error
}

// Process is a program that was started. Its methods may be called from several goroutines.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser // a pipe: if nobody reads it, the program blocks when the pipe is full

	cmd  *exec.Cmd
	file string
	key  string
	tail Tail
	done chan struct{}
	exit Exit
	once sync.Once
}

// Environment returns those variables of the list from that allow names, and the variables in set, which take
// precedence.
func Environment(from, allow []string, set map[string]string) []string {
	var list []string
	for _, v := range from {
		name, _, ok := strings.Cut(v, "=")
		if _, replaced := set[name]; ok && !replaced && slices.Contains(allow, name) {
			list = append(list, v)
		}
	}
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list = append(list, name+"="+set[name])
	}
	return list
}

// Basics are the names of variables that programs may need and that contain no secrets.
var Basics = []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// Start writes the file of the run and starts the program.
func Start(s Spec) (*Process, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return nil, errors.New("no program is named")
	}
	if s.Turn == "" || s.Turn != filepath.Base(s.Turn) || strings.HasPrefix(s.Turn, ".") {
		return nil, fmt.Errorf("%q cannot name a run", s.Turn)
	}
	env := slices.Clone(s.Env)
	if s.Home != "" {
		temp := filepath.Join(s.Home, "tmp")
		if err := os.MkdirAll(temp, 0o700); err != nil {
			return nil, err
		}
		env = append(env, "HOME="+s.Home, "TMPDIR="+temp)
	}
	path, err := find(s.Argv[0], env, s.Dir)
	if err != nil {
		return nil, err
	}
	r, err := newRun(s.Runs, s.Turn)
	if err != nil {
		return nil, err
	}
	p := &Process{file: r.file, key: r.Key, tail: Tail{Most: maxTail}, done: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: path, Args: s.Argv, Dir: s.Dir, Env: append(env, mark+"="+r.Key), SysProcAttr: ownGroup()}
	if err := p.start(r); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", s.Argv[0], err), os.Remove(r.file))
	}
	return p, nil
}

// find returns the path of a program. A name without a slash is searched for in the PATH of env, and a relative path
// begins at dir.
func find(name string, env []string, dir string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, runnable(name)
	}
	for _, v := range slices.Backward(env) {
		folders, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, folder := range filepath.SplitList(folders) {
			if path := filepath.Join(folder, name); filepath.IsAbs(path) && runnable(path) == nil {
				return path, nil
			}
		}
		break
	}
	return "", fmt.Errorf("there is no program %s in PATH", name)
}

func runnable(path string) error {
	info, err := os.Stat(path)
	if err == nil && (info.IsDir() || info.Mode()&0o111 == 0) {
		err = fmt.Errorf("%s cannot be run", path)
	}
	return err
}

func (p *Process) start(r *run) error {
	var ours, theirs [3]*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close() // the program has its own copies of these ends
		}
	}()
	for i := range ours {
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		ours[i], theirs[i] = read, write
		if i == 0 {
			ours[i], theirs[i] = write, read
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err := startPrivately(p.cmd)
	if err == nil {
		if err = r.started(p.cmd.Process.Pid); err != nil {
			endGroup(p.cmd.Process.Pid, p.key, 0)
			_, _ = p.cmd.Process.Wait() // its error is ignored: the caller gets the error of started
		}
	}
	if err != nil {
		for _, f := range ours {
			_ = f.Close()
		}
		return err
	}
	p.Stdin, p.Stdout = ours[0], &output{f: ours[1], done: p.done}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(&p.tail, ours[2]) // until the last process has closed the pipe, or until the read deadline
	}()
	go p.wait(ours, drained)
	return nil
}

// patience is the time limit for reading the rest of the output after the end of the program, because a process that
// could not be ended may keep the pipe open.
const patience = time.Second

// wait waits for the program and ends the processes that it has started. It reaps the program last, so that no other
// program gets its process id meanwhile.
func (p *Process) wait(ours [3]*os.File, drained <-chan struct{}) {
	pid := p.cmd.Process.Pid
	awaitEnd(pid)
	endGroup(pid, p.key, 0)
	_ = ours[2].SetReadDeadline(time.Now().Add(patience)) // cannot fail, because a pipe has deadlines
	<-drained
	_ = ours[2].Close()
	p.exit.Code = -1
	if state, err := p.cmd.Process.Wait(); err == nil {
		p.exit.Code, p.exit.Signal = state.ExitCode(), signalOf(state)
	}
	p.exit.Stderr = p.tail.String()
	_ = os.Remove(p.file) // a failure is harmless: the process in the file has ended
	close(p.done)
	_ = ours[1].SetReadDeadline(time.Now().Add(patience))
}

// output is the standard output of a program. It ends with the program, even if another process keeps the pipe open.
type output struct {
	f    *os.File
	done <-chan struct{}
}

func (o *output) Read(b []byte) (int, error) {
	select {
	case <-o.done: // a slow reader still gets the rest
		_ = o.f.SetReadDeadline(time.Now().Add(patience))
	default:
	}
	n, err := o.f.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	if err != nil {
		_ = o.f.Close()
	}
	return n, err
}

func (o *output) Close() error { return o.f.Close() }

// Stderr returns the last maxTail bytes of the standard error so far.
func (p *Process) Stderr() string { return p.tail.String() }

// Done returns a channel that is closed when the program has ended, after an attempt to end its other processes.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit waits for the end of the program and returns its result.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Stop ends the program and its processes, with SIGTERM and after [Grace] with SIGKILL, and waits for the end.
func (p *Process) Stop() Exit {
	p.once.Do(func() { endGroup(p.cmd.Process.Pid, p.key, Grace) })
	return p.Exit()
}

// Tail is a writer that keeps the last Most bytes.
type Tail struct {
	Most int

	mu  sync.Mutex
	end []byte
}

// Write never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if over := len(t.end) - t.Most; over > 0 {
		t.end = append(t.end[:0], t.end[over:]...)
	}
	return len(b), nil
}

// String returns the kept bytes, in which U+FFFD replaces bytes that are not UTF-8.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.end), "\uFFFD")
}
