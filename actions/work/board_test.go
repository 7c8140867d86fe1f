package work_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store/work"
	"samepage/web/webtest"
)

// board makes a board for Bob with the zones Left and Right. It returns the path of its page.
func board(t *testing.T, w *webtest.World) string {
	t.Helper()
	r := w.As("bob").Post(w.URL("team"), "create_board", param.Input{"title": "Shed", "zones": []any{"Left", "Right"}})
	if r.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return r.Location()
}

// order returns the titles of the zones with the numbers of their cards, such as "Left 3 4, Right".
func order(t *testing.T, w *webtest.World, board string) string {
	t.Helper()
	var said []string
	for line := range strings.Lines(w.As("bob").Get(board, "text/markdown").Body) {
		if zone, ok := strings.CutPrefix(line, "## "); ok && zone != "Comments\n" && zone != "Actions\n" {
			said = append(said, strings.TrimSpace(zone))
		}
		if _, rest, ok := strings.Cut(line, "), card "); ok {
			n, _, _ := strings.Cut(rest, ",")
			said[len(said)-1] += " " + n
		}
	}
	return strings.Join(said, ", ")
}

// TestCardsKeepTheirOrder checks that a moved card goes to the end of the chosen zone, or above the chosen card. This
// must also hold for a move within one zone.
func TestCardsKeepTheirOrder(t *testing.T) {
	w := webtest.Of(t, "board")
	u := board(t, w)
	for _, title := range []string{"a", "b", "c", "d"} { // these become the cards 3 to 6
		if r := w.As("erin").Post(u, "add_card", param.Input{"zone": "Left", "title": title}); r.Status != 303 {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	for _, c := range []struct {
		in   param.Input
		want string
	}{
		{param.Input{"number": "4", "zone": "Right"}, "Left 3 5 6, Right 4"},
		{param.Input{"number": "6", "zone": "1", "above": "3"}, "Left 6 3 5, Right 4"},
		{param.Input{"number": "5", "zone": "2", "above": "4"}, "Left 6 3, Right 5 4"},
		{param.Input{"number": "6", "zone": "Left"}, "Left 3 6, Right 5 4"},
		{param.Input{"number": "3", "zone": "Right", "above": "4"}, "Left 6, Right 5 3 4"},
		{param.Input{"number": "d", "zone": "Right", "above": "a"}, "Left, Right 5 6 3 4"},
		{param.Input{"number": 6, "zone": 1}, "Left 6, Right 5 3 4"},
	} {
		if r := w.As("scout").PostJSON(u, "move_card", c.in); r.Status != 200 {
			t.Errorf("%v: %d %s", c.in, r.Status, r.Body)
		}
		if got := order(t, w, u); got != c.want {
			t.Errorf("after %v the cards are %q, want %q", c.in, got, c.want)
		}
	}
	for _, in := range []param.Input{{"number": "99", "zone": "Left"}, {"number": "3", "zone": "Middle"},
		{"number": "3", "zone": "Left", "above": "4"}, {"number": "3", "zone": "Right", "above": "3"},
		{"zone": "Left"}} {
		if r := w.As("scout").PostJSON(u, "move_card", in); r.Status != 422 {
			t.Errorf("%v: %d %s", in, r.Status, r.Body)
		}
	}
	if got := order(t, w, u); got != "Left 6, Right 5 3 4" {
		t.Errorf("refused moves changed the cards to %q", got)
	}
	if text := w.As("scout").Get(u+"/actions/move_card", "text/markdown").Body; !strings.Contains(text,
		"`number` (one of): `6` d · `5` c · `3` a · `4` b") || strings.Contains(text, "Filled in") {
		t.Errorf("the form offers no cards:\n%s", text)
	}
	if text := w.As("scout").Get(u, "text/markdown").Body; !strings.Contains(text, "`number` (one of the keys above): The card, by") {
		t.Errorf("the board lists its cards again:\n%s", text)
	}
	if r := w.As("erin").Post(u, "add_card", param.Input{"zone": "Left", "title": "a"}); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if r := w.As("scout").PostJSON(u, "move_card", param.Input{"number": "a", "zone": "Left"}); r.Status != 422 ||
		!strings.Contains(r.Body, "several options have that title") {
		t.Errorf("two cards are called a: %d %s", r.Status, r.Body)
	}
}

// TestBoardsSayNo checks that a board refuses too many zones, ambiguous zones, links to other sites, changes while it
// is archived, and changes by readers.
func TestBoardsSayNo(t *testing.T) {
	w := webtest.Of(t, "board")
	u := board(t, w)
	status := func(want int, who, action string, in param.Input, says string) {
		t.Helper()
		if r := w.As(who).PostJSON(u, action, in); r.Status != want || !strings.Contains(r.Body, says) {
			t.Errorf("%s by %s with %v: %d %s", action, who, in, r.Status, r.Body)
		}
	}
	status(409, "bob", "move_card", param.Input{"number": "1", "zone": "Left"}, "no card yet")
	for _, page := range []string{"https://evil.example", "javascript:alert(1)", "//evil.example/x", "notes"} {
		status(422, "bob", "add_card", param.Input{"zone": "Left", "title": "x", "page": page}, "of this site")
	}
	status(200, "bob", "add_card", param.Input{"zone": "Left", "title": "x",
		"page": "https://x.example/studios/team?show=open#top"},
		"It stands for the page /studios/team?show=open of this site.")
	if page := w.As("bob").Get(u, "text/markdown").Body; !strings.Contains(page, "](/studios/team?show=open)") &&
		!strings.Contains(page, webtest.Origin+"/studios/team?show=open)") {
		t.Error(page)
	}
	status(422, "bob", "remove_zone", param.Input{"zone": "Left"}, "Right")
	status(422, "bob", "add_zone", param.Input{"title": "Left"}, "of this title")
	status(422, "bob", "update_zone", param.Input{"zone": "Left", "before": "Left"}, "before itself")
	status(422, "bob", "update_zone", param.Input{"zone": "Left", "rule": "Tools.", "no_rule": true}, "not both")
	status(403, "reader", "add_card", param.Input{"zone": "Left", "title": "x"}, "")
	for n := range work.MaxZones - 2 {
		status(200, "bob", "add_zone", param.Input{"title": strings.Repeat("z", n+1)}, "")
	}
	status(409, "bob", "add_zone", param.Input{"title": "one more"}, "12 zones")
	status(200, "bob", "archive_board", nil, "archived")
	status(409, "bob", "add_card", param.Input{"zone": "Left", "title": "x"}, "archived")
	status(200, "bob", "restore_board", nil, "in use")
	if r := w.As("bob").Get(u+"/cards/03", "text/markdown"); r.Status != 404 {
		t.Errorf("a card has two addresses: %d", r.Status)
	}
}

// TestABoardIsCopied checks that a copy has the zones and cards of a board, and that moving a card of the copy does not
// change the board.
func TestABoardIsCopied(t *testing.T) {
	w := webtest.Of(t, "board")
	u := w.URL("board")
	before := order(t, w, u)
	r := w.As("bob").Post(u, "duplicate", nil)
	if r.Status != 303 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if got := order(t, w, r.Location()); got != before {
		t.Errorf("the copy has %q, want %q", got, before)
	}
	if r := w.As("bob").PostJSON(r.Location(), "move_card", param.Input{"number": "5",
		"zone": "Done"}); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if got := order(t, w, u); got != before {
		t.Errorf("the board changed with its copy to %q", got)
	}
}

// TestARemovedBoardSaysNothing checks that the texts of a removed board and its cards are deleted everywhere.
func TestARemovedBoardSaysNothing(t *testing.T) {
	w := webtest.Of(t, "board")
	for _, table := range []string{"cards", "zones"} {
		var n int
		w.Query(&n, `SELECT count(*) FROM `+table+` x JOIN items i ON i.id = x.board_id WHERE i.removed_at IS NOT NULL`)
		if n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
	for _, url := range []string{w.URL("board redacted"), "/orgs/acme/journal?kind=board", "/search?q=roof"} {
		if body := w.As("alice").Get(url, "text/markdown").Body; strings.Contains(body, "The roof, he said") ||
			strings.Contains(body, "Lies") {
			t.Errorf("%s has a text of the removed board:\n%s", url, body)
		}
	}
}

// version returns the version of a page in markdown.
func version(w *webtest.World, url string) string {
	_, text, _ := strings.Cut(w.As("bob").Get(url, "text/markdown").Body, "\nversion: ")
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// TestCardsShowTheWork checks that a card for a worktree or a session shows the state of the work. Each change of that
// state gives the board a new version, so that requests that wait for a change are answered. Carol, who may not see the
// worktree, sees nothing of it.
func TestCardsShowTheWork(t *testing.T) {
	w := webtest.Of(t, "work")
	bench := w.URL("worktree bench")
	u := board(t, w)
	act(t, w, "bob", u, "add_card", param.Input{"zone": "Left", "title": "Bench", "page": bench}, 200, "")
	says := func(who, text string, want bool) {
		t.Helper()
		if body := w.As(who).Get(u, "text/markdown").Body; strings.Contains(body, text) != want {
			t.Errorf("%s reads %q: %v\n%s", who, text, !want, body)
		}
	}
	says("bob", "No session, [worktree bench]("+webtest.Origin+bench+") +1 −0, card 3, ", true)
	before := version(w, u)
	r := w.As("bob").PostJSON(bench, "start_session", param.Input{"agent": "mason", "prompt": "Paint it."})
	_, session, _ := strings.Cut(r.Body, w.URL("team")+"/sessions/")
	session = w.URL("team") + "/sessions/" + session[:10]
	says("bob", "Queued, [worktree bench]("+webtest.Origin+bench+") +1 −0, card ", true)
	says("bob", ", by Mason, agent of @bob\n", true)
	says("carol", "Mason", false)
	if version(w, u) == before {
		t.Error("the board has the version of before the session")
	}
	act(t, w, "bob", u, "add_card", param.Input{"zone": "Right", "title": "Paint", "page": session}, 200, "")
	before = version(w, u)
	act(t, w, "bob", session, "stop_session", nil, 200, "")
	says("bob", "Stopped, [a session]("+webtest.Origin+session+"), `bench`, 1 ahead, card ", true)
	if version(w, u) == before {
		t.Error("the board has the version of before the stop")
	}
	act(t, w, "bob", session, "archive_session", nil, 200, "")
	says("bob", "Archived, [a session]", true)
	says("bob", "No session, [worktree bench]("+webtest.Origin+bench+") +1 −0, card 3, ", true)
}

// TestCardsShowNoWorkOfOtherStudios puts cards on a board of a studio that stand for a session of another studio, under the
// path of each studio. No card shows the session, and the wrong path does not make the other card do so.
func TestCardsShowNoWorkOfOtherStudios(t *testing.T) {
	w := webtest.Of(t, "work")
	done := w.URL("session done")
	act(t, w, "bob", "/orgs/acme", "create_studio", param.Input{"handle": "annex", "name": "Annex"}, 200, "")
	u := w.As("bob").Post("/studios/annex", "create_board",
		param.Input{"title": "Tools", "zones": []any{"Left"}}).Location()
	for _, path := range []string{done, strings.Replace(done, w.URL("team"), "/studios/annex", 1)} {
		act(t, w, "bob", u, "add_card", param.Input{"zone": "Left", "title": "Roses", "page": path}, 200, "")
	}
	body := w.As("bob").Get(u, "text/markdown").Body
	if !strings.Contains(body, done) || strings.Contains(body, "context 25%") {
		t.Errorf("a card shows the work of another studio:\n%s", body)
	}
}

// TestCardsShowTheUsage checks that a card for a session shows its turn, the share of the context window and the cost
// that the agent has reported last, in each form. A report gives the board a new version.
func TestCardsShowTheUsage(t *testing.T) {
	w := webtest.Of(t, "work")
	u := board(t, w)
	act(t, w, "bob", u, "add_card", param.Input{"zone": "Left", "title": "Roses", "page": w.URL("session done")}, 200,
		"")
	body := w.As("bob").Get(u, "text/markdown").Body
	if want := ", turn 2, context 25%, 0.52 EUR, by "; !strings.Contains(body, want) {
		t.Errorf("no %q in\n%s", want, body)
	}
	body = w.As("bob").Get(u, "application/json").Body
	if want := `"turn":2,"context_used":50000,"context_size":200000,"cost":520000,"currency":"EUR"`; !strings.Contains(body, want) {
		t.Errorf("no %s in\n%s", want, body)
	}
	var turn, claim string
	asking := w.URL("session asking")
	id := asking[strings.LastIndexByte(asking, '/')+1:]
	w.Query(&turn, `SELECT id FROM turns WHERE ended_at IS NULL AND began_at IS NOT NULL AND session_id = '`+id+`'`)
	w.Query(&claim, `SELECT claim FROM turns WHERE id = '`+turn+`'`)
	act(t, w, "bob", u, "add_card", param.Input{"zone": "Left", "title": "Hedge", "page": asking}, 200, "")
	before := version(w, u)
	for n, events := range []string{`{"kind":"usage","data":{"Used":1,"Size":0}}`, `{"kind":"usage","data":{"Used":-1,"Size":9}}`,
		`{"kind":"text","text":"So."}`, `{"kind":"usage","data":{"Used":82000,"Size":200000}}`} {
		if r := w.Bearer(w.Secret("runner mill")).PostJSON(w.URL("runner mill"), "report_turn",
			param.Input{"turn": turn, "claim": claim,
				"events": strings.Replace(`[`+events+`]`, `{`, `{"n":`+strconv.Itoa(n+4)+`,`, 1)}); r.Status != http.StatusOK {
			t.Fatalf("event %d: %d %s", n, r.Status, r.Body)
		}
		if same := version(w, u) == before; same != (n < 3) {
			t.Errorf("the board has the same version after event %d: %v", n, same)
		}
	}
	if body = w.As("bob").Get(u, "text/markdown").Body; !strings.Contains(body,
		", turn 1, context 41%, begun Thu 19 Nov") {
		t.Errorf("no use of the context or no beginning of the turn in\n%s", body)
	}
}

// TestABoardOffersToBegin checks that the menu for creating has the actions that start a session and add a worktree, for
// people who may take them. A board without zones has a button that adds one.
func TestABoardOffersToBegin(t *testing.T) {
	w := webtest.Of(t, "work")
	u := board(t, w)
	session, worktree := w.URL("team")+"/worktrees", w.URL("team")+"/repos"
	for who, want := range map[string]bool{"bob": true, "erin": true, "carol": false, "scribe": false} {
		_, menu, _ := strings.Cut(w.As(who).Get(u, "text/html").Body, `id="new"`)
		menu, _, _ = strings.Cut(menu, "</ul>")
		for _, url := range []string{session, worktree} {
			if strings.Contains(menu, `<a href="`+url+`"`) != want {
				t.Errorf("%s is offered %s: %v\n%s", who, url, !want, menu)
			}
		}
	}
	u = w.As("bob").Post(w.URL("team"), "create_board", param.Input{"title": "Attic"}).Location()
	for who, want := range map[string]bool{"bob": true, "carol": false} {
		_, empty, _ := strings.Cut(w.As(who).Get(u, "text/html").Body, `<div class="empty">`)
		empty, _, _ = strings.Cut(empty, "</div>")
		if strings.Contains(empty, `href="`+u+`/actions/add_zone"`) != want {
			t.Errorf("%s is offered to add a zone: %v\n%s", who, !want, empty)
		}
	}
}
