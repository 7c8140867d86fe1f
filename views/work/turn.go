package work

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/work"
	"samepage/views"
	"samepage/views/page"
)

// TurnVerbs has the name of the action that the page of a turn links to.
type TurnVerbs struct{ Rewind string }

// Turn returns the page of a turn, which is an agent's work on one prompt in a session.
func (v TurnVerbs) Turn(by store.Actor, t *work.TurnPage) page.Page {
	s := t.Session
	p := sessionPage(s, fmt.Sprintf("Turn %d of %s", t.N, s.Title), "Turn")
	p.Trail = append(p.Trail, page.Link(s.Title, s.URL()))
	p.State, p.Data = turnState(by, s, t), func() any { return turnData(t) }
	facts := page.Facts{}
	if t.HeadAfter != "" {
		value := page.Line(page.Mono(work.Short(t.HeadAfter)))
		if t.HeadBefore == t.HeadAfter {
			value = append(value, page.T(", as before"))
		}
		if work.IsHash(t.HeadAfter) && t.HeadAfter != s.Head && !t.Reads && s.Studio.Joined() {
			value = append(value, page.T(" · "), page.Link("Go back to it", s.Studio.URL()+"/worktrees/"+s.Worktree+"/actions/"+
				v.Rewind+"?commit="+work.Short(t.HeadAfter)))
		}
		facts = append(facts, page.Fact{Label: "Commit", Value: value})
	}
	if !t.EndedAt.IsZero() && !t.BeganAt.IsZero() {
		facts = append(facts, page.Fact{Label: "Took",
			Value: page.Line(page.T(t.EndedAt.Sub(t.BeganAt.Time).Round(time.Second).String()))},
			page.Fact{Label: "Cost", Value: page.Line(page.Sentence(cost(t.Cost, t.Currency, &t.Turn)))})
	}
	if len(facts) > 0 {
		p.Blocks = append(p.Blocks, facts)
	}
	if t.From > 0 {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(fmt.Sprintf("%s before these: ",
			views.Counted(t.From, "event", "events"))), page.Link("from the beginning", s.TurnURL(t.N)+"?after=0"))))
	}
	p.Blocks = append(p.Blocks, turnBlocks(t, true, true)...)
	if last := t.From + len(t.List); last < t.Events {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link(fmt.Sprintf("%s more",
			views.Counted(t.Events-last, "event",
				"events")), fmt.Sprintf("%s?after=%d", s.TurnURL(t.N), last)))))
	}
	return p
}

func turnState(by store.Actor, s *work.Session, t *work.TurnPage) []page.Inline {
	line := page.Line(turnPill(by, s, t))
	if at := turnSince(t); !at.IsZero() {
		line = append(line, page.T(" since "), page.When(at).Dated())
	}
	line = append(line, page.T("."))
	for _, b := range turnReason(t) {
		line = append(append(line, page.T(" ")), b.(page.Para)...)
	}
	return line
}

func turnPill(by store.Actor, s *work.Session, t *work.TurnPage) page.Inline {
	switch t.State() {
	case work.TurnQueued:
		return page.Pill("Queued", page.Soon)
	case work.TurnStarting:
		return page.Pill("Starting", page.Runs)
	case work.TurnRunning:
		return page.Pill("Running", page.Runs)
	case work.TurnAsking:
		return asking(by, s.Studio, s, "Asks")
	case work.TurnInterrupted:
		return page.Pill("Interrupted", page.Bad)
	case work.TurnFailed:
		return page.Pill("Failed", page.Bad)
	}
	return outcomePill(t.Outcome)
}

// turnSince returns the time at which a turn was queued if it waits for the runner, or began if it runs. For any other
// turn it returns the zero time.
func turnSince(t *work.TurnPage) time.Time {
	switch t.State() {
	case work.TurnQueued:
		return t.QueuedAt.Time
	case work.TurnRunning:
		return t.BeganAt.Time
	}
	return time.Time{}
}

// turnNote returns the time of [turnSince] or the duration of a turn, if known, and a link to its page.
func turnNote(t *work.TurnPage) (line []page.Inline) {
	if at := turnSince(t); !at.IsZero() {
		line = page.Line(page.T("since "), page.When(at).Dated(), page.T(" · "))
	} else if !t.EndedAt.IsZero() && !t.BeganAt.IsZero() {
		line = page.Line(page.T(took(t.EndedAt.Sub(t.BeganAt.Time)) + " · "))
	}
	return append(line, page.Link("All of it", t.Session.TurnURL(t.N)))
}

// took returns a duration in its largest units, such as "9 min" or "2 h 5 min".
func took(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

func turnReason(t *work.TurnPage) []page.Block {
	var line []page.Inline
	switch {
	case t.Outcome == "" && t.State() == work.TurnFailed:
		line = page.Line(page.T("The runner went away each time before it could start."))
	case t.Reason != "" && t.Fresh:
		line = page.Line(page.Sentence(t.Reason + " " + freshly))
	case t.Reason != "":
		line = page.Line(page.Sentence(t.Reason))
	case t.Fresh:
		line = page.Line(page.T(freshly))
	default:
		return nil
	}
	return []page.Block{page.Para(line)}
}

const freshly = "The agent could not go on with its conversation, and began a new one."

// turnBlocks returns the prompt and the events of a turn. If whole is false, consecutive tool calls and requests are
// one step. If alone is true, the blocks are for the turn's own page, which has the agent's thoughts and each step.
func turnBlocks(t *work.TurnPage, whole, alone bool) []page.Block {
	lead := page.Line(page.Who(t.Byline(), ""), page.T(", "), page.When(t.QueuedAt.Time))
	if t.Origin == "callback" {
		lead = page.Line(page.T("Samepage, "), page.When(t.QueuedAt.Time))
	}
	if t.Origin == "resume" {
		lead = append(lead, page.T(", resumed"))
	}
	blocks := []page.Block{page.Prose{ID: fmt.Sprintf("t%d-prompt", t.N), Lead: lead, Text: t.Prompt}}
	if t.From > 0 && !alone {
		blocks = append(blocks, page.Para(page.Line(page.Sentence(views.Counted(t.From, "event", "events")+
			" before these, on the page of the turn."))))
	}
	room := mostOutputs
	calls := &callList{room: &room, known: map[string]int{}}
	flush := func() {
		blocks = append(blocks, calls.block(whole, alone)...)
		calls = &callList{room: &room, known: map[string]int{}}
	}
	for _, e := range joined(t.List) {
		switch e.Kind {
		case "text":
			flush()
			blocks = append(blocks, page.Prose{ID: fmt.Sprintf("t%d-e%d", t.N, e.N), Text: e.Text, Brief: true,
				Lead: page.Line(page.Who(t.Session.Byline(), ""), page.T(", "), page.When(e.At.Time)), More: t.Session.TurnURL(t.N)})
		case "call", "permission":
			calls.add(t, &e)
		case "plan":
			flush()
			blocks = append(blocks, plan(&e))
		case "stderr":
			if t.Outcome != work.TurnSucceeded {
				flush()
				blocks = append(blocks, page.Details{ID: fmt.Sprintf("t%d-e%d", t.N, e.N), Title: "The end of its error output",
					Blocks: []page.Block{page.Code{Text: e.Text}}})
			}
		case "thought":
			if !alone {
				continue
			}
			flush()
			blocks = append(blocks, page.Details{ID: fmt.Sprintf("t%d-e%d", t.N, e.N), Title: "Thought",
				Blocks: []page.Block{
					page.Prose{Lead: page.Line(page.T("Thought")), Text: e.Text, Brief: true,
						More: t.Session.TurnURL(t.N)}}})
		}
	}
	flush()
	return blocks
}

// joined returns the events that can be shown, with consecutive texts, and consecutive thoughts, as one, because agents
// send these in parts.
func joined(list []work.TurnEvent) []work.TurnEvent {
	var shown []work.TurnEvent
	var pieces []string // texts of the last event in shown, if it is joined
	join := func() {
		if len(pieces) > 1 {
			shown[len(shown)-1].Text = strings.Join(pieces, "")
		}
	}
	for i := range list {
		e := &list[i]
		switch e.Kind {
		case "began", "usage", "mode", "raw", "end":
		case "text", "thought":
			if last := len(shown) - 1; last >= 0 && shown[last].Kind == e.Kind {
				pieces = append(pieces, e.Text)
				continue
			}
			join()
			shown, pieces = append(shown, *e), append(pieces[:0], e.Text)
		default:
			join()
			shown, pieces = append(shown, *e), pieces[:0]
		}
	}
	join()
	return shown
}

type turnJSON struct {
	N      int              `json:"n"`
	State  string           `json:"state"`
	Prompt string           `json:"prompt"`
	Reason string           `json:"reason,omitempty"`
	Commit string           `json:"commit,omitempty"`
	From   int              `json:"from"`
	Total  int              `json:"total"`
	Events []work.TurnEvent `json:"events"`
}

func turnData(t *work.TurnPage) turnJSON {
	list := make([]work.TurnEvent, len(t.List))
	for i, e := range t.List {
		e.Data = json.RawMessage(e.JSON)
		list[i] = e
	}
	return turnJSON{t.N, t.State(), t.Prompt, t.Reason, t.HeadAfter, t.From, t.Events, list}
}

func sessionData(v *work.SessionPage) any {
	s := v.Session
	turns := make([]turnJSON, len(v.Turns))
	for i := range v.Turns {
		turns[i] = turnData(&v.Turns[i])
		turns[i].Events = nil
	}
	rules := make([]ruleJSON, len(v.Rules))
	for i := range v.Rules {
		rules[i] = ruleData(&v.Rules[i])
	}
	kin := make([]kinJSON, 0, len(v.Around)+len(v.Children))
	for _, list := range [][]work.Session{v.Around, v.Children} {
		for i := range list {
			r := &list[i]
			kin = append(kin, kinJSON{r.ID, r.ParentID, r.Kin, r.Title, r.URL(), r.State()})
		}
	}
	return struct {
		ID       string     `json:"id"`
		Parent   string     `json:"parent,omitempty"`
		Title    string     `json:"title"`
		State    string     `json:"state"`
		Agent    string     `json:"agent"`
		Member   string     `json:"member"`
		Worktree string     `json:"worktree"`
		Turns    []turnJSON `json:"turns"`
		Rules    []ruleJSON `json:"rules"`
		Family   []kinJSON  `json:"family"`
	}{s.ID, s.ParentID, s.Title, s.State(), s.Agent, s.Member, s.Worktree, turns, rules, kin}
}

// kinJSON is the JSON form of a session in the [family] of another one.
type kinJSON struct {
	ID       string `json:"id"`
	Parent   string `json:"parent,omitempty"` // id
	Relation string `json:"relation"`         // to the parent
	Title    string `json:"title"`
	URL      string `json:"url"`
	State    string `json:"state"`
}
