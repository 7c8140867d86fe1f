package work

import (
	"encoding/json"
	"fmt"
	"slices"

	"samepage/store"
	"samepage/store/work"
	"samepage/views"
	"samepage/views/page"
)

// Sessions returns the page that lists a studio's sessions.
func Sessions(by store.Actor, v *work.Sessions) page.Page {
	s := v.Studio
	p := studioPage(s, "Sessions", "Sessions")
	none := s.Name + " has no session of an agent. Its members start one on the page of a worktree."
	other := page.Link("Archived sessions", s.URL()+"/sessions?show=archived")
	if v.Archived {
		p.Title, none = "Archived sessions", s.Name+" has archived no session."
		other = page.Link("Sessions in use", s.URL()+"/sessions")
	}
	p.Blocks = []page.Block{sessionTable(by, s, v.List, none)}
	if v.More {
		p.Blocks = append(p.Blocks,
			page.Para(page.Line(page.Sentence(fmt.Sprintf("These are the %d that moved last.", len(v.List))))))
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Worktrees", s.URL()+"/worktrees"), page.T(" · "),
		other)))
	return p
}

// sessionTable returns a table of sessions or, if there are none, the given sentence.
func sessionTable(by store.Actor, h *store.Studio, list []work.Session, none string) page.Block {
	if len(list) == 0 {
		return page.Empty(page.Line(page.T(none)))
	}
	t := page.Table{Caption: "Sessions", Lines: true, Columns: page.Columns("Session", "Agent", "State", "Last active")}
	for i := range list {
		s := &list[i]
		t.Rows = append(t.Rows, page.Row{Key: s.ID, Cells: [][]page.Inline{page.Line(page.Link(s.Title, s.URL())),
			page.Line(page.Who(s.Byline(), ""), page.T(" in "+s.Worktree)), page.Line(sessionPill(by, h, s)),
			page.Line(page.When(s.MovedAt.Time))}})
	}
	return t
}

// asking returns the argument word as a pill, for a session with an agent that waits for an answer. The pill is yellow
// for people who may answer.
func asking(by store.Actor, h *store.Studio, s *work.Session, word string) page.Inline {
	if s.IsAnsweredBy(by, h) {
		return page.Pill(word, page.Late)
	}
	return page.Pill(word, page.Live)
}

func sessionPill(by store.Actor, h *store.Studio, s *work.Session) page.Inline {
	switch s.State() {
	case work.SessionAsking:
		return asking(by, h, s, "Asks")
	case work.SessionRunning:
		return page.Pill("Running", page.Runs)
	case work.SessionQueued:
		return page.Pill("Queued", page.Soon)
	case work.SessionReviewed:
		return page.Pill("In review", page.Live)
	case work.SessionInterrupted:
		return page.Pill("Interrupted", page.Bad)
	case work.SessionArchived:
		return page.Pill("Archived", page.Calm)
	}
	return outcomePill(s.Outcome)
}

func outcomePill(state string) page.Inline {
	switch state {
	case work.TurnSucceeded:
		return page.Pill("Done", page.Good)
	case work.TurnStopped:
		return page.Pill("Stopped", page.Calm)
	case work.TurnFailed:
		return page.Pill("Failed", page.Bad)
	case work.TurnStalled:
		return page.Pill("Stalled", page.Bad)
	case work.TurnTimedOut:
		return page.Pill("Timed out", page.Bad)
	case work.TurnInterrupted:
		return page.Pill("Interrupted", page.Bad)
	}
	return page.Pill("Idle", page.Calm)
}

// SessionVerbs has the names of the actions that answer a permission request, and make and withdraw a rule.
type SessionVerbs struct{ Answer, MakeRule, WithdrawRule string }

// Session returns the page of a session, in which an agent works in a worktree, turn by turn.
func (verbs SessionVerbs) Session(by store.Actor, v *work.SessionPage) page.Page {
	s := v.Session
	p := sessionPage(s, s.Title, "Session")
	p.State, p.Data = verbs.state(by, v), func() any { return sessionData(v) }
	p.Blocks = []page.Block{page.Under{page.Who(s.Byline(), work.ManifestsURL(s.Studio.Org)+"/"+s.Key),
		page.T(" in the worktree "), page.Link(s.Worktree, s.Studio.URL()+"/worktrees/"+s.Worktree)}}
	for i := range v.Permissions {
		p.Blocks = append(p.Blocks, verbs.asked(by, s, &v.Permissions[i]))
	}
	if older := s.Turns - len(v.Turns); older > 0 {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(fmt.Sprintf("%s before these: ",
			views.Counted(older, "turn", "turns"))), page.Link(fmt.Sprintf("turn %d", older), s.TurnURL(older)))))
	}
	for i := range v.Turns {
		t := &v.Turns[i]
		p.Blocks = append(p.Blocks, page.Section{ID: fmt.Sprintf("turn-%d", t.N), Title: fmt.Sprintf("Turn %d", t.N),
			State: page.Line(turnPill(by, s, t)), Note: turnNote(t),
			Blocks: append(turnReason(t), turnBlocks(t, i == len(v.Turns)-1, false)...)})
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "prompt", Stays: true}, page.Rail(verbs.rail(by, v)))
	return p
}

// sessionPage returns the page of a session, or a page below it, without blocks.
func sessionPage(s *work.Session, title, kind string) page.Page {
	h := s.Studio
	return studioPage(h, kind, title, page.Link("Sessions", h.URL()+"/sessions"))
}

func (verbs SessionVerbs) state(by store.Actor, v *work.SessionPage) []page.Inline {
	s := v.Session
	line := page.Line(sessionPill(by, s.Studio, s))
	var last *work.TurnPage
	if len(v.Turns) > 0 {
		last = &v.Turns[len(v.Turns)-1]
	}
	say := func(text string) { line = append(line, page.Sentence(text)) }
	switch state := s.State(); {
	case state == work.SessionAsking:
		if len(v.Permissions) > 0 {
			line = append(line, page.T(" since "), page.When(v.Permissions[0].AskedAt.Time).Dated())
		}
		line = append(line, page.T("."))
		if waits := " " + s.Agent + " waits for an answer."; len(v.Permissions) > 0 && verbs.answers(by, s) {
			line = append(line, page.Turn(waits, "#"+permissionID(&v.Permissions[0])))
		} else {
			say(waits)
		}
	case state == work.SessionRunning && !s.StopAt.IsZero():
		say(". The runner is asked to end the turn.")
	case state == work.SessionRunning && s.BeganAt.IsZero():
		say(". The runner starts " + s.Agent + ".")
	case state == work.SessionRunning:
		line = append(line, page.T(" since "), page.When(s.BeganAt.Time).Dated(), page.T("."))
	case state == work.SessionQueued:
		say(". The prompt waits for the runner " + s.RunnerNoted() + ", or for another turn in the worktree " + s.Worktree + ".")
	case state == work.SessionInterrupted:
		say(". The runner went away in the middle of a turn. Its files are there.")
	case state == work.SessionReviewed:
		line = append(line, page.T(": "), page.Link(v.Reviews[0].Name(), v.Reviews[0].URL()))
	case state == work.SessionArchived:
		line = append(line, page.T(" "), page.When(s.ArchivedAt.Time), page.T("."))
	case last != nil && last.Reason != "":
		say(". " + last.Reason)
	default:
		say(".")
	}
	if s.AtLimit {
		say(fmt.Sprintf(" %d reviews in a row ended without approval, so a person decides: @%s or a keeper of %s allows another "+
			"review, opens a pull request nevertheless, or archives the session.", s.Failed, s.Member, s.Studio.Name))
	}
	if s.After > 0 && s.Live() {
		say(fmt.Sprintf(" %s after it.", views.Counted(s.After, "prompt waits", "prompts wait")))
	}
	return line
}

func (verbs SessionVerbs) rail(by store.Actor, v *work.SessionPage) []page.Block {
	s := v.Session
	var facts page.Facts
	if s.ParentID != "" {
		facts = append(facts, page.Fact{Label: map[string]string{work.KinFork: "Copy of", work.KinSpawn: "Child of",
			work.KinReview: "Reviews"}[s.Kin],
			Value: page.Line(page.Link(s.ParentTitle, s.Studio.URL()+"/sessions/"+s.ParentID))})
	}
	if s.Pull > 0 {
		facts = append(facts, pullFact(s.Studio, s.Pull))
	}
	if last := lastEnded(v.Turns); last != nil || s.Cost != nil {
		facts = append(facts, page.Fact{Label: "Cost", Value: page.Line(page.Sentence(cost(s.Cost, s.Currency, last)))})
	}
	blocks := contextUse(v, facts)
	if s.Changed > 0 {
		blocks = append(blocks, sessionFiles(v))
	}
	if len(v.Reviews) > 0 {
		list := page.List{}
		for i := range v.Reviews {
			r := &v.Reviews[i]
			list = append(list, append(page.Line(page.Link(fmt.Sprintf("Review %d", r.N), r.URL()), page.T(" ")),
				reviewPill(by, s.Studio, r)...))
		}
		blocks = append(blocks, page.Section{ID: "reviews", Title: "Reviews", Few: page.Few{Most: 5,
			More: s.Studio.URL() + "/reviews"},
			Blocks: []page.Block{list}})
	}
	if answers := verbs.answers(by, s); answers || len(v.Rules) > 0 {
		blocks = append(blocks, verbs.rules(v, answers))
	}
	if len(v.Children) > 0 || s.ParentID != "" {
		blocks = append(blocks, family(by, v))
	}
	return blocks
}

// family returns the section with the sessions that were started from a session. HTML also has the others in its
// family: the sessions above it, and those below the uppermost one, up to [work.MostFamily].
func family(by store.Actor, v *work.SessionPage) page.Block {
	s := v.Session
	top, all, below := s, map[string]*work.Session{s.ID: s}, map[string][]*work.Session{}
	below[s.ParentID] = append(below[s.ParentID], s)
	for _, list := range [][]work.Session{v.Around, v.Children} {
		for i := range list {
			r := &list[i]
			all[r.ID], below[r.ParentID] = r, append(below[r.ParentID], r)
		}
	}
	for all[top.ParentID] != nil {
		top = all[top.ParentID]
	}
	blocks := []page.Block{page.Tree{branch(by, top, s, below)}}
	if len(all) >= work.MostFamily || top.ParentID != "" {
		blocks = append(blocks, page.Para(page.Line(page.T("There can be more sessions in the family than these."))))
	}
	return page.Section{ID: "children", Title: "Family", Extra: len(v.Children) == 0, Few: page.Few{Most: 5}, Blocks: blocks}
}

// branch returns the session r with the sessions below it, for the page of the session self.
func branch(by store.Actor, r, self *work.Session, below map[string][]*work.Session) page.Branch {
	b := page.Branch{Line: page.Line(page.Link(r.Title, r.URL()), page.T(" "), sessionPill(by, self.Studio, r),
		page.T(kinWords[r.Kin])),
		Extra: r.ParentID != self.ID}
	if r == self {
		b.Line[0] = page.Strong(r.Title)
	}
	for _, c := range below[r.ID] {
		b.Below = append(b.Below, branch(by, c, self, below))
	}
	return b
}

// kinWords name a session's relation to its parent. A reviewing session has no such words, because its title names the
// review.
var kinWords = map[string]string{work.KinFork: ", a copy", work.KinSpawn: ", a child"}

// contextUse returns the facts with an added one on the use of the agent's context window, once a turn has begun, and a
// gauge if the use is known.
func contextUse(v *work.SessionPage, facts page.Facts) []page.Block {
	if s := v.Session; s.Window > 0 {
		value := fmt.Sprintf("%d%% of %s tokens", 100*s.Used/s.Window, views.Number(int(s.Window)))
		return []page.Block{append(facts, page.Fact{Label: "Context", Value: page.Line(page.T(value))}),
			page.Gauge{Value: int(s.Used), Of: int(s.Window)}}
	}
	if slices.ContainsFunc(v.Turns, func(t work.TurnPage) bool { return !t.BeganAt.IsZero() }) {
		facts = append(facts, page.Fact{Label: "Context", Value: page.Line(page.T("unknown"))})
	}
	return []page.Block{facts}
}

func sessionFiles(v *work.SessionPage) page.Block {
	s := v.Session
	diff := s.Studio.URL() + "/worktrees/" + s.Worktree + "/diff"
	list := make(page.List, len(v.Files))
	for i := range v.Files {
		f := &v.Files[i]
		list[i] = page.Line(page.Link(f.Path, diff+"?from="+work.DiffPlace(f.N, 0)), page.T(" "))
		if f.Binary {
			list[i] = append(list[i], page.T("not text"))
		} else {
			list[i] = append(list[i], page.Plus(f.Added), page.T(" "), page.Less(f.Deleted))
		}
	}
	sum := page.Para{page.Plus(s.Added), page.T(" "), page.Less(s.Deleted), page.T(" "),
		page.Link("The difference", diff)}
	return page.Section{ID: "files", Title: views.Counted(s.Changed, "file changed", "files changed"),
		Few: page.Few{Most: fewRows - 2, More: diff}, Blocks: []page.Block{sum, list}}
}

// lastEnded returns the last ended turn, or nil.
func lastEnded(turns []work.TurnPage) *work.Turn {
	for i := len(turns) - 1; i >= 0; i-- {
		if t := &turns[i].Turn; !t.EndedAt.IsZero() {
			return t
		}
	}
	return nil
}

// cost returns the cost of a conversation so far and the tokens of the turn t, as far as the agent has reported them. The
// amount is in millionths of the currency, or nil. The turn may be nil.
func cost(amount *int64, currency string, t *work.Turn) string {
	text := "not told by the agent"
	if amount != nil {
		text = views.Money(*amount, currency)
	}
	if t != nil && t.TokensIn != nil && t.TokensOut != nil {
		text += fmt.Sprintf("; last turn %s tokens in, %s out", views.Number(int(*t.TokensIn)),
			views.Number(int(*t.TokensOut)))
	}
	return text
}

// asked returns a section with an open permission request, with buttons for a person who may answer.
func (verbs SessionVerbs) asked(by store.Actor, s *work.Session, p *work.Permission) page.Block {
	at := fmt.Sprintf("%s/permissions/%d", s.URL(), p.N)
	command, only := inWords(p.Input)
	answers := verbs.answers(by, s)
	title, blocks := s.Agent+" asks", []page.Block{}
	switch {
	case only && answers: // the link is under the buttons
		title += " to run a command"
	default:
		blocks = append(blocks, page.Para(page.Line(page.Link(p.Title, at))))
	}
	if command != "" && (command != p.Title || len(blocks) == 0) {
		blocks = append(blocks, page.Code{Text: command, Read: true})
	}
	if p.Rule != nil {
		blocks = append(blocks, page.Para(append(append(page.Line(page.T("Asked because of ")), ruleLine(p.Rule)...),
			page.T("."))))
	}
	if list, err := p.Answers(); err == nil && answers {
		buttons := page.Presses{URL: store.ActionURL(at, verbs.Answer), Field: "choice", Then: s.URL()}
		for _, c := range list {
			buttons.List = append(buttons.List, page.Press{Value: c.ID, Text: c.Label(), Refuses: !c.Allows(),
				Main: c.Kind == "allow_once"})
		}
		blocks = append(blocks, buttons, page.Para(page.Line(page.Link("Answer with a reason, or also later requests",
			at))))
	}
	return page.Section{ID: permissionID(p), By: page.Who(s.Byline(), ""), Title: title,
		Note: page.Line(page.When(p.AskedAt.Time)), Calls: true, Blocks: blocks}
}

func permissionID(p *work.Permission) string { return fmt.Sprintf("permission-%d", p.N) }

// inWords returns the input of a tool call, or the command and true if the input has only a command.
func inWords(input string) (text string, command bool) {
	var only map[string]string
	if json.Unmarshal([]byte(input), &only) == nil && len(only) == 1 && only["command"] != "" {
		return only["command"], true
	}
	return input, false
}
