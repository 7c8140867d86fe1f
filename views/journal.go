package views

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// entryTable lists journal entries, one in each row. Bylines tell people and agents apart. If an
// entry has an agent's reason, the table has a column for reasons.
func entryTable(list []store.Entry) page.Block {
	if len(list) == 0 {
		return page.Para(page.Line(page.T("Nothing yet.")))
	}
	t := page.Table{
		Caption: "Journal entries",
		Columns: []page.Column{{Title: "Entry", Number: true}, {Title: "When"}, {Title: "Who"},
			{Title: "Did"}, {Title: "On"}},
	}
	why := false
	for i := range list {
		why = why || list[i].Why != ""
	}
	if why {
		t.Columns = append(t.Columns, page.Column{Title: "Why"})
	}
	for i := range list {
		e := &list[i]
		row := page.Row{Cells: [][]page.Inline{
			page.Line(page.Link(fmt.Sprint(e.Seq), e.PageURL())),
			page.Line(page.When(e.At.Time)),
			page.Line(page.T(e.By())),
			page.Line(page.Mono(e.Action)),
			page.Line(entryLink(e)),
		}}
		if why {
			row.Cells = append(row.Cells, page.Line(page.T(e.Why)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Journal returns a page of an organization's journal, newest entries first.
func Journal(by store.Actor, v *store.JournalPage) page.Page {
	o, q := v.Organization, v.Query
	p := page.Page{
		Title:    "Journal",
		Kind:     "Journal",
		Trail:    page.Line(page.Link(o.Name, o.URL())),
		Audience: orgAudience(o) + ", as far as each may see",
		State:    page.Line(page.T("Every change that you may see, newest first.")),
	}
	base := o.URL() + "/journal"
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Everybody",
		base), page.T(" · "), page.Link("People", base+"?by=people"), page.T(" · "),
		page.Link("Agents", base+"?by=agent"), page.T(" · "), page.Link("Verify", base+"/verify"))),
		entryTable(v.Entries))
	if len(v.Entries) == q.Limit {
		next := url.Values{"before": {fmt.Sprint(v.Entries[len(v.Entries)-1].Seq)}}
		for key, value := range map[string]string{"studio": q.Studio, "member": v.By, "action": q.Action} {
			if value != "" {
				next.Set(key, value)
			}
		}
		if q.Agents {
			next.Set("by", "agent")
		}
		if q.People {
			next.Set("by", "people")
		}
		p.Next = base + "?" + next.Encode()
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Older entries", p.Next))))
	}
	return p
}

type entryPublic struct {
	Seq    int64           `json:"seq"`
	At     store.Time      `json:"at"`
	By     string          `json:"by"`
	Agent  bool            `json:"agent"`
	Action string          `json:"action"`
	Kind   string          `json:"kind"`
	URL    string          `json:"url"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Why    string          `json:"why,omitempty"`
	Hash   string          `json:"hash"`
}

// entryTitle returns the title that the subject of an entry had when the entry was made. If the
// title was erased, it returns a general description.
func entryTitle(e *store.Entry) string {
	switch {
	case e.Erased() && e.Kind == "member":
		return "a former member"
	case e.Erased():
		return "something that was removed"
	}
	return e.Title
}

// entryLink returns a link to the subject of an entry, or plain text if the link was erased.
func entryLink(e *store.Entry) page.Inline {
	if e.URL == "" {
		return page.T(entryTitle(e))
	}
	return page.Link(entryTitle(e), e.URL)
}

// Entry returns the page of one journal entry, with the subject before and after the change.
func Entry(_ store.Actor, e *store.Entry) page.Page {
	journal := "/orgs/" + e.Org + "/journal"
	kind := "a person"
	switch {
	case e.AgentID != "":
		kind = "an agent"
	case e.MemberID == "":
		kind = "the scheduler"
	}
	p := page.Page{
		Title: fmt.Sprintf("Entry %d", e.Seq),
		Kind:  "Entry",
		Trail: page.Line(page.Link("Journal", journal)),
		State: page.Line(page.Sentence(e.By()+", "+kind+", did "), page.Mono(e.Action),
			page.T(" on "), entryLink(e), page.T(" at "), page.When(e.At.Time), page.T(".")),
		Audience: "those who may see " + entryTitle(e),
	}
	data := entryPublic{
		Seq:    e.Seq,
		At:     e.At,
		By:     e.By(),
		Agent:  e.AgentID != "",
		Action: e.Action,
		Kind:   e.Kind,
		URL:    e.URL,
		Why:    e.Why,
		Hash:   hex.EncodeToString(e.Hash),
	}
	if e.Why != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: page.Line(page.T("Why, in the words of " + e.By())), Text: e.Why})
	}
	p.Blocks = append(p.Blocks, changed(e)...)
	if e.Before != nil {
		data.Before = json.RawMessage(*e.Before)
	}
	if e.After != nil {
		data.After = json.RawMessage(*e.After)
	}
	f := page.Facts{{Label: "Hash", Value: page.Line(page.Mono(hex.EncodeToString(e.Hash)))},
		{Label: "Follows", Value: page.Line(page.Mono(hex.EncodeToString(e.Prev)))}}
	if e.Request != "" {
		f = append(f, page.Fact{Label: "Request", Value: page.Line(page.T(e.Request))})
	}
	p.Blocks = append(p.Blocks, f)
	p.Data = func() any { return data }
	return p
}

// changed shows the change that an entry records. If the entry has both the state before and the
// state after, it shows their difference.
func changed(e *store.Entry) []page.Block {
	if e.Before != nil && e.After != nil {
		if *e.Before == *e.After {
			return []page.Block{page.Section{
				ID:     "change",
				Title:  "What changed",
				Blocks: []page.Block{page.Para(page.Line(page.T("Nothing that the record of this page holds.")))},
			}}
		}
		return []page.Block{page.Section{
			ID:     "change",
			Title:  "What changed",
			Blocks: []page.Block{page.Diff{Before: unfolded(*e.Before), After: unfolded(*e.After)}},
		}}
	}
	var blocks []page.Block
	for _, side := range []struct {
		title  string
		text   *string
		digest []byte
	}{{"Before", e.Before, e.BeforeDigest}, {"After", e.After, e.AfterDigest}} {
		s := page.Section{ID: side.title, Title: side.title}
		switch {
		case side.text != nil:
			s.Blocks = []page.Block{page.Code{Language: "json", Text: indented(*side.text)}}
		case len(side.digest) > 0:
			s.Blocks = []page.Block{page.Para(page.Line(page.T("Erased; its digest is kept.")))}
		default:
			s.Blocks = []page.Block{page.Para(page.Line(page.T("Nothing.")))}
		}
		blocks = append(blocks, s)
	}
	return blocks
}

func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// unfolded indents a JSON text and breaks its strings at their newlines, so that a difference shows
// only the changed lines. The broken lines begin with a bar.
func unfolded(text string) string { return folds.Replace(indented(text)) }

var folds = strings.NewReplacer(`\\`, `\\`, `\n`, "\n    | ")

// Verification is the result of checking a journal. Err is nil if the journal is whole.
type Verification struct {
	*store.Organization
	Head store.Head
	Err  error
}

// Verify returns the page with the result of checking an organization's journal.
func Verify(_ store.Actor, v *Verification) page.Page {
	o := v.Organization
	p := page.Page{
		Title:    "Is the journal whole?",
		Kind:     "Verify",
		Trail:    page.Line(page.Link(o.Name, o.URL()), page.Link("Journal", o.URL()+"/journal")),
		Audience: orgAudience(o),
	}
	if v.Err != nil {
		p.State = page.Line(page.Sentence("No. " + v.Err.Error()))
		return p
	}
	p.State = page.Line(page.Sentence(fmt.Sprintf("Yes: all %s follow each other unchanged.",
		count(int(v.Head.Seq), "entry", "entries"))))
	p.Blocks = []page.Block{page.Para(page.Line(
		page.T("Its head, to note down and compare later with samepage journal verify --head:"),
	)), page.Code{Language: "text", Text: v.Head.String()}}
	return p
}
