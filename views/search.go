package views

import (
	"net/url"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// SearchURL returns the address of the results for a search text.
func SearchURL(text string) string { return "/search?q=" + url.QueryEscape(text) }

// Search returns the page of search results, or help on searching if there are none.
func Search(by store.Actor, v *store.SearchPage) page.Page {
	p := page.Page{Title: "Search", Kind: "Search", Audience: "you alone"}
	if !v.Query.Empty() {
		p.Title = "Search: " + v.Text
	}
	switch {
	case !v.State.Built:
		p.State = page.Line(page.Sentence("This copy of Samepage was built without full-text search, so " +
			"nothing can be found. Whoever runs it builds it with -tags sqlite_fts5."))
	case v.Query.Empty():
		p.State = page.Line(page.T(
			"Write what you look for into the search field, or behind /search?q= in the address.",
		))
	default:
		p.State = page.Line(page.Sentence(found(v)))
	}
	if v.State.Built && !v.State.Complete {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T(
			"The index is still being built, the newest pages first: older ones may be missing.",
		))))
	}
	for _, problem := range v.Query.Problems {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(problem))))
	}
	if v.State.Built {
		p.Blocks = append(p.Blocks, filterLinks(v)...)
	}
	t := page.Table{Caption: "Results", Lines: true, Columns: []page.Column{{Title: "Page"}, {Title: "Found", Whole: true},
		{Title: "Kind"}, {Title: "Written"}}}
	data := searchData{Query: v.Text, Problems: v.Query.Problems, Results: []resultData{}}
	found := store.FoundWords(v.Query.Words)
	for i := range v.Results {
		r := &v.Results[i]
		words := snippet(r.Text, found)
		t.Rows = append(t.Rows, resultRow(r, words))
		data.Results = append(data.Results, resultData{r.URL(), r.Title, r.Kind, r.Studio,
			resultAuthor(r), store.At(r.At()), plainText(words)})
	}
	p.Data = func() any { return &data }
	if len(t.Rows) > 0 {
		p.Blocks = append(p.Blocks, t)
	}
	if v.Next != "" {
		more := "More results"
		if v.Partial {
			more = "Look further"
		}
		p.Continue(more, SearchURL(v.Text)+"&after="+url.QueryEscape(v.Next))
	}
	if v.State.Built && len(v.Results) == 0 {
		p.Blocks = append(p.Blocks, searchHelp(by, v)...)
	}
	return p
}

var sortWords = map[string]string{"new": "newest first", "old": "oldest first", "relevance": "best first"}

// found returns a sentence with the number of results, as far as it is known without counting all of them.
func found(v *store.SearchPage) string {
	order := sortWords[v.Query.Sort]
	n := count(len(v.Results), "result", "results")
	switch {
	case v.Partial && len(v.Results) == 0:
		return "Nothing found so far. There is more to look through."
	case v.Partial:
		return n + " so far, " + order + ". There is more to look through."
	case len(v.Results) == 0:
		return "Nothing found."
	case v.Next != "":
		return n + " here, " + order + ". There are more."
	}
	return n + ", " + order + "."
}

type searchData struct {
	Query    string       `json:"query"`
	Problems []string     `json:"problems,omitempty"`
	Results  []resultData `json:"results"`
}

type resultData struct {
	URL     string     `json:"url"`
	Title   string     `json:"title"`
	Kind    string     `json:"kind"`
	Studio  string     `json:"studio,omitempty"`
	By      string     `json:"by,omitempty"`
	At      store.Time `json:"at"`
	Snippet string     `json:"snippet,omitempty"`
}

func resultAuthor(r *store.SearchResult) string {
	if r.Kind == "member" {
		return ""
	}
	return store.Byline(r.Member, r.Agent.Label)
}

func resultRow(r *store.SearchResult, words []page.Inline) page.Row {
	kind := page.Line(page.T(r.Kind))
	switch {
	case r.Kind == "member":
		kind = page.Line(page.T("member @" + r.Member))
	case r.Kind == "studio":
	case r.Kind == "role" || r.Seq > 0:
		kind = page.Line(page.T(r.Kind + " in " + r.InStudio))
	default:
		kind = page.Line(page.T(strings.ToLower(kindTitle(r.Kind)) + " in " + r.InStudio))
	}
	if r.IsItem() && !posted(&r.Item) {
		kind = append(append(kind, page.T(", ")), itemState(&r.Item)...)
	}
	written := page.Line(page.When(r.At()))
	if author := resultAuthor(r); author != "" {
		written = page.Line(page.Who(author, ""), page.T(", "), page.When(r.At()))
	}
	if len(words) == 0 {
		words = page.Line(page.T("–"))
	}
	row := page.Row{Cells: [][]page.Inline{page.Line(page.Link(r.Title, r.URL())), words, kind, written}}
	switch icon := resultIcons[r.Kind]; {
	case r.IsItem():
		row.Ring = ring(&r.Item)
	case r.Seq > 0:
		row.Ring = &page.Ring{Icon: "channel"}
	case icon != "":
		row.Ring = &page.Ring{Icon: icon}
	}
	return row
}

// resultIcons has the icons of results that are neither items nor comments.
var resultIcons = map[string]string{"studio": "studio", "role": "star", "member": "eye"}

// searchHelp returns examples of the query language for an empty query, and otherwise suggestions for other searches.
func searchHelp(by store.Actor, v *store.SearchPage) []page.Block {
	example := func(text string) []page.Inline { return page.Line(page.Link(text, SearchURL(text))) }
	row := func(finds string, text ...string) page.Row {
		var cell []page.Inline
		for i, t := range text {
			if i > 0 {
				cell = append(cell, page.T(" "))
			}
			cell = append(cell, example(t)...)
		}
		return page.Row{Cells: [][]page.Inline{cell, page.Line(page.T(finds))}}
	}
	studio, handle := "team", "me"
	if v.Studio != "" {
		studio = v.Studio
	}
	if by.Member != nil {
		handle = "@" + by.Member.Handle
	}
	t := page.Table{
		Caption: "How to search",
		Columns: page.Columns("Write", "It finds"),
		Rows: []page.Row{
			row("what has the word, or another form of it in English or German, as budgets for budget; of several words, "+
				"all in any order. Case and accents do not matter", studio),
			row("exactly these words, one after the other", `"next `+studio+`"`),
			row("not what has the word; a minus also turns a filter around", studio+" -next"),
			row("what is of a kind: "+strings.Join(store.SearchTypes(), ", "), "type:decision", "-type:comment"),
			row("what is in a studio", "studio:"+studio),
			row("what somebody wrote, or their agents; what agents wrote; what people wrote",
				"by:"+handle, "by:agent", "by:people"),
			row("pages that are "+strings.Join(store.SearchStates[:5], ", ")+"; what you wrote",
				"is:open", "is:pinned", "is:mine"),
			row("words in titles, in texts, or in comments", studio+" in:title", studio+" in:text",
				studio+" in:comments"),
			row("what was made in the last three days; before a day", "after:3d", "before:2030-01-01"),
			row("the oldest first; first what has the words in its title, among the newest 2,000",
				studio+" sort:old", studio+" sort:relevance"),
		},
	}
	if !v.Query.Empty() {
		return []page.Block{page.Section{ID: "help", Title: "What to try", Blocks: []page.Block{page.List{
			page.Line(page.T("Fewer words: a page must have all of them.")),
			page.Line(page.T("Another word: the beginning of one does not find it, only its forms in English and German.")),
			page.Line(page.T("Fewer filters. "), page.Link("All filters there are", "/search")),
		}}}}
	}
	return []page.Block{page.Section{ID: "help", Title: "How to search", Blocks: []page.Block{t}}}
}
