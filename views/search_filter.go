package views

import (
	"slices"
	"strings"

	"samepage/store"
	"samepage/views/page"
)

// searchFilters are the filters that are offered as choices.
var searchFilters = []struct {
	key, all string // key of the filter, and text of the link that removes it
	of       func(*store.SearchResult) string
}{
	{"type", "All kinds", func(r *store.SearchResult) string { return r.Kind }},
	{"studio", "All studios", func(r *store.SearchResult) string { return r.Studio }},
}

// filterLinks returns a search field, choices of a kind and of a studio, and links that remove other filters.
func filterLinks(v *store.SearchPage) []page.Block {
	parts := store.SearchParts(v.Text)
	choices := page.Filters{Find: &page.FilterText{Label: "Search", URL: "/search", Text: v.Text}}
	offered := map[string]bool{}
	for _, f := range searchFilters {
		if links := searchChoices(v, parts, f.key, f.all, f.of); links != nil {
			choices.Groups = append(choices.Groups, page.FilterGroup{Links: links})
		}
		offered[f.key] = true
	}
	line := page.Line(page.T("Without: "))
	for i, p := range parts {
		if p.Key == "" || offered[p.Key] {
			continue
		}
		if len(line) > 1 {
			line = append(line, page.T(" · "))
		}
		line = append(line, page.Link(p.Text, SearchURL(joinParts(slices.Delete(slices.Clone(parts), i, i+1)))))
	}
	blocks := []page.Block{choices}
	if len(line) > 1 {
		blocks = append(blocks, page.Para(line))
	}
	return blocks
}

// searchChoices returns the links for one filter: a link for all values, and one for each value in the search text or,
// if the text has none, for up to [mostOffered] values in the results. It returns nil if the results have fewer than
// two values.
func searchChoices(v *store.SearchPage, parts []store.SearchPart, key, all string,
	of func(*store.SearchResult) string) []page.Filter {
	isSet := func(p store.SearchPart) bool { return p.Key == key }
	links := []page.Filter{{Text: all, URL: SearchURL(joinParts(slices.DeleteFunc(slices.Clone(parts), isSet))),
		Chosen: !slices.ContainsFunc(parts, isSet)}}
	if !links[0].Chosen {
		for _, p := range parts {
			if isSet(p) {
				links = append(links, page.Filter{Text: strings.TrimPrefix(p.Text, key+":"), URL: SearchURL(v.Text), Chosen: true})
			}
		}
		return links
	}
	var values []string
	for i := range v.Results {
		if value := of(&v.Results[i]); value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if len(values) < 2 {
		return nil
	}
	for _, value := range values[:min(len(values), mostOffered)] {
		links = append(links, page.Filter{Text: value, URL: SearchURL(strings.TrimSpace(v.Text + " " + key + ":" + value))})
	}
	return links
}

// mostOffered is the maximum number of values in the results that one filter offers.
const mostOffered = 5

func joinParts(parts []store.SearchPart) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = p.Text
	}
	return strings.Join(words, " ")
}
