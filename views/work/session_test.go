package work

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views/page"
)

// sessionText returns the page of a session with one turn in both forms. The turn has run for 90 seconds, and has
// the events in list.
func sessionText(list ...work.TurnEvent) (markdown, html string) {
	return sessionOf(&work.Session{}, list...)
}

// sessionOf is as sessionText, for a session of which some fields are already set.
func sessionOf(s *work.Session, list ...work.TurnEvent) (markdown, html string) {
	s.ID, s.Title, s.Agent, s.Key, s.Member, s.Worktree = "s1", "Sow", "Mason", "mason", "bob", "beans"
	s.Turns, s.Current, s.Changed, s.Added, s.Deleted = 1, 1, 7, 30, 4
	s.Studio = &store.Studio{Handle: "team", Name: "Team", Org: "acme"}
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	t := work.Turn{N: 1, Prompt: "Sow them.", Author: "bob", QueuedAt: store.At(began), BeganAt: store.At(began),
		EndedAt: store.At(began.Add(90 * time.Second)), Outcome: work.TurnSucceeded, Events: len(list)}
	v := &work.SessionPage{Session: s, Turns: []work.TurnPage{{Turn: t, Session: s, List: list}},
		Files: []wire.ChangedFile{{N: 1, Path: "beds.csv", Added: 28, Deleted: 4},
			{N: 2, Path: "bed.png", Binary: true}}}
	p := SessionVerbs{}.Session(store.Actor{}, v)
	return string(p.AppendMarkdown(nil, &page.Context{})), string(p.AppendHTML(nil, &page.Context{}))
}

func event(n int, kind, data string) work.TurnEvent {
	return work.TurnEvent{N: n, Kind: kind, JSON: data}
}

// TestSessionFoldsLooks checks that several steps in a row that have only looked at something are one step, which HTML
// unfolds. A step that does something else, or that is not completed, stays by itself.
func TestSessionFoldsLooks(t *testing.T) {
	markdown, html := sessionText(
		event(1, "call", `{"id":"a","title":"Read beds.csv","kind":"read","status":"completed"}`),
		event(2, "call", `{"id":"b","title":"Find beans","kind":"search","status":"completed"}`),
		event(3, "call", `{"id":"c","title":"Write beds.csv","kind":"edit","status":"completed"}`),
		event(4, "call", `{"id":"d","title":"Read bed.png","kind":"read","status":"completed"}`),
		event(5, "call", `{"id":"e","title":"Read peas.csv","kind":"read","status":"failed"}`))
	if want := "- Looked around: 2 steps, completed\n- Write beds.csv, completed\n- Read bed.png, completed\n" +
		"- Read peas.csv, failed\n"; !strings.Contains(markdown, want) || strings.Contains(markdown, "Find beans") {
		t.Errorf("no %q in\n%s", want, markdown)
	}
	_, folded, _ := strings.Cut(html, `<details class="fold">`)
	if folded, _, _ = strings.Cut(folded, "</details>"); !strings.Contains(folded, "Find beans") {
		t.Errorf("the steps are not unfolded in\n%s", html)
	}
}

// TestSessionShowsOutput checks the output of steps, which only HTML has: that of the last report which has some, the
// end of a long text, and changes. The output of a failed step is in sight.
func TestSessionShowsOutput(t *testing.T) {
	long := strings.Repeat("x", 2*mostOutput)
	markdown, html := sessionText(
		event(1, "call", `{"id":"a","title":"Sow","kind":"execute","status":"in_progress","text":["half"]}`),
		event(2, "call", `{"id":"a","status":"in_progress","text":["all sown"]}`),
		event(3, "call", `{"id":"a","status":"completed"}`),
		event(4, "call", `{"id":"b","title":"Water","kind":"execute","status":"failed","text":["first `+long+`last"]}`),
		event(5, "call", `{"id":"c","title":"Note","kind":"edit","status":"completed",
			"diffs":[{"path":"/home/bob/beds.csv","oldText":"beans\n","newText":"peas\n"},
			{"path":"all.csv","oldText":null,"newText":"`+long+`"}]}`))
	for _, want := range []string{`<details class="fold"><summary>`, "<code>all sown</code>",
		`<details class="fold" open>`, "<code>…xxx", "last</code>", "<code>beds.csv</code>", "-beans", "+peas",
		"too long for this page"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in\n%s", want, html)
		}
	}
	for _, text := range []string{"half", "first ", long, "/home/bob"} {
		if strings.Contains(html, text) {
			t.Errorf("%.10q is in\n%.4000s", text, html)
		}
	}
	if strings.Contains(markdown, "sown") {
		t.Errorf("the output is in\n%s", markdown)
	}
}

// TestOutputsHaveRoom checks that all outputs of a page together have a limit.
func TestOutputsHaveRoom(t *testing.T) {
	var list []work.TurnEvent
	for i := range 2 * mostOutputs / mostOutput {
		id := strconv.Itoa(i)
		list = append(list, event(i+1, "call", `{"id":"`+id+`","title":"Run `+id+`","kind":"execute",
			"status":"completed","text":["`+strings.Repeat("x", mostOutput)+`"]}`))
	}
	_, html := sessionText(list...)
	if n := strings.Count(html, "x"); n < mostOutputs-mostOutput || n > mostOutputs+500 {
		t.Errorf("the outputs have %d bytes", n)
	}
}

// TestFamily checks the family of a session. Markdown has only the sessions that were started from it.
func TestFamily(t *testing.T) {
	made := func(id, parent, title, kin string) work.Session {
		return work.Session{ID: id, ParentID: parent, Title: title, Kin: kin, StudioHandle: "team"}
	}
	s := made("s1", "", "Sow", work.KinRoot)
	s.Studio = &store.Studio{Handle: "team", Name: "Team", Org: "acme"}
	child := made("s2", "s1", "Sow peas", work.KinSpawn)
	show := func(v *work.SessionPage) (markdown, html string) {
		v.Session = &s
		p := page.Page{Blocks: []page.Block{family(store.Actor{}, v)}}
		return string(p.AppendMarkdown(nil, &page.Context{})), string(p.AppendHTML(nil, &page.Context{}))
	}
	below := []work.Session{made("s4", "s2", "Water peas", work.KinReview)}
	markdown, html := show(&work.SessionPage{Children: []work.Session{child}, Around: below})
	if want := "## Family\n\n- [Sow peas](/studios/team/sessions/s2) Idle, a child\n"; !strings.Contains(markdown, want) ||
		strings.Contains(markdown, "Water") {
		t.Errorf("no %q, or too much, in\n%s", want, markdown)
	}
	mustFollow(t, html, "<strong>Sow</strong>", "<ul>", ">Sow peas<", "<ul>", ">Water peas<", "</ul>", "</ul>")
	const more = "There can be more sessions in the family than these."
	if strings.Contains(markdown+html, more) {
		t.Error("a whole family may have more")
	}
	s.ParentID, s.Kin = "s0", work.KinFork
	markdown, html = show(&work.SessionPage{Around: []work.Session{made("s3", "s0", "Dig", work.KinFork),
		made("s0", "s9", "Plan the bed", work.KinSpawn), made("s9", "", "Plan the garden", work.KinRoot),
		made("s5", "s3", "Dig more", work.KinSpawn)}})
	if strings.Contains(markdown, "Plan") || strings.Contains(markdown, "Family") {
		t.Errorf("the sessions above are in\n%s", markdown)
	}
	mustFollow(t, html, "/sessions/s9", "<ul>", "/sessions/s0", "<ul>", "<strong>Sow</strong>", "a copy", "</li>", ">Dig<", "<ul>",
		">Dig more<", "</ul>", "</ul>", "</ul>")
	if strings.Contains(html, more) {
		t.Error("a whole family may have more")
	}
	if markdown, html = show(&work.SessionPage{}); !strings.Contains(html, more) || strings.Contains(markdown, more) {
		t.Errorf("the session above is not here, and nothing says so:\n%s", html)
	}
	s.ParentID = ""
	var children []work.Session
	for i := range work.MostFamily {
		children = append(children, made(strconv.Itoa(i), "s1", "Sow", work.KinSpawn))
	}
	if _, html = show(&work.SessionPage{Children: children[1:]}); !strings.Contains(html, more) {
		t.Error("the family may be cut, and nothing says so")
	}
	if _, html = show(&work.SessionPage{Children: children[2:]}); strings.Contains(html, more) {
		t.Error("the family cannot be cut")
	}
}

// mustFollow reports an error unless the text has all parts, one after the other.
func mustFollow(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("no %q after the parts before it in\n%s", part, text)
			return
		}
		rest = after
	}
}

// TestSessionSaysWhatItUses checks the use of the context window that the agent has reported last, the time of a
// turn, and the files that the worktree changes.
func TestSessionSaysWhatItUses(t *testing.T) {
	markdown, _ := sessionText()
	for _, want := range []string{"\n- **Context**: unknown\n", "\nDone, 1 min · [All of it](",
		"\n## 7 files changed\n\n+30 −4 [The difference](",
		"/worktrees/beans/diff?from=1.0) +28 −4\n", "diff?from=2.0) not text\n",
		"\nMason, agent of @bob in the worktree [beans](/studios/team/worktrees/beans).\n"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("no %q in\n%s", want, markdown)
		}
	}
	markdown, html := sessionOf(&work.Session{Used: 50_000, Window: 200_000})
	if want := "\n- **Context**: 25% of 200,000 tokens\n"; !strings.Contains(markdown, want) {
		t.Errorf("no %q in\n%s", want, markdown)
	}
	if want := `<rect y="4" width="25%"`; !strings.Contains(html, want) {
		t.Errorf("no %s in\n%s", want, html)
	}
}

// TestSessionKeepsItsCost checks that the page of a session has the cost of the conversation, also after a turn of which
// the agent has told none, and during the first turn. The tokens are those of the last ended turn.
func TestSessionKeepsItsCost(t *testing.T) {
	ended := store.At(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	micros, in, out := int64(50_000), int64(1200), int64(80)
	told := work.Turn{N: 1, BeganAt: ended, EndedAt: ended, Cost: &micros, Currency: "EUR", TokensIn: &in,
		TokensOut: &out}
	for _, c := range []struct {
		name  string
		cost  *int64
		turns []work.Turn
		want  string
	}{
		{"after a turn with a cost", &micros, []work.Turn{told}, "0.05 EUR; last turn 1,200 tokens in, 80 out"},
		{"after a turn without", &micros, []work.Turn{told, {N: 2, BeganAt: ended, EndedAt: ended}}, "0.05 EUR"},
		{"in the first turn", &micros, []work.Turn{{N: 1, BeganAt: ended}}, "0.05 EUR"},
		{"nothing told", nil, []work.Turn{{N: 1, BeganAt: ended, EndedAt: ended}}, "not told by the agent"},
		{"nothing told yet", nil, []work.Turn{{N: 1, BeganAt: ended}}, ""},
	} {
		s := &work.Session{ID: "s1", Studio: &store.Studio{Handle: "team", Org: "acme"}, Cost: c.cost, Currency: "EUR"}
		v := &work.SessionPage{Session: s}
		for _, turn := range c.turns {
			v.Turns = append(v.Turns, work.TurnPage{Turn: turn, Session: s})
		}
		p := page.Page{Blocks: SessionVerbs{}.rail(store.Actor{}, v)}
		_, got, _ := strings.Cut(string(p.AppendMarkdown(nil, &page.Context{})), "**Cost**: ")
		if got, _, _ = strings.Cut(got, "\n"); got != c.want {
			t.Errorf("%s: the cost is %q, want %q", c.name, got, c.want)
		}
	}
}
