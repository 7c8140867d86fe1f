package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"
	"time"

	"samepage/web/wire"
)

// The bytes of request bodies in progress: for all known callers, for one of them, for all
// anonymous requests, and for one address. Anonymous requests have room of their own, so that they
// never take room from members.
const (
	membersRoom   = 64 << 20
	memberShare   = 26 << 20
	strangersRoom = 16 << 20
	addressShare  = 4 << 20
)

// copies is the number of copies of a body in memory while it is read and decoded, if it is not
// streamed.
const copies = 3

// roomWait is the Retry-After for a body without room. A body keeps its room until its request is
// answered; the server's ReadTimeout ends a slow body.
const roomWait = 5 * time.Second

// room is the memory for bodies in progress. A body takes its largest size before any of it is
// read. A request that finds no room is refused at once.
type room struct {
	total, share int64  // bytes
	of           string // the holder of a share, in one word

	mu   sync.Mutex
	used int64
	by   map[string]int64
}

// rooms are the rooms for members and for anonymous requests.
type rooms struct{ members, strangers *room }

func newRooms() rooms {
	return rooms{
		members:   &room{of: "caller", total: membersRoom, share: memberShare, by: map[string]int64{}},
		strangers: &room{of: "address", total: strangersRoom, share: addressShare, by: map[string]int64{}},
	}
}

// errNoRoom is the refusal of a body for lack of room.
type errNoRoom struct {
	code    string
	message string
}

func (e *errNoRoom) Error() string { return e.message }

// take takes n bytes until leave is called. The error is an [errNoRoom].
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

// open takes room for a request's body and limits the body to so many bytes.
func (m *room) open(w http.ResponseWriter, r *http.Request, holder string, limit,
	copies int64) (leave func(), err error) {
	leave, err = m.take(holder, size(r, limit)*copies)
	if err == nil {
		r.Body = http.MaxBytesReader(w, wire.Incoming(r.Body), limit)
	}
	return leave, err
}

// size returns the largest possible size of a request's body, in bytes.
func size(r *http.Request, limit int64) int64 {
	if r.ContentLength >= 0 {
		return min(limit, r.ContentLength)
	}
	return limit
}

// strangersBodies takes room for the body of every other POST request, such as a login, in the
// share of its address.
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

// Bounded takes room for each message that next reads, of up to 256 KiB, in the share of its token.
// It is for the MCP endpoint, which has checked the token.
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
