package clients

import (
	"bufio"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
)

// letterbox collects texts that a server sends.
type letterbox struct {
	mu    sync.Mutex
	texts []string
}

func (l *letterbox) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, text)
}

// all returns the texts that were received so far.
func (l *letterbox) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.texts...)
}

// having returns the number of texts that contain a word.
func (l *letterbox) having(word string) (n int) {
	for _, text := range l.all() {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// newReceiver returns the address of a receiver for webhooks, and the bodies that it gets.
func newReceiver(t *testing.T) (string, *letterbox) {
	t.Helper()
	got := &letterbox{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the sender closed the connection, and will retry
		}
		got.add(string(body))
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// newSink returns the address of a mail server that accepts every mail, and the mails that it gets: the recipient's
// address, the subject and the text.
func newSink(t *testing.T) (string, *letterbox) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	got := &letterbox{}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go got.takeMails(conn)
		}
	}()
	return l.Addr().String(), got
}

// takeMails serves one connection to the mail server.
func (l *letterbox) takeMails(conn net.Conn) {
	defer conn.Close()
	in, to := bufio.NewReader(conn), ""
	fmt.Fprint(conn, "220 here\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.TrimSpace(line)); {
		case strings.HasPrefix(verb, "RCPT"):
			to = strings.TrimSpace(line)
		case verb == "DATA":
			fmt.Fprint(conn, "354 go on\r\n")
			var text strings.Builder
			for line, err = in.ReadString('\n'); err == nil && line != ".\r\n"; line, err = in.ReadString('\n') {
				text.WriteString(line)
			}
			l.add(to + "\n" + readable(text.String()))
		case verb == "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
			return
		}
		fmt.Fprint(conn, "250 fine\r\n")
	}
}

// readable returns the headers of a mail with its decoded text, or the mail itself if it cannot be decoded.
func readable(text string) string {
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return text
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		return text
	}
	head, _, _ := strings.Cut(text, "\r\n\r\n")
	return head + "\n\n" + string(body)
}
