package work

import (
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/views/page"
)

// published returns a fact on the copy of a pull request on its forge, such as GitHub, or nil if there is no copy and
// no job to make one.
func published(q *work.Pull) []page.Fact {
	site := q.Site()
	if q.Published.N == 0 {
		site = q.Forge()
	}
	if site == "" || q.Published.N == 0 && q.PublishJob == nil {
		return nil
	}
	var line []page.Inline
	say := func(text string) { line = append(line, page.Sentence(text)) }
	if q.Published.N > 0 {
		line = page.Line(page.Link(fmt.Sprintf("#%d", q.Published.N), q.Published.URL), page.T(", "+q.Published.State))
		if q.Published.Head != q.Head() && q.Outcome == "" {
			say(", with the commit " + work.Short(q.Published.Head))
		}
		switch q.Checks {
		case work.ForgePassed:
			say("; its checks passed")
		case work.ForgeFailed:
			say("; checks failed: " + names(q.Names.List()))
		case work.ForgeWaiting:
			say("; checks have not ended: " + names(q.Names.List()))
		}
		line = append(line, page.T("; seen "), page.When(q.Published.At.Time))
	}
	if j := q.PublishJob; j != nil && j.State() != work.JobDone {
		if len(line) > 0 {
			say(". ")
		}
		if j.Open() {
			say("The runner " + q.RunnerNoted() + " is to publish it.")
		} else {
			say("The last attempt to publish it " + jobState(j) + "." + remedy(q.Studio, j.Else()))
		}
	}
	return []page.Fact{{Label: "At " + site, Value: line}}
}

// names returns the names of up to five checks, and the number of further names. A runner reports at most
// [wire.MaxNames] names, so with that many names the number is only a minimum.
func names(list []string) string {
	text := strings.Join(list[:min(5, len(list))], ", ")
	if len(list) == wire.MaxNames {
		return text + fmt.Sprintf(" and at least %d more", len(list)-5)
	}
	return text + more(len(list)-5)
}

// endedThere returns words on the end of a pull request on its forge.
func endedThere(q *work.Pull) []page.Inline {
	text := " at " + q.Site()
	if q.Published.By != "" {
		text += " by " + q.Published.By
	}
	return page.Line(page.Sentence(text+", "), page.When(q.EndedAt.Time), page.T("."))
}

// issues returns a section with a repository's newest issues that members asked for, or nil.
func issues(v *work.RepoPage) []page.Block {
	if len(v.Issues) == 0 {
		return nil
	}
	t := page.Table{Caption: "Issues", Lines: true, Columns: page.Columns("Issue", "By", "Asked for")}
	for i := range v.Issues {
		one := &v.Issues[i]
		title := page.Line(page.Sentence(one.Title), page.T(", not made yet"))
		if one.N > 0 {
			title = page.Line(page.Link(fmt.Sprintf("#%d %s", one.N, one.Title), one.URL))
		}
		t.Rows = append(t.Rows, page.Row{Key: one.ID, Cells: [][]page.Inline{title,
			page.Line(page.Who(store.Byline(one.Author, one.Agent), "")), page.Line(page.When(one.CreatedAt.Time))}})
	}
	s := page.Section{ID: "issues", Title: "Issues asked for here", Blocks: []page.Block{t}}
	if j := v.IssueJob; j != nil && j.State() != work.JobDone {
		line := page.Line(page.Sentence("The runner " + v.RunnerNoted() + " is to make them."))
		if !j.Open() {
			line = page.Line(page.Sentence("The last attempt to make them " + jobState(j) + "." + remedy(v.Studio, j.Else())))
		}
		s.Blocks = append([]page.Block{page.Para(line)}, s.Blocks...)
	}
	return []page.Block{s}
}

type issuePublic struct {
	Title string `json:"title"`
	N     int    `json:"n,omitempty"`
	URL   string `json:"url,omitempty"`
}

func publicIssues(list []work.Issue) (public []issuePublic) {
	for i := range list {
		public = append(public, issuePublic{list[i].Title, list[i].N, list[i].URL})
	}
	return public
}
