package views

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"samepage/store"
	"samepage/views/page"
)

func entryList(list []store.Entry) page.Block {
	if len(list) == 0 {
		return page.Para(page.Line(page.T("Nothing yet.")))
	}
	log := make(page.Log, len(list))
	for i := range list {
		e := &list[i]
		log[i] = page.Event{By: entryBy(e), As: e.Said(), Did: e.Did, On: entryLink(e), Why: e.Why, At: e.At.Time,
			No: e.Seq, URL: e.PageURL()}
	}
	return log
}

// entryBy returns the byline of an entry, with a link to the actor, unless that is the scheduler or its name was
// erased.
func entryBy(e *store.Entry) page.Inline {
	switch {
	case e.AgentID != "" && e.Member != "":
		return page.Who(e.By(), store.AgentURL(e.Org, e.AgentID))
	case e.Member != "" && e.Org != "":
		return page.Who(e.By(), store.MemberURL(e.Org, e.Member))
	}
	return page.Who(e.By(), "")
}

// Journal returns a page of an organization's journal, newest entries first.
func Journal(by store.Actor, v *store.JournalPage) page.Page {
	o, q := v.Organization, v.Query
	p := OrganizationPage(o, "Journal", "Journal")
	p.Audience += ", as far as each may see"
	p.State = page.Line(page.Sentence(entriesShown(v)))
	list := entryList(v.Entries)
	if log, ok := list.(page.Log); ok {
		for i := range log {
			e := &v.Entries[i]
			log[i].Kind, log[i].Icon = entryKind(e)
			if e.Before != nil && e.After != nil {
				log[i].Changes = func() ([]page.Changed, page.Inline) { return changes(e) }
			}
		}
	}
	p.Blocks = append(p.Blocks, entryFilters(v), list)
	if len(v.Entries) == q.Limit {
		p.Continue("Older entries", selected(v, "before", fmt.Sprint(v.Entries[len(v.Entries)-1].Seq)))
	}
	base := o.URL() + "/journal"
	chain := page.Para{page.T("Each entry holds the hash of the one before. "), page.Link("Verify it yourself", base+"/verify")}
	if n := recorded(by, o); n > 0 {
		chain = append(page.Para{page.Sentence(count(int(n), "entry", "entries") + " in all. ")}, chain...)
	}
	files := page.Line(page.Link("CSV", base+".csv"), page.T(", "), page.Link("JSON lines", base+".jsonl"))
	p.Blocks = append(p.Blocks, page.Rail{page.Section{ID: "chain", Title: "The chain", Blocks: []page.Block{chain}},
		page.Section{ID: "export", Title: "Take it with you", Blocks: []page.Block{page.Para(files)}}})
	return p
}

// entryKinds has the names and icons of some kinds of subjects that are not items.
var entryKinds = map[string]struct{ name, icon string }{"studio": {"Studio", "studio"}, "role": {"Role", "star"},
	"member": {"Member", "eye"}, "token": {"Token", "key"}, "runner": {"Runner", "run"}, "approval": {"Approval", "approval"},
	"organization": {"Organization", "settings"}, "session": {"Session", "session"}, "review": {"Review", "approval"},
	"pull": {"Pull request", "branch"}, "worktree": {"Worktree", "branch"}, "repo": {"Repository", "branch"}}

// entryKind returns the name and the icon of the kind of an entry's subject, or two empty texts if the subject's title
// names the kind.
func entryKind(e *store.Entry) (kind, icon string) {
	n, k := nounOf(e.Kind), entryKinds[e.Kind]
	kind, icon = cmp.Or(k.name, n.One), cmp.Or(n.Icon, k.icon, "file")
	if strings.Contains(strings.ToLower(entryTitle(e)), strings.ToLower(kind)) {
		return "", ""
	}
	return kind, icon
}

// recorded returns the number of entries in an organization's journal, or 0 if the actor is not a member.
func recorded(by store.Actor, o *store.Organization) int64 {
	for i := range by.Members {
		if by.Members[i].OrgID == o.ID {
			return by.Members[i].Head
		}
	}
	return 0
}

func entriesShown(v *store.JournalPage) string {
	q, say := v.Query, "Every change"
	switch {
	case v.Unknown:
		return "There is no member @" + v.By + " here, so no change is listed. Look at the filters."
	case q.Agents && v.By != "":
		say += " by agents of @" + v.By
	case q.People && v.By != "":
		say += " by @" + v.By + " in person"
	case v.By != "":
		say += " by @" + v.By + " and their agents"
	case q.Agents:
		say += " by agents"
	case q.People:
		say += " by people"
	}
	for _, part := range [][2]string{{" in the studio ", q.Studio}, {" by the action ", q.Action}, {" of the kind ", q.Kind}} {
		if part[1] != "" {
			say += part[0] + part[1]
		}
	}
	say += " that you may see, newest first"
	if v.Count >= 0 {
		say += fmt.Sprintf(": %d", v.Count)
	}
	return say + "."
}

// selected returns the address of the journal with the filters of the page, and the given value for the filter that key
// names. An empty value removes the filter.
func selected(v *store.JournalPage, key, value string) string {
	q := v.Query
	list := url.Values{}
	for k, v := range map[string]string{"studio": q.Studio, "member": v.By, "action": q.Action, "kind": q.Kind} {
		if v != "" {
			list.Set(k, v)
		}
	}
	switch {
	case q.Agents:
		list.Set("by", "agent")
	case q.People:
		list.Set("by", "people")
	}
	list.Set(key, value)
	if value == "" {
		list.Del(key)
	}
	at := v.Organization.URL() + "/journal"
	if len(list) > 0 {
		at += "?" + list.Encode()
	}
	return at
}

// entryFilters returns links to the filtered journals. The filters by kind, studio, member and action are for HTML
// only.
func entryFilters(v *store.JournalPage) page.Filters {
	q := v.Query
	by := page.FilterGroup{Links: []page.Filter{
		{Text: "Everybody", URL: selected(v, "by", ""), Chosen: !q.People && !q.Agents},
		{Text: "People", URL: selected(v, "by", "people"), Chosen: q.People, By: page.ByPeople},
		{Text: "Agents", URL: selected(v, "by", "agent"), Chosen: q.Agents, By: page.ByAgents},
	}}
	kinds := page.FilterGroup{Extra: true, Links: []page.Filter{{Text: "Every kind", URL: selected(v, "kind", ""), Chosen: q.Kind == ""}}}
	add := func(title, kind string) {
		kinds.Links = append(kinds.Links, page.Filter{Text: title, URL: selected(v, "kind", kind), Chosen: q.Kind == kind})
	}
	for _, n := range nouns {
		add(n.Many, n.Kind.Name)
	}
	add("Approvals", "approval")
	add("Roles", "role")
	f := page.Filters{Groups: []page.FilterGroup{by, kinds}, Studio: q.Studio, All: selected(v, "studio", ""),
		Studios: strings.TrimSuffix(selected(v, "studio", "-"), "-")} // studio is the last key of the query
	for _, more := range [][2]string{{"member", v.By}, {"action", q.Action}} {
		if more[1] != "" {
			f.Groups = append(f.Groups, page.FilterGroup{Extra: true, Links: []page.Filter{
				{Text: more[1], URL: selected(v, more[0], more[1]), Chosen: true}, {Text: "All", URL: selected(v, more[0], "")}}})
		}
	}
	return f
}

// entryTitle returns the title that the subject had at the time of the entry, or a general description if it was
// erased.
func entryTitle(e *store.Entry) string {
	switch {
	case e.Erased() && e.Kind == "member":
		return "a former member"
	case e.Erased():
		return "something that was removed"
	}
	return e.Title
}

func entryLink(e *store.Entry) page.Inline {
	if e.URL == "" {
		return page.T(entryTitle(e))
	}
	return page.Link(entryTitle(e), e.URL)
}

// Entry returns the page of one journal entry.
func Entry(_ store.Actor, e *store.Entry) page.Page {
	journal := "/orgs/" + e.Org + "/journal"
	kind := "a person"
	switch {
	case e.AgentID != "":
		kind = "an agent"
	case e.MemberID == "":
		kind = "the scheduler"
	}
	if said := e.Said(); said != "" {
		kind += ", " + said
	}
	p := page.Page{
		Title: fmt.Sprintf("Entry %d", e.Seq),
		Kind:  "Entry",
		Trail: page.Line(page.Link("Journal", journal)),
		State: page.Line(entryBy(e), page.T(", "+kind+", "+e.Did+" "), entryLink(e), page.T(" at "),
			page.When(e.At.Time).Dated(), page.T(". The action is "), page.Mono(e.Action), page.T(".")),
		Audience: "those who may see " + entryTitle(e),
	}
	if e.Why != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: page.Line(page.T("Why, in the words of " + e.By())), Text: e.Why})
	}
	p.Blocks = append(p.Blocks, changed(e)...)
	f := page.Facts{{Label: "Hash", Value: page.Line(page.Mono(hex.EncodeToString(e.Hash)))},
		{Label: "Follows", Value: page.Line(page.Mono(hex.EncodeToString(e.Prev)))}}
	if e.As != "" {
		f = append(page.Facts{{Label: "Allowed as", Value: page.Line(page.T(e.Words()))}}, f...)
	}
	if e.Request != "" {
		f = append(f, page.Fact{Label: "Request", Value: page.Line(page.T(e.Request))})
	}
	p.Blocks = append(p.Blocks, f)
	p.Data = func() any { return EntryData(e) }
	return p
}

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

// unfolded indents a JSON text and breaks its strings at their newlines, so that a diff shows only the changed lines.
func unfolded(text string) string { return folds.Replace(indented(text)) }

var folds = strings.NewReplacer(`\\`, `\\`, `\n`, "\n    | ")

// Verification is the result of checking a journal. Err is nil if the journal is intact.
type Verification struct {
	*store.Organization
	Head store.Head
	At   time.Time
	Err  error
}

// Verify returns the page with the result of checking an organization's journal.
func Verify(_ store.Actor, v *Verification) page.Page {
	o := v.Organization
	p := OrganizationPage(o, "Verify", "Is the journal whole?")
	p.Trail = append(p.Trail, page.Link("Journal", o.URL()+"/journal"))
	if v.Err != nil {
		p.State = page.Line(page.Sentence("No. " + v.Err.Error()))
		return p
	}
	p.State = page.Line(page.Pill("Whole", page.Good), page.T(fmt.Sprintf(". All %s follow each other unchanged, as checked ",
		count(int(v.Head.Seq), "entry", "entries"))), page.When(v.At), page.T("."))
	p.Blocks = []page.Block{page.Para(page.Line(
		page.T("Its head, to note down and compare later with samepage journal verify --head:"),
	)), page.Code{Language: "text", Text: v.Head.String()}}
	return p
}
