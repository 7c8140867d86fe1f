package governance

import (
	"fmt"
	"strings"

	"samepage/actions/action"
	"samepage/store"
	"samepage/store/governance"
)

func outcome(text string) *store.Notice {
	return &store.Notice{Reason: store.ReasonOutcome, Text: text}
}

const (
	advance   = "advance_topic"
	stepBack  = "step_back"
	endPeriod = "end_period"
)

// phaseAction declares an action that changes the phase of a topic or an election. The function done is called before
// the change and returns the answer.
func phaseAction[S action.Subject](name, title, past, undo, doc string, guard func(S, store.Actor) error,
	done func(S) action.Done, do func(*store.Tx, S) error,
) *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:       name,
		Undo:       undo,
		Title:      title,
		Past:       past,
		Doc:        doc,
		Scope:      store.ScopeGovernance,
		AllowedFor: store.Chair,
		HumanOnly:  true,
		Guard:      func(by store.Actor, s S) error { return guard(s, by) },
		Run: func(tx *store.Tx, _ store.Actor, s S, _ struct{}) (action.Done, error) {
			return done(s), do(tx, s)
		},
	})
}

// topicPhased declares an action that moves a topic to another phase. The function `to` returns the new phase, and `do`
// stores it.
func topicPhased(name, title, past, undo, doc string, guard func(*Topic, store.Actor) error, to func(*Topic) string,
	do func(*store.Tx, *Topic) error,
) *action.Spec[*Topic] {
	return phaseAction(name, title, past, undo, doc, guard,
		func(t *Topic) action.Done {
			phase := to(t)
			return action.Done{Message: "The topic is in the phase " + phase + ".", Notice: &store.Notice{
				Reason: store.ReasonChange, Studio: phase != governance.TopicClarification}}
		}, do)
}

// Advance moves a topic to the next phase.
var Advance = topicPhased(advance, "Begin the next phase", "began the next phase of",
	"Go back: step_back. Answers of this phase then do not count.",
	"Begin the next phase: the reactions if the topic has them, then the consent, in which everybody now in the "+
		"studio is asked.",
	(*Topic).MustBeAdvancedBy, (*Topic).NextPhase, governance.AdvanceTopic)

// StepBack moves a topic back to the clarification.
var StepBack = topicPhased(stepBack, "Back to clarification", "took back to clarification",
	"Forward again: advance_topic, which asks everybody anew.",
	"Clarify the proposal again. The responses so far do not count in the next consent phase.",
	(*Topic).MustBeSteppedBackBy, func(*Topic) string { return governance.TopicClarification },
	governance.StepBackTopic)

// These actions settle objections to a proposal.
var (
	WithdrawObjection = withdrawObjection[*Topic](respondToTopic)
	MarkIntegrated    = markIntegrated[*Topic](respondToTopic)
	RuleInvalid       = ruleInvalid[*Topic](respondToTopic, "it names no harm, or none that the "+
		"proposal causes.")
)

// StatementParams has an optional statement on the outcome.
type StatementParams struct {
	Statement string `param:"statement,markdown,optional" max:"5000" doc:"What follows from it, for those who read it later."`
}

// Accept accepts a proposal without open objections.
var Accept = action.New(action.Action[*Topic, StatementParams]{
	Name:  "accept_topic",
	Title: "Accept the proposal",
	Past:  "accepted",
	Doc: "Record that the proposal is accepted: no objection is open, enough have responded, and all have or the " +
		"time is over.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Chair,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, t *Topic) error { return t.MustBeAcceptableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p StatementParams) (action.Done, error) {
		return action.Done{Message: "The proposal is accepted.", Notice: outcome(p.Statement)},
			governance.ResolveTopic(tx, by, t, governance.TopicAccepted, p.Statement, governance.AcceptedHeadline)
	},
})

// EndPeriod ends the consent phase of a topic. The proposal is accepted, expires for lack of responses, or stays open
// because of an objection or a change that cannot be made. Only the scheduler takes this action.
var EndPeriod = action.New(action.Action[*Topic, struct{}]{
	Name:  endPeriod,
	Title: "End the time to respond",
	Past:  "ended the time to respond to",
	Doc: "Accept the proposal if nobody objects and enough have responded, or record that too few did. An open " +
		"objection keeps the topic open. The scheduler does it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard:      func(by store.Actor, t *Topic) error { return t.MustBeEndableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, t *Topic, _ struct{}) (action.Done, error) {
		became, err := governance.EndPeriod(tx, by, t)
		message := "The time to respond is over, and the proposal stays open."
		switch became {
		case governance.TopicAccepted:
			message = "The proposal is accepted."
		case governance.TopicExpired:
			message = "The time to respond is over, and too few have."
		}
		return action.Done{Message: message, Notice: outcome("")}, err
	},
})

// Withdraw withdraws a proposal.
var Withdraw = action.New(action.Action[*Topic, StatementParams]{
	Name:        "withdraw_topic",
	Title:       "Withdraw the proposal",
	Past:        "withdrew",
	Doc:         "Take the proposal back. It stays readable, and nothing more is decided about it.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Chair,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, t *Topic) error { return t.MustBeFacilitatedBy(by) },
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p StatementParams) (action.Done, error) {
		return action.Done{Message: "The proposal is withdrawn.", Notice: outcome(p.Statement)},
			governance.ResolveTopic(tx, by, t, governance.TopicWithdrawn, p.Statement, "")
	},
})

// Escalate passes a proposal on to the parent studio.
var Escalate = action.New(action.Action[*Topic, StatementParams]{
	Name:  "escalate_topic",
	Title: "Pass on to the parent studio",
	Past:  "passed on",
	// In a notification, "passed on" could be read as "passed", that is, accepted.
	Told: "let the parent studio decide",
	Doc: "Let the parent studio decide: the proposal becomes a topic there, in clarification, and ends here. You " +
		"must be in that studio. Changes that a topic there cannot make are left out.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Chair,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, t *Topic) error { return t.MustBeEscalatedBy(by) },
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p StatementParams) (action.Done, error) {
		parent, err := tx.FindStudio(by, t.Studio.Parent)
		if err == nil {
			err = parent.MustBeJoined()
		}
		if err != nil {
			return action.Done{}, err
		}
		up, left, err := governance.EscalateTopic(tx, by, t, parent, p.Statement)
		if err != nil {
			return action.Done{}, err
		}
		message := "The proposal is passed on to " + parent.Name + "."
		for _, c := range left {
			message += fmt.Sprintf(" Without change %d (%s, %s): %s.", c.N, c.Title, c.Target,
				strings.TrimSuffix(c.Message, "."))
		}
		return action.Done{
			Message: message,
			URL:     up.URL(),
			Notice:  outcome(p.Statement),
			Also:    []action.Also{{Subject: up, Told: "proposed", Notice: up.OpeningNotice()}},
		}, nil
	},
})
