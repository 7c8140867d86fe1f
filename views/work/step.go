package work

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"samepage/store/work"
	"samepage/views"
	"samepage/views/page"
)

// callList has consecutive tool calls and permission requests, each as one step.
type callList struct {
	room  *int // number of bytes that the output of calls may still take in the turn
	steps []toolStep
	known map[string]int // index in steps, by the id of the call
}

type toolStep struct {
	icon, title, state string
	url                string        // page of the permission request, or empty
	answer             []page.Inline // names the rule that covers the request, in place of state; nil without a rule
	waits              bool          // whether the step waits for a person
	looks              bool          // whether the step only reads, searches or fetches something
	reports            []string      // agent's reports of the call, oldest first, as JSON
}

// icons has an icon for each kind of tool in the Agent Client Protocol.
var icons = map[string]string{"read": "file", "edit": "edit", "delete": "cross", "move": "next", "search": "search",
	"execute": "run", "think": "topic", "fetch": "link", "switch_mode": "settings"}

// add adds a step for a permission request or a call, or updates the step of the call.
func (l *callList) add(t *work.TurnPage, e *work.TurnEvent) {
	var c work.CallHead
	if json.Unmarshal([]byte(e.JSON), &c) != nil {
		c = work.CallHead{Title: "something that cannot be read"}
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
	s.title = cmp.Or(c.Title, s.title, c.Kind)         // an update may leave out the title
	s.icon = cmp.Or(icons[c.Kind], s.icon, "settings") // an update may leave out the kind
	s.state = callState(c.Status)
	s.reports = append(s.reports, e.JSON)
	s.looks = s.icon == icons["read"] || s.icon == icons["search"] || s.icon == icons["fetch"]
}

func requestStep(t *work.TurnPage, e *work.TurnEvent, c *work.CallHead) toolStep {
	i := slices.IndexFunc(t.Permissions, func(q work.Permission) bool { return q.Event == e.N })
	asked := "Asked: " + cmp.Or(c.Title, "something without a title")
	switch {
	case i >= 0:
		q := &t.Permissions[i]
		return toolStep{icon: "approval", title: q.Title, state: answerOf(q), answer: answerLine(q),
			url: fmt.Sprintf("%s/permissions/%d", t.Session.URL(), q.N), waits: q.AnsweredAt.IsZero() && t.EndedAt.IsZero()}
	case t.EndedAt.IsZero():
		return toolStep{icon: "approval", title: asked, state: "which is passed on"}
	}
	return toolStep{icon: "approval", title: asked, state: "which was not passed on"}
}

// shown returns the step as a line, with its output as far as there is room. The output is open if the call failed.
func (s *toolStep) shown(room *int) page.TraceStep {
	line := page.Line(page.Sentence(cmp.Or(s.title, "a call without a title")))
	if s.url != "" {
		line = page.Line(page.T("Asked: "), page.Link(s.title, s.url))
	}
	step := page.TraceStep{Icon: s.icon, Line: line, State: page.Line(page.Sentence(s.state)), Waits: s.waits}
	if len(s.reports) > 0 && *room > 0 {
		most := min(mostOutput, *room)
		for _, report := range s.reports {
			*room -= min(most, *room, len(report))
		}
		step.Output, step.Open = func() []page.Block { return s.output(most) }, s.state == "failed"
	}
	if s.answer != nil {
		step.Line, step.State = append(append(line, page.T(", ")), s.answer...), nil
	}
	return step
}

func callState(status string) string {
	if status == "" {
		return "pending"
	}
	return strings.ReplaceAll(status, "_", " ")
}

// block returns the calls and requests as a list, or as one step if whole is false. Unless each is true, several
// completed calls in a row that only look at something are one step.
func (l *callList) block(whole, each bool) []page.Block {
	switch {
	case len(l.steps) == 0:
		return nil
	case !whole:
		return []page.Block{page.Trace{l.summary()}}
	}
	var list page.Trace
	for i := 0; i < len(l.steps); {
		from := i
		for i < len(l.steps) && l.steps[i].looks && l.steps[i].state == "completed" && !each {
			i++
		}
		if i-from > 1 {
			list = append(list, l.looked(from, i))
			continue
		}
		i = from + 1
		list = append(list, l.steps[from].shown(l.room))
	}
	return []page.Block{list}
}

// looked returns one step, without output, in place of several steps that only look at something.
func (l *callList) looked(from, to int) page.TraceStep {
	text := fmt.Sprintf("Looked around: %d steps", to-from)
	s := page.TraceStep{Icon: icons["read"], Line: page.Line(page.T(text)), State: page.Line(page.T("completed"))}
	for i := from; i < to; i++ {
		none := 0
		step := l.steps[i].shown(&none)
		step.Output = nil
		s.Steps = append(s.Steps, step)
	}
	return s
}

// mostOutput and mostOutputs limit the output of one call, and of all calls of a turn on a page, in bytes.
const (
	mostOutput  = 3000
	mostOutputs = 40_000
)

// output returns the changed files and texts of a call, cut to the given number of bytes. Of a long text, only the end
// is kept. The output is that of the last report with any.
func (s *toolStep) output(most int) (blocks []page.Block) {
	var of work.Call
	for i := len(s.reports) - 1; i >= 0 && len(of.Text)+len(of.Diffs) == 0; i-- {
		if json.Unmarshal([]byte(s.reports[i]), &of) != nil {
			return nil
		}
	}
	for _, d := range of.Diffs {
		if file := path.Base(d.Path); !strings.Contains(s.title, file) { // the rest of the path depends on the runner
			blocks = append(blocks, page.Para(page.Line(page.Mono(file))))
		}
		if n := len(d.Old) + len(d.New); n > most {
			blocks = append(blocks, page.Para(page.Line(page.T("The change is too long for this page."))))
		} else {
			most -= n
			blocks = append(blocks, page.Diff{Before: d.Old, After: d.New})
		}
	}
	text := strings.TrimSpace(strings.Join(of.Text, "\n"))
	if len(text) > most {
		text = "…" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	if text != "" {
		blocks = append(blocks, page.Code{Text: text, Read: true})
	}
	return blocks
}

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
