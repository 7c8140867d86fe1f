package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"samepage/store"
)

func plain(w http.ResponseWriter, status int, media, body string) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func (s *Site) healthz(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "text/plain; charset=utf-8", "ok "+s.config.Version+"\n")
}

func (s *Site) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.store.Read(ctx, func(tx *store.Tx) error { _, err := tx.HasUsers(); return err }); err != nil {
		s.seldom.Error("the database cannot be read", "error", err)
		plain(w, http.StatusServiceUnavailable, "text/plain; charset=utf-8", "the database cannot be read\n")
		return
	}
	if err := s.store.CheckWrite(ctx); err != nil {
		s.seldom.Error("the database cannot be written", "error", err)
		plain(w, http.StatusServiceUnavailable, "text/plain; charset=utf-8", "pages can be read, and nothing can be written: "+
			s.explain(r, err).Message+"\n")
		return
	}
	plain(w, http.StatusOK, "text/plain; charset=utf-8", "ready\n")
}

func (s *Site) robots(w http.ResponseWriter, r *http.Request) {
	plain(w, http.StatusOK, "text/plain; charset=utf-8",
		"User-agent: *\nDisallow: /setup\nDisallow: /settings\nSitemap: "+s.origin(r)+"/sitemap.xml\n")
}

// llms answers with an introduction to the site for agents (llmstxt.org).
func (s *Site) llms(w http.ResponseWriter, r *http.Request) {
	o := s.origin(r)
	w.Header().Set("Cache-Control", "max-age=300")
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> A workspace that people and agents share: every page is HTML for people and markdown "+
		"for agents at the same address, and lists what can be done there.\n\n## Start\n\n", s.config.Name)
	for _, l := range [][2]string{{"For agents: the first five minutes", "/help/agents.md"}, {"Help", "/help.md"},
		{"Every action", "/help/catalogue.md"},
		{"What the errors mean", "/help/errors.md"}, {"Who you are", "/whoami.md"}, {"Studios", "/studios.md"},
		{"Search, for who is signed in", "/search.md"}} {
		fmt.Fprintf(&b, "- [%s](%s%s)\n", l[0], o, l[1])
	}
	plain(w, http.StatusOK, "text/plain; charset=utf-8", b.String())
}

// sitemap lists the help pages that are not about a single noun, the list of studios, and the first 1,000 studios that
// everybody may see.
func (s *Site) sitemap(w http.ResponseWriter, r *http.Request) {
	urls := []string{"/studios"}
	for _, pattern := range s.order {
		if strings.HasPrefix(pattern, "/help") && !strings.Contains(pattern, "{") {
			urls = append(urls, pattern)
		}
	}
	err := s.store.Read(r.Context(), func(tx *store.Tx) error {
		list, err := tx.Studios(store.Actor{}, "", 1000)
		for i := range list {
			urls = append(urls, list[i].URL())
		}
		return err
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, u := range urls {
		fmt.Fprintf(&b, "<url><loc>%s%s</loc></url>\n", s.origin(r), u)
	}
	b.WriteString("</urlset>\n")
	plain(w, http.StatusOK, "application/xml; charset=utf-8", b.String())
}
