//go:build linux

package durability

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a running process of the command samepage serve.
type server struct {
	t      *testing.T
	url    string // empty if the process ended before it served
	client *http.Client
	cmd    *exec.Cmd
	ended  chan struct{}
	output *output
}

// serve starts a server on the folder, and waits until the process prints its address or ends.
func serve(t *testing.T, dir string, env ...string) *server {
	t.Helper()
	return serveAt(t, dir, "127.0.0.1:0", env...)
}

// freeAddress returns a loopback address on which nothing listens, for a server that is restarted at its address.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return l.Addr().String()
}

// serveAt starts a server on the folder with this address to listen on, and waits as serve does.
func serveAt(t *testing.T, dir, listen string, env ...string) *server {
	t.Helper()
	return launchAt(t, dir, listen, env...).wait()
}

// wait waits until the process prints its address or ends.
func (s *server) wait() *server {
	s.t.Helper()
	select {
	case s.url = <-s.output.url:
	case <-s.ended:
	case <-time.After(hangs):
		s.end(syscall.SIGKILL)
		s.t.Fatalf("the server neither serves nor ends:\n%s", s.output)
	}
	return s
}

// launch starts a server on the folder, and returns at once.
func launch(t *testing.T, dir string, env ...string) *server {
	t.Helper()
	return launchAt(t, dir, "127.0.0.1:0", env...)
}

func launchAt(t *testing.T, dir, listen string, env ...string) *server {
	t.Helper()
	return start(t, serving(t, dir, listen, env...))
}

// serving returns the command that serves the folder at an address. The caller may change the command before its
// start.
func serving(t *testing.T, dir, listen string, env ...string) *exec.Cmd {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "serve", "--data", dir, "--listen", listen, "--limits=false")
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// start starts a server with the command.
func start(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{
		t:      t,
		cmd:    cmd,
		ended:  make(chan struct{}),
		output: &output{url: make(chan string, 1)},
		client: &http.Client{Timeout: hangs, Transport: &http.Transport{MaxIdleConnsPerHost: 128}},
	}
	s.cmd.Stderr = s.output
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		s.output.read(stdout)
		s.cmd.Wait() // the error does not matter; tests use the state of the process
		s.client.CloseIdleConnections()
	}()
	t.Cleanup(func() { s.end(syscall.SIGKILL) })
	return s
}

// end sends the signal, waits for the end of the process, and returns its exit code. The code is -1
// if a signal ended the process.
func (s *server) end(sig syscall.Signal) int {
	s.cmd.Process.Signal(sig) // the process may have ended already
	select {
	case <-s.ended:
	case <-time.After(30 * time.Second):
		s.t.Errorf("the server does not end within 30 s of %v:\n%s", sig, s.output)
		s.cmd.Process.Kill()
		<-s.ended
	}
	return s.cmd.ProcessState.ExitCode()
}

// alive fails the test if the server has ended or has panicked.
func (s *server) alive() {
	s.t.Helper()
	select {
	case <-s.ended:
		s.t.Fatalf("the server has ended:\n%s", s.output)
	default:
	}
	s.output.calm(s.t)
}

// read reads a page as markdown with a token, and returns the status and the body.
func (s *server) read(path, token string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "text/markdown")
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(body)
}

// output collects the output of a server.
type output struct {
	url  chan string
	mu   sync.Mutex
	text bytes.Buffer
}

var serves = regexp.MustCompile(`serves (http://\S+)`)

func (o *output) read(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fmt.Fprintln(o, lines.Text())
		if m := serves.FindStringSubmatch(lines.Text()); m != nil {
			o.url <- m[1]
		}
	}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// calm fails the test if the output shows a panic.
func (o *output) calm(t *testing.T) {
	t.Helper()
	if text := o.String(); panicked(text) {
		t.Fatalf("the program panicked:\n%s", text)
	}
}

func panicked(text string) bool {
	for _, sign := range []string{"panic", "goroutine ", "SIGBUS", "SIGSEGV", "fatal error"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
