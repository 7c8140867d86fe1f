package work

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/work"
	"samepage/views"
	"samepage/views/page"
)

// TurnVerbs has the names of the actions to which the page of a turn links.
type TurnVerbs struct{ Rewind string }

// Turn returns the page of a turn.
func (v TurnVerbs) Turn(_ store.Actor, t *work.TurnPage) page.Page {
	s := t.Session
	p := sessionPage(s, fmt.Sprintf("Turn %d of %s", t.N, s.Title), "Turn")
	p.Trail = append(p.Trail, page.Link(s.Title, s.URL()))
	p.State, p.Data = turnState(t), func() any { return turnData(t) }
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
			page.Fact{Label: "Cost", Value: page.Line(page.Sentence(cost(&t.Turn)))})
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

// turnState returns sentences on the state of a turn.
func turnState(t *work.TurnPage) []page.Inline {
	line := page.Line(outcomePill(t.Outcome))
	switch t.State() {
	case work.TurnQueued:
		line = page.Line(page.Pill("Queued", page.Calm), page.T(" since "), page.When(t.QueuedAt.Time))
	case work.TurnStarting:
		line = page.Line(page.Pill("Starting", page.Live))
	case work.TurnRunning:
		line = page.Line(page.Pill("Running", page.Live), page.T(" since "), page.When(t.BeganAt.Time))
	case work.TurnAsking:
		line = page.Line(page.Pill("Asks", page.Late))
	case work.TurnInterrupted:
		line = page.Line(page.Pill("Interrupted", page.Bad))
	case work.TurnFailed:
		line = page.Line(page.Pill("Failed", page.Bad))
	}
	line = append(line, page.T("."))
	if t.Outcome == "" && t.State() == work.TurnFailed {
		return append(line, page.T(" The runner went away each time before it could start."))
	}
	if t.Reason != "" {
		line = append(line, page.Sentence(" "+t.Reason))
	}
	if t.Fresh {
		line = append(line, page.T(" The agent could not go on with its conversation, and began a new one."))
	}
	return line
}

// turnBlocks returns the prompt and the events of a turn. If whole is false, consecutive tool calls are one step with
// the number of calls in each state. If alone is true, the blocks are for the page of the turn, which also has the
// agent's thoughts.
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
	calls := &callList{known: map[string]int{}}
	flush := func() {
		blocks = append(blocks, calls.block(whole)...)
		calls = &callList{known: map[string]int{}}
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

// joined returns the events that a page shows. Consecutive texts become one event, because agents send texts in
// pieces.
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

// callList has consecutive tool calls. Each call is one step, with its last state.
type callList struct {
	steps []toolStep
	known map[string]int // place in steps, by the id of the call
}

// toolStep is a tool call or a permission request.
type toolStep struct {
	icon, title, state string
	url                string // page of the permission request; empty for none
	waits              bool   // whether the step waits for a person
}

// icons has an icon for each kind of tool in the Agent Client Protocol.
var icons = map[string]string{"read": "file", "edit": "edit", "delete": "cross", "move": "next", "search": "search",
	"execute": "run", "think": "topic", "fetch": "link", "switch_mode": "settings"}

// callHead has the fields of a [work.Call] that a step shows.
type callHead struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
}

// add adds a call, or updates the step of an earlier one.
func (l *callList) add(t *work.TurnPage, e *work.TurnEvent) {
	var c callHead
	if json.Unmarshal([]byte(e.JSON), &c) != nil {
		c = callHead{Title: "something that cannot be read"}
	}
	if e.Kind == "permission" {
		l.steps = append(l.steps, requestStep(t, e, &c))
		return
	}
	i, again := l.known[c.ID]
	if !again {
		i = len(l.steps)
		l.known[c.ID], l.steps = i, append(l.steps, toolStep{})
	}
	s := &l.steps[i]
	s.title = cmp.Or(c.Title, s.title, c.Kind)         // an update without a title keeps the earlier one
	s.icon = cmp.Or(icons[c.Kind], s.icon, "settings") // an update without a kind keeps the earlier icon
	s.state = callState(c.Status)
}

// requestStep returns the step of the permission request in an event.
func requestStep(t *work.TurnPage, e *work.TurnEvent, c *callHead) toolStep {
	i := slices.IndexFunc(t.Permissions, func(q work.Permission) bool { return q.Event == e.N })
	asked := "Asked: " + cmp.Or(c.Title, "something without a title")
	switch {
	case i >= 0:
		q := &t.Permissions[i]
		return toolStep{icon: "approval", title: q.Title, state: answerOf(q),
			url: fmt.Sprintf("%s/permissions/%d", t.Session.URL(), q.N), waits: q.AnsweredAt.IsZero() && t.EndedAt.IsZero()}
	case t.EndedAt.IsZero():
		return toolStep{icon: "approval", title: asked, state: "which is passed on"}
	}
	return toolStep{icon: "approval", title: asked, state: "which was not passed on"}
}

// shown returns the step as a line.
func (s *toolStep) shown() page.TraceStep {
	line := page.Line(page.Sentence(cmp.Or(s.title, "a call without a title")))
	if s.url != "" {
		line = page.Line(page.T("Asked: "), page.Link(s.title, s.url))
	}
	return page.TraceStep{Icon: s.icon, Line: line, State: page.Line(page.Sentence(s.state)), Waits: s.waits}
}

// answerOf returns words on the answer to a permission request.
func answerOf(q *work.Permission) string {
	switch {
	case q.AnsweredAt.IsZero():
		return "not answered"
	case q.Allows():
		return "allowed by @" + q.Answerer + asBefore(q)
	}
	return "denied by @" + q.Answerer + asBefore(q)
}

// asBefore returns a reference to an earlier request if its answer was used for this one, or "".
func asBefore(q *work.Permission) string {
	if q.Of == 0 {
		return ""
	}
	return fmt.Sprintf(", as in request %d", q.Of)
}

func callState(status string) string {
	if status == "" {
		return "pending"
	}
	return strings.ReplaceAll(status, "_", " ")
}

// block returns the calls as a list, or as one step with the number of calls in each state if whole is false.
func (l *callList) block(whole bool) []page.Block {
	switch {
	case len(l.steps) == 0:
		return nil
	case !whole:
		return []page.Block{page.Trace{l.summary()}}
	}
	list := make(page.Trace, len(l.steps))
	for i := range l.steps {
		list[i] = l.steps[i].shown()
	}
	return []page.Block{list}
}

// summary returns one step with the number of calls in each state.
func (l *callList) summary() page.TraceStep {
	var states []string
	n := map[string]int{}
	for i := range l.steps {
		state := l.steps[i].state
		if n[state]++; n[state] == 1 {
			states = append(states, state)
		}
	}
	if len(states) > 1 {
		for i, state := range states {
			states[i] = fmt.Sprintf("%d %s", n[state], state)
		}
	}
	return page.TraceStep{Icon: "settings", State: page.Line(page.Sentence(strings.Join(states, ", "))),
		Line: page.Line(page.Sentence(views.Counted(len(l.steps), "step", "steps") + " with tools"))}
}

// plan returns a plan of the agent as steps.
func plan(e *work.TurnEvent) page.Block {
	var steps []struct {
		Text   string `json:"content"`
		Status string `json:"status"`
	}
	if json.Unmarshal([]byte(e.JSON), &steps) != nil || len(steps) == 0 {
		return page.Para(page.Line(page.T("A plan that cannot be read.")))
	}
	list := page.Trace{}
	for _, s := range steps {
		icon := map[string]string{"completed": "check", "in_progress": "play"}[s.Status]
		list = append(list, page.TraceStep{Icon: cmp.Or(icon, "clock"), Line: page.Line(page.Sentence(s.Text)),
			State: page.Line(page.Sentence(callState(s.Status))), Plan: true})
	}
	return list
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
	return struct {
		Title    string     `json:"title"`
		State    string     `json:"state"`
		Agent    string     `json:"agent"`
		Member   string     `json:"member"`
		Worktree string     `json:"worktree"`
		Turns    []turnJSON `json:"turns"`
	}{s.Title, s.State(), s.Agent, s.Member, s.Worktree, turns}
}
