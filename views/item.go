package views

import (
	"fmt"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// ItemPage returns the page of an item, or a page below it, without blocks.
func ItemPage(i *store.Item, kind, title string) page.Page {
	seen := audience(i.Studio)
	if i.Draft() {
		seen = i.DraftReaders()
	}
	return page.Page{
		Title:    title,
		Kind:     kind,
		Trail:    itemTrail(i),
		Audience: seen,
		Zone:     zone(i.Studio),
		Public:   i.Studio.Visibility == "public" && !i.Draft(),
	}
}

// DraftState returns the state of a draft and its readers.
func DraftState(i *store.Item) []page.Inline {
	line := page.Line(page.Pill("Draft", page.Calm), page.Sentence(". Only "+i.DraftReaders()+" can see it."))
	if i.Studio.State() == "archived" {
		line = append(line, page.Sentence(" "+i.Studio.Name+" is archived, so the draft can be discarded, and not published."))
	}
	return line
}

// itemTrail returns links to the item's studio or, for a numbered kind such as policies, to its organization and the
// list of the kind.
func itemTrail(i *store.Item) []page.Inline {
	n := nounOf(i.Kind)
	if n.Kind == nil || n.Kind.Numbered == "" {
		return page.Line(page.Link(i.Studio.Name, i.Studio.URL()))
	}
	return page.Line(page.Link(i.Studio.OrgName, "/orgs/"+i.Studio.Org),
		page.Link(n.Many, store.NumberedURL(i.Studio.Org, n.Kind)))
}

func itemLead(i *store.Item) []page.Inline {
	return page.Line(page.T("By "), page.Who(i.Author(), memberURL(i.Studio, i.Member)), page.T(", "), page.When(i.CreatedAt.Time))
}

// memberURL returns the path of a member's page, or "" if the handle is empty or the organization is not loaded.
func memberURL(s *store.Studio, handle string) string {
	if s == nil || s.Org == "" || handle == "" {
		return ""
	}
	return store.MemberURL(s.Org, handle)
}

// Byline returns a line with the author and the time of an item.
func Byline(i *store.Item) page.Block { return page.Under(itemLead(i)) }

// ItemBody returns an item's own text under its byline, or the byline alone if there is no text.
func ItemBody(i *store.Item) page.Block {
	if i.Body == "" {
		return Byline(i)
	}
	return page.Prose{Lead: itemLead(i), Text: i.Body, Boxes: true}
}

// VersionBody returns an item's own text like [ItemBody]. If the text was changed, a line above it names the author, and
// the author of the latest version if that is another. The version is nil if the text never changed.
func VersionBody(i *store.Item, latest *governance.Version) []page.Block {
	if latest == nil || i.Body == "" {
		return []page.Block{ItemBody(i)}
	}
	line := itemLead(i)
	if latest.Author() != i.Author() {
		line = append(line, page.T(", changed by "), Author(i.Studio, latest.Member, latest.Agent))
	}
	return []page.Block{page.Under(line), page.Prose{Text: i.Body, Boxes: true}}
}

// Removed returns the page of a removed item: a notice of the removal, and the discussion.
func Removed(by store.Actor, i *store.Item, d store.Discussion) page.Page {
	p := ItemPage(i, kindTitle(i.Kind), i.Title)
	p.State = Tombstone(i)
	p.Data = func() any {
		return &removedPublic{Kind: i.Kind, State: i.Removal(), Removed: i.RemovedAt, By: i.RemovedBy}
	}
	p.Blocks = append([]page.Block{Byline(i)}, Discussion(by, i, d)...)
	return p
}

type removedPublic struct {
	Kind    string     `json:"kind"`
	State   string     `json:"state"`
	Removed store.Time `json:"removed"`
	By      string     `json:"by"`
}

var removalWords = map[string]string{store.Deleted: "Deleted", store.Redacted: "Removed"}

// Tombstone returns the sentences in place of the text of a removed item.
func Tombstone(i *store.Item) []page.Inline {
	return page.Line(page.T(removalWords[i.Removal()]+" by @"+i.RemovedBy+", "),
		page.When(i.RemovedAt.Time), page.T(". What it said is gone, here and in the journal."))
}

// Money formats an amount, given in millionths of a currency, such as "1.50 USD".
func Money(amount int64, currency string) string {
	return fmt.Sprintf("%.2f %s", float64(amount)/1e6, currency)
}

// StudioPage returns a page below that of a studio, without blocks.
func StudioPage(s *store.Studio, kind, title string) page.Page {
	return page.Page{Title: title, Kind: kind, Trail: page.Line(page.Link(s.Name, s.URL())), Audience: audience(s), Zone: zone(s),
		Public: s.Visibility == "public"}
}

// below returns a page below that of an item, without blocks.
func below(i *store.Item, kind, title string) page.Page {
	p := StudioPage(i.Studio, kind, title)
	p.Trail = append(p.Trail, page.Link(i.Title, i.URL()))
	return p
}

// Templates returns the page that lists a studio's templates.
func Templates(_ store.Actor, v *store.TemplatesPage) page.Page {
	s := v.Studio
	p := StudioPage(s, "Templates", "Templates")
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T(
			"No templates yet. Open a page that is worth starting from and offer it as a template.",
		)))}
		return p
	}
	p.State = page.Line(page.T("Open one and duplicate it as a draft of yours."))
	p.Blocks = []page.Block{itemTable("Templates", v.List)}
	return p
}
