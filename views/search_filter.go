package views

import (
	"slices"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// filterLinks shows each filter of a search as a link. The link leads to the same search without
// this filter.
func filterLinks(v *store.SearchPage) []page.Block {
	parts := store.SearchParts(v.Text)
	line := page.Line(page.T("Without: "))
	for i, p := range parts {
		if p.Key == "" {
			continue
		}
		if len(line) > 1 {
			line = append(line, page.T(" · "))
		}
		line = append(line, page.Link(p.Text, SearchURL(joinParts(slices.Delete(slices.Clone(parts), i, i+1)))))
	}
	if len(line) == 1 {
		return nil
	}
	return []page.Block{page.Para(line)}
}

func joinParts(parts []store.SearchPart) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = p.Text
	}
	return strings.Join(words, " ")
}
