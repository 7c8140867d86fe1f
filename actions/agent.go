package actions

import (
	"samepage/actions/action"
	"samepage/store"
)

var _ = action.Describe[*store.AgentPage](
	"A program that acts for one member of one organization, under a label that stands beside everything "+
		"it does.", store.AgentStates()...)

// PauseAgent pauses the present tokens of an agent, so that the server refuses requests with them.
var PauseAgent = agentAction(action.Action[*store.AgentPage, struct{}]{
	Name:  "pause_agent",
	Undo:  "Undo: resume_agent.",
	Title: "Pause the agent",
	Past:  "paused",
	Doc:   "Refuse every request of this agent, from the very next one, until it is resumed.",
}, func(_ store.Actor, a *store.AgentPage) error {
	if a.Active == 0 {
		return store.Errorf(store.Conflict, "This agent has no active token to pause.")
	}
	return nil
}, "The agent is paused.", (*store.Tx).PauseAgent)

// ResumeAgent resumes the paused tokens of an agent.
var ResumeAgent = agentAction(action.Action[*store.AgentPage, struct{}]{
	Name:  "resume_agent",
	Undo:  "Undo: pause_agent.",
	Title: "Resume the agent",
	Past:  "resumed",
	Doc:   "Let this agent act again with the tokens that were paused.",
}, func(by store.Actor, a *store.AgentPage) error {
	if a.Paused == 0 {
		return store.Errorf(store.Conflict, "This agent is not paused.")
	}
	for i := range a.Tokens {
		if err := mayResume(by, &a.Tokens[i]); err != nil {
			return err
		}
	}
	return nil
}, "The agent is resumed.", func(tx *store.Tx, _ store.Actor, a *store.AgentPage) error { return tx.ResumeAgent(a) })

// RevokeAgent ends all tokens of an agent.
var RevokeAgent = agentAction(action.Action[*store.AgentPage, struct{}]{
	Name:        "revoke_agent",
	Title:       "Revoke the agent's tokens",
	Past:        "revoked the tokens of",
	Doc:         "End every token of this agent. The very next request with one is refused; what it did stays.",
	Destructive: true,
}, func(_ store.Actor, a *store.AgentPage) error {
	if a.Active+a.Paused == 0 {
		return store.Errorf(store.Conflict, "This agent has no token that is in force.")
	}
	return nil
}, "Its tokens are revoked.", (*store.Tx).RevokeAgent)

// agentAction declares an action on an agent. If the organization's owner takes it, the agent's member is notified.
func agentAction(a action.Action[*store.AgentPage, struct{}], guard func(store.Actor, *store.AgentPage) error, message string,
	do func(*store.Tx, store.Actor, *store.AgentPage) error) *action.Spec[*store.AgentPage] {
	a.Scope, a.AllowedFor, a.HumanOnly = store.ScopeGovernance, store.Self|store.Owner, true
	a.Guard = func(by store.Actor, agent *store.AgentPage) error {
		if err := agent.MustBeRuledBy(by); err != nil {
			return err
		}
		return guard(by, agent)
	}
	a.Run = func(tx *store.Tx, by store.Actor, agent *store.AgentPage, _ struct{}) (action.Done, error) {
		err := do(tx, by, agent)
		return action.Done{
			Message: message + stopped(agent.Stopped),
			Notice:  &store.Notice{Reason: store.ReasonSecurity, To: []string{agent.MemberID}},
		}, err
	}
	return action.New(a)
}

// mayResume returns [store.Forbidden] if another member has paused the token and the actor is not the organization's
// owner.
func mayResume(by store.Actor, t *store.Token) error {
	if t.State() == "paused" && !by.Is(t.PausedBy) && !by.Member.Owner {
		return store.Errorf(store.Forbidden,
			"The owner of %s paused it, so only the owner can resume it.", by.Member.OrgName)
	}
	return nil
}
