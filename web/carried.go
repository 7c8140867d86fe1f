package web

import (
	"encoding/json"
	"errors"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/governance"
	"samepage/web/account"
)

// carrier is a subject, such as a topic, that stores calls of actions on other pages. Carry sets how the subject
// carries out these calls.
type carrier interface{ Carry(governance.PageCalls) }

// carried implements [governance.PageCalls] for the changes that a topic carries. TryCall and RetryCall carry out a
// change and roll it back. TakeCall carries out a change for good, with the checks and the journal entry of any other
// call.
type carried struct{ site *Site }

// PageCalls returns the value with which topics preview and carry out their changes.
func (s *Site) PageCalls() governance.PageCalls { return carried{s} }

// TryCall implements [governance.PageCalls]. A topic can carry only actions with Carried in their [action.Decl], and
// only on the subjects that [rules] allows.
func (c carried) TryCall(tx *store.Tx, by store.Actor, studio *store.Studio, url, action, values string,
) (governance.PageCall, error) {
	target, err := c.reach(tx, by, studio, url, action)
	if err != nil {
		return governance.PageCall{}, err
	}
	in, bad := readValues(target.at.route.offered(target.i, target.actor, target.subject), values)
	if bad != nil {
		return governance.PageCall{}, bad
	}
	return c.try(tx, target, in)
}

// RetryCall implements [governance.PageCalls].
func (c carried) RetryCall(tx *store.Tx, by store.Actor, studio *store.Studio, call governance.PageCall,
) (fresh governance.PageCall, why string, err error) {
	in, err := param.Thaw([]byte(call.Params))
	if err != nil {
		return fresh, "", err
	}
	target, err := c.reach(tx, by, studio, call.URL, call.Action)
	if err == nil {
		fresh, err = c.try(tx, target, in)
	}
	if bad, ok := errors.AsType[param.Errors](err); ok {
		return fresh, bad[0].Message, nil
	}
	if store.IsRefusal(err) {
		return fresh, err.Error(), nil
	}
	return fresh, "", err
}

// target is an action that a topic can carry, with its page and subject.
type target struct {
	at      *Location
	subject action.Subject
	actor   store.Actor
	i       int // index in at.route.decls
}

// reach finds an action that a topic of the studio can carry. If the topic cannot carry it, the error is [param.Errors]
// for the form that adds a change, or [account.ErrUnproved].
func (c carried) reach(tx *store.Tx, by store.Actor, studio *store.Studio, url, action string) (target, error) {
	at, err := c.site.resolve(url)
	if err != nil {
		return target{}, param.Bad("page", err)
	}
	subject, actor, i, err := at.route.offer(tx, by, at, action)
	switch {
	case subject == nil && !isNo(err):
		return target{}, err
	case subject == nil:
		return target{}, param.Errors{{Field: "page", Message: "There is no such page that you can see."}}
	case !rules(studio, subject):
		return target{}, param.Errors{{Field: "page", Message: "A topic of " + studio.Name + " changes only " +
			studio.Name + ", its roles and their policies, and the studios of the organization. Its settings are changed by " +
			"topics of the studio in which everyone is."}}
	case i < 0 || !at.route.decls[i].Carried:
		return target{}, param.Errors{{Field: "change", Message: "A topic cannot carry this here. " + structural(at.route)}}
	case err != nil:
		return target{}, param.Errors{{Field: "change", Message: err.Error()}}
	case at.route.decls[i].Sensitive && by.Login == nil:
		return target{}, param.Errors{{Field: "change", Message: "An agent cannot propose this. Its member adds the change in " +
			"a browser."}}
	case at.route.decls[i].Sensitive && credential.Unproved(by, tx.Now):
		return target{}, account.ErrUnproved
	}
	return target{at, subject, actor, i}, nil
}

// try carries out an action and rolls it back.
func (c carried) try(tx *store.Tx, t target, in param.Input) (governance.PageCall, error) {
	frozen, err := param.Freeze(in)
	if err != nil {
		return governance.PageCall{}, err
	}
	decl := &t.at.route.decls[t.i]
	preview, err := c.site.preview(tx, t.actor, t.at, t.i, t.subject, Call{URL: t.at.path, Action: decl.Name, Params: in})
	if errs, ok := err.(param.Errors); ok {
		return governance.PageCall{}, param.Bad("values", errs)
	}
	if err != nil {
		return governance.PageCall{}, err
	}
	shown, err := json.Marshal(preview)
	return governance.PageCall{URL: t.at.path, Action: decl.Name, Title: decl.Title, Target: t.subject.Ref().Title,
		Params: string(frozen), Shown: string(shown)}, err
}

type ruled interface{ RuledBy(*store.Studio) bool }

// rules reports whether the topics of a studio can change a subject. A [ruled] subject decides for itself. Any other
// subject must be the studio, be in the studio, or belong to the same organization without being in a studio.
func rules(studio *store.Studio, subject action.Subject) bool {
	if r, ok := subject.(ruled); ok {
		return r.RuledBy(studio)
	}
	ref := subject.Ref()
	return ref.OrgID == studio.OrgID && (ref.StudioID == "" || ref.StudioID == studio.ID)
}

// structural returns a sentence with the actions that a topic can carry on a page. If there are none, the sentence
// names the pages that have such actions.
func structural(p *BoundRoute) string {
	var names []string
	for i := range p.decls {
		if p.decls[i].Carried {
			names = append(names, p.decls[i].Name)
		}
	}
	if len(names) == 0 {
		return "Give the page of a studio, of its roles or policies, of one of them, of the organization, or of its settings."
	}
	return "On this page it can: " + strings.Join(names, ", ") + "."
}

// readValues reads params from lines of the form "name: value". A line that does not begin with the name of a field
// continues the value above it.
func readValues(fields []param.Field, text string) (param.Input, param.Errors) {
	in, last := param.Input{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		switch known := ok && param.Has(fields, name); {
		case known:
			in[name], last = strings.TrimSpace(value), name
		case last != "":
			in[last] = in[last].(string) + "\n" + line
		case strings.TrimSpace(line) != "":
			return nil, param.Errors{{Field: "values", Message: "Begin with the name of a field: " + fieldNames(fields) + "."}}
		}
	}
	for name, v := range in {
		in[name] = strings.TrimSpace(v.(string))
	}
	return in, nil
}

func fieldNames(fields []param.Field) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return strings.Join(names, ", ")
}

// PageRecord implements [governance.PageCalls].
func (c carried) PageRecord(tx *store.Tx, by store.Actor, url string) (json.RawMessage, error) {
	at, err := c.site.resolve(url)
	if err == nil {
		var subject action.Subject
		if subject, err = at.route.find(tx, by, at); err == nil {
			return json.Marshal(subject.Record())
		}
	}
	if isNo(err) {
		err = nil // the call itself is refused with the reason
	}
	return nil, err
}

// TakeCall implements [governance.PageCalls].
func (c carried) TakeCall(tx *store.Tx, by store.Actor, call governance.PageCall, why string) (string, string, error) {
	at, err := c.site.resolve(call.URL)
	if err != nil {
		return "", "", err
	}
	in, err := param.Thaw([]byte(call.Params))
	if err != nil {
		return "", "", err
	}
	out, err := c.site.act(tx, by, at, Call{URL: call.URL, Action: call.Action, Params: in, Why: why})
	if i := at.route.index(call.Action); err == nil && at.route.decls[i].Sensitive {
		c.site.log.Warn("security: "+call.Action, "by", by.Key(), "path", at.path, "why", why)
	}
	return out.Message, out.URL, err
}
