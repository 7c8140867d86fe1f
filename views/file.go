package views

import (
	"encoding/hex"
	"fmt"

	"samepage/store"
	"samepage/views/page"
)

func fileTable(list []store.File) page.Section {
	t := page.Table{
		Caption: "Files",
		Columns: []page.Column{{Title: "File"}, {Title: "Size", Number: true}, {Title: "By"}, {Title: "When"}},
	}
	for k := range list {
		f := &list[k]
		t.Rows = append(t.Rows, page.Row{Key: f.ID, Cells: [][]page.Inline{
			page.Line(page.Link(f.Name, f.URL())),
			page.Line(page.T(FileSize(f.Size))),
			page.Line(page.T(store.Byline(f.Member, f.Agent.Label))),
			page.Line(page.When(f.At.Time)),
		}})
	}
	return page.Section{ID: "files", Title: "Files", Blocks: []page.Block{t}}
}

// File returns the page of one file, with the beginning of a plain text.
func File(_ store.Actor, v *store.FilePage) page.Page {
	i, f := v.Item, v.File
	p := ItemPage(i, "File", f.Name)
	p.Trail = append(p.Trail, page.Link(i.Title, i.URL()))
	p.State = page.Line(page.T("Attached by "+store.Byline(f.Member, f.Agent.Label)+", "),
		page.When(f.At.Time), page.T("."))
	p.Blocks = []page.Block{page.Facts{
		{Label: "Size", Value: page.Line(page.T(FileSize(f.Size)))}, {Label: "Type", Value: page.Line(page.T(f.Type))},
		{Label: "SHA-256", Value: page.Line(page.Mono(hex.EncodeToString(f.Hash)))}},
		page.Para(page.Line(page.Link("Download", f.Download())))}
	switch {
	case v.Broken != "":
		p.Blocks = append(p.Blocks, page.Warning(page.Line(page.T(v.Broken))))
	case f.Plain():
		p.Blocks = append(p.Blocks,
			page.Section{ID: "text", Title: "What it says", Blocks: []page.Block{page.Code{Text: v.Text}}})
	}
	if v.Cut {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("The text goes on. Download it to read all of it."))))
	}
	return p
}

// FileSize formats a number of bytes with a unit, such as "1.5 KiB".
func FileSize(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
