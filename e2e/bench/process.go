//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"samepage/store"
)

// process is a measured server.
type process struct {
	cmd  *exec.Cmd
	addr string
	log  *bytes.Buffer // server's standard error
	data string        // data folder; empty for a comparison server
}

// ownAddress is the text that a server prints before its address when it is ready.
const ownAddress = "serves http://"

// startWith starts a program and waits until it prints its address. The parameter before is the text in front of the
// address.
func startWith(in io.Reader, before, program string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(program, args...), log: new(bytes.Buffer)}
	p.cmd.Stdin, p.cmd.Stderr = in, p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), before); ok {
			p.addr, _, _ = strings.Cut(rest, " ")
			go io.Copy(io.Discard, out)
			return p, nil
		}
	}
	err = p.cmd.Wait()
	return nil, fmt.Errorf("%s did not start: %w\n%s", program, errors.Join(err, lines.Err()), p.log)
}

// readAhead reads the database file in a folder into the kernel's page cache. It does nothing for an empty folder name.
func readAhead(folder string) error {
	if folder == "" {
		return nil
	}
	f, err := os.Open(filepath.Join(folder, store.FileName))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

// stop ends the process with SIGTERM. If the process still runs after 20 seconds, stop kills it and returns an error.
func (p *process) stop() error {
	p.cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(20 * time.Second):
		p.cmd.Process.Kill()
		return errors.New("the server did not stop within 20 s")
	}
}

// cpu returns the processor time that all threads of the process have used so far. It uses the clock that
// clock_getcpuclockid(3) returns, because /proc/PID/stat counts in steps of 10 ms.
func (p *process) cpu() time.Duration {
	const sched = 2 // CPUCLOCK_SCHED, the clock of the processor time
	clock := int32(^p.cmd.Process.Pid<<3 | sched)
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock),
		uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(fmt.Sprintf("processor time of process %d: %v", p.cmd.Process.Pid, errno))
	}
	return time.Duration(t.Nano())
}

// memory returns the anonymous memory of the process in bytes, without cached files, which the kernel can drop.
func (p *process) memory() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(text), "RssAnon:")
	if !ok {
		return 0, errors.New("the kernel does not tell RssAnon")
	}
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kilobytes << 10, err
}
