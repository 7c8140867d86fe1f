package governance

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
)

// changes returns a section with the changes that the topic's acceptance makes. Readers outside the organization see
// only that there are changes, because they may not see roles.
func changes(by store.Actor, t *governance.Topic) page.Block {
	if t.Changes == 0 {
		return page.Slot{ID: "changes"}
	}
	s := page.Section{ID: "changes", Title: "Changes"}
	if by.In(t.OrgID).Member == nil {
		s.Blocks = []page.Block{page.Para(page.Line(page.Sentence("Acceptance changes the studio. Only members of " +
			t.Studio.OrgName + " see what.")))}
		return s
	}
	if t.Outcome == "" {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.T("Acceptance makes them all, or none and says why."))))
	}
	for i := range t.Carried {
		c := &t.Carried[i]
		line := page.Line(page.Strong(strconv.Itoa(c.N)+". "+c.Title), page.T(", "), page.Link(c.Target, c.URL), page.T(", added by "),
			views.Author(t.Studio, c.Member, c.Agent))
		if !c.TakenAt.IsZero() {
			line = append(line, page.T(", made "), page.When(c.TakenAt.Time), page.T(": "), page.Link("where it led", c.ResultURL))
		}
		if t.Outcome == governance.TopicEscalated && c.Message != "" {
			line = append(line, page.T(", "), page.Strong("not passed on"), page.T(": "+c.Message))
		}
		s.Blocks = append(s.Blocks, page.Para(line))
		if table := differences(c); len(table.Rows) > 0 {
			s.Blocks = append(s.Blocks, table)
		}
	}
	return s
}

// differences returns a table of the fields that a change sets, with their values before and after. The values before
// are missing if the change creates something, or if they were not recorded.
func differences(c *governance.Change) page.Table {
	p := c.Preview()
	t := page.Table{Caption: "What change " + strconv.Itoa(c.N) + " does"}
	if p.Before == nil {
		t.Columns = page.Columns("Field", "Value")
		for _, f := range p.Fields {
			t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.Mono(f.Name)),
				page.Line(page.T(strings.Join(f.Values, " · ")))}})
		}
		return t
	}
	t.Columns = page.Columns("Field", "Before", "After")
	var before, after map[string]json.RawMessage
	json.Unmarshal(p.Before, &before) // a record is always an object
	json.Unmarshal(p.After, &after)
	names := maps.Clone(before)
	if names == nil {
		names = map[string]json.RawMessage{}
	}
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(before[name], after[name]) {
			t.Rows = append(t.Rows, page.Row{Cells: [][]page.Inline{page.Line(page.Mono(name)), value(before[name]), value(after[name])}})
		}
	}
	return t
}

func value(raw json.RawMessage) []page.Inline {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return page.Line(page.T(text))
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return page.Line(page.T(strings.Join(list, " · ")))
	}
	return page.Line(page.T(string(raw)))
}
