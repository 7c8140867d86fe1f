package action

import "samepage/store"

// Done describes what an action has done.
type Done struct {
	Message string        // a sentence in the past tense for the actor
	Echo    string        // what the actor gave, such as "Your ballot: Cargo, Wagon."; it is not stored
	URL     string        // the page to show next; empty for the page of the subject
	Made    []Subject     // what was created; the journal has an entry for each instead of one for the subject
	Secret  string        // shown once and not stored
	Token   bool          // whether the secret is a token, with which an agent's client connects
	Notice  *store.Notice // says which members are notified; nil for none
	// Unlinked means that no record connects the actor with the input, such as an anonymous ballot or a secret.
	// The input and its digest are left out of all records.
	Unlinked bool
	Before   any // the previous state for the journal, if it is not the record of the subject
	After    any // the new state for the journal, if the actor can no longer see the subject
	Also     []Also
	// As is the authority by which the actor has taken the action. An action sets it only if it follows from the params.
	// Otherwise it is the one by which the guard let the actor act, and so [Spec.Do] returns it.
	As store.Authority
}

// Also is something else that the action has changed or created. The journal has a separate entry for it.
type Also struct {
	Subject Subject // in its present state
	Before  any     // the previous state for the journal
	Told    string  // see [Action.Told]; if it is empty, that of the action
	Action  string  // name of the action that the journal has; if it is empty, that of the action taken
	Notice  *store.Notice
	As      store.Authority // for an action of its own within the action taken; if it is zero, that of the action taken
}
