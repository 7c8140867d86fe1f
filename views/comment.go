package views

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

func comments(by store.Actor, i *store.Item, d store.Discussion) (s page.Section) {
	defer func() {
		if store.Paused(by, i.AgentRun) && !i.Removed() && i.Studio.State() != "archived" {
			one, many := i.Texts()
			s.Blocks = append(s.Blocks, PausedAgents(i.AgentRun, one, many))
		}
	}()
	url, total, newest := i.URL(), i.Comments, d.Newest
	s = page.Section{ID: "comments", Title: "Comments"}
	if total == 0 {
		s.Blocks = []page.Block{page.Para(page.Line(page.T("Nobody has commented yet.")))}
		return s
	}
	switch older := total - len(newest) - d.Placed; {
	case older > 0:
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Link(number(older)+" older comments", olderURL(url, older+1)))))
	case len(newest) == 0:
		s.Blocks = []page.Block{page.Para(page.Line(page.T("They stand under what they answer.")))}
	}
	s.Blocks = append(s.Blocks, commentBlocks(i.Studio, newest)...)
	return s
}

// PausedAgents returns a notice that agents may not write here until a person writes. The argument run is the number of
// agents' texts in a row. The arguments one and many are the singular and plural of the noun for the texts, such as
// "comment here".
func PausedAgents(run int, one, many string) page.Block {
	said := "agents wrote the last " + number(run) + " " + many + " in a row"
	if run == 1 {
		said = "an agent wrote the last " + one
	}
	return page.Para(page.Line(page.Sentence("Agents pause here: what they would say is skipped, because " + said +
		". A word of a person lets them go on.")))
}

func olderURL(url string, before int) string { return url + "/comments?before=" + strconv.Itoa(before) }

func commentBlocks(studio *store.Studio, list []store.Comment) []page.Block {
	blocks, leads := make([]page.Block, 0, len(list)), make([]page.Inline, 0, 4*len(list))
	for i := range list {
		c := &list[i]
		n := strconv.Itoa(c.Seq)
		at := len(leads)
		leads = append(leads, page.Who(store.Byline(c.Member, c.Agent.Label), memberURL(studio, c.Member)), page.T(", "),
			page.When(c.At.Time), page.T(", comment "+n))
		lead := leads[at:len(leads):len(leads)]
		if !c.RemovedAt.IsZero() {
			blocks = append(blocks, page.Para(append(lead,
				page.T(". "+removalWords[c.Removal()]+" by @"+c.RemovedBy+", "),
				page.When(c.RemovedAt.Time), page.T("."))))
			continue
		}
		blocks = append(blocks, page.Prose{ID: "c" + n, Lead: lead, Text: c.Text,
			Ref: page.Ref{List: "comments", Value: n}, Reply: page.Reply{Slot: "comments", To: "@" + c.Member}})
	}
	return blocks
}

// Replies returns comments on several items as blocks.
func Replies(studio *store.Studio, list []store.Reply) []page.Block {
	blocks := make([]page.Block, len(list))
	for i := range list {
		c := &list[i]
		blocks[i] = page.Prose{ID: "m-" + c.On + "-c" + strconv.Itoa(c.Seq), Lead: page.Line(
			Author(studio, c.Member, c.Agent), page.T(", "), page.When(c.At.Time)), Text: c.Text}
	}
	return blocks
}

// Answers splits the comments on an item into the answers to a text on its page, and the rest. The arguments to and at
// are the handle of the text's author and the time of the text. An answer is a later comment, not removed, that begins
// with the author's handle after an @, or one by the author that begins with the handle of an earlier answer's author.
func Answers(studio *store.Studio, list []store.Comment, to string, at store.Time) (answers []page.Block, rest []store.Comment) {
	talking := []string{to}
	var picked []store.Comment
	for _, c := range list {
		name := ""
		if m := openingName.FindStringSubmatch(c.Text); m != nil {
			name = strings.ToLower(m[1])
		}
		if c.At.Before(at.Time) || !c.RemovedAt.IsZero() || name != to && (c.Member != to || !slices.Contains(talking[1:], name)) {
			rest = append(rest, c)
			continue
		}
		talking, picked = append(talking, c.Member), append(picked, c)
	}
	return commentBlocks(studio, picked), rest
}

// openingName matches a handle at the start of a text.
var openingName = regexp.MustCompile(`^@([A-Za-z0-9-]+)`)

// Comments returns a page with one range of an item's comments.
func Comments(_ store.Actor, v *store.CommentsPage) page.Page {
	i := v.Item
	p := ItemPage(i, "Comments", "Comments")
	p.Trail = append(p.Trail, page.Link(i.Title, i.URL()))
	p.State = page.Line(page.Sentence(count(i.Comments, "comment in all.", "comments in all.")))
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Para(page.Line(page.T("No comments here.")))}
		return p
	}
	if v.List[0].Seq > 1 {
		p.Continue("Older comments", olderURL(i.URL(), v.List[0].Seq))
	}
	p.Blocks = append(p.Blocks, commentBlocks(i.Studio, v.List)...)
	return p
}

// Discussion returns the blocks around an item: its files, the given facts, the pages that link to it, its preview
// links (see [store.PreviewLink]) and comments.
func Discussion(by store.Actor, i *store.Item, d store.Discussion, facts ...page.Block) []page.Block {
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
		facts = append(facts, page.Section{ID: "linked", Title: "Linked from", Blocks: []page.Block{list}})
	}
	if len(i.PreviewLinks) > 0 {
		facts = append(facts, previewLinks(i))
	}
	return append(blocks, page.Rail(facts), comments(by, i, d))
}
