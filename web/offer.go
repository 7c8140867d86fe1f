package web

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
	"samepage/web/account"
	"samepage/web/wire"
)

// offers iterates over the positions in p.decls of the actions that the page offers to the actor. For an agent it skips
// the actions that only people may take, without calling their guards.
func (p *BoundRoute) offers(by store.Actor, subject action.Subject) iter.Seq[int] {
	return func(yield func(int) bool) {
		agent := by.IsAgent()
		for i := range p.decls {
			if d := &p.decls[i]; agent && d.HumanOnly || p.allowed(i, by, subject) != nil {
				continue
			}
			if !yield(i) {
				return
			}
		}
	}
}

// offer returns the subject of the page, the actor with the membership in the subject's organization, and the position
// of the action in p.decls. The error is an [errUnavailable] if the page does not offer the action to the actor now.
func (p *BoundRoute) offer(tx *store.Tx, by store.Actor, at *Location,
	name string) (action.Subject, store.Actor, int, error) {
	subject, err := p.find(tx, by, at)
	if err != nil {
		return nil, by, -1, err
	}
	if org := subject.Ref().OrgID; org != "" {
		by = by.In(org)
	}
	i := p.index(name)
	if i < 0 {
		err = store.Errorf(store.NotFound, "There is no action %q on this page.", wire.Clip(name, 60))
	} else {
		err = p.allowed(i, by, subject)
	}
	if err != nil {
		return subject, by, i, &errUnavailable{err, p.available(by, subject)}
	}
	return subject, by, i, nil
}

func (s *Site) mayRead(tx *store.Tx, by store.Actor, path string) (bool, error) {
	at, err := s.resolve(path)
	if err != nil {
		return false, nil // the page does not exist any more
	}
	_, err = at.route.find(tx, by, at)
	if isNo(err) {
		return false, nil
	}
	return err == nil, err
}

// offeredFields returns the fields of each action that the page offers to an agent, by action name. It returns nil for
// a person.
func (p *BoundRoute) offeredFields(by store.Actor, subject action.Subject) map[string][]param.Field {
	if !by.IsAgent() {
		return nil
	}
	fields := map[string][]param.Field{}
	for i := range p.offers(by, subject) {
		fields[p.decls[i].Name] = p.offered(i, by, subject)
	}
	return fields
}

// addActions adds a form for each action that the page offers to the actor. For an agent it also adds links to the
// actions that only a person may take.
func (s *Site) addActions(tx *store.Tx, out *rendered, at *Location, subject action.Subject, version string) (err error) {
	p, by, offered, closed := at.route, out.by, make([]int, 0, 64), []int(nil)
	for i := range p.decls {
		if p.decls[i].HumanOnly && by.IsAgent() && by.Member != nil {
			closed = append(closed, i) // no guard is called for the agent, because whoMay calls the guards for people
		} else if err := p.allowed(i, by, subject); err == nil {
			offered = append(offered, i)
		} else if personal(err) {
			closed = append(closed, i)
		}
	}
	keys := s.formKeys(by, at.path, version)
	out.page.Forms = make([]page.Form, len(offered))
	for n, i := range offered {
		out.page.Forms[n] = at.form(i, subject, by, version, keys)
	}
	out.page.People, err = p.forPeople(tx, by, at, subject, closed)
	return err
}

// form returns the form of the action at.route.decls[i], before any values are filled in.
func (at *Location) form(i int, subject action.Subject, by store.Actor, version string, keys formKeys) page.Form {
	d := &at.route.decls[i]
	f := page.Form{Name: d.Name, Title: d.Title, Doc: d.Doc, URL: at.with(store.ActionURL(at.path, d.Name)),
		Fields: at.route.offered(i, by, subject), Destructive: d.Destructive, Ballot: d.Ballot,
		Side: d.Side, Tool: d.Tool, Button: d.Button, Ends: d.Ends, On: d.On, Slot: d.Slot, Key: keys.of(d.Name)}
	if d.Versioned {
		f.Version = version
	}
	f.Undo = undoneBy(d.Undo)
	return f
}

// undoneBy returns the name of the action in a text such as "Undo: unpin.", or "" if the text does not name exactly
// one. A text that begins otherwise, such as "Stop it: stop_session.", names an action that does not restore what was.
func undoneBy(undo string) string {
	says, name, ok := strings.Cut(undo, ": ")
	name, ends := strings.CutSuffix(name, ".")
	if !ok || !ends || !strings.HasPrefix(says, "Undo") || strings.ContainsAny(name, " :,;") {
		return ""
	}
	return name
}

// buildAction builds the page of one action: its form, filled in from the query, or the reason why it is not offered.
// If the URL names no action, the page lists the offered actions. Opening the page takes no action, so its URL can be
// shared.
func (s *Site) buildAction(tx *store.Tx, out *rendered, at *Location, subject action.Subject, version string,
	opts renderOptions) (err error) {
	p := at.route
	title := cmp.Or(subject.Ref().Title, "This page")
	out.page = page.Page{URL: at.url(), Trail: page.Line(page.Link(title, at.path)), Kind: "Action",
		Version: version, Only: true}
	if at.list {
		out.page.Title, out.page.Kind = "What you can do here", "Actions"
		return s.addActions(tx, out, at, subject, version)
	}
	i := p.index(at.name)
	if i < 0 {
		return &errUnavailable{store.Errorf(store.NotFound, "There is no action %q on this page.",
			wire.Clip(at.name, 60)), p.available(out.by, subject)}
	}
	d := &p.decls[i]
	out.page.Title = d.Title
	if err := p.allowed(i, out.by, subject); err != nil {
		out.page.State = page.Line(page.Sentence("Not possible now: " + err.Error()))
		out.page.Blocks = []page.Block{page.Para(page.Line(page.Sentence(d.Doc)))}
		if personal(err) {
			out.page.People, err = p.inPerson(tx, out.by, at, subject, i)
			return err
		}
		return nil
	}
	if d.Sensitive && opts.form == wire.HTML && credential.Unproved(out.by, s.store.Now()) {
		// the actor proves their identity before filling in a secret, because the redirect would lose the secret
		return account.ErrUnproved
	}
	f := at.form(i, subject, out.by, version, s.formKeys(out.by, at.path, version))
	values, odd := opts.values, at.odd
	if len(at.fill) > 0 {
		var unfit param.Errors
		if values, unfit = param.Fit(d.Fields, f.Fields, at.input()); len(unfit) > 0 {
			odd = append(slices.Clip(odd), "Not filled in from the address: "+unfit.Error())
		}
	}
	out.page.Blocks = notesOf(odd)
	if f.Fields, err = p.filled(i, tx, subject, f.Fields, values); err != nil {
		return err
	}
	f.Fields = param.FillIn(f.Fields, values, opts.whole || opts.errors != nil)
	f.Errors = opts.errors
	out.page.Forms = []page.Form{f}
	return nil
}
