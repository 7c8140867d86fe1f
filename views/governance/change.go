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
		if c.Left && t.Outcome == "" {
			line = append(line, page.T(", "), page.Strong("cannot be made"), page.Sentence(": @"+c.Member+leftBehind))
		}
		if !c.TakenAt.IsZero() {
			line = append(line, page.T(", made "), page.When(c.TakenAt.Time), page.T(": "), page.Link("where it led", c.ResultURL))
		}
		if t.Outcome == governance.TopicEscalated && c.Message != "" {
			line = append(line, page.T(", "), page.Strong("not passed on"), page.T(": "+c.Message))
		}
		s.Blocks = append(s.Blocks, page.Para(line))
		s.Blocks = append(s.Blocks, effects(c)...)
	}
	return s
}

// leftBehind goes on after the handle of a former member with a change that a topic carries.
const leftBehind = " is no member any more. Remove it with remove_change; another member can add it with add_change."

// effects returns blocks with what a change sets, uncut: the fields that it changes, before and after, and the other
// params of its action. The values before are missing if the change creates something, or if they were not recorded.
func effects(c *governance.Change) []page.Block {
	p := c.Preview()
	caption, by := "What change "+strconv.Itoa(c.N)+" does", store.Byline(c.Member, c.Agent.Label)
	if p.Before == nil {
		return views.Given(caption, by, p.Fields)
	}
	t := page.Table{Caption: caption, Columns: page.Columns("Field", "Before", "After")}
	var texts []page.Block
	prose := map[string]bool{}
	for _, f := range p.Fields {
		prose[f.Name] = f.Prose
	}
	var before, after map[string]json.RawMessage
	json.Unmarshal(p.Before, &before) // a record is always an object
	json.Unmarshal(p.After, &after)
	changed := map[string]json.RawMessage{}
	maps.Copy(changed, before)
	maps.Copy(changed, after)
	maps.DeleteFunc(changed, func(name string, _ json.RawMessage) bool { return bytes.Equal(before[name], after[name]) })
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		old, now := value(before[name]), value(after[name])
		if prose[name] {
			texts = append(texts, page.Para(page.Line(page.Mono(name), page.T(", before and after:"))),
				page.Diff{Before: old, After: now})
			continue
		}
		cells := [][]page.Inline{page.Line(page.Mono(name)), page.Line(page.Sentence(old)), page.Line(page.Sentence(now))}
		t.Rows = append(t.Rows, page.Row{Cells: cells})
	}
	blocks := texts
	if len(t.Rows) > 0 {
		blocks = append([]page.Block{t}, texts...)
	}
	others := slices.DeleteFunc(p.Fields, func(f store.PreviewField) bool { _, shown := changed[f.Name]; return shown })
	return append(blocks, views.Given("Also given", by, others)...)
}

// value formats a field of a record.
func value(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, " · ")
	}
	return string(raw)
}
