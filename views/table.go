package views

import (
	"net/url"
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
		table.Columns = append(table.Columns, page.Column{Title: c.Title, Number: c.Type == "number"})
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
		p.Next = n.URL() + "?" + asked(t, end)
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(number(end)+" of "+
			number(t.Found)+" rows. "), page.Link("More rows", p.Next))))
	} else if len(t.Where) > 0 && t.Found > 0 {
		s.Blocks = append(s.Blocks, page.Para(page.Line(page.Sentence(number(t.Found)+" of "+
			number(n.Rows)+" rows. "), page.Link("All rows", n.URL()))))
	}
	hint := "To see some of the rows, add ?where=column:op:value to the address; op is one of is, not, " +
		"has, lt, le, gt, ge. To sort them, add ?sort=column, or ?sort=-column for the largest first. The columns: "
	list := make([]string, len(n.Columns))
	for i, c := range n.Columns {
		list[i] = c.String()
	}
	s.Blocks = append(s.Blocks,
		page.Para(page.Line(page.Sentence(hint), page.T(strings.Join(list, "; ")), page.T("."))))
	return s
}

// asked returns the query string for the rows after the given number, with the present conditions and sort order.
func asked(t *governance.TableView, after int) string {
	q := url.Values{"after": {strconv.Itoa(after)}}
	if len(t.Where) > 0 {
		q["where"] = t.Where
	}
	if t.Sort != "" {
		q.Set("sort", t.Sort)
	}
	return q.Encode()
}
