package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/archive"
	"samepage/store/keyfile"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// media are the forms of a page.
var media = []string{"text/html", "text/markdown", "application/json"}

// TestNominationsStaySecret nominates different members, for different reasons, in two equal worlds. Until the
// nominations are revealed, the pages are the same in both worlds, in every form and for everybody but the
// nominator. Among these pages are the journal, the inbox and the search. The database and a backup contain the
// reason only encrypted.
func TestNominationsStaySecret(t *testing.T) {
	slow(t)
	type reading struct{ actor, form, url string }
	read := func(nominee, reason string) (*webtest.World, map[reading]string) {
		w := webtest.Of(t, "election")
		u := w.URL("election nomination")
		if r := w.As("bob").JSON(u, governance.Nominate.Name, webtest.Call{Why: "I like " + reason,
			Params: param.Input{"nominee": nominee, "reason": reason}}); r.Status != 200 || !strings.Contains(r.Body, "is not kept") {
			t.Fatalf("%d: %s", r.Status, r.Body)
		}
		// A refused nomination leaves no trace either.
		if r := w.As("scout").PostJSON(u, governance.Nominate.Name,
			param.Input{"nominee": "nobody-" + nominee, "reason": reason}); r.Status == 200 {
			t.Fatal("an unknown member was nominated")
		}
		urls := []string{"/", "/inbox", "/approvals", u, u + "/actions", u + "/actions/nominate_member", u + "/comments",
			w.URL("team"), w.URL("team") + "/elections", w.URL("team") + "/roles", w.URL("role to fill nomination"),
			w.URL("team") + "/cycles/today", "/orgs/acme", "/orgs/acme/open", "/orgs/acme/journal", "/orgs/acme/activity",
			"/orgs/acme/members/bob", "/orgs/acme/members/dave", "/orgs/acme/members/erin",
			w.URL("entry " + governance.Nominate.Name), "/search?q=type:election", "/search?q=" + reason}
		got := map[reading]string{}
		for _, actor := range w.Actors() {
			if actor == "bob" {
				continue
			}
			c := w.As(actor).Ahead()
			for _, form := range media {
				for _, url := range urls {
					got[reading{actor, form, url}] = w.Stable(c.Get(url, form).Body)
				}
			}
		}
		return w, got
	}
	const first, second = "unicorns", "centaurs" // both have the same length
	w, one := read("dave", first)
	_, other := read("erin", second)
	seen := 0
	for at, text := range one {
		url := strings.ReplaceAll(at.url, first, second)
		want := strings.ReplaceAll(other[reading{at.actor, at.form, url}], second, first)
		if want == "" {
			t.Errorf("%v: there is no page to compare with", at)
		}
		if text != want {
			t.Errorf("%s reads a nomination of @bob in %s of %s:\n%s", at.actor, at.form, at.url,
				firstDifference(text, want))
		}
		if strings.Contains(text, first) && !strings.Contains(at.url, first) {
			t.Errorf("%s reads the reason of @bob in %s of %s", at.actor, at.form, at.url)
		}
		seen++
	}
	if seen < 500 {
		t.Errorf("only %d pages were read", seen)
	}
	for _, form := range media {
		if own := w.As("bob").Get(w.URL("election nomination"), form).Body; !strings.Contains(own, first) {
			t.Errorf("the nominator does not read their own nomination in %s", form)
		}
	}
	notStored(t, w, first)
	if r := w.As("bob").PostJSON(w.URL("election nomination"), governance.AdvanceElection.Name, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	for _, form := range media {
		if all := w.As("erin").Get(w.URL("election nomination"), form).Body; !strings.Contains(all, first) {
			t.Errorf("a revealed nomination is not in %s", form)
		}
	}
}

// notStored checks that a text is in no file of the database and of a backup. On a database server, it checks all rows
// instead.
func notStored(t *testing.T, w *webtest.World, text string) {
	t.Helper()
	if pgtest.Given() != "" {
		for table := range w.Digests() {
			for _, row := range w.Rows(table) {
				if strings.Contains(row, text) {
					t.Errorf("the table %s has %q", table, text)
				}
			}
		}
		return
	}
	copied := filepath.Join(t.TempDir(), "backup")
	if _, err := archive.Backup(t.Context(), w.Store, copied, nil); err != nil {
		t.Fatal(err)
	}
	files := []string{w.Store.Path(), w.Store.Path() + "-wal"}
	if err := filepath.WalkDir(copied, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		emptied := strings.HasSuffix(path, "-wal") // the write-ahead log, after secrets were deleted
		if err != nil || len(b) == 0 && !emptied {
			t.Fatalf("%s: %d bytes, %v", path, len(b), err)
		}
		if strings.Contains(string(b), text) {
			t.Errorf("%s has %q", path, text)
		}
	}
}

// TestHeldNominationsStaySecret holds an agent's nomination for approval. Until the approval and the revelation,
// only the agent and its member read the nominee and the reason. The nominee and the reason are on no other page,
// and not in the database or an export. After the keys were replaced, the request can only be rejected.
func TestHeldNominationsStaySecret(t *testing.T) {
	slow(t)
	const reason = "unicorns"
	w := webtest.Of(t, "election")
	u := w.URL("election nomination")
	agent := func(label string) *webtest.Client {
		r := w.As("dave").PostJSON("/settings/tokens", actions.CreateToken.Name, param.Input{"label": label,
			"scopes": []any{"read", "write", "governance"}, "asks": []any{governance.Nominate.Name}})
		var made struct{ Secret string }
		if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
			t.Fatalf("%d: %s", r.Status, r.Body)
		}
		return w.Bearer(made.Secret)
	}
	quill := agent("Quill")
	ask := func(c *webtest.Client) string {
		r := c.JSON(u, governance.Nominate.Name, webtest.Call{Why: "For the " + reason,
			Params: param.Input{"nominee": "erin", "reason": "She keeps " + reason}})
		var held struct {
			Held bool
			URL  string
		}
		if err := json.Unmarshal([]byte(r.Body), &held); err != nil || !held.Held || strings.Contains(r.Body, reason) {
			t.Fatalf("it is not held: %d %s", r.Status, r.Body)
		}
		return held.URL
	}
	url := ask(quill)
	if again := ask(quill); again != url {
		t.Errorf("the same call waits twice: %s and %s", url, again)
	}
	secret := func(when string) {
		t.Helper()
		for _, actor := range w.Actors() {
			for _, form := range media {
				for _, page := range []string{url, "/approvals", "/", "/inbox", u, "/orgs/acme/journal", "/search?q=keeps"} {
					body := w.As(actor).Ahead().Get(page, form).Body
					if own := actor == "dave" && (page == url || page == u); strings.Contains(body, reason) && !own {
						t.Errorf("%s: %s reads it on %s as %s", when, actor, page, form)
					}
				}
			}
		}
		if at := w.Holds(reason); at != "" {
			t.Errorf("%s: %s has it in clear text", when, at)
		}
		notStored(t, w, reason)
		var file strings.Builder
		if _, err := archive.Export(t.Context(), w.Store, "acme", &file); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(file.String(), reason) || !strings.Contains(file.String(), "approvals") {
			t.Errorf("%s: an export has it", when)
		}
	}
	secret("while it waits")
	for name, c := range map[string]*webtest.Client{"its member": w.As("dave"), "the agent": quill} {
		if r := c.Get(url, "text/markdown"); !strings.Contains(r.Body, "She keeps "+reason) ||
			!strings.Contains(r.Body, "For the "+reason) {
			t.Errorf("%s does not read what waits: %d %s", name, r.Status, r.Body)
		}
	}
	if r := w.As("dave").PostJSON(url, actions.Approve.Name, nil); r.Status != 200 || !strings.Contains(r.Body, "Approved and done") {
		t.Fatal(r.Body)
	}
	secret("after the approval")
	lost := ask(agent("Plume"))
	w.Store.UseKeys(keyfile.New())
	if r := w.As("dave").Get(lost, "text/markdown"); !strings.Contains(r.Body, "encrypted with other keys") {
		t.Errorf("with other keys: %s", r.Body)
	}
	if r := w.As("dave").PostJSON(lost, actions.Approve.Name, nil); !strings.Contains(r.Body, "could not be done") {
		t.Errorf("what nobody can read is done: %s", r.Body)
	}
}

// TestElectingFillsTheRole elects a member to a role that the leader of a child studio mirrors. One call changes the
// election, the role and its mirror, and writes their journal entries. If the role cannot be filled, nothing changes.
func TestElectingFillsTheRole(t *testing.T) {
	w := webtest.Of(t, "election")
	u, role := w.URL("election ready"), w.URL("role to fill ready")
	shed := w.As("dave").PostJSON("/orgs/acme", actions.CreateStudio.Name,
		param.Input{"handle": "shed", "name": "Shed", "parent": "team"})
	if shed.Status != 200 {
		t.Fatal(shed.Body)
	}
	var leader string
	w.Query(&leader, `SELECT r.id FROM roles r JOIN studios s ON s.id = r.studio_id WHERE s.handle = 'shed' AND r.kind = 'leader'`)
	mirror := "/studios/shed/roles/" + leader
	if r := w.As("dave").PostJSON(mirror, actions.MirrorRole.Name,
		param.Input{"source": role[strings.LastIndexByte(role, '/')+1:]}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	holder := func() (holders []string) {
		for _, page := range []string{role, mirror} {
			text := w.As("dave").Ahead().Get(page, "text/markdown").Body
			if strings.Contains(text, "Held by @erin") && strings.Contains(text, "an election") {
				holders = append(holders, page)
			}
		}
		return holders
	}
	if before := holder(); len(before) > 0 {
		t.Fatalf("erin holds %v already", before)
	}
	entries := head(t, w, "dave")
	if r := w.As("erin").PostJSON(u, governance.Elect.Name, nil); r.Status != 403 {
		t.Errorf("a member who does not facilitate elects: %d", r.Status)
	}
	if r := w.As("dave").PostJSON(u, governance.Elect.Name, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	if after := holder(); len(after) != 2 {
		t.Errorf("erin holds %v, not the role and its mirror", after)
	}
	if n := head(t, w, "dave") - entries; n != 3 {
		t.Errorf("%d entries in the journal for the election, the role and the mirror", n)
	}
	var kinds []string
	if err := w.Database().Select(&kinds, w.Database().Rebind(`SELECT kind FROM journal WHERE seq > ? ORDER BY seq`),
		entries); err != nil || !slices.Equal(kinds, []string{"election", "role", "role"}) {
		t.Errorf("the journal has %v, %v", kinds, err)
	}
	if r := w.As("erin").Ahead().Get("/inbox", "text/markdown"); !strings.Contains(r.Body, "@dave elected you") {
		t.Errorf("the elected member is not told:\n%s", r.Body)
	}
	page := func(text string) {
		t.Helper()
		if body := w.As("dave").Ahead().Get(u, "text/markdown").Body; !strings.Contains(body, text) {
			t.Errorf("the page has no %q:\n%s", text, body)
		}
	}
	page("@erin holds the role. Nobody objects.")
	if r := w.As("dave").PostJSON(role, actions.VacateRole.Name, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	page("@erin was elected. Nobody objected.")
	// The role of another election is deleted before that election ends.
	other := w.URL("election consent")
	for _, c := range []struct {
		by, action string
		in         param.Input
	}{{"erin", "withdraw_objection", nil}, {"bob", governance.RespondToElection.Name, param.Input{"position": "consent"}},
		{"dave", governance.RespondToElection.Name, param.Input{"position": "consent"}}} {
		if r := w.As(c.by).PostJSON(other, c.action, c.in); r.Status != 200 {
			t.Fatalf("%s %s: %s", c.by, c.action, r.Body)
		}
	}
	if r := w.As("bob").PostJSON(w.URL("role to fill consent"), actions.DeleteRole.Name, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	if r := w.As("bob").PostJSON(other, governance.Elect.Name, nil); r.Status != 409 || !strings.Contains(r.Body, "was deleted") {
		t.Errorf("somebody is elected to a deleted role: %d %s", r.Status, r.Body)
	}
}

// TestElectionPeriodEnds lets the time to respond to a candidate run out while Bob is silent. The scheduler records the
// end once. Before the end, the candidate cannot be elected; afterwards the facilitator can elect the candidate.
func TestElectionPeriodEnds(t *testing.T) {
	w := webtest.Of(t, "election")
	u := w.URL("election consent")
	if r := w.As("dave").PostJSON(u, governance.RespondToElection.Name, param.Input{"position": "consent"}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	if r := w.As("erin").PostJSON(u, "withdraw_objection", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	ended := func() (n int) {
		w.Query(&n, `SELECT count(*) FROM journal WHERE action = ? AND url = ?`, governance.EndElectionPeriod.Name, u)
		return n
	}
	w.Site.CloseDue(t.Context())
	if r := w.As("bob").PostJSON(u, governance.Elect.Name, nil); r.Status != 409 || ended() != 0 {
		t.Errorf("before the end of the period, somebody is elected: %d %s", r.Status, r.Body)
	}
	w.Clock.Advance(60 * 24 * time.Hour)
	for range 3 {
		w.Site.CloseDue(t.Context())
	}
	if n := ended(); n != 1 {
		t.Errorf("the end of the period is recorded %d times", n)
	}
	if r := w.As("bob").PostJSON(u, governance.Elect.Name, nil); r.Status != 200 {
		t.Errorf("after the end of the period: %d %s", r.Status, r.Body)
	}
}

// TestTermsEndWithAReminder advances the clock to 15 days before the end of a role's term, and then by another day.
// Only then are the holder and the studio's leader reminded, once.
func TestTermsEndWithAReminder(t *testing.T) {
	w := webtest.Of(t, "election")
	told := func(who string) int {
		return strings.Count(w.As(who).Ahead().Get("/inbox?show=unread", "text/markdown").Body,
			"says the term ends soon")
	}
	w.Clock.Advance(350 * 24 * 3_600_000_000_000)
	w.Site.CloseDue(t.Context())
	if bob, alice := told("bob"), told("alice"); bob+alice != 0 {
		t.Errorf("told 15 days before the end: %d, %d", bob, alice)
	}
	w.Clock.Advance(store.TermSoon / 14)
	for range 3 {
		w.Site.CloseDue(t.Context())
	}
	if bob, alice, dave := told("bob"), told("alice"), told("dave"); bob != 1 || alice != 1 || dave != 0 {
		t.Errorf("the holder is told %d times, the leader %d, another member %d", bob, alice, dave)
	}
}
