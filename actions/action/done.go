package action

import "samepage/store"

// Done is the result of an action.
type Done struct {
	Message string        // the effect in sentences for the actor
	Echo    string        // the actor's input in words, such as "Your ballot: Cargo, Wagon."; not stored
	URL     string        // the page to show next; empty for the page of the subject
	Made    []Subject     // the created subjects, each with a journal entry; the action's own subject then has none
	Secret  string        // shown once and not stored
	Token   bool          // Secret is a token with which an agent's client connects
	Notice  *store.Notice // nil if nobody is notified
	// Undo replaces the action's Undo, in at most 12 words, if that is not true of this call.
	Undo string
	// Unlinked means that neither the journal nor the stored answer may reveal the input, such as an anonymous ballot.
	Unlinked bool
	// Unchanged means that the action changed nothing and has no journal entry.
	Unchanged bool
	Before    any // previous state for the journal; nil for the subject's record before the action
	After     any // new state for the journal; nil for the subject's record after the action
	Also      []Also
	// As is the authority for the action, such as a role of the actor. Run sets As only if the authority depends on the
	// params. Otherwise [Spec.Do] sets As to the authority that the guard recorded.
	As store.Authority
}

// Also is another subject that the action has changed or created. It has its own journal entry.
type Also struct {
	Subject Subject // in its present state
	Before  any     // previous state for the journal
	Told    string  // replaces the action's Told; empty to keep it
	Action  string  // name of the action in the journal's entry; empty for the action taken
	Notice  *store.Notice
	As      store.Authority // authority for this change; zero for that of the action
}
