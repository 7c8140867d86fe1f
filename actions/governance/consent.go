package governance

import (
	"cmp"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// This file declares the actions of a consent round, which topics and elections have.

// asked is a subject with consent rounds: a topic or an election.
type asked interface {
	action.Subject
	governance.Asked
}

// Defaults and limits of a consent round; the quorum is a percentage.
const (
	defaultPeriod = 7 * 24 * time.Hour
	minPeriod     = time.Hour
	maxPeriod     = 90 * 24 * time.Hour
	defaultQuorum = 50
)

// ConsentParams has the rules of a consent round.
type ConsentParams struct {
	Period time.Duration `param:"period,duration,optional"`
	_      struct{}      `doc:"How long people can respond in the consent phase, 1h to 90d; 7d unless you say."`
	Quorum int           `param:"quorum,number,optional" min:"1" max:"100"`
	_      struct{}      `doc:"How many of 100 members must respond; 50 unless you say."`
}

func (p ConsentParams) check() (errs param.Errors) {
	if p.Period != 0 && (p.Period < minPeriod || p.Period > maxPeriod) {
		errs = append(errs, param.Error{Field: "period", Message: "Choose a time between 1h and 90d."})
	}
	return errs
}

func (p ConsentParams) rules() governance.ConsentRules {
	r := governance.ConsentRules{Period: p.Period, Quorum: p.Quorum}
	r.Period = cmp.Or(r.Period, defaultPeriod)
	if r.Quorum == 0 {
		r.Quorum = defaultQuorum
	}
	return r
}

// ResponseParams has a position and the reason for it.
type ResponseParams struct {
	Position string   `param:"position,choice" options:"consent=I consent,stand_aside=I stand aside,objection=I object"`
	_        struct{} `doc:"Consent if it is good enough for now and safe enough to try."`
	_        struct{} `doc:"Stand aside if you have doubts and do not stop it. Objection if it would do harm."`
	Reason   string   `param:"reason,markdown,optional" needed:"position=objection" max:"2000"`
	_        struct{} `doc:"Why; an objection needs one."`
}

// respond declares the action with which a member takes a position. The argument blocked is a sentence on the
// consequence of an objection.
func respond[S asked](name, past, doc, blocked string, aliases ...string) *action.Spec[S] {
	messages := map[string]string{governance.Consents: "You consent.", governance.Aside: "You stand aside.",
		governance.Objection: "You object. " + blocked}
	return action.New(action.Action[S, ResponseParams]{
		Name:       name,
		Slot:       "response",
		Undo:       "Respond again: it replaces your response.",
		Title:      "Respond",
		Past:       past,
		Doc:        doc,
		Scope:      store.ScopeGovernance,
		AllowedFor: store.InStudio,
		Ballot:     true,
		Aliases:    aliases,
		Guard:      func(by store.Actor, s S) error { return governance.MustTakeResponseOf(s, by) },
		Check: func(_ *store.Tx, _ store.Actor, _ S, p ResponseParams, bad param.Errors) (errs param.Errors) {
			if p.Position == governance.Objection && p.Reason == "" && !bad.Has("reason") {
				errs = append(errs, param.Error{Field: "reason", Message: "An objection says what would be harmed."})
			}
			return errs
		},
		Run: func(tx *store.Tx, by store.Actor, s S, p ResponseParams) (action.Done, error) {
			done := action.Done{Message: messages[p.Position],
				Echo: "Your response: " + governance.PositionWords[p.Position] + "."}
			if p.Position == governance.Objection {
				done.Notice = &store.Notice{Reason: store.ReasonReply, Text: p.Reason}
			}
			return done, governance.Respond(tx, by, s, p.Position, p.Reason)
		},
	})
}

// settled declares an action with which a member settles their own objection. The argument again is the name of the
// action with which they can object once more.
func settled[S asked](name, title, past, doc, message, again, state string) *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:       name,
		Slot:       "objections",
		Undo:       "Object again: " + again + ".",
		Title:      title,
		Past:       past,
		Doc:        doc,
		Scope:      store.ScopeGovernance,
		AllowedFor: store.InStudio,
		Ballot:     true,
		Guard:      func(by store.Actor, s S) error { return governance.MustHaveObjectionOf(s, by) },
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{Message: message, Notice: &store.Notice{Reason: store.ReasonReply}},
				governance.SettleObjection(tx, by, s, by.MemberID(), state, "")
		},
	})
}

// Names of actions on both topics and elections.
const (
	withdrawObjectionName = "withdraw_objection"
	markIntegratedName    = "mark_integrated"
)

func withdrawObjection[S asked](again string) *action.Spec[S] {
	return settled[S](withdrawObjectionName, "Withdraw your objection", "withdrew an objection to",
		"Say that your objection does not stop this any more.", "Your objection is withdrawn.", again,
		governance.ObjectionWithdrawn)
}

func markIntegrated[S asked](again string) *action.Spec[S] {
	return settled[S](markIntegratedName, "Your objection is met", "marked an objection as met in",
		"Say that what you objected to has been taken care of.", "Your objection is met.", again,
		governance.ObjectionIntegrated)
}

// ruleInvalid declares the action with which the referee rules an objection invalid. The argument ground is a clause
// that says which objections are invalid.
func ruleInvalid[S asked](again, ground string) *action.Spec[S] {
	return action.New(action.Action[S, RulingParams]{
		Name:       "rule_invalid",
		Slot:       "objections",
		Undo:       "The objector can object anew: " + again + ".",
		Title:      "Rule an objection invalid",
		Past:       "ruled on an objection to",
		Doc:        "As the referee, say why an objection does not stop this: " + ground,
		Scope:      store.ScopeGovernance,
		AllowedFor: store.InStudio,
		HumanOnly:  true,
		Guard:      func(by store.Actor, s S) error { return governance.MustBeRuledBy(s, by) },
		Offers: func(by store.Actor, s S) param.Offers {
			var list []param.Option
			for _, r := range governance.Ruleable(s, by) {
				list = append(list, param.Option{Value: r.Member, Label: "The objection of @" + r.Member})
			}
			return param.Offers{"objection": {Options: list}}
		},
		Run: func(tx *store.Tx, by store.Actor, s S, p RulingParams) (action.Done, error) {
			for _, r := range governance.Ruleable(s, by) {
				if r.Member == p.Objection {
					return action.Done{
						Message: "The objection of @" + r.Member + " is ruled invalid.",
						Notice:  &store.Notice{Reason: store.ReasonReply, Text: p.Reason},
					}, governance.SettleObjection(tx, by, s, r.MemberID, governance.ObjectionInvalid, p.Reason)
				}
			}
			return action.Done{}, store.Errorf(store.Conflict, "That objection is not open any more.")
		},
	})
}

// RulingParams has an objection that the referee rules on, and the reason.
type RulingParams struct {
	Objection string `param:"objection,choice" doc:"Whose objection."`
	Reason    string `param:"reason,markdown" max:"2000" doc:"Why it does not stop this."`
}
