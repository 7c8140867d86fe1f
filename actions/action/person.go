package action

import "samepage/store"

// PersonOnly is the error for an agent that may not take an action which is open to people. Reason says why the agent's
// own member may not take it either, or is nil.
type PersonOnly struct {
	err    error
	Reason error
}

// Error returns the sentence for the agent.
func (e *PersonOnly) Error() string { return e.err.Error() }

// Unwrap returns the underlying error, which has the [store.Code].
func (e *PersonOnly) Unwrap() error { return e.err }

func personOnly(by store.Actor, why, reason error) *PersonOnly {
	e := &PersonOnly{Reason: reason}
	if reason == nil {
		e.err = store.Errorf(store.CodeOf(why), "%s Ask @%s to do it in a browser.", why, by.Member.Handle)
	} else {
		e.err = store.Errorf(store.CodeOf(why), "%s @%s may not either: %s", why, by.Member.Handle, reason)
	}
	return e
}
