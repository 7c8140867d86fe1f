package views

import (
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

func itemPreview(i *store.Item, kind string) page.Preview {
	return page.Preview{Title: i.Title, Kind: kind, By: i.Author(), Place: i.Studio.Name}
}

// DecisionPreview returns the preview of a link to a decision. It never shows an interim result.
func DecisionPreview(d *governance.Decision) page.Preview {
	v := itemPreview(&d.Item, "Decision")
	if !lottery(d) {
		v.Count = strings.TrimSuffix(participation(d, "voted"), ".")
	}
	switch d.State() {
	case governance.DecisionOpen:
		v.State, v.Tone, v.Until, v.At = "Open", page.Live, "closes", d.DueAt.Time
	case governance.DecisionResult:
		v.State, v.Head, v.Tone = "Decided", "Decided", page.Good
	case governance.DecisionTie:
		v.State, v.Tone = "Tied", page.Late
	case governance.DecisionNoQuorum:
		v.State, v.Head, v.Tone = "No result", "Closed decision without a result", page.Bad
	default:
		v.State, v.Tone = "Closed", page.Calm
	}
	return v
}

// NotePreview returns the preview of a link to a note.
func NotePreview(n *governance.Note) page.Preview {
	v := itemPreview(&n.Item, noteTitles[n.Type])
	switch {
	case n.State() == governance.NoteDone:
		v.State, v.Tone = "Done", page.Good
	case n.State() == governance.NoteDue:
		v.State, v.Tone, v.Until, v.At = "Overdue", page.Late, "was due", n.DueAt.Time
	case n.Type == governance.Reminder:
		v.State, v.Tone, v.Until, v.At = "Open", page.Live, "due", n.DueAt.Time
	default:
		v.State, v.Tone = "Published", page.Calm
	}
	return v
}

// CommitmentPreview returns the preview of a link to a commitment.
func CommitmentPreview(c *governance.Commitment) page.Preview {
	v := itemPreview(&c.Item, "Commitment")
	if c.Event() {
		v.Kind = "Event"
	}
	v.Count = number(c.Joined) + " joined"
	switch c.State() {
	case governance.CommitmentOpen:
		v.State, v.Tone, v.Count = "Open", page.Live, fmt.Sprintf("%s of %s joined",
			number(c.Joined), number(c.CriticalMass))
	case governance.CommitmentBound:
		v.State, v.Tone = "Bound", page.Good
	case governance.CommitmentFull:
		v.State, v.Tone = "Full", page.Good
	case governance.CommitmentFailed:
		v.State, v.Head, v.Tone = "Did not come about", "Did not come about", page.Bad
	case governance.CommitmentDone:
		v.State, v.Tone = "Done", page.Good
	case governance.CommitmentMissed:
		v.State, v.Head, v.Tone = "Done in part", "Done in part", page.Late
	default:
		v.State, v.Tone = "Bound", page.Calm
	}
	switch {
	case c.Event() && c.Now.Before(c.StartsAt.Time):
		v.Until, v.At = "starts", c.StartsAt.Time
	case !c.Over() && !c.DueAt.IsZero():
		v.Until, v.At = "closes", c.DueAt.Time
	}
	return v
}

// StudioPreview returns the preview of a link to a studio.
func StudioPreview(s *store.Studio) page.Preview {
	return page.Preview{
		Title: s.Name,
		Kind:  "Studio",
		Count: count(s.People, "person", "people") + ", " + count(s.Agents, "agent", "agents"),
	}
}

// previewLinks lists the links to an item that show a preview to people without access.
func previewLinks(i *store.Item) page.Section {
	t := page.Table{Caption: "Links with a preview", Lines: true, Columns: page.Columns("Made", "By", "State")}
	for k := range i.PreviewLinks {
		l := &i.PreviewLinks[k]
		t.Rows = append(t.Rows, page.Row{
			Key: l.ID,
			Cells: [][]page.Inline{
				page.Line(page.When(l.CreatedAt.Time)),
				page.Line(page.T("@" + l.Member)),
				linkState(l),
			},
		})
	}
	return page.Section{ID: "links", Title: "Links with a preview", Blocks: []page.Block{t}}
}

func linkState(l *store.PreviewLink) []page.Inline {
	switch l.State() {
	case "revoked":
		return page.Line(page.T("revoked by @"+l.RevokedBy+", "), page.When(l.RevokedAt.Time))
	case "lapsed":
		return page.Line(page.Sentence("shows nothing, because @" + l.Member + " is not in " +
			l.Item.Studio.Name + " any more"))
	}
	if l.Item.Previews() == store.PreviewOff {
		return page.Line(page.T("shows nothing now"))
	}
	return page.Line(page.T("in use"))
}
