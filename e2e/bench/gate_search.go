//go:build linux

package main

import (
	"context"
	"fmt"
	"net/url"

	"samepage/e2e/bench/world"
)

// searches measures gate 8, the response time of a page of search results.
func (b *bench) searches(context.Context) error {
	server, err := b.serve(b.large.Folder)
	if err != nil {
		return err
	}
	defer b.end(server)
	for _, s := range []struct {
		name, text string
		limit      float64 // limit of the response time, in milliseconds
	}{
		{"newest first, a word of all comments", "month", 1},
		{"newest first, three words", `look "against it" month`, 1},
		{"newest first, a word of one page", "4711", 1},
		{"newest first, filters", "month studio:team by:@m0003 type:comment", 1},
		{"newest first, filters alone", "type:decision is:closed before:90d", 1},
		{"oldest first", "month sort:old", 1},
		{"ranked, a word of all comments", "month sort:relevance", 15},
		{"ranked, four words", "question number next meet sort:relevance", 15},
		{"ranked, a word of one page", "4711 sort:relevance", 15},
	} {
		measure := fmt.Sprintf("search over %d documents, %s", b.large.Documents, s.name)
		c, err := b.compare(many(1), page(s.name, server, b.large, "/search?q="+url.QueryEscape(s.text)))
		if err != nil {
			if err = b.refuse(8, measure, err); err != nil {
				return err
			}
			continue
		}
		p50 := c.median(func(r *round) float64 { return float64(r.own[0].percentile(50).Microseconds()) / 1000 })
		b.most(8, measure, p50, s.limit, " ms", c.beside(0))
	}
	return nil
}

func mustSearch(worlds ...*world.World) error {
	for _, w := range worlds {
		if !w.Searchable {
			return fmt.Errorf("%s was made without full-text search: run go run -tags sqlite_fts5 "+
				"./e2e/bench, on another folder", w.Folder)
		}
	}
	return nil
}
