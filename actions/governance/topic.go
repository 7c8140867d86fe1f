// Package governance declares the actions on topics, elections, policies, channels and messages.
package governance

import (
	"fmt"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// Topic is the subject of the actions on one topic.
type Topic = governance.Topic

var _ = action.Describe[*Topic]("A proposal that is accepted, after questions and answers, if nobody objects to it.",
	governance.TopicKind.States...)

// CommonTopic has the actions of [actions.Common] on a topic.
var CommonTopic = actions.Common(governance.TopicKind.Name, func(
	tx *store.Tx, by store.Actor, t *Topic,
) (*Topic, error) {
	again, err := governance.CreateTopic(tx, by, t.Studio, governance.NewTopic{
		Title:  t.Title,
		Body:   t.Body,
		Reacts: t.Reacts,

		ConsentRules: t.Consent.Rules(),
	})
	if err != nil {
		return nil, err
	}
	return again, governance.CopyChanges(tx, t, again)
})

// CreateTopic makes a proposal to a studio.
var CreateTopic = action.New(action.Action[*store.Studio, CreateTopicParams]{
	Name:       "create_topic",
	Effects:    []action.Effect{action.Makes(governance.TopicKind.Name), action.Opens(governance.TopicKind.Name)},
	Undo:       "Change: amend_topic. A draft: discard. A person can withdraw_topic.",
	Title:      "Propose a topic",
	Past:       "proposed",
	Doc:        "Make a proposal that is accepted, after questions and answers, if nobody objects.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio,
	Side:       true,
	Aliases:    []string{"propose", "create_proposal"},
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Check: func(_ *store.Tx, _ store.Actor, _ *store.Studio, p CreateTopicParams, _ param.Errors) param.Errors {
		return p.check()
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateTopicParams) (action.Done, error) {
		t, err := governance.CreateTopic(tx, by, s,
			governance.NewTopic{Title: p.Title, Body: p.Text, Reacts: p.Reaction,
				ConsentRules: p.rules()})
		if err != nil {
			return action.Done{}, err
		}
		return actions.DraftOrOpen(tx, by, t, p.Draft, governance.OpenTopic, governance.FindTopic,
			"The proposal is made. People can ask about it.")
	},
})

// ProposalParams has the text of a proposal.
type ProposalParams struct {
	Title string `param:"title,text" doc:"What is proposed, in a line."`
	Text  string `param:"text,markdown" max:"20000" doc:"The proposal as it will hold, and why."`
}

// CreateTopicParams has the fields of a new topic.
type CreateTopicParams struct {
	ProposalParams
	Reaction bool `param:"reaction,flag,optional" doc:"Ask everybody for a first reaction before the consent."`
	ConsentParams
	Draft bool `param:"draft,flag,optional" doc:"Keep it as a draft of yours."`
}

// OpenTopic shows a draft to the studio.
var OpenTopic = action.New(action.Action[*Topic, struct{}]{
	Name:       "open_topic",
	Effects:    []action.Effect{action.Opens(governance.TopicKind.Name)},
	Undo:       "Change: amend_topic. A person can withdraw_topic.",
	Title:      "Open the topic",
	Past:       "proposed",
	Doc:        "Show this proposal to the studio, so that people can ask about it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Author,
	Guard:      func(by store.Actor, t *Topic) error { return t.MustBeDraftOf(by) },
	Run: func(tx *store.Tx, _ store.Actor, t *Topic, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The proposal is made.", Notice: t.OpeningNotice()}, governance.OpenTopic(tx, t)
	},
})

// Amend changes the title and the text of a proposal.
var Amend = action.New(action.Action[*Topic, ProposalParams]{
	Name:    "amend_topic",
	Effects: []action.Effect{action.Edits(governance.TopicKind.Name)},
	Undo:    "Change again: amend_topic. Earlier versions are kept.",
	Title:   "Amend the proposal",
	Past:    "amended",
	Doc: "Change the proposal; the earlier text is kept as a version. The topic goes back to clarification, and " +
		"responses to the earlier text do not count.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Chair,
	Versioned:  true,
	Guard:      func(by store.Actor, t *Topic) error { return t.MustBeAmendableBy(by) },
	Offers: func(_ store.Actor, t *Topic) param.Offers {
		return param.Offers{"title": {Value: t.Title}, "text": {Value: t.Body}}
	},
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p ProposalParams) (action.Done, error) {
		message := "The proposal is changed."
		switch {
		case t.Draft():
		case t.Answered > 0:
			message = fmt.Sprintf("The proposal is changed, and clarified again. Responses to the earlier text do not count "+
				"any more: %d.", t.Answered)
		case t.Phase != governance.TopicClarification:
			message = "The proposal is changed, and clarified again."
		}
		return action.Done{
			Message: message,
			Notice:  &store.Notice{Reason: store.ReasonChange, Text: p.Text, Was: t.Body},
		}, governance.AmendTopic(tx, by, t, p.Title, p.Text)
	},
})

// Ask asks a question about a proposal.
var Ask = action.New(action.Action[*Topic, QuestionParams]{
	Name:       "ask_question",
	Slot:       "questions",
	Undo:       "It stays, with its answer.",
	Title:      "Ask",
	Past:       "asked about",
	Doc:        "Ask what is not clear in the proposal. What you think of it comes later.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio,
	Aliases:    []string{"ask_clarification"},
	Guard:      func(_ store.Actor, t *Topic) error { return t.MustTakeQuestions() },
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p QuestionParams) (action.Done, error) {
		return action.Done{
			Message: "Your question is asked.",
			Notice:  &store.Notice{Reason: store.ReasonReply, Text: p.Question},
		}, governance.AskQuestion(tx, by, t, p.Question)
	},
})

// QuestionParams has the text of a question.
type QuestionParams struct {
	Question string `param:"question,markdown" max:"2000" doc:"What is not clear."`
}

// Answer answers a question about a proposal.
var Answer = action.New(action.Action[*Topic, AnswerParams]{
	Name:       "answer_question",
	Slot:       "questions",
	Undo:       "It stays. Say more with comment.",
	Title:      "Answer a question",
	Past:       "answered a question about",
	Doc:        "Answer a question that waits for an answer.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, t *Topic) error { return t.MustTakeAnswers() },
	Offers: func(_ store.Actor, t *Topic) param.Offers {
		list := make([]param.Option, len(t.Pending))
		for i, q := range t.Pending {
			n := fmt.Sprint(q.N)
			list[i] = param.Option{Value: n, Label: "Question " + n + " by @" + q.Member}
		}
		return param.Offers{"question": {Options: list}}
	},
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p AnswerParams) (action.Done, error) {
		var n int
		fmt.Sscan(p.Question, &n) // the value of every offered option is a number
		return action.Done{
			Message: "The question is answered.",
			Notice:  &store.Notice{Reason: store.ReasonReply, Text: p.Answer},
		}, governance.AnswerQuestion(tx, by, t, n, p.Answer)
	},
})

// AnswerParams has the answer to a question.
type AnswerParams struct {
	Question string `param:"question,choice" doc:"Which question."`
	Answer   string `param:"answer,markdown" max:"5000" doc:"The answer."`
}

// React stores the acting member's reaction to a proposal.
var React = action.New(action.Action[*Topic, ReactionParams]{
	Name:       "react_to_proposal",
	Slot:       "reactions",
	Undo:       "React again: it replaces your reaction.",
	Title:      "React",
	Past:       "reacted to",
	Doc:        "Say in a few sentences what you think of the proposal. It helps the proposer to improve it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, t *Topic) error { return t.MustBeIn(governance.TopicReaction) },
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p ReactionParams) (action.Done, error) {
		return action.Done{
			Message: "Your reaction is noted.",
			Notice:  &store.Notice{Reason: store.ReasonReply, Text: p.Reaction},
		}, governance.React(tx, by, t, p.Reaction)
	},
})

// ReactionParams has the text of a reaction.
type ReactionParams struct {
	Reaction string `param:"reaction,markdown" max:"2000" doc:"What you think of it."`
}

const respondToTopic = "respond_to_topic"

// Respond takes a position on a proposal.
var Respond = respond[*Topic](respondToTopic, "responded to",
	"Say whether anything stands against the proposal, not whether you like it best.",
	"The proposal cannot be accepted until your objection is settled.", "object")
