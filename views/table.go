package views

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"samepage/store/governance"
	"samepage/views/page"
)

// rows returns a section with one range of the rows that the query of the page selects.
func rows(p *page.Page, v *governance.NotePage) page.Section {
	n, t := v.Note, &v.Table
	s := page.Section{ID: "rows", Title: "Rows"}
	table := page.Table{Caption: "Rows", Columns: []page.Column{{Title: "#", Number: true}}}
	for _, c := range n.Columns {
		to, order := sorting(n, t, c)
		table.Columns = append(table.Columns, page.Column{Title: c.Title, Number: c.Type == "number", Date: c.Type == "date",
			Sort: to, Sorted: order})
	}
	for _, r := range t.Rows {
		row := page.Row{Key: strconv.Itoa(r.N), Cells: [][]page.Inline{page.Line(page.T(strconv.Itoa(r.N)))}}
		for _, c := range n.Columns {
			row.Cells = append(row.Cells, page.Line(page.T(r.Cells[c.ID])))
		}
		table.Rows = append(table.Rows, row)
	}
	switch {
	case n.Rows == 0:
		s.Blocks = []page.Block{page.Para(page.Line(page.T("There are no rows yet.")))}
		return s
	case t.Found == 0:
		s.Blocks = []page.Block{page.Para(page.Line(page.Sentence("None of the "+number(n.Rows)+
			" rows is like that. "), page.Link("All rows", n.URL())))}
	default:
		s.Blocks = []page.Block{table}
	}
	if end := t.Start + len(t.Rows); end < t.Found {
		next := t.TableQuery
		next.After = strconv.Itoa(end)
		p.Next = n.URL() + asked(next)
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(number(end)+" of "+
			number(t.Found)+" rows. "), page.Link("More rows", p.Next))))
	} else if (len(t.Where) > 0 || t.Text != "") && t.Found > 0 {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(number(t.Found)+" of "+
			number(n.Rows)+" rows. "), page.Link("All rows", n.URL()))))
	}
	s.Blocks = append(filters(n, t), s.Blocks...)
	hint := "?q=words or ?where=column:op:value in the address shows some of the rows (op: is, not, has, lt, le, gt, ge). " +
		"?sort=column sorts them, ?sort=-column downwards. Columns: "
	list := make([]string, len(n.Columns))
	for i, c := range n.Columns {
		list[i] = c.String()
	}
	s.Blocks = append(s.Blocks, page.Details{ID: "by-address", Title: "Filter by address", Blocks: []page.Block{
		page.Para(page.Line(page.Sentence(hint), page.T(strings.Join(list, "; ")), page.T(".")))}})
	return s
}

// mostChoices is the maximum number of possible values of a column with filters.
const mostChoices = 8

// filters returns a search field, and links for the values of each column with few possible values, for HTML only.
func filters(n *governance.Note, t *governance.TableView) []page.Block {
	f := page.Filters{Find: &page.FilterText{Label: "Search the rows", URL: n.URL(), Text: t.Text}}
	for _, w := range t.Where {
		f.Find.Kept = append(f.Find.Kept, page.Kept{Name: "where", Value: w})
	}
	if t.Sort != "" {
		f.Find.Kept = append(f.Find.Kept, page.Kept{Name: "sort", Value: t.Sort})
	}
	for _, c := range n.Columns {
		values := c.Options
		if c.Type == "flag" {
			values = []string{"yes", "no"}
		}
		if len(values) == 0 || len(values) > mostChoices {
			continue
		}
		is := c.Title + ":is:"
		others := slices.DeleteFunc(slices.Clone(t.Where), func(w string) bool { return strings.HasPrefix(w, is) })
		to := func(where ...string) string {
			return n.URL() + asked(governance.TableQuery{Text: t.Text, Where: append(slices.Clone(others), where...), Sort: t.Sort})
		}
		links := []page.Filter{{Text: c.Title + ": all", URL: to(), Chosen: len(others) == len(t.Where)}}
		for _, v := range values {
			links = append(links, page.Filter{Text: v, URL: to(is + v), Chosen: slices.Contains(t.Where, is+v)})
		}
		f.Groups = append(f.Groups, page.FilterGroup{Extra: true, Links: links})
	}
	return []page.Block{f}
}

// sorting returns the address of the table in the order of a column, or in descending order if the table is in the
// ascending order of this column now. The result order is "ascending" or "descending" if the table is sorted by this
// column now.
func sorting(n *governance.Note, t *governance.TableView, c governance.Column) (to, order string) {
	by := c.Title
	switch title, down := strings.CutPrefix(t.Sort, "-"); {
	case !strings.EqualFold(title, c.Title):
	case down:
		order = "descending"
	default:
		by, order = "-"+c.Title, "ascending"
	}
	return n.URL() + asked(governance.TableQuery{Text: t.Text, Where: t.Where, Sort: by}), order
}

// asked returns the query string that selects the rows. It begins with a question mark, or is empty.
func asked(by governance.TableQuery) string {
	q := url.Values{}
	if len(by.Where) > 0 {
		q["where"] = by.Where
	}
	for name, value := range map[string]string{"q": by.Text, "sort": by.Sort, "after": by.After} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}
