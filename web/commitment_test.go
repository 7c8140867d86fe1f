package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-ical"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// commitmentOf reads a commitment as JSON. It returns its state, the number of members who joined, and the names of its
// actions, without those that every item has.
func commitmentOf(t *testing.T, c *webtest.Client, url string) (state string, joined int, names string) {
	t.Helper()
	var p struct {
		Actions []struct{ Name string }
		Data    struct {
			State  string
			Joined int
		}
	}
	if err := json.Unmarshal([]byte(c.Get(url, "application/json").Body), &p); err != nil {
		t.Fatal(err)
	}
	for _, a := range p.Actions {
		if !strings.Contains(" comment attach duplicate copy_link save_as_template pin unpin follow unfollow mute ",
			" "+a.Name+" ") { // every item has these actions
			names += " " + a.Name
		}
	}
	return p.Data.State, p.Data.Joined, names
}

// TestCommitment follows a commitment from the draft until everybody has said whether they kept it.
func TestCommitment(t *testing.T) {
	w := webtest.New(t)
	alice, bob, erin, carol := w.As("alice"), w.As("bob"), w.As("erin"), w.As("carol")
	r := alice.Post(w.URL("team"), "create_commitment", param.Input{"title": "Plant a tree", "critical_mass": 2,
		"limit": 2, "starts_at": "2026-11-22 10:00", "draft": true})
	url := r.Location()
	step := func(c *webtest.Client, action string, in param.Input, status int, says string) {
		t.Helper()
		r := c.Form(url, action, webtest.Call{Params: in, Accept: "text/markdown"})
		if text := strings.ReplaceAll(r.Body, `\`, ""); r.Status != status || !strings.Contains(text, says) {
			t.Errorf("%s: %s answers %d, want %d and %q\n%s", c.Name, action, r.Status, status, says, r.Body)
		}
	}
	is := func(c *webtest.Client, state string, joined int, listed string) {
		t.Helper()
		if s, n, names := commitmentOf(t, c, url); s != state || n != joined || names != listed {
			t.Errorf("%s sees %s, %d in,%s; want %s, %d in,%s", c.Name, s, n, names, state, joined, listed)
		}
	}
	is(alice, "draft", 0, " open_commitment update_commitment discard")
	step(bob, "join", nil, 404, "no such page")
	step(alice, "join", nil, 409, "Its author must open it first")
	step(alice, "open_commitment", nil, 200, "The commitment is open.")
	is(bob, "open", 0, " join")
	step(bob, "join", nil, 200, "You are in. It takes 1 more.")
	step(alice, "update_commitment", param.Input{"critical_mass": 1}, 422, "critical_mass")
	step(alice, "update_commitment", param.Input{"place": "The meadow"}, 200, "The commitment is changed.")
	step(bob, "leave", nil, 200, "You are no longer in.")
	step(bob, "leave", nil, 409, "You are not in.")
	step(bob, "join", nil, 200, "You are in.")
	step(bob, "join", nil, 409, "You are in already.")
	step(bob, "mark_done", nil, 409, "binds nobody")
	step(erin, "join", nil, 200, "it is bound")
	is(erin, "full", 2, "")
	pledged := func(want bool) {
		t.Helper()
		page := alice.Get("/orgs/acme/members/bob?full=1", "text/markdown").Body
		_, list, _ := strings.Cut(page, "## Commitments")
		list, _, _ = strings.Cut(list, "\n## ")
		if strings.Contains(list, "Plant a tree") != want {
			t.Errorf("the page of bob names the commitment: %v, want %v\n%s", !want, want, page)
		}
	}
	pledged(true)
	step(alice, "join", nil, 409, "All 2 places are taken.")
	step(bob, "leave", nil, 409, "nobody can leave it")
	step(alice, "update_commitment", nil, 409, "binds 2 people")
	step(bob, "mark_done", nil, 409, "The event starts on Sun 22 Nov 2026 10:00 CET")
	step(carol, "join", nil, 404, "no such page")
	w.Clock.Set(webtest.Start.Add(48 * time.Hour))
	is(bob, "closed", 2, " mark_done mark_missed")
	step(bob, "mark_done", param.Input{"note": "An oak."}, 200, "An oak.")
	pledged(false)
	step(bob, "mark_done", nil, 409, "You have marked it done already.")
	step(alice, "mark_done", nil, 403, "Only participants mark it")
	is(bob, "closed", 2, " mark_missed")
	step(erin, "mark_missed", nil, 200, "Done by 1 of 2")
	is(erin, "missed", 2, " mark_done")
	step(erin, "mark_done", nil, 200, "everyone who joined did it")
	is(alice, "done", 2, " redact")
	if r := bob.Get("/orgs/acme/journal/verify", "text/markdown"); r.Status != 200 {
		t.Error(r.Body)
	}
}

// TestCommitmentNamesEveryBadField checks that all wrong fields are reported at once, each in a sentence.
func TestCommitmentNamesEveryBadField(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct {
		in     param.Input
		fields string
	}{
		{param.Input{}, "title critical_mass"},
		{param.Input{"title": "x", "critical_mass": 0, "limit": -1}, "critical_mass limit"},
		{param.Input{"title": "x", "critical_mass": 5, "limit": 4, "closes_at": "2020-01-01"}, "limit closes_at"},
		{param.Input{"title": "x", "critical_mass": 1, "place": "Here"}, "starts_at"},
		{param.Input{"title": "x", "critical_mass": 1, "ends_at": "3d"}, "starts_at"},
		{param.Input{"title": "x", "critical_mass": 1, "starts_at": "2020-01-01", "ends_at": "2019-01-01"},
			"starts_at ends_at"},
		{param.Input{"title": "x", "critical_mass": 1, "starts_at": "3d", "ends_at": "2d", "closes_at": "4d"},
			"closes_at ends_at"},
		{param.Input{"title": "x", "critical_mass": 1, "starts_at": "soon", "ends_at": "2d", "place": "Here"},
			"starts_at"},
	} {
		r := w.As("bob").PostJSON(w.URL("team"), "create_commitment", c.in)
		var got string
		for _, f := range problemOf(t, r).Error.Fields {
			got += " " + f.Field
		}
		if r.Status != 422 || got != " "+c.fields {
			t.Errorf("%v: %d%s, want %s\n%s", c.in, r.Status, got, c.fields, r.Body)
		}
	}
}

// TestDueCommitmentIsShownClosed checks that a commitment is shown as closed as soon as it is due, before the closing
// is recorded. The closing is recorded once, with the time at which the commitment was due.
func TestDueCommitmentIsShownClosed(t *testing.T) {
	w := webtest.New(t)
	bob := w.As("bob")
	for name, want := range map[string]string{"commitment open": "failed", "commitment bound": "closed"} {
		url := w.URL(name)
		w.Clock.Set(webtest.Start.Add(11 * 24 * time.Hour))
		before, _, _ := commitmentOf(t, bob, url)
		shown := bob.Get(url, "text/markdown").Body
		if before != want || !strings.Contains(shown, "Joining ended") {
			t.Errorf("%s is %s, and nobody has recorded it\n%s", name, before, shown)
		}
		if r := w.As("dave").Post(url, "join", nil); r.Status != 409 {
			t.Errorf("%s can be joined after its deadline: %d", name, r.Status)
		}
	}
	entries := head(t, w, "bob")
	w.Site.CloseDue(t.Context())
	recorded := head(t, w, "bob")
	w.Site.CloseDue(t.Context())
	if recorded == entries || head(t, w, "bob") != recorded {
		t.Errorf("%d entries, then %d more", recorded-entries, head(t, w, "bob")-recorded)
	}
	for name, want := range map[string]string{"commitment open": "failed", "commitment bound": "closed"} {
		if after, _, _ := commitmentOf(t, bob, w.URL(name)); after != want {
			t.Errorf("%s is %s once it is recorded", name, after)
		}
	}
	if md := bob.Get(w.URL("commitment open"), "text/markdown").Body; !strings.Contains(md,
		"Joining ended Fri 27 Nov 2026 12:00 CET") {
		t.Errorf("recorded for another moment:\n%s", md)
	}
}

// TestCalendarFile requests the calendar file of an event. Only actors who may see the page get the file, and the file
// follows changes of the event.
func TestCalendarFile(t *testing.T) {
	w := webtest.New(t)
	event := w.URL("commitment event") + ".ics"
	for _, c := range []struct {
		as, url string
		status  int
	}{
		{"bob", event, 200}, {"scout", event, 200}, {"reader", event, 200}, {"carol", event, 404},
		{"oscar", event, 404}, {"anonymous", event, 303}, {"revoked", event, 401},
		{"bob", w.URL("commitment open") + ".ics", 404}, {"bob", w.URL("standups") + ".ics", 404},
		{"bob", w.URL("team") + "/c/nothing000.ics", 404},
		{"anonymous", w.URL("commitment plaza event") + ".ics", 200},
		{"carol", w.URL("commitment plaza event") + ".ics", 200},
	} {
		r := w.As(c.as).Get(c.url, "*/*")
		if r.Status != c.status || (r.Status == 200) != strings.HasPrefix(r.Header.Get("Content-Type"),
			"text/calendar") {
			t.Errorf("%s gets %s: %d %s", c.as, c.url, r.Status, r.Header.Get("Content-Type"))
		}
	}
	read := func() (*webtest.Response, *ical.Component) {
		r := w.As("bob").Get(event, "")
		cal, err := ical.NewDecoder(bytes.NewReader([]byte(r.Body))).Decode()
		if err != nil {
			t.Fatal(err, r.Body)
		}
		return r, cal.Events()[0].Component
	}
	r, e := read()
	if url := e.Props.Get(ical.PropURL).Value; url != webtest.Origin+w.URL("commitment event") {
		t.Errorf("it leads to %s", url)
	}
	tag := r.Header.Get("Etag")
	if r := request(w.As("bob"), "GET", event, "If-None-Match: "+tag); r.Status != 304 || r.Body != "" {
		t.Errorf("the same again: %d", r.Status)
	}
	w.Clock.Advance(time.Hour)
	w.As("erin").Post(w.URL("commitment event"), "comment", param.Input{"text": "Yes."})
	r, later := read()
	first, _ := e.Props.Get(ical.PropSequence).Int()
	second, _ := later.Props.Get(ical.PropSequence).Int()
	if r.Header.Get("Etag") == tag || second != first+1 {
		t.Errorf("sequence %d, then %d, tag %s", first, second, fmt.Sprint(r.Header.Get("Etag") == tag))
	}
	if head := request(w.As("bob"), "HEAD", event); head.Status != 200 ||
		head.Header.Get("Content-Type") != "text/calendar; charset=utf-8" {
		t.Errorf("HEAD: %d", head.Status)
	}
	if r := w.As("bob").Get(w.URL("commitment event"), "text/html"); !strings.Contains(r.Body, `href="`+event+`"`) &&
		!strings.Contains(r.Body, event) {
		t.Error("the page does not link to its calendar")
	}
}
