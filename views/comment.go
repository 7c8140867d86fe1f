package views

import (
	"fmt"
	"strconv"

	"samepage/store"
	"samepage/views/page"
)

// comments shows the newest comments on an item, oldest first. Above them is a link to the older
// comments.
func comments(i *store.Item, d store.Discussion) page.Section {
	url, total, newest := i.URL(), i.Comments, d.Newest
	s := page.Section{ID: "comments", Title: "Comments"}
	if total == 0 {
		s.Blocks = []page.Block{page.Para(page.Line(page.T("Nobody has commented yet.")))}
		return s
	}
	if older := total - len(newest); older > 0 {
		s.Blocks = append(s.Blocks,
			page.Para(page.Line(page.Link(number(older)+" older comments", olderURL(url, newest)))))
	}
	s.Blocks = append(s.Blocks, commentBlocks(newest)...)
	return s
}

func olderURL(url string, newest []store.Comment) string {
	u := url + "/comments"
	if len(newest) > 0 {
		u += "?before=" + strconv.Itoa(newest[0].Seq)
	}
	return u
}

func commentBlocks(list []store.Comment) []page.Block {
	blocks, leads := make([]page.Block, 0, len(list)), make([]page.Inline, 0, 3*len(list))
	for i := range list {
		c := &list[i]
		n := strconv.Itoa(c.Seq)
		at := len(leads)
		leads = append(leads, page.T(store.Byline(c.Member, c.Agent.Label)+", "),
			page.When(c.At.Time), page.T(", comment "+n))
		lead := leads[at:len(leads):len(leads)]
		if !c.RemovedAt.IsZero() {
			blocks = append(blocks, page.Para(append(lead,
				page.T(". "+removalWords[c.Removal()]+" by @"+c.RemovedBy+", "),
				page.When(c.RemovedAt.Time), page.T("."))))
			continue
		}
		blocks = append(blocks, page.Prose{ID: "c" + n, Lead: lead, By: hand(c.Agent), Text: c.Text})
	}
	return blocks
}

// Comments returns a page with some of an item's comments, and a link to older ones.
func Comments(_ store.Actor, v *store.CommentsPage) page.Page {
	i := v.Item
	p := ItemPage(i, "Comments", "Comments")
	p.Trail = append(p.Trail, page.Link(i.Title, i.URL()))
	p.State = page.Line(page.Sentence(fmt.Sprintf("%s comments in all.", number(i.Comments))))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("No comments here.")))}
		return p
	}
	if v.List[0].Seq > 1 {
		p.Next = olderURL(i.URL(), v.List)
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Older comments", p.Next))))
	}
	p.Blocks = append(p.Blocks, commentBlocks(v.List)...)
	return p
}

// Discussion shows the contributions around an item: its files, the pages that link to it, its
// links with a preview, and its comments.
func Discussion(i *store.Item, d store.Discussion) []page.Block {
	var blocks []page.Block
	if len(d.Files) > 0 {
		blocks = append(blocks, fileTable(d.Files))
	}
	if len(d.Linking) > 0 {
		var list page.List
		for k := range d.Linking {
			l := &d.Linking[k]
			list = append(list, page.Line(page.Link(l.Title, l.URL()), page.T(", "+l.Author())))
		}
		blocks = append(blocks, page.Section{ID: "linked", Title: "Linked from", Blocks: []page.Block{list}})
	}
	if len(i.PreviewLinks) > 0 {
		blocks = append(blocks, previewLinks(i))
	}
	return append(blocks, comments(i, d))
}
