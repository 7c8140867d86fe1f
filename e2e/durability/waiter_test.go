//go:build linux

package durability

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// metricsToken is the token for reading the metrics of a test's server.
const metricsToken = "durability-metrics"

// waiting returns the number of requests that wait for a page to change.
func (s *server) waiting() string {
	s.t.Helper()
	_, text := s.read("/metrics", metricsToken)
	m := regexp.MustCompile(`(?m)^samepage_\w*wait\w* (\d+)$`).FindStringSubmatch(text)
	if m == nil {
		s.t.Fatalf("no metric counts the waiting requests:\n%.3000s", text)
	}
	return m[1]
}

// slowUpload is a request that sends a file in two parts.
type slowUpload struct {
	conn net.Conn
	in   *bufio.Reader
	rest string // the second part of the body
}

// startUpload sends the beginning of a request, and returns once the server reads its body.
func (s *server) startUpload(page, token string, n int) (*slowUpload, error) {
	body := fmt.Sprintf("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%d.txt\"\r\n"+
		"Content-Type: text/plain\r\n\r\n%s\r\n--x--\r\n", n, strings.Repeat(fmt.Sprint("slow ", n, " "), 1000))
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return nil, err
	}
	s.t.Cleanup(func() { conn.Close() })
	u := &slowUpload{conn: conn, in: bufio.NewReader(conn), rest: body[len(body)/2:]}
	fmt.Fprintf(conn, "POST %s/actions/attach HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\n"+
		"Accept: application/json\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n\r\n",
		page, conn.RemoteAddr(), token, len(body))
	if line, err := u.in.ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") {
		rest, _ := io.ReadAll(io.LimitReader(u.in, 2000))
		return nil, fmt.Errorf("%q (%v) %s", line, err, rest)
	}
	u.in.ReadString('\n')
	_, err = io.WriteString(conn, body[:len(body)/2])
	return u, err
}

// stands fails the test if the server has answered the upload or closed its connection.
func (u *slowUpload) stands(t *testing.T) {
	t.Helper()
	u.conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	defer u.conn.SetReadDeadline(time.Time{})
	if _, err := u.in.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("an upload that is under way does not stand still: %v", err)
	}
}

// finish sends the rest of the body and returns the status of the answer.
func (u *slowUpload) finish() (int, error) {
	if _, err := io.WriteString(u.conn, u.rest); err != nil {
		return 0, err
	}
	resp, err := http.ReadResponse(u.in, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// TestStopAnswersAll stops a server with 500 waiting requests and 20 unfinished uploads. First the waiting requests
// are answered, while the server accepts no new connections and has answered no upload. The timeout of the waiting
// requests is longer than the server's grace period, so the signal must have ended the waits. Then each upload is
// answered once it is complete, and the server ends without an error.
func TestStopAnswersAll(t *testing.T) {
	long(t, "a stop with 500 waiting requests and 20 uploads")
	w := seeded(t)
	s := serve(t, w.folder(t), "SAMEPAGE_METRICS_TOKEN="+metricsToken)
	page := w.polls[0].url
	_, text := s.read(page, w.tokens[0])
	_, version, _ := strings.Cut(text, "\nversion: \"")
	version, _, _ = strings.Cut(version, "\"")
	const waiters, uploads = 500, 20
	var group sync.WaitGroup
	var answered atomic.Int64
	for i := range waiters {
		group.Go(func() {
			status, text := s.read(page+"?wait=60&since="+version, w.tokens[i%len(w.tokens)])
			if status != 200 || !strings.Contains(text, "\nversion: \""+version) {
				t.Errorf("a waiting request: %d %.300s", status, text)
			}
			answered.Add(1)
		})
	}
	var slow []*slowUpload
	for i := range uploads {
		u, err := s.startUpload(page, w.tokens[i%len(w.tokens)], i)
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, u)
	}
	for deadline := time.Now().Add(hangs); s.waiting() != fmt.Sprint(waiters); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s requests wait, not %d", s.waiting(), waiters)
		}
	}
	begun := time.Now()
	s.cmd.Process.Signal(syscall.SIGTERM)
	group.Wait()
	t.Logf("%d waiting requests are answered %v after the signal, while %d uploads stand still", answered.Load(),
		time.Since(begun).Round(time.Millisecond), uploads)
	s.alive()
	if conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://")); err == nil {
		conn.Close()
		t.Error("a server that stops accepts a connection")
	}
	for _, u := range slow {
		u.stands(t)
	}
	complete := time.Now()
	for i, u := range slow {
		s.alive()
		if status, err := u.finish(); status != 200 {
			t.Errorf("upload %d: %d, %v", i, status, err)
		}
	}
	<-s.ended
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it exits with %d:\n%s", code, s.output)
	}
	s.output.calm(t)
	t.Logf("it ended %v after the signal, %v after the rest of the first upload was sent",
		time.Since(begun).Round(time.Millisecond), time.Since(complete).Round(time.Millisecond))
}
