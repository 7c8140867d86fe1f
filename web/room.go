package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"
	"time"

	"samepage/web/wire"
)

// These are the greatest amounts of memory, in bytes, for request bodies at the same time: for calls of actions and
// messages of MCP together, for those of one user or token, for all other bodies, and for the others from one address.
const (
	membersRoom   = 64 << 20
	memberShare   = 26 << 20
	strangersRoom = 16 << 20
	addressShare  = 4 << 20
)

// copies is the number of copies of a body in memory while it is read and decoded, unless it is streamed.
const copies = 3

// roomWait is the Retry-After for a body that is refused for lack of memory. It is short, because the server's
// ReadTimeout ends slow requests.
const roomWait = 5 * time.Second

// room is an amount of memory for request bodies. The maximum size of a body is taken from it before the body is read.
// If too little is left, the request is refused at once.
type room struct {
	total, share int64  // amounts in bytes: the whole room, and the greatest part of one holder
	of           string // such as "caller", for messages

	mu   sync.Mutex
	used int64
	by   map[string]int64
}

type rooms struct{ members, strangers *room }

func newRooms() rooms {
	return rooms{
		members:   &room{of: "caller", total: membersRoom, share: memberShare, by: map[string]int64{}},
		strangers: &room{of: "address", total: strangersRoom, share: addressShare, by: map[string]int64{}},
	}
}

type errNoRoom struct {
	code    string
	message string
}

func (e *errNoRoom) Error() string { return e.message }

// take reserves n bytes for the holder until leave is called. If too few are left, the error is an [errNoRoom].
func (m *room) take(holder string, n int64) (leave func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	again := "Nothing was done. Wait " + seconds(roomWait) + " seconds and send it again."
	switch {
	case m.by[holder]+n > m.share:
		const full = "Other requests of this %s, which are not answered yet, take all the room that one %s has. %s"
		return func() {}, &errNoRoom{"limited", fmt.Sprintf(full, m.of, m.of, again)}
	case m.used+n > m.total:
		return func() {}, &errNoRoom{"unavailable", "Too much is being sent to this server at this moment. " + again}
	}
	m.used += n
	m.by[holder] += n
	return func() { m.give(holder, n) }, nil
}

func (m *room) give(holder string, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= n
	if m.by[holder] -= n; m.by[holder] == 0 {
		delete(m.by, holder)
	}
}

// open limits the length of a request's body, and reserves memory for the given number of copies of the body.
func (m *room) open(w http.ResponseWriter, r *http.Request, holder string, limit,
	copies int64) (leave func(), err error) {
	leave, err = m.take(holder, size(r, limit)*copies)
	if err == nil {
		r.Body = http.MaxBytesReader(w, wire.Incoming(r.Body), limit)
	}
	return leave, err
}

// size returns the maximum size of a request's body, in bytes: its declared length, but at most the limit.
func size(r *http.Request, limit int64) int64 {
	if r.ContentLength >= 0 {
		return min(limit, r.ContentLength)
	}
	return limit
}

// strangersBodies is middleware for POST requests that are not calls of actions, such as a login. It reserves memory
// for the body, within [strangersRoom] and [addressShare].
func (s *Site) strangersBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			leave, err := s.rooms.strangers.open(w, r, s.address(r), wire.MaxBody, copies)
			if err != nil {
				s.fail(w, r, err)
				return
			}
			defer leave()
		}
		next.ServeHTTP(w, r)
	})
}

// Bounded is middleware for the MCP endpoint. It reserves memory for each message of up to 256 KiB, within the share of
// the request's token, which has been checked before.
func (s *Site) Bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := sha256.Sum256([]byte(s.credentials(r).token))
		leave, err := s.rooms.members.take(string(token[:]), size(r, wire.MaxBody)*copies)
		if err != nil {
			f := s.explain(r, err)
			f.setHeaders(w.Header())
			http.Error(w, f.Message, f.Status)
			return
		}
		defer leave()
		next.ServeHTTP(w, r)
	})
}
