package web

import (
	"cmp"
	"strconv"
	"strings"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
)

// recorder journals the changes of one call, and notifies the members that they concern.
type recorder struct {
	tx     *store.Tx
	inARow int // number of events of agents in a row, if agents skip the notifications; see [store.Tx.Notify]
}

// skipped returns a sentence that begins with a space if agents skip the notifications, or else "".
func (r *recorder) skipped() string {
	if r.inARow == 0 {
		return ""
	}
	return " Agents skip the notifications of this, because agents caused " + strconv.Itoa(r.inARow) +
		" events in a row; people are told. A word of a person lets agents go on."
}

// change writes a journal entry for each item that the action has created, or else one for the subject with its states
// before and after. Each subject in done.Also has a separate entry.
func (r *recorder) change(by store.Actor, at *Location, decl action.Decl, subject action.Subject,
	before any, done action.Done, call Call) error {
	change := call.change(decl)
	if done.Unlinked {
		change.Why, change.Request = "", call.Approved
	}
	for _, made := range done.Made {
		change.Target, change.After = made.Ref(), made.Record()
		if err := r.record(by, decl, change, made, done); err != nil {
			return err
		}
	}
	if len(done.Made) == 0 {
		change.Target, change.Before, change.After = subject.Ref(), before, done.After
		if done.Before != nil {
			change.Before = done.Before
		}
		if done.After == nil {
			now, err := at.route.find(r.tx, by, at)
			if err != nil && store.CodeOf(err) != store.NotFound {
				return err
			}
			if err == nil {
				change.Target, change.After = now.Ref(), now.Record()
			}
		}
		if err := r.record(by, decl, change, subject, done); err != nil {
			return err
		}
	}
	return r.also(by, decl, change, done)
}

// unreached returns a sentence with the handles in a new text that reach nobody, because no member with the handle can
// see the page. The sentence begins with a space. It is empty if there are no such handles.
func unreached(tx *store.Tx, subject action.Subject, done action.Done) (string, error) {
	if done.Notice == nil {
		return "", nil
	}
	target := subject.Ref()
	if len(done.Made) > 0 {
		target = done.Made[0].Ref()
	}
	handles, err := tx.Unreached(target, done.Notice)
	switch len(handles) {
	case 0:
		return "", err
	case 1:
		return " Not told: @" + handles[0] + ", because nobody who can see this has that name.", err
	}
	return " Not told: @" + strings.Join(handles, ", @") + ", because nobody who can see this has these names.", err
}

// also writes a journal entry for each subject in done.Also.
func (r *recorder) also(by store.Actor, decl action.Decl, change store.Change, done action.Done) error {
	told, as := decl.Told, by.As
	for _, also := range done.Also {
		if by.As = as; also.As != (store.Authority{}) {
			by.As = also.As
		}
		change.Target, change.Before, change.After = also.Subject.Ref(), also.Before, also.Subject.Record()
		change.Action = cmp.Or(also.Action, decl.Name)
		decl.Told = cmp.Or(also.Told, told)
		if err := r.record(by, decl, change, also.Subject, action.Done{Notice: also.Notice}); err != nil {
			return err
		}
	}
	return nil
}

// record journals one change, notifies the members that the change concerns, and marks the actor's notifications about
// the item as read.
func (r *recorder) record(by store.Actor, decl action.Decl, change store.Change, subject action.Subject,
	done action.Done) error {
	seq, err := r.tx.Journal(by, change)
	if err != nil {
		return err
	}
	item := ""
	if i, ok := subject.(actions.Item); ok {
		item = i.Common().ID
		if err := r.tx.SettleNotifications(by, item); err != nil {
			return err
		}
	}
	if done.Notice == nil {
		return nil
	}
	inARow, err := r.tx.Notify(by, store.Event{Seq: seq, Did: cmp.Or(decl.Told, decl.Past), Target: change.Target,
		Item: item}, *done.Notice)
	r.inARow = max(r.inARow, inARow)
	return err
}
