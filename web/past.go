package web

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"

	"samepage/actions/action"
	"samepage/store"
)

// phrases maps the name of an action and the kind of its subject to the action's verb in the journal. With an empty
// kind, the verb is that of the first action with the name.
type phrases map[[2]string]string

// place adds a route to the site, and sets how each subject that is a [carrier] carries out calls. It panics if the
// pattern is taken.
func (s *Site) place(p *BoundRoute) {
	if _, twice := s.bound[p.pattern]; twice {
		panic("route " + p.pattern + " is declared twice")
	}
	s.bound[p.pattern] = p
	find := p.find
	p.find = func(tx *store.Tx, by store.Actor, at *Location) (action.Subject, error) {
		subject, err := find(tx, by, at)
		if c, ok := subject.(carrier); ok && err == nil {
			c.Carry(s.PageCalls())
		}
		return subject, err
	}
	s.order = append(s.order, p.pattern)
	s.pages.Get(p.pattern, http.NotFound)
	if p.file != nil {
		// This reserves the URL. Otherwise the suffix would be read as a part of an ID.
		s.pages.Get(p.pattern+p.file.suffix, http.NotFound)
	}
	for i := range p.decls {
		d := &p.decls[i]
		s.phrases[[2]string{d.Name, d.Noun.Name}] = d.Past
		s.titles[[2]string{d.Name, d.Noun.Name}] = d.Title
		if first := [2]string{d.Name}; s.phrases[first] == "" {
			s.phrases[first], s.titles[first] = d.Past, d.Title
		}
	}
}

// actionName matches the name of an action that has at least two words.
var actionName = regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)

// inWords replaces the names of actions by their titles in undo, a text on how to undo an action on a subject of the
// kind.
func (s *Site) inWords(undo, kind string) string {
	title := func(name string) string {
		if t := cmp.Or(s.titles[[2]string{name, kind}], s.titles[[2]string{name}]); t != "" {
			return "“" + t + "”"
		}
		return name
	}
	if name := undoneBy(undo); name != "" {
		return strings.TrimSuffix(undo, name+".") + title(name) + "."
	}
	return actionName.ReplaceAllStringFunc(undo, title)
}

// past returns the verb in the journal's sentence about an action. The kind is that of the action's subject, or empty
// if unknown.
func (s *Site) past(name, kind string) string {
	return cmp.Or(s.phrases[[2]string{name, kind}], s.phrases[[2]string{name}], store.EventVerb(name),
		strings.ReplaceAll(name, "_", " ")+":") // an action of an earlier version of the program has no declaration
}

// did returns the verb of an entry. An entry is about a refused call if it has no states and its reason begins with
// refusedWhy.
func (s *Site) did(e *store.Entry) string {
	if e.Before == nil && e.After == nil && len(e.AfterDigest) == 0 && strings.HasPrefix(e.Why, refusedWhy) {
		return "was refused " + e.Action + " in"
	}
	return s.past(e.Action, e.Kind)
}

func (s *Site) setVerbs(list []store.Entry) {
	for i := range list {
		list[i].Did = s.did(&list[i])
	}
}

// withVerbs returns a function that calls show and sets the verbs of the loaded entries.
func withVerbs[S, V any](s *Site, show func(*store.Tx, store.Actor, S, *Location) (V, error), entries func(V) []store.Entry,
) func(*store.Tx, store.Actor, S, *Location) (V, error) {
	return func(tx *store.Tx, by store.Actor, subject S, at *Location) (V, error) {
		v, err := show(tx, by, subject, at)
		if err == nil {
			s.setVerbs(entries(v))
		}
		return v, err
	}
}

func (s *Site) showEntry(_ *store.Tx, _ store.Actor, e entry, _ *Location) (entry, error) {
	e.Did = s.did(e.Entry)
	return e, nil
}
