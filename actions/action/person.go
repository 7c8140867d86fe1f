package action

import "samepage/store"

// PersonOnly is the error for an agent that may not take an action which is open to people. Either the action is for
// people only, or its guard refuses the agent. Reason says why the agent's own member may not take the action either,
// and is nil if the member may.
type PersonOnly struct {
	err    error
	Reason error
}

// Error returns the sentence for the agent.
func (e *PersonOnly) Error() string { return e.err.Error() }

// Unwrap returns the underlying error, which has the [store.Code].
func (e *PersonOnly) Unwrap() error { return e.err }

// personOnly returns the error for an agent. The argument why is the refusal of the agent. The argument reason says
// why the agent's member may not take the action either, and is nil if the member may.
func personOnly(by store.Actor, why, reason error) *PersonOnly {
	e := &PersonOnly{Reason: reason}
	if reason == nil {
		e.err = store.Errorf(store.CodeOf(why), "%s Ask @%s to do it in a browser.", why, by.Member.Handle)
	} else {
		e.err = store.Errorf(store.CodeOf(why), "%s @%s may not either: %s", why, by.Member.Handle, reason)
	}
	return e
}
