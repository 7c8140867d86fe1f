package hook_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
	"samepage/web"
	"samepage/web/hook"
	"samepage/web/webtest"
)

// receiver is a program to which webhooks send. It stores the requests and answers them with the codes in status, in
// turn.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status []int // status codes of the next answers; 204 after the last one
	got    []received
}

type received struct {
	header http.Header
	body   []byte
	at     time.Time
}

func listen(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, received{q.Header.Clone(), body, time.Now()})
		status := http.StatusNoContent
		if len(r.status) > 0 {
			status, r.status = r.status[0], r.status[1:]
		}
		if status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// all returns the requests received so far.
func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

// event is the JSON of an event, with the id from its header.
type event struct {
	id   string
	Type string
	Data struct{ Organization, Action, Kind, Title, URL, Journal, By, Agent, Sentence, Why string }
}

func (r received) event(t *testing.T) event {
	t.Helper()
	e := event{id: r.header.Get("webhook-id")}
	if err := json.Unmarshal(r.body, &e); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	return e
}

var secretIn = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

// add makes a webhook and returns the address of its page, and its secret.
func add(t *testing.T, w *webtest.World, in param.Input) (url, secret string) {
	t.Helper()
	r := w.As("alice").PostJSON("/orgs/acme/webhooks", "create_webhook", in)
	var done struct{ URL, Secret string }
	if err := json.Unmarshal([]byte(r.Body), &done); err != nil || !secretIn.MatchString(r.Body) {
		t.Fatalf("create_webhook: %d %s", r.Status, r.Body)
	}
	return done.URL, secretIn.FindString(r.Body)
}

// newWorld returns a world in which the active webhooks are paused, because they would send to the internet. Its site
// accepts addresses on this machine.
func newWorld(t *testing.T) *webtest.World {
	w := webtest.New(t, func(c *web.Config) { c.Documents.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for who, at := range map[string]string{"alice": w.URL("webhook active"), "bob": governance.OwnWebhookURL} {
		if r := w.As(who).PostJSON(at, "pause_webhook", nil); r.Status/100 != 2 {
			t.Fatalf("pause_webhook: %d %s", r.Status, r.Body)
		}
	}
	return w
}

// sender returns a function that runs a sender until everything due is sent.
func sender(t *testing.T, w *webtest.World, allow ...string) func() {
	run := runner(t, w, allow...)
	return func() { run(func(*hook.Config) {}) }
}

// runner is like sender, but its function first changes the configuration of the sender.
func runner(t *testing.T, w *webtest.World, allow ...string) func(change func(*hook.Config)) {
	c := hook.Config{Store: w.Store, Origin: func() string { return webtest.Origin }, Stop: actions.StopWebhook,
		StopOwn: actions.StopOwnWebhook, MayRead: w.Site.Account().MayRead,
		Did: func(e *store.Entry) string { return "did " + e.Action + " to" }, Log: slog.New(slog.NewTextHandler(failing{t}, nil))}
	for _, a := range allow {
		c.Allow = append(c.Allow, netip.MustParsePrefix(a))
	}
	return func(change func(*hook.Config)) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		rounds := 0
		c.Done = func(err error) {
			if err != nil {
				t.Error(err)
			}
			var due int
			w.Query(&due, `SELECT (SELECT count(*) FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
				WHERE w.paused_at IS NULL AND d.due_at <= ?) + (SELECT count(*) FROM own_deliveries d
				JOIN own_webhooks w ON w.id = d.webhook_id WHERE w.paused_at IS NULL AND d.due_at <= ?)`,
				store.At(w.Store.Now()), store.At(w.Store.Now()))
			if rounds++; due == 0 && rounds > 2 {
				cancel()
			}
		}
		change(&c)
		hook.New(c).Run(ctx, 5*time.Millisecond)
	}
}

// failing fails a test for each line of a log.
type failing struct{ t *testing.T }

func (f failing) Write(line []byte) (int, error) {
	f.t.Errorf("%s", line)
	return len(line), nil
}

// TestWebhook follows events to a receiver, which checks each signature with the library of the specification.
func TestWebhook(t *testing.T) {
	w := newWorld(t)
	r := listen(t)
	url, secret := add(t, w, param.Input{"address": r.URL + "/in?key=hidden"})
	send := sender(t, w, "127.0.0.1/32")
	note := w.URL("note post")
	w.As("scribe").JSON(note, "comment", webtest.Call{Params: param.Input{"text": "Hello"}, Why: "to try it"})
	send()
	got := r.all()
	if len(got) != 2 { // one event about the webhook itself, and one about the comment
		t.Fatalf("received %d events", len(got))
	}
	check, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range got {
		if err := check.VerifyIgnoringTimestamp(g.body, g.header); err != nil {
			t.Error(err)
		}
	}
	e := got[1].event(t)
	if e.Type != "note.comment" || e.Data.Organization != "acme" || e.Data.URL != webtest.Origin+note || e.Data.By != "alice" ||
		e.Data.Agent != "Scribe" || !strings.Contains(e.Data.Sentence, "did comment to") || e.Data.Why != "to try it" {
		t.Errorf("%s: %+v", got[1].body, e)
	}
	if strings.Contains(string(got[1].body), "Hello") {
		t.Error("an event has the text of the page")
	}
	page := w.As("alice").Get(url, "text/markdown").Body
	for _, want := range []string{"Nothing waits to be sent", "note.comment", "accepted, 1 try", "204 after"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	for _, at := range []string{"/orgs/acme/journal", "/orgs/acme/activity"} {
		if strings.Contains(w.As("bob").Get(at, "text/markdown").Body, "key=hidden") {
			t.Errorf("%s shows the address", at)
		}
	}
	for _, who := range []string{"bob", "scribe", "anonymous", "oscar"} {
		if s := w.As(who).Get(url, "text/markdown").Status; s != http.StatusNotFound && s != http.StatusUnauthorized {
			t.Errorf("%s reads the webhook: %d", who, s)
		}
	}
	if held := w.Holds(strings.TrimPrefix(secret, "whsec_")); held != "" {
		t.Errorf("the database has the secret in %s", held)
	}
}

// TestWebhookAgain checks that an event is sent again until it is accepted, with the same id and a new timestamp. After
// a day without success, the webhook is paused and its maker is told.
func TestWebhookAgain(t *testing.T) {
	w := newWorld(t)
	r := listen(t)
	url, secret := add(t, w, param.Input{"address": r.URL, "kinds": []string{"note"}})
	send := sender(t, w, "127.0.0.1/32")
	r.answer(500, 302, 429)
	comment := func() {
		w.As("bob").PostJSON(w.URL("note post"), "comment", param.Input{"text": "again"})
	}
	comment()
	for range 3 {
		send()
		w.Clock.Advance(10 * time.Minute)
	}
	page := w.As("alice").Get(url, "text/markdown").Body
	if !strings.Contains(page, "waiting after 3 tries") || !strings.Contains(page, "answered 429") {
		t.Errorf("the log does not tell of the tries:\n%s", page)
	}
	w.Clock.Advance(time.Hour)
	send()
	got := r.all()
	check, _ := standardwebhooks.NewWebhook(secret)
	for i, g := range got {
		if err := check.VerifyIgnoringTimestamp(g.body, g.header); err != nil || g.event(t).id != got[0].event(t).id {
			t.Errorf("try %d: id %s, %v", i, g.event(t).id, err)
		}
	}
	if page = w.As("alice").Get(url, "text/markdown").Body; len(got) != 4 || !strings.Contains(page, "accepted, 4 tries") {
		t.Errorf("%d tries:\n%s", len(got), page)
	}
	down := make([]int, 30)
	for i := range down {
		down[i] = 503
	}
	r.answer(down...)
	comment()
	for range 12 {
		send()
		w.Clock.Advance(9 * time.Hour)
	}
	page = w.As("alice").Get(url, "text/markdown").Body
	if n := len(r.all()); n != 4+9 || !strings.Contains(page, "Nothing was accepted for a day") || !strings.Contains(page, "Paused") {
		t.Errorf("%d tries in all:\n%s", n, page)
	}
	if inbox := w.As("alice").Get("/inbox", "text/markdown").Body; !strings.Contains(inbox, "Webhook to 127.0.0.1") {
		t.Errorf("its maker is not told:\n%s", inbox)
	}
	comment()
	send()
	r.answer()
	w.As("alice").PostJSON(url, "resume_webhook", nil)
	comment()
	send()
	if n := len(r.all()); n != 4+9+1 {
		t.Errorf("after the pause: %d", n)
	}
	w.As("alice").PostJSON(url, "redeliver_event", param.Input{"delivery": 1})
	send()
	if got := r.all(); len(got) != 15 || got[14].event(t).id != got[0].event(t).id {
		t.Errorf("an event sent again has another id")
	}
}

// TestWebhookRotation checks that events are signed with both secrets for a day after a rotation, and then with
// only the new one. A test event arrives, and an answer of 410 pauses the webhook.
func TestWebhookRotation(t *testing.T) {
	w := newWorld(t)
	r := listen(t)
	url, former := add(t, w, param.Input{"address": r.URL, "kinds": []string{"note"}})
	send := sender(t, w, "127.0.0.1/32")
	answer := w.As("alice").PostJSON(url, "rotate_secret", nil)
	present := secretIn.FindString(answer.Body)
	if present == "" || present == former {
		t.Fatalf("rotate_secret: %d %s", answer.Status, answer.Body)
	}
	test := func() received {
		w.As("alice").PostJSON(url, "send_test", nil)
		send()
		got := r.all()
		if len(got) == 0 || got[len(got)-1].event(t).Type != "webhook.test" {
			t.Fatalf("no test arrives: %d", len(got))
		}
		return got[len(got)-1]
	}
	signed := func(g received, secret string) bool {
		check, _ := standardwebhooks.NewWebhook(secret)
		return check.Verify(g.body, g.header) == nil
	}
	if g := test(); !signed(g, former) || !signed(g, present) {
		t.Errorf("within a day: the former %v, the present %v", signed(g, former), signed(g, present))
	}
	w.Clock.Advance(25 * time.Hour)
	r.answer(410)
	if g := test(); signed(g, former) || !signed(g, present) {
		t.Errorf("after a day: the former %v, the present %v", signed(g, former), signed(g, present))
	}
	if page := w.As("alice").Get(url, "text/markdown").Body; !strings.Contains(page, "gone (410)") {
		t.Errorf("410 does not pause:\n%s", page)
	}
}

// TestWebhookOfFormerOwner checks that the webhook of a member who has left sends nothing more. The page of the
// webhook tells the owner why.
func TestWebhookOfFormerOwner(t *testing.T) {
	w := newWorld(t)
	r := listen(t)
	url, _ := add(t, w, param.Input{"address": r.URL, "kinds": []string{"note"}})
	for _, step := range []struct {
		who, at, name string
		in            param.Input
	}{
		{"alice", "/orgs/acme/settings", "transfer_ownership", param.Input{"member": "bob"}},
		{"bob", "/orgs/acme/members/alice", "remove_member", nil},
		{"bob", w.URL("note post"), "comment", param.Input{"text": "x"}},
	} {
		if a := w.As(step.who).PostJSON(step.at, step.name, step.in); a.Status/100 != 2 {
			t.Fatalf("%s: %d %s", step.name, a.Status, a.Body)
		}
	}
	sender(t, w, "127.0.0.1/32")()
	if n := len(r.all()); n != 0 {
		t.Errorf("%d events are told", n)
	}
	if page := w.As("bob").Get(url, "text/markdown").Body; !strings.Contains(page, "has left the organization") {
		t.Errorf("the page does not say why:\n%s", page)
	}
}
