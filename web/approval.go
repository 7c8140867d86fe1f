package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// hold stores a call that a person must approve. It first tries the action and rolls it back, so that a call that would
// fail is refused at once.
func (s *Site) hold(tx *store.Tx, by store.Actor, at *Location, i int, subject action.Subject, call Call,
	rule string) (Outcome, error) {
	decl, ref := &at.route.decls[i], subject.Ref()
	preview, err := s.preview(tx, by, at, i, subject, call)
	if err != nil {
		return Outcome{}, err
	}
	shown, err := json.Marshal(preview)
	if err != nil {
		return Outcome{}, err
	}
	params, err := param.Freeze(call.Params)
	if err != nil {
		return Outcome{}, err
	}
	a := store.Approval{OrgID: ref.OrgID, StudioID: ref.StudioID, URL: at.page(), Action: decl.Name,
		Title: decl.Title, Target: ref.Title, Params: string(params),
		Version: call.Version, Preview: string(shown), Why: call.Why, Rule: rule,
		Private: decl.Discreet || ref.PrivateTo != "", Discreet: decl.Discreet}
	if item, ok := subject.(actions.Item); ok {
		a.ItemID = item.Common().ID
	}
	a.Digest = heldDigest(&a)
	held, err := tx.HoldCall(by, a)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Held: true, URL: held.PageURL(), Message: "Nothing is done yet: @" + held.Member + " can approve it.",
		Unlinked: decl.Discreet, title: ref.Title}, nil
}

// heldDigest returns a digest that shows whether a stored call was altered before its approval.
func heldDigest(a *store.Approval) []byte {
	text, err := json.Marshal([]string{a.URL, a.Action, a.Params, a.Version})
	if err != nil {
		panic(err) // json.Marshal never fails on strings
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

func (s *Site) preview(tx *store.Tx, by store.Actor, at *Location, i int, subject action.Subject,
	call Call) (store.Preview, error) {
	p := at.route
	decl := &p.decls[i]
	v := store.Preview{Undo: decl.Undo}
	switch {
	case v.Undo != "":
	case decl.Destructive:
		v.Undo = "It cannot be undone."
	default:
		v.Undo = "It can be changed back on its page; the journal keeps how it was before."
	}
	param.Describe(p.offered(i, by, subject), call.Params, func(f *param.Field, values []string) {
		v.Fields = append(v.Fields, store.PreviewField{Name: f.Name, Values: values, Prose: f.Kind == param.Markdown})
	})
	var err error
	if v.Before, err = json.Marshal(subject.Record()); err != nil {
		return v, err
	}
	err = tx.Nested(func() error {
		done, err := p.do(i, tx, by, subject, call.Params, param.Clock{Now: tx.Now, Zone: zone(by)}, call.ready.values())
		if err != nil {
			return err
		}
		v.Says, v.Undo = done.Message, cmp.Or(done.Undo, v.Undo)
		for _, made := range done.Made {
			text, err := json.Marshal(made.Record())
			if err != nil {
				return err
			}
			v.Made = append(v.Made, text)
		}
		if now, err := p.find(tx, by, at); err == nil {
			if v.After, err = json.Marshal(now.Record()); err != nil {
				return err
			}
		}
		return errRollback
	})
	if decl.Undo == "" && !decl.Destructive && len(v.Made) > 0 {
		v.Undo = "What it makes can be removed on its own page."
	}
	v.Undo = s.inWords(v.Undo, decl.Noun.Name)
	if !errors.Is(err, errRollback) {
		return v, err
	}
	if bytes.Equal(v.Before, v.After) || len(v.Made) > 0 {
		v.Before, v.After = nil, nil
	}
	return v, nil
}

// replay carries out a held call as the agent that asked for it, with the agent's present rights. If a part fails, all
// of the action is rolled back.
func (s *Site) replay(tx *store.Tx, approver store.Actor, a *store.Approval) (actions.Replayed, error) {
	if !bytes.Equal(heldDigest(a), a.Digest) {
		return actions.Replayed{}, store.Errorf(store.Conflict,
			"What is kept here is not what %s asked for. Ask again.", a.By())
	}
	by, err := tx.Asker(a)
	if err != nil {
		return actions.Replayed{}, err
	}
	at, call, err := s.heldCall(a)
	if err != nil {
		return actions.Replayed{}, err
	}
	call.Approved = "approved by " + approver.Name() + ": " + a.PageURL()
	var out Outcome
	err = tx.Nested(func() (err error) {
		out, err = s.act(tx, by, at, call)
		return err
	})
	return actions.Replayed{Message: out.Message, URL: out.URL, Secret: out.Secret}, err
}

// refusal returns [store.Conflict] if the agent could not take the action of a pending request now, with the reason.
func (s *Site) refusal(tx *store.Tx, a *store.Approval) error {
	if a.State() != store.ApprovalPending {
		return nil
	}
	by, err := tx.Asker(a)
	if err != nil {
		return err
	}
	by.Unlimited = s.config.Unlimited
	at, err := s.resolve(a.URL)
	if err == nil {
		_, _, _, err = at.route.offer(tx, by, at, a.Action)
	}
	if isNo(err) {
		err = store.Errorf(store.Conflict, "%s", err.Error())
	}
	return err
}

func (s *Site) heldCall(a *store.Approval) (*Location, Call, error) {
	at, err := s.resolve(a.URL)
	if err != nil {
		return nil, Call{}, err
	}
	params, err := param.Thaw([]byte(a.Params))
	return at, Call{URL: a.URL, Action: a.Action, Params: params, Version: a.Version, Why: a.Why}, err
}
