package views

import (
	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

var noteNoun = Noun{
	Kind: governance.NoteKind, One: "Note", Many: "Notes", Icon: "note", Path: "/notes",
	Closed: map[string]string{governance.NoteDone: "done"},
	Begin:  func(studio string) string { return "What everybody in " + studio + " should know." },
}

// Note returns the page of one note.
func Note(by store.Actor, v *governance.NotePage) page.Page {
	n := v.Note
	p := ItemPage(&n.Item, noteTitles[n.Type], n.Title)
	p.State, p.Data = noteState(by, n), func() any { return noteData(n) }
	p.Blocks = append(p.Blocks, VersionBody(&n.Item, v.Latest())...)
	if len(n.Columns) > 0 {
		p.Blocks = append(p.Blocks, rows(&p, v))
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "answer", Calls: true})
	read := turnout(&n.Item, v.Read, n.Audience(), "have confirmed having read it", "Not yet")
	facts := append(append(read, noteFacts(by, v)), LastVersions(by, &n.Item, v.Last)...)
	p.Blocks = append(p.Blocks, Discussion(by, &n.Item, v.Discussion, facts...)...)
	return p
}

var noteTitles = map[string]string{governance.Post: "Post", governance.Reminder: "Reminder", governance.Table: "Table"}

func noteState(by store.Actor, n *governance.Note) []page.Inline {
	var line []page.Inline
	switch n.State() {
	case governance.NoteDraft:
		line = DraftState(&n.Item)
		if n.Studio.State() == "archived" {
			return line
		}
		line = append(line, page.T(" When published it looks like this."))
		if n.Type == governance.Reminder {
			line = append(line, page.T(" It is due "), page.Distance(n.DueAt.Time), page.T("."))
		}
		return line
	case governance.NoteDue:
		line = page.Line(page.Pill("Overdue", page.Late), page.T(" since "), page.When(n.DueAt.Time).Dated(),
			page.T(". Whoever has done it marks it as done."))
	case governance.NoteDone:
		line = page.Line(page.Pill("Done", page.Good), page.T(" by "),
			page.Who("@"+n.ClosedBy, memberURL(n.Studio, n.ClosedBy)), page.T(", "), page.When(n.ClosedAt.Time), page.T("."))
	default:
		if n.Type == governance.Reminder && n.Stopped() {
			line = page.Line(page.Pill("Open", page.Calm), page.T(", it was due "), page.Distance(n.DueAt.Time),
				page.T("."))
		} else if n.Type == governance.Reminder {
			line = page.Line(page.Pill("Due", page.Live), page.T(" "), page.Distance(n.DueAt.Time),
				page.T(". Whoever has done it marks it as done."))
		} else {
			line = page.Line(page.Pill("Published", page.Good), page.T(" "), page.When(n.OpenedAt.Time), page.T("."))
		}
	}
	line = append(line, page.Sentence(" "+reading(n)))
	if own := readBy(by, n); own == notRead {
		line = append(line, page.Turn(own, "#answer"))
	} else {
		line = append(line, page.Sentence(own))
	}
	if n.Studio.State() == "archived" {
		line = append(line, page.Sentence(" "+n.Studio.MustBeActive().Error()))
	}
	return line
}

func reading(n *governance.Note) string {
	switch {
	case n.Audience() == 0:
		return "Nobody else is in the studio to read it."
	case n.Readers == 0:
		return "Nobody has confirmed having read it; " + count(n.Audience(), "person is", "people are") + " asked to."
	}
	have := " have"
	if n.Audience() == 1 {
		have = " has"
	}
	return number(n.Readers) + " of " + number(n.Audience()) + have + " confirmed having read it."
}

// readBy returns a sentence on whether the actor has confirmed reading a note, or "" if the actor is not asked to.
func readBy(by store.Actor, n *governance.Note) string {
	switch {
	case n.Mine.Agent.ID != "":
		return " Your agent has, for you."
	case !n.Mine.At.IsZero():
		return " You have."
	case n.MustBeConfirmableBy(by) == nil:
		return notRead
	}
	return ""
}

const notRead = " You have not."

func noteFacts(by store.Actor, v *governance.NotePage) page.Facts {
	n := v.Note
	f := page.Facts{{Label: "May edit", Value: page.Line(page.T(editors(n)))}}
	if n.Readers > 0 {
		f = append(f, page.Fact{
			Label: "Read by",
			Value: page.Line(page.Link(count(n.Readers, "member", "members"), n.URL()+"/readers")),
		})
	}
	return append(f, VersionFacts(by, &n.Item, v.Last)...)
}

func editors(n *governance.Note) string {
	switch n.State() {
	case governance.NoteDraft:
		return "only @" + n.Member
	case governance.NoteDone:
		return "nobody, because it is done"
	}
	who := "@" + n.Member + ", the studio's leader or secretary and the organization's owner"
	if n.Type == governance.Table {
		return "rows: everyone in the studio; the rest: " + who
	}
	return who
}

type notePublic struct {
	Kind     string              `json:"kind"`
	State    string              `json:"state"`
	Text     string              `json:"text,omitempty"`
	Due      store.Time          `json:"due,omitzero"`
	Columns  []governance.Column `json:"columns,omitempty"`
	Rows     int                 `json:"rows,omitempty"`
	Done     store.Time          `json:"done,omitzero"`
	Readers  int                 `json:"readers"`
	Versions int                 `json:"versions"`
	Comments int                 `json:"comments"`
}

func noteData(n *governance.Note) any {
	d := &notePublic{
		Kind:     n.Type,
		State:    n.State(),
		Text:     n.Body,
		Due:      n.DueAt,
		Columns:  n.Columns,
		Rows:     n.Rows,
		Readers:  n.Readers,
		Versions: n.Versions,
		Comments: n.Comments,
	}
	if d.State == governance.NoteDone {
		d.Done = n.ClosedAt
	}
	return d
}

// Readers returns the page that lists the members who confirmed that they read a note.
func Readers(_ store.Actor, v *governance.ReadersPage) page.Page {
	n := v.Note
	p := ItemPage(&n.Item, "Readers", "Who has read this")
	p.Trail = append(p.Trail, page.Link(n.Title, n.URL()))
	p.State = page.Line(page.Sentence(reading(n)))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("Nobody here.")))}
		return p
	}
	t := page.Table{Caption: "Readers", Lines: true, Columns: page.Columns("Member", "Since")}
	for i := range v.List {
		r := &v.List[i]
		t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{
			page.Line(page.Who(store.Byline(r.Member, r.Agent.Label), "")),
			page.Line(page.When(r.At.Time)),
		}})
	}
	p.Blocks = []page.Block{t}
	if last := v.Last(); last != nil {
		p.Continue("More readers", n.URL()+"/readers?after="+last.Member)
	}
	return p
}
