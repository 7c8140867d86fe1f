package action

import "samepage/store"

// Done is the result of an action, for the answer, the journal and the notifications.
type Done struct {
	Message string        // a sentence in the past tense for the actor
	Echo    string        // the actor's input in words, such as "Your ballot: Cargo, Wagon."; not stored
	URL     string        // the page to show next; empty for the page of the subject
	Made    []Subject     // the created subjects; the journal has an entry for each, and none for the action's subject
	Secret  string        // shown once and not stored
	Token   bool          // whether the secret is a token with which an agent's client connects
	Notice  *store.Notice // the members to notify, and the reason; nil if nobody is notified
	// Unlinked means that no record may connect the actor with the input, such as an anonymous ballot or a secret.
	// All records leave out the input and its digest.
	Unlinked bool
	// Unchanged means that the action changed nothing, so the journal has no entry about it.
	Unchanged bool
	Before    any // the previous state for the journal; nil for the subject's record before the action
	After     any // the new state for the journal; nil for the subject's record after the action
	Also      []Also
	// As is the authority by which the actor has taken the action. Run sets it only if the authority depends on the
	// params. Otherwise [Spec.Do] sets it to the authority that the guard has found.
	As store.Authority
}

// Also is another subject that the action has changed or created. The journal has a separate entry for this subject.
type Also struct {
	Subject Subject // in its present state
	Before  any     // the previous state for the journal
	Told    string  // replaces the Told of the action in notifications; empty to keep it
	Action  string  // name of the action in the journal's entry; empty for the action taken
	Notice  *store.Notice
	As      store.Authority // the authority for this change; zero if it is the same as for the action
}
