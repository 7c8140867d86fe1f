package work

import (
	"cmp"
	"fmt"

	"samepage/store"
	"samepage/store/work"
	"samepage/views/page"
)

// Reviews returns the page that lists a studio's reviews.
func Reviews(by store.Actor, v *work.Reviews) page.Page {
	s := v.Studio
	p := studioPage(s, "Reviews", "Reviews")
	p.Blocks = []page.Block{reviewTable(by, s, v.List, s.Name+" has no review. One is requested on the page of a session.")}
	if v.More {
		p.Blocks = append(p.Blocks,
			page.Para(page.Line(page.Sentence(fmt.Sprintf("These are those that wait, and the newest, %d in all.",
				len(v.List))))))
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Sessions", s.URL()+"/sessions"))))
	return p
}

// reviewTable returns a table of reviews or, if there are none, the given sentence.
func reviewTable(by store.Actor, h *store.Studio, list []work.Review, none string) page.Block {
	if len(list) == 0 {
		return page.Empty(page.Line(page.T(none)))
	}
	t := page.Table{Caption: "Reviews", Lines: true, Columns: page.Columns("Review", "Reviewer", "State", "Requested")}
	for i := range list {
		v := &list[i]
		t.Rows = append(t.Rows, page.Row{Key: v.ID, Cells: [][]page.Inline{page.Line(page.Link(v.Name(), v.URL())),
			page.Line(page.Sentence(reviewerName(v))), reviewPill(by, h, v), page.Line(page.When(v.RequestedAt.Time))}})
	}
	return t
}

func reviewerName(v *work.Review) string {
	return cmp.Or(v.Reviewer, "people")
}

// reviewPill returns the state of a review, and "(stale)" if the reviewed commit is not the worktree's last. A review
// that waits for people is yellow for the people in the studio.
func reviewPill(by store.Actor, h *store.Studio, v *work.Review) []page.Inline {
	var line []page.Inline
	switch v.State() {
	case work.ReviewRequested:
		tone := page.Soon
		if v.Reviewer == "" && v.Commit != "" {
			if tone = page.Live; !by.IsAgent() && h.MustBeJoined() == nil {
				tone = page.Late
			}
		}
		line = page.Line(page.Pill("Requested", tone))
	case work.ReviewRunning:
		line = page.Line(page.Pill("Running", page.Live))
	case work.ReviewApproved:
		line = page.Line(page.Pill("Approved", page.Good))
	case work.ReviewChanges:
		line = page.Line(page.Pill("Changes requested", page.Bad))
	case work.ReviewExpired:
		line = page.Line(page.Pill("Expired", page.Bad))
	default:
		line = page.Line(page.Pill("Cancelled", page.Calm))
	}
	if v.Stale() {
		line = append(line, page.T(" (stale)"))
	}
	return line
}

// Review returns the page of a review.
func Review(by store.Actor, r *work.ReviewPage) page.Page {
	v, h := r.Review, r.Review.Studio
	p := studioPage(h, "Review", v.Name(), page.Link("Reviews", h.URL()+"/reviews"))
	p.State, p.Data = reviewState(by, v), func() any { return reviewData(r) }
	tree := h.URL() + "/worktrees/" + v.Worktree
	facts := page.Facts{{Label: "Session", Value: page.Line(page.Link(v.Title, v.SessionURL()),
		page.Sentence(", "+store.Byline(v.Owner, v.Agent)))},
		{Label: "Worktree", Value: page.Line(page.Link(v.Worktree, tree), page.T(", "), page.Link("difference",
			tree+"/diff"))}}
	if v.Commit != "" {
		facts = append(facts, page.Fact{Label: "Commit", Value: page.Line(page.Mono(work.Short(v.Commit)))})
	}
	reviewer := page.Line(page.T("people of " + h.Name))
	switch {
	case v.ReviewerID != "":
		reviewer = page.Line(page.Link(v.Reviewer, h.URL()+"/sessions/"+v.ReviewerID))
	case v.Reviewer != "":
		reviewer = page.Line(page.Sentence(v.Reviewer))
	}
	facts = append(facts, page.Fact{Label: "Reviewer", Value: reviewer},
		page.Fact{Label: "Round", Value: page.Line(page.Sentence(fmt.Sprintf("%d of %d", v.Round, max(v.Round,
			v.Rounds))))})
	if v.Open() {
		facts = append(facts, page.Fact{Label: "Expires", Value: page.Line(page.When(v.Deadline()))})
	}
	p.Blocks = []page.Block{page.Rail{facts}}
	asked := page.Line(page.Who(store.Byline(v.Author, v.AuthorAgent), ""), page.T(", "), page.When(v.RequestedAt.Time))
	if v.Text != "" {
		p.Blocks = append(p.Blocks, page.Prose{Lead: asked, Text: v.Text})
	}
	if v.Answer != "" {
		p.Blocks = append(p.Blocks, page.Section{ID: "verdict", Title: "The answer", Blocks: []page.Block{page.Prose{
			Lead: page.Line(page.Who(store.Byline(v.Ender, v.EnderAgent), ""), page.T(", "),
				page.When(v.EndedAt.Time)), Text: v.Answer}}})
	}
	p.Blocks = append(p.Blocks, page.Section{ID: "comments", Title: "Comments on lines", Blocks: lineComments(r)},
		page.Slot{ID: "answer", Calls: v.Open()})
	return p
}

func lineComments(r *work.ReviewPage) []page.Block {
	if len(r.List) == 0 {
		return []page.Block{page.Empty(page.Line(page.T("Nobody has commented on a line.")))}
	}
	var blocks []page.Block
	for i := range r.List {
		blocks = append(blocks, lineComment(&r.List[i]))
	}
	return blocks
}

func lineComment(c *work.Comment) page.Prose {
	return page.Prose{ID: fmt.Sprintf("c%d", c.N), Text: c.Text,
		Lead: page.Line(page.Mono(c.Place()), page.T(", "), page.Who(c.Byline(), ""), page.T(", "), page.When(c.At.Time))}
}

func reviewState(by store.Actor, v *work.Review) []page.Inline {
	line := reviewPill(by, v.Studio, v)
	say := func(text string) { line = append(line, page.Sentence(text)) }
	who := func() {
		line = append(line, page.T(" by "), page.Who(store.Byline(v.Ender, v.EnderAgent), ""), page.T(", "),
			page.When(v.EndedAt.Time),
			page.T("."))
	}
	switch state := v.State(); {
	case state == work.ReviewRequested && v.Commit == "":
		say(". It begins when " + v.Agent + " has ended its turn.")
	case state == work.ReviewRequested && v.Reviewer == "":
		say(". It waits for people of " + v.Studio.Name + ".")
	case state == work.ReviewRequested:
		say(". It waits for the runner to start " + v.Reviewer + ".")
	case state == work.ReviewRunning && v.Rests:
		say(". " + v.Reviewer + " has ended its turn without an answer. Prompt it again, or answer.")
	case state == work.ReviewRunning:
		say(". " + v.Reviewer + " looks at it.")
	case state == work.ReviewExpired:
		say(". Nobody answered within a day.")
	case state == work.ReviewCancelled && v.Ender == "":
		say(".")
	case state == work.ReviewChanges:
		say(": " + v.Requested() + ",")
		who()
		if !v.Delivered {
			say(" The session is archived, so its agent did not get the answer.")
		}
	default:
		who()
	}
	if v.State() == work.ReviewApproved && !v.Stale() {
		line = append(line, page.T(" A pull request with this commit may be merged. The page of the worktree "),
			page.Link(v.Worktree, v.Studio.URL()+"/worktrees/"+v.Worktree), page.T(" opens one, or leads to it."))
	}
	if v.Stale() {
		say(" The worktree has other commits by now.")
	}
	return line
}

func reviewData(r *work.ReviewPage) any {
	v := r.Review
	return struct {
		State    string         `json:"state"`
		Session  string         `json:"session"`
		Round    int            `json:"round"`
		Commit   string         `json:"commit,omitempty"`
		Stale    bool           `json:"stale"`
		Reviewer string         `json:"reviewer"`
		Feedback string         `json:"feedback,omitempty"`
		Priority string         `json:"priority,omitempty"`
		Answer   string         `json:"answer,omitempty"`
		Comments []work.Comment `json:"comments"`
	}{v.State(), v.Title, v.Round, v.Commit, v.Stale(), reviewerName(v), v.Feedback, v.Priority, v.Answer, r.List}
}
