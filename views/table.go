package views

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"samepage/store/governance"
	"samepage/views/page"
)

// rows returns a section with the rows of a table that the query in the page's URL selects, and links to other rows.
func rows(p *page.Page, v *governance.NotePage) page.Section {
	n, t := v.Note, &v.Table
	s := page.Section{ID: "rows", Title: "Rows"}
	table := page.Table{Caption: "Rows", Columns: []page.Column{{Title: "#", Number: true}}}
	for _, c := range n.Columns {
		to, order := sorting(n, t, c)
		table.Columns = append(table.Columns, page.Column{Title: c.Title, Number: c.Type == "number", Sort: to, Sorted: order})
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
		p.Next = n.URL() + asked(t.Where, t.Sort, end)
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(number(end)+" of "+
			number(t.Found)+" rows. "), page.Link("More rows", p.Next))))
	} else if len(t.Where) > 0 && t.Found > 0 {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(number(t.Found)+" of "+
			number(n.Rows)+" rows. "), page.Link("All rows", n.URL()))))
	}
	s.Blocks = append(filters(n, t), s.Blocks...)
	hint := "?where=column:op:value in the address shows some of the rows; op is one of is, not, " +
		"has, lt, le, gt, ge. ?sort=column sorts them, ?sort=-column the largest first. Columns: "
	list := make([]string, len(n.Columns))
	for i, c := range n.Columns {
		list[i] = c.String()
	}
	s.Blocks = append(s.Blocks, page.Details{ID: "by-address", Title: "Filter by address", Blocks: []page.Block{
		page.Para(page.Line(page.Sentence(hint), page.T(strings.Join(list, "; ")), page.T(".")))}})
	return s
}

// mostChoices is the maximum number of a column's values for which people have a filter each.
const mostChoices = 8

// filters returns a group of links for each column with few possible values. Each link leads to the rows with one
// value. Only HTML has the links, because agents know the values from the columns.
func filters(n *governance.Note, t *governance.TableView) []page.Block {
	var groups []page.FilterGroup
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
		links := []page.Filter{{Text: c.Title + ": all", URL: n.URL() + asked(others, t.Sort, 0), Chosen: len(others) == len(t.Where)}}
		for _, v := range values {
			links = append(links, page.Filter{Text: v, URL: n.URL() + asked(append(slices.Clone(others), is+v), t.Sort, 0),
				Chosen: slices.Contains(t.Where, is+v)})
		}
		groups = append(groups, page.FilterGroup{Extra: true, Links: links})
	}
	if groups == nil {
		return nil
	}
	return []page.Block{page.Filters{Groups: groups}}
}

// sorting returns the address of the table in the order of a column, and "ascending" or "descending" if the table is
// in this order now. If the order is ascending, the address is that of the descending order.
func sorting(n *governance.Note, t *governance.TableView, c governance.Column) (to, order string) {
	by := c.Title
	switch title, down := strings.CutPrefix(t.Sort, "-"); {
	case !strings.EqualFold(title, c.Title):
	case down:
		order = "descending"
	default:
		by, order = "-"+c.Title, "ascending"
	}
	return n.URL() + asked(t.Where, by, 0), order
}

// asked returns the query string for the rows that meet the conditions, in the given order. The argument after is the
// number of rows to skip. The string begins with a question mark, or is empty.
func asked(where []string, sort string, after int) string {
	q := url.Values{}
	if len(where) > 0 {
		q["where"] = where
	}
	if sort != "" {
		q.Set("sort", sort)
	}
	if after > 0 {
		q.Set("after", strconv.Itoa(after))
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}
