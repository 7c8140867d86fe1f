package web_test

import (
	"database/sql"
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/views"
	"samepage/web"
	"samepage/web/webtest"
)

// TestLotIsSecretUntilClosed looks for the secret of an open lottery in every table and on pages that show the lottery.
// Only the table lots has it. When the lottery is closed, the secret leaves that table and is shown on the page of the
// draw.
func TestLotIsSecretUntilClosed(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	erin := w.As("erin")
	secret := func(url string) (s string) {
		db := w.Database()
		if err := db.QueryRow(db.Rebind(`SELECT secret FROM lots WHERE decision_id = ?`),
			url[strings.LastIndexByte(url, '/')+1:]).Scan(&s); err != nil && err != sql.ErrNoRows {
			t.Fatal(err)
		}
		return s
	}
	url := w.URL("open lottery")
	kept := secret(url)
	if len(kept) != 64 {
		t.Fatalf("the secret is %q", kept)
	}
	where := func() (tables []string) {
		db := w.Database()
		rows, _ := dump(t, db)
		for _, r := range rows {
			if slices.ContainsFunc(r.cells, func(c string) bool { return strings.Contains(c, kept) }) {
				tables = append(tables, r.table)
			}
		}
		return tables
	}
	if got := where(); !slices.Equal(got, []string{"lots"}) {
		t.Errorf("the secret is in %q", got)
	}
	pages := []string{url, url + "/verify", url + "/actions", w.URL("team"), "/", "/orgs/acme/journal"}
	for _, p := range pages {
		for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
			if r := erin.Get(p, accept); r.Status != 200 || strings.Contains(r.Body, kept) {
				t.Errorf("%s: %d, or the secret is there", p, r.Status)
			}
		}
	}
	commitment := regexp.MustCompile(`[0-9a-f]{64}`).FindString(erin.Get(url+"/verify", "text/markdown").Body)
	// Reading the page after the deadline does not draw the lot; the scheduler does.
	w.Clock.Advance(7 * 24 * 3600e9)
	if r := erin.Get(url, "text/markdown"); strings.Contains(r.Body, "Drawn by lot") ||
		!strings.Contains(r.Body, "To be drawn") || strings.Contains(r.Body, kept) {
		t.Errorf("due:\n%s", r.Body)
	}
	w.Site.CloseDue(t.Context())
	if secret(url) != "" || !strings.Contains(erin.Get(url, "text/markdown").Body, "Drawn by lot: ") {
		t.Errorf("closed:\n%s", erin.Get(url, "text/markdown").Body)
	}
	after := erin.Get(url+"/verify", "text/markdown").Body
	if !strings.Contains(after, kept) || !strings.Contains(after, commitment) {
		t.Errorf("the draw does not show what was promised:\n%s", after)
	}
}

// TestLotCanBeRepeated follows the instructions on a page with tools of the operating system. The tools give the
// order and the option that the page shows.
func TestLotCanBeRepeated(t *testing.T) {
	for _, tool := range []string{"sh", "sha256sum", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not here", tool)
		}
	}
	w := webtest.New(t)
	for _, name := range []string{"result lottery", "tie by lot", "lot not needed"} {
		var page struct{ Data views.Draw }
		bob := w.As("bob")
		if err := json.Unmarshal([]byte(bob.Get(w.URL(name)+"/verify", "application/json").Body), &page); err != nil {
			t.Fatal(err)
		}
		md := bob.Get(w.URL(name)+"/verify?full=1", "text/markdown").Body
		recipe := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(md)
		if recipe == nil {
			t.Fatalf("%s: no recipe in\n%s", name, md)
		}
		out, err := exec.Command("sh", "-c", recipe[1]).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if !strings.HasPrefix(lines[0], page.Data.Commitment) {
			t.Errorf("%s: the secret does not have the commitment %s: %s", name, page.Data.Commitment, lines[0])
		}
		var order []string
		for _, l := range lines[1:] {
			order = append(order, strings.Fields(l)[1])
		}
		if !slices.Equal(order, page.Data.Order) {
			t.Errorf("%s: the shell draws %q, the page %q", name, order, page.Data.Order)
		}
		drawn := ""
		if i := slices.IndexFunc(order, func(id string) bool { return slices.Contains(page.Data.Tied, id) }); i >= 0 {
			drawn = order[i]
		}
		if drawn != page.Data.Drawn || (drawn == "") != (name == "lot not needed") {
			t.Errorf("%s: %q is drawn, the page says %q", name, drawn, page.Data.Drawn)
		}
	}
}

// TestCastingVoteIsTheNamedMembers checks that only the named member can break the tie. After that member has left, the
// members who may close votes can.
func TestCastingVoteIsTheNamedMembers(t *testing.T) {
	w := webtest.New(t)
	url := w.URL("tie for erin")
	if r := w.As("alice").Post(url, "cast_deciding_vote", param.Input{"option": "1"}); r.Status != 403 ||
		!strings.Contains(r.Body, "Only @erin has the casting vote.") {
		t.Errorf("the proposer: %d", r.Status)
	}
	if r := w.As("erin").JSON(url, "cast_deciding_vote",
		webtest.Call{Params: param.Input{"option": "1"}, DryRun: true}); r.Status != 200 {
		t.Errorf("the named member: %d %s", r.Status, r.Body)
	}
	if r := w.As("erin").Post(w.URL("team"), "leave", nil); r.Status != 303 {
		t.Fatalf("leave: %d %s", r.Status, r.Body)
	}
	if r := w.As("bob").Post(url, "cast_deciding_vote", param.Input{"option": "1"}); r.Status != 403 {
		t.Errorf("another member: %d", r.Status)
	}
	if r := w.As("alice").Post(url, "cast_deciding_vote", param.Input{"option": "2"}); r.Status != 303 {
		t.Errorf("the studio's leader: %d %s", r.Status, r.Body)
	}
}

// TestWhoBrokeTheTieIsNamed checks that the statement of a casting vote names its author, and not the member who closed
// the vote. Redacting the decision removes the statement.
func TestWhoBrokeTheTieIsNamed(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	url, erin := w.URL("tie for erin"), w.As("erin")
	if r := erin.Post(url, "cast_deciding_vote",
		param.Input{"option": "1", "statement": "The first, for it is **nearer**."}); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	body := w.As("bob").Get(url, "text/markdown").Body
	if !strings.Contains(body, "**Decided by the casting vote of @erin: ") || !strings.Contains(body,
		"With the casting vote, by @erin, Fri 20 Nov 2026 10:00 CET:\n\n> The first, for it is **nearer**.") {
		t.Error(body)
	}
	if searches(w) && !strings.Contains(w.As("bob").Get("/search?q=nearer", "text/markdown").Body, url) {
		t.Error("what was said with the casting vote is not found")
	}
	if r := w.As("alice").PostJSON(url, "redact", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	for _, table := range []string{"decisions", "journal", "documents", "approvals"} {
		if dump := strings.Join(w.Rows(table), ""); strings.Contains(dump, "for it is") {
			t.Errorf("%s keeps what was removed", table)
		}
	}
}

// TestElectorate checks that the electorate consists of the members who have been in the studio without a break since
// the vote opened. The ballot of a member who leaves still counts, and a member who returns cannot cast another.
func TestElectorate(t *testing.T) {
	w := webtest.New(t)
	url, erin := w.URL("open approval"), w.As("erin") // Erin has asked this question and voted on it
	count := func() string {
		return regexp.MustCompile(`\d+ of \d+ have voted`).FindString(w.As("alice").Get(url, "text/markdown").Body)
	}
	if count() != "2 of 3 have voted" {
		t.Fatal(count())
	}
	vote := func(as string) int {
		return w.As(as).PostJSON(url, "cast_vote", param.Input{"accept": []any{"2"}}).Status
	}
	if got := vote("dave"); got != 403 {
		t.Errorf("who joined later: %d", got)
	}
	erin.Post(w.URL("team"), "leave", nil)
	if got := vote("erin"); got == 200 || count() != "2 of 3 have voted" {
		t.Errorf("who has left: %d, %s", got, count())
	}
	w.Clock.Advance(3600e9)
	w.As("alice").Post(w.URL("team"), "add_member", param.Input{"member": "erin"})
	erin.Post(w.URL("team"), "join", nil)
	if got := vote("erin"); got == 200 || count() != "2 of 3 have voted" {
		t.Errorf("who came back: %d, %s", got, count())
	}
	if got := vote("alice"); got != 200 || count() != "3 of 3 have voted" {
		t.Errorf("who stayed: %d, %s", got, count())
	}
}

// TestTieOfTimes breaks a tie between two times, one of which was added later and is before the others. The casting vote
// offers the tied times, and no other.
func TestTieOfTimes(t *testing.T) {
	w := webtest.New(t)
	do := func(who, page, action string, params param.Input) (out web.Outcome) {
		t.Helper()
		r := w.As(who).JSON(page, action, webtest.Call{Params: params})
		if err := json.Unmarshal([]byte(r.Body), &out); err != nil || r.Status != 200 {
			t.Fatal(r.Status, err, r.Body)
		}
		return out
	}
	url := do("alice", "/studios/team", "create_decision", param.Input{"question": "When do we meet?", "method": "time",
		"options": []any{"2027-03-01 10:00", "2027-03-02 10:00", "2027-03-03 10:00"}, "casting_vote": "erin"}).URL
	do("alice", url, "add_option", param.Input{"title": "2027-02-28 10:00"})
	for _, voter := range []string{"alice", "bob"} {
		do(voter, url, "cast_vote", param.Input{"yes": []any{"1", "4"}})
	}
	do("alice", url, "close_decision", nil)
	for option, status := range map[string]int{"1": 200, "2": 422, "3": 422, "4": 200} {
		if r := w.As("erin").JSON(url, "cast_deciding_vote",
			webtest.Call{Params: param.Input{"option": option}, DryRun: true}); r.Status != status {
			t.Errorf("option %s: %d, want %d: %s", option, r.Status, status, r.Body)
		}
	}
}
