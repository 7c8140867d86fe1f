package web

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
	"samepage/web/account"
	"samepage/web/wire"
)

// Call is a request to take one action.
type Call struct {
	URL     string // of the page
	Action  string
	Params  param.Input
	DryRun  bool
	Version string  // version that the page must have for the call to be accepted; empty for any version
	Read    reading // the agent's last reading of the page; zero if the call is not checked against one
	Why     string  // reason for the journal
	Request string  // the client's own ID of the call, for the journal
	Key     string  // idempotency key, or empty
	// Loose is true for a key that a form or a client program has made. Two calls with the same loose key and different
	// parameters are different calls. With a key that the caller has chosen, the second call is refused.
	Loose bool
	// Approved names the approver and the approval of a held call, for the journal. It is empty for any other call.
	Approved string
	ready    *prepared     // nil if nothing was prepared
	Notes    []string      // sentences for the caller about parameters that were misplaced and understood
	then     string        // address of the page to answer with; empty for the action's own choice
	temps    []*os.File    // temporary files with uploads
	Within   time.Duration // how long the key is valid; zero means as long as answers are stored
}

// Outcome is the result of a call.
type Outcome struct {
	Message string   `json:"message"`
	URL     string   `json:"url"`
	Made    []string `json:"made,omitempty"` // URLs of the created items
	Held    bool     `json:"held,omitempty"`
	Secret  string   `json:"-"`
	Token   bool     `json:"-"` // whether the secret is a token
	Echo    string   `json:"-"` // the input in words, such as "Your ballot: Cargo, Wagon."; not stored
	Undo    string   `json:"undo,omitempty"`
	// Unlinked means that no stored row may reveal the input of the call; see [action.Done].Unlinked.
	Unlinked bool        `json:"-"`
	DryRun   bool        `json:"-"`
	repeated bool        // whether this is the stored answer to an earlier call
	seen     []page.Part // parts of the page that the actor had read before the call
	// offered has the fields of each action, by name, that the page offered to an agent before the call.
	offered map[string][]param.Field
	emptied []emptied
	title   string // title of the subject before the call; empty in a repeated answer
}

type errUnavailable struct {
	err       error
	Available []string // actions that the page offers
}

func (e *errUnavailable) Error() string { return e.err.Error() }
func (e *errUnavailable) Unwrap() error { return e.err }

type errStale struct{ err error }

func (e *errStale) Error() string { return e.err.Error() }
func (e *errStale) Unwrap() error { return e.err }

var errRollback = errors.New("dry run")

// errUnprepared is the error for an action that is offered now, but was not yet offered when its call was prepared.
var errUnprepared = store.Errorf(store.Unavailable,
	"This became possible only while it was being sent. Nothing was changed: send it again.")

// Do carries out a call in one transaction. It checks that the page offers the action, decodes the parameters, runs the
// action and, unless the action is Silent, writes the journal. If the call needs approval, Do stores the call instead.
func (s *Site) Do(ctx context.Context, creds credentials, call Call) (out Outcome, err error) {
	at, err := s.resolve(call.URL)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { s.meters.action(at, call.Action, out, err) }()
	if call.ready, err = s.prepare(ctx, creds, at, call); err != nil {
		return Outcome{}, err
	}
	var by store.Actor
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		defer s.observe(at, tx)
		var err error
		if by, err = creds.actor(tx); err != nil {
			return err
		}
		waited, err := tx.Serialize(by, "")
		if err == nil && waited { // the token may have been revoked in the meantime
			by, err = creds.actor(tx)
		}
		if err != nil {
			return err
		}
		out, err = s.answer(tx, by, at, call)
		if err == nil && call.DryRun {
			return errRollback
		}
		return err
	})
	if errors.Is(err, errRollback) {
		out.DryRun = true
		out.Message = "Dry run, nothing was changed. It would say: " + out.Message
		out.URL, out.Secret, out.Made, out.Held, out.Undo = at.path, "", nil, false, ""
		return out, nil
	}
	if err != nil {
		s.refused(by, call, err)
		return Outcome{}, err
	}
	if i := at.route.index(call.Action); creds.as == nil &&
		(at.route.decls[i].Sensitive || at.route.pattern == credential.AccountURL) {
		s.log.Warn("security: "+at.route.decls[i].Name, "by", by.Key(), "path", at.path)
	}
	return out, nil
}

func (s *Site) act(tx *store.Tx, by store.Actor, at *Location, call Call) (Outcome, error) {
	p := at.route
	by.Unlimited = s.config.Unlimited
	subject, by, i, err := p.offer(tx, by, at, call.Action)
	if err != nil {
		return Outcome{}, err
	}
	ref, decl := subject.Ref(), p.decls[i]
	if decl.Sensitive && credential.Unproved(by, tx.Now) {
		return Outcome{}, account.ErrUnproved
	}
	if p.prepares(i) && call.ready == nil && call.Approved == "" {
		return Outcome{}, errUnprepared
	}
	if err := call.checkReading(tx, by, ref, decl.Versioned && p.version == BySubject); err != nil {
		return Outcome{}, err
	}
	if rule := decl.HoldRule(by, ref, call.Params); rule != "" && call.Approved == "" {
		return s.hold(tx, by, at, i, subject, call, rule)
	}
	by.Why = call.Why
	before, offered, emptied := subject.Record(), p.offeredFields(by, subject), p.emptied(i, by, subject, call)
	done, err := p.do(i, tx, by, subject, call.Params, param.Clock{Now: tx.Now, Zone: zone(by)}, call.ready.values())
	if err != nil {
		return Outcome{}, err
	}
	by.As = done.As
	r := recorder{tx: tx}
	switch {
	case done.Unchanged:
	case decl.Silent && by.Runs():
		err = r.also(by, decl, call.change(decl), done)
	case decl.Hidden:
	case decl.Silent:
		err = tx.TouchOwn(by) // only the actor sees the change
	default:
		err = r.change(by, at, decl, subject, before, done, call)
	}
	if err != nil {
		return Outcome{}, err
	}
	if err := p.lookAgain(emptied, i, tx, by, at); err != nil {
		return Outcome{}, err
	}
	missed, err := unreached(tx, subject, done)
	if err != nil {
		return Outcome{}, err
	}
	done.URL = cmp.Or(done.URL, at.page())
	out := Outcome{Message: done.Message + missed + r.skipped() + call.unkept(decl, done),
		URL: done.URL, Secret: done.Secret, Token: done.Token,
		Unlinked: done.Unlinked, Echo: done.Echo,
		Undo: cmp.Or(done.Undo, decl.Undo), offered: offered, emptied: emptied, title: ref.Title}
	switch {
	case done.Unchanged:
		out.Undo = ""
	case decl.Destructive:
		out.Undo = "It cannot be undone."
	}
	for _, made := range done.Made {
		out.Made = append(out.Made, made.Ref().URL)
	}
	return out, nil
}

// change returns a journal entry about the call, without its target.
func (c *Call) change(decl action.Decl) store.Change {
	return store.Change{Action: decl.Name, Why: c.Why, Request: cmp.Or(c.Approved, wire.Clip(c.Request, 200))}
}

// unkept returns a sentence that the caller's reason is not in the journal, or "".
func (c *Call) unkept(decl action.Decl, done action.Done) string {
	switch {
	case c.Why == "":
		return ""
	case done.Unlinked:
		return " Your reason (why) is not kept, because it could reveal what is secret."
	case done.Unchanged || decl.Silent:
		return " Your reason (why) is not kept, because this has no entry in the journal."
	}
	return ""
}

func (p *BoundRoute) available(by store.Actor, subject action.Subject) []string {
	names := []string{}
	for i := range p.offers(by, subject) {
		names = append(names, p.decls[i].Name)
	}
	return names
}

// refused records a refused or failed call of an agent. For a person it calls [Site.journalProbe].
func (s *Site) refused(by store.Actor, call Call, err error) {
	if !by.IsAgent() {
		s.journalProbe(by, call, err)
		return
	}
	code, reason := loggedReason(err)
	path, _, _ := strings.Cut(call.URL, "?")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	werr := s.store.Write(ctx, func(tx *store.Tx) error {
		return tx.LogRefusal(by, store.Refusal{URL: wire.Clip(path, 500), Action: wire.Clip(call.Action, 100),
			Code: code, Message: reason})
	})
	if werr != nil {
		s.seldom.Warn("a refused call was not logged", "error", werr)
	}
}

// loggedReason returns the code of an error, and a reason without the words of the page and the call: the meaning of the
// code, and the names of the fields that were not accepted.
func loggedReason(err error) (code, reason string) {
	code, _ = classify(err)
	reason = failureOf(code).Title + "."
	bad := param.ErrorsOf(err)
	names := make([]string, len(bad))
	for i := range bad {
		names[i] = bad[i].Field
	}
	if len(names) > 0 {
		reason = wire.Clip("Not accepted: "+strings.Join(names, ", ")+".", 200)
	}
	return code, reason
}

func zone(by store.Actor) *time.Location {
	if by.Member == nil {
		return time.UTC
	}
	return store.Location(by.Member.Zone)
}
