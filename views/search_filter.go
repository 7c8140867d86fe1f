package views

import (
	"slices"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// filterLinks returns links that change the search. For each filter, a link removes the filter. If the results have
// several kinds or studios, a link for each kind and each studio adds it as a filter.
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
	var blocks []page.Block
	if len(line) > 1 {
		blocks = append(blocks, page.Para(line))
	}
	if more := narrower(v, parts); more != nil {
		blocks = append(blocks, page.Para(more))
	}
	return blocks
}

// narrower returns links that add a filter to the search. It returns nil if each filter would keep all results.
func narrower(v *store.SearchPage, parts []store.SearchPart) []page.Inline {
	var line []page.Inline
	for _, f := range []struct {
		key string
		of  func(*store.SearchResult) string
	}{
		{"type", func(r *store.SearchResult) string { return r.Kind }},
		{"studio", func(r *store.SearchResult) string { return r.Studio }},
	} {
		var values []string
		for i := range v.Results {
			if value := f.of(&v.Results[i]); value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		set := slices.ContainsFunc(parts, func(p store.SearchPart) bool { return p.Key == f.key })
		if set || len(values) < 2 {
			continue
		}
		for _, value := range values[:min(len(values), mostNarrower)] {
			sep := page.T(" · ")
			if line == nil {
				sep = page.T("Only: ")
			}
			filter := f.key + ":" + value
			line = append(line, sep, page.Link(filter, SearchURL(strings.TrimSpace(v.Text+" "+filter))))
		}
	}
	return line
}

// mostNarrower is the maximum number of links for the kinds of the results, and of links for their studios.
const mostNarrower = 5

func joinParts(parts []store.SearchPart) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = p.Text
	}
	return strings.Join(words, " ")
}
