package web_test

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/web/webtest"
)

// aboutAt returns the line about a page in a list on the page at url, as markdown and as HTML show it to a reader.
func aboutAt(c *webtest.Client, url, name string) (md, html string) {
	_, md, _ = strings.Cut(c.Get(url+"?full=1", "text/markdown").Body, "- ["+name+"](")
	md, _, _ = strings.Cut(md, "\n")
	_, md, _ = strings.Cut(md, "): ")
	_, html, _ = strings.Cut(c.Get(url+"?full=1", "text/html").Body, `<div class="rail">`)
	_, html, _ = strings.Cut(html, ">"+name+"</a>")
	html, _, _ = strings.Cut(html, "</li>")
	return md, regexp.MustCompile(`<[^>]*>`).ReplaceAllString(html, "")
}

// live is the work chapter of the world, with the actions that change the number of sessions at work.
type live struct {
	*webtest.World
	t *testing.T
}

// says checks the words about sessions at work in the line about a page. Empty words mean that the line has none.
func (w *live) says(when, who, url, name, want string) {
	w.t.Helper()
	md, html := aboutAt(w.As(who), url, name)
	if html == "" {
		w.t.Errorf("%s: %s finds no %s at %s", when, who, name, url)
	}
	for form, text := range map[string]string{"markdown": md, "HTML": html} {
		if want == "" && strings.Contains(text, "session") || !strings.Contains(text, want) {
			w.t.Errorf("%s: %s reads %q about %s in %s, want %q", when, who, text, name, form, want)
		}
	}
}

// answer answers both requests of the session that waits.
func (w *live) answer() {
	w.t.Helper()
	for _, n := range []string{"1", "2"} {
		does(w.t, w.As("bob"), w.URL("session asking")+"/permissions/"+n, actions.AnswerPermission.Name,
			param.Input{"choice": "allow"}, 200, "")
	}
}

// begin lets the runner claim the next turn of another worktree.
func (w *live) begin() {
	w.t.Helper()
	u := w.As("erin").PostJSON(w.URL("worktree bench"), actions.StartSession.Name,
		param.Input{"agent": "mason", "prompt": "Saw."})
	if u.Status != 200 {
		w.t.Fatal(u.Body)
	}
	var turn string
	w.Query(&turn, `SELECT t.id FROM turns t JOIN worktrees w ON w.id = t.worktree_id WHERE w.name = 'bench' AND t.claim = 0`)
	does(w.t, w.Bearer(w.Secret("runner mill")), w.URL("runner mill"), actions.ClaimTurn.Name,
		param.Input{"turn": turn, "claim": "0"}, 200, "")
}

// TestHomeCountsSessions checks that the line about a studio on a person's home page counts the sessions that run and
// those that wait for an answer. It leaves out what is zero. A session whose claim is over does not count.
func TestHomeCountsSessions(t *testing.T) {
	w := &live{webtest.Of(t, "work"), t}
	w.says("at first", "bob", "/", "Team", "1 session waits")
	w.says("at first", "bob", "/", "Plaza", "")
	w.says("at first", "alice", "/", "Team", "1 session waits")
	w.begin()
	w.says("with another one", "bob", "/", "Team", "1 session runs, 1 waits")
	w.answer()
	w.says("after the answers", "bob", "/", "Team", "2 sessions run")
	if md, _ := aboutAt(w.As("scribe"), "/", "Team"); !strings.Contains(md, "open") || strings.Contains(md, "session") {
		t.Errorf("an agent reads %q", md)
	}
	w.Clock.Advance(time.Minute)
	w.says("without a claim in force", "bob", "/", "Team", "1 session runs")
	w.Clock.Advance(48 * time.Hour)
	w.says("two days later", "bob", "/", "Team", "")
}

// TestStudioCountsSessions checks the sessions that run and wait in the line about a board on the page of its studio,
// and beside the link to the studio's sessions. A session counts once for each board, also if a card stands for it and
// another one for its worktree. Agents and readers outside the organization see no counts.
func TestStudioCountsSessions(t *testing.T) {
	w := &live{webtest.Of(t, "work"), t}
	team, board := w.URL("team"), w.URL("board workshop")
	link := func(who, want string) {
		t.Helper()
		_, list, _ := strings.Cut(w.As(who).Get(team, "text/markdown").Body, "[Sessions](")
		if _, list, _ = strings.Cut(list, ")"); !strings.HasPrefix(list, want+", [Reviews]") {
			t.Errorf("%s reads %q after the link to the sessions, want %q", who, list[:min(len(list), 40)], want)
		}
	}
	w.says("at first", "bob", team, "Workshop", "1 card")
	w.says("at first", "bob", team, "Workshop", "")
	link("bob", " (1 waits)")
	link("scribe", "")
	for _, page := range []string{w.URL("session asking"), w.URL("worktree watering")} {
		does(t, w.As("erin"), board, actions.AddCard.Name, param.Input{"zone": "1", "title": "Prune", "page": page}, 200, "")
	}
	w.says("with two cards for it", "bob", team, "Workshop", "3 cards, 1 session waits")
	w.begin()
	w.says("with a session of another card", "alice", team, "Workshop", "3 cards, 1 session runs, 1 waits")
	link("alice", " (1 runs, 1 waits)")
	var saws string
	w.Query(&saws, `SELECT '/studios/team/sessions/' || s.id FROM sessions s JOIN worktrees w ON w.id = s.worktree_id
		WHERE w.name = 'bench' ORDER BY s.created_at DESC LIMIT 1`)
	does(t, w.As("erin"), board, actions.AddCard.Name, param.Input{"zone": "1", "title": "Saw", "page": saws}, 200, "")
	w.says("with a card beside that of its worktree", "bob", team, "Workshop", "4 cards, 1 session runs, 1 waits")
	w.answer()
	w.says("after the answers", "bob", team, "Workshop", "4 cards, 2 sessions run")
	does(t, w.As("alice"), team, "change_visibility", param.Input{"visibility": "public", "confirm": "true"}, 200, "")
	for _, who := range []string{"anonymous", "scribe"} {
		page := w.As(who).Get(team+"?full=1", "text/markdown").Body
		if !strings.Contains(page, "# Team") || strings.Contains(page, "sessions run") || strings.Contains(page, "(2 run") {
			t.Errorf("%s sees the sessions at work:\n%s", who, page)
		}
	}
}

// TestHomeSaysTheLastStep checks that the home page of a person says what an agent did last before it asked: the last
// call of a tool that has ended, also if only an earlier report has its title. It says so while the agent waits, and only
// to its member.
func TestHomeSaysTheLastStep(t *testing.T) {
	w := &live{webtest.Of(t, "work"), t}
	in := param.Input{}
	runner := func(action string, more param.Input) {
		t.Helper()
		maps.Copy(more, in)
		does(t, w.Bearer(w.Secret("runner mill")), w.URL("runner mill"), action, more, 200, "")
	}
	var turn, claim string
	of := ` FROM turns WHERE ended_at IS NULL AND claimed_to IS NOT NULL
		AND session_id = '` + path.Base(w.URL("session asking")) + `'`
	w.Query(&turn, `SELECT id`+of)
	w.Query(&claim, `SELECT claim`+of)
	in["turn"], in["claim"] = turn, claim
	runner(actions.RenewTurn.Name, param.Input{"begins": "true"})
	n := 3
	says := func(call, want, html string) {
		t.Helper()
		if call != "" {
			n++
			runner(actions.ReportTurn.Name, param.Input{"events": fmt.Sprintf(`[{"n":%d,"kind":"call","data":%s}]`, n, call)})
		}
		md, page := aboutAt(w.As("bob"), "/", "Mason")
		none := !strings.Contains(md, "Ran") && !strings.Contains(md, "step")
		if want == "" && !none || !strings.Contains(md, want) || !strings.Contains(page, html) {
			t.Errorf("after %s: %q and %q, want %q and %q", call, md, page, want, html)
		}
	}
	says("", "", "")
	says(`{"id":"a_%","title":"make test","kind":"execute","status":"pending","input":{"command":"make\n test"}}`, "", "")
	says(`{"id":"a_%","status":"completed"}`, "). Ran `make test`, Fri 20 Nov 2026 10:00 CET; 0.93 EUR",
		"Ran make test, now; 0.93 EUR")
	says(`{"id":"b","title":"Edit beds","kind":"edit","status":"in_progress"}`, "). Ran `make test`, ", "Ran make test")
	says(`{"id":"b","title":"","status":"failed"}`, "). Last step: Edit beds, Fri", "Last step: Edit beds, now")
	says(`{"id":"c","kind":"fetch","status":"completed"}`, "). Last step: Edit beds, ", "")
	if page := w.As("alice").Get("/?full=1", "text/markdown").Body; strings.Contains(page, "Last step") {
		t.Errorf("another person sees the step:\n%s", page)
	}
	w.answer()
	says("", "", "active")
}
