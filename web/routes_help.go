package web

import (
	"slices"
	"strings"

	"samepage/store"
	"samepage/views/help"
	"samepage/views/page"
)

// helpTexts are the addresses of the help pages that consist of a text, with the names of the texts.
var helpTexts = [][2]string{{"/help", "help"}, {"/help/people", "people"}, {"/help/agents", "agents"},
	{"/help/work", "work"},
	{"/help/keyboard", "keyboard"}, {"/help/voting", "voting"}, {"/help/links", "links"}, {"/help/security", "security"},
	{"/help/backups", "backups"}, {"/help/commands", "commands"}, {"/help/webhooks", "webhooks"}, {help.SelfHostingURL, "self-hosting"},
	{help.SelfHostingURL + "/settings", "settings"}}

func (s *Site) helpRoutes() (list []*BoundRoute) {
	for _, t := range helpTexts {
		list = append(list, fixedPage(t[0], func() page.Page { return help.Text(t[1]) }))
	}
	return append(list, fixedPage("/help/clients", help.Clients),
		fixedPage("/help/errors", func() page.Page { return help.Errors(codes()) }),
		fixedPage(help.SelfHostingURL+"/metrics", func() page.Page { return help.Metrics(measured()) }),
		Route[noSubject, page.Page]{Pattern: "/help/catalogue", Query: []string{"noun", "after"}, Find: anybody,
			Show: func(_ *store.Tx, _ store.Actor, _ noSubject, at *Location) (page.Page, error) {
				return help.Catalogue(s.catalogue(), at.Query.Get("noun"), at.Query.Get("after")), nil
			},
			View: asMade}.Close(),
		Route[noSubject, page.Page]{Pattern: "/help/nouns", Find: anybody,
			Show: func(*store.Tx, store.Actor, noSubject, *Location) (page.Page, error) {
				return help.Nouns(s.catalogue()), nil
			},
			View: asMade}.Close(),
		Route[noSubject, page.Page]{Pattern: "/help/nouns/{noun}", Find: anybody,
			Show: func(_ *store.Tx, _ store.Actor, _ noSubject, at *Location) (page.Page, error) {
				p, ok := help.OneNoun(s.catalogue(), at.Arg("noun"))
				if !ok {
					return p, store.Missing()
				}
				return p, nil
			},
			View: asMade}.Close())
}

// fixedPage returns the route of a page that is built once, at the start, and is the same for everyone.
func fixedPage(pattern string, makes func() page.Page) *BoundRoute {
	p := makes()
	return Route[noSubject, noSubject]{Pattern: pattern, Find: anybody, Show: Same[noSubject],
		View: func(store.Actor, noSubject) page.Page { return p }}.Close()
}

// asMade is the view of a page that was built when its data was loaded.
func asMade(_ store.Actor, p page.Page) page.Page { return p }

// catalogue returns every action with the patterns of the pages that offer it. Actions with the same name but different
// descriptions are listed separately.
func (s *Site) catalogue() []help.Verb {
	at := map[string]int{}
	var verbs []help.Verb
	for _, pattern := range s.order {
		for _, d := range s.bound[pattern].decls {
			i, ok := at[d.Name+d.Doc]
			if !ok {
				i = len(verbs)
				at[d.Name+d.Doc] = i
				verbs = append(verbs, help.Verb{Name: d.Name, Noun: help.Noun(*d.Noun), Title: d.Title, Doc: d.Doc, Scope: string(d.Scope),
					Who: d.AllowedFor.String(), HumanOnly: d.HumanOnly,
					Destructive: d.Destructive, Aliases: d.Aliases, Fields: d.Fields})
			}
			verbs[i].Pages = append(verbs[i].Pages, pattern)
			if verbs[i].Noun.Name != d.Noun.Name {
				verbs[i].Noun = help.Several
			}
			for _, e := range d.Effects {
				if name := string(e); name != d.Name && !d.HumanOnly && !slices.Contains(verbs[i].Effects, name) {
					verbs[i].Effects = append(verbs[i].Effects, name)
				}
			}
		}
	}
	slices.SortStableFunc(verbs, func(a, b help.Verb) int { return strings.Compare(a.Name, b.Name) })
	return verbs
}

func measured() []help.Metric {
	var list []help.Metric
	for _, d := range Metrics() {
		list = append(list, help.Metric{Name: d.Name, Type: d.Type, Meaning: d.Help, Labels: d.Labels})
	}
	return list
}

func codes() []help.Code {
	list := make([]help.Code, len(failures))
	for i, f := range failures {
		list[i] = help.Code{Code: f.Code, Status: f.Status, Meaning: f.Meaning}
	}
	return list
}
