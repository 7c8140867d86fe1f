package work

import (
	"encoding/json"
	"fmt"
	"io"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
)

// ClaimTurn reserves a waiting turn for the runner. The claim lasts for [wire.TurnLease] unless the runner renews it.
var ClaimTurn = runnerAction(action.Action[*work.Runner, ClaimTurnParams]{
	Name:  "claim_turn",
	Undo:  "The claim ends by itself after 30 seconds.",
	Title: "Claim a turn",
	Doc: "Take a turn of an agent that waits, for 30 seconds. The answer has the token of the agent. Renew the " +
		"claim meanwhile.",
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, p ClaimTurnParams) (action.Done, error) {
		secret, err := work.ClaimTurn(tx, r, p.Turn, p.Claim)
		if err != nil {
			return action.Done{}, err
		}
		if secret != "" {
			return action.Done{Message: fmt.Sprintf("The turn is yours, under claim %d.", p.Claim+1),
				Secret: secret}, nil
		}
		s, err := work.SessionOfTurn(tx, r, p.Turn)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The turn has ended: its agent cannot have a token any more.",
			Also: []action.Also{{Subject: s,
				Action: FinishTurn.Name, Told: "could not be started in",
				Notice: &store.Notice{Reason: store.ReasonOutcome, To: []string{s.MemberID}}}}}, nil
	},
})

// ClaimTurnParams has the id of a turn and the number of the claim.
type ClaimTurnParams struct {
	Turn  string `param:"turn,text" max:"20" doc:"The turn, by its id."`
	Claim int    `param:"claim,number" min:"0" max:"100" doc:"To claim, the number of claims so far; later, that of your own."`
}

// turnAction declares an action of a runner on a turn that it has claimed. The function held returns the claim in the
// params.
func turnAction[P any](a action.Action[*work.Runner, P], held func(P) ClaimTurnParams,
	run func(tx *store.Tx, t *work.Turn, s *work.Session, p P) (action.Done, error)) *action.Spec[*work.Runner] {
	a.Guard = func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() }
	a.Run = func(tx *store.Tx, _ store.Actor, r *work.Runner, p P) (action.Done, error) {
		c := held(p)
		t, s, err := work.HeldTurn(tx, r, c.Turn, c.Claim)
		if err != nil {
			return action.Done{}, err
		}
		return run(tx, t, s, p)
	}
	return runnerAction(a)
}

// RenewTurn extends the claim of a turn.
var RenewTurn = turnAction(action.Action[*work.Runner, RenewTurnParams]{
	Name:  "renew_turn",
	Undo:  "The claim ends by itself after 30 seconds.",
	Title: "Renew the claim of a turn",
	Doc:   "Hold a claim and its token for 30 seconds more. If it is refused, end the process.",
}, func(p RenewTurnParams) ClaimTurnParams { return p.ClaimTurnParams },
	func(tx *store.Tx, t *work.Turn, s *work.Session, p RenewTurnParams) (action.Done, error) {
		return action.Done{Message: "The claim holds for 30 seconds more."}, work.RenewTurn(tx, t, s, p.Begins)
	})

// RenewTurnParams has the claim of a turn. Begins means that the agent begins now.
type RenewTurnParams struct {
	ClaimTurnParams
	Begins bool `param:"begins,flag,optional" doc:"You are about to start the process. Nobody else gets the turn from now on."`
}

// ReportTurn adds events to a turn.
var ReportTurn = turnAction(action.Action[*work.Runner, ReportTurnParams]{
	Name:  "report_turn",
	Undo:  "Events are never taken back.",
	Title: "Report events of a turn",
	Doc:   "Add events in order. Events that you reported before change nothing.",
}, func(p ReportTurnParams) ClaimTurnParams { return p.ClaimTurnParams },
	func(tx *store.Tx, t *work.Turn, s *work.Session, p ReportTurnParams) (action.Done, error) {
		if err := t.MustHaveBegun(); err != nil {
			return action.Done{}, err
		}
		var list []work.TurnEvent
		if err := readJSON(p.Events, &list); err != nil {
			return action.Done{}, param.Errors{{Field: "events", Message: err.Error()}}
		}
		if len(list) > work.MaxEvents {
			return action.Done{}, param.Errors{{Field: "events",
				Message: fmt.Sprintf("At most %d at a time.", work.MaxEvents)}}
		}
		err := work.ReportEvents(tx, t, s, list)
		if store.CodeOf(err) == store.Invalid {
			err = param.Bad("events", err)
		}
		return action.Done{Message: "Noted."}, err
	})

// ReportTurnParams has a list of events of a turn.
type ReportTurnParams struct {
	ClaimTurnParams
	Events param.Upload `param:"events,file" doc:"A JSON array of objects with n, kind, text and data; n counts from 1 in the turn."`
}

// readJSON decodes the JSON in a file. The error is [store.Invalid] if the text is not valid.
func readJSON(u param.Upload, into any) error {
	text, err := io.ReadAll(u.Reader())
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return store.Errorf(store.Invalid, "It cannot be read as JSON of the right form.")
	}
	return nil
}

// AskPermission stores the permission request of an agent. A rule of the session answers it at once, or a person does
// on its page.
var AskPermission = turnAction(action.Action[*work.Runner, AskPermissionParams]{
	Name:  "ask_permission",
	Past:  "passed on the request",
	Undo:  "It is open until somebody answers or the turn ends.",
	Title: "Ask for a permission",
	Doc:   "Pass on what the agent asks for. The answer is on this page, beside the turn, once somebody has given it.",
}, func(p AskPermissionParams) ClaimTurnParams { return p.ClaimTurnParams },
	func(tx *store.Tx, t *work.Turn, s *work.Session, p AskPermissionParams) (action.Done, error) {
		if err := t.MustHaveBegun(); err != nil {
			return action.Done{}, err
		}
		a := work.Asked{Event: p.Event, Title: p.Title, Kind: p.Kind, Input: p.Input, Digest: p.Digest}
		if err := readJSON(p.Choices, &a.Choices); err != nil {
			return action.Done{}, param.Errors{{Field: "choices", Message: err.Error()}}
		}
		if p.Paths.Size() > 0 {
			if err := readJSON(p.Paths, &a.Paths); err != nil {
				return action.Done{}, param.Errors{{Field: "paths", Message: err.Error()}}
			}
		}
		asked, first, err := work.AskPermission(tx, t, a)
		if store.CodeOf(err) == store.Invalid {
			err = param.Bad("choices", err)
		}
		if err != nil {
			return action.Done{}, err
		}
		done := action.Done{Message: fmt.Sprintf("It is request %d of the session.", asked.N)}
		switch {
		case first && asked.ByRule():
			done.Message += fmt.Sprintf(" Rule %d of the session has answered it.", asked.RuleN)
			done.Also = []action.Also{{Subject: asked}}
		case first:
			done.Also = []action.Also{{Subject: asked, Told: "asks for your permission:",
				Notice: &store.Notice{Reason: store.ReasonApproval, To: []string{s.MemberID},
					By: s.Byline()}}}
		}
		return done, nil
	})

// AskPermissionParams has the permission request of an agent.
type AskPermissionParams struct {
	ClaimTurnParams
	Event   int          `param:"event,number" min:"1" doc:"The number of the turn's event about it."`
	Title   string       `param:"title,text" max:"500" doc:"What it wants to do."`
	Kind    string       `param:"kind,text,optional" max:"40" doc:"The kind of tool, such as execute."`
	Input   string       `param:"input,markdown,optional" max:"16000" doc:"The input of the tool, as JSON or text."`
	Paths   param.Upload `param:"paths,file,optional" doc:"A JSON array of its files, relative to the worktree, if all are known."`
	Digest  string       `param:"digest,text,optional" max:"64" doc:"SHA-256 of all that the agent tells about the call, in hex."`
	Choices param.Upload `param:"choices,file" doc:"A JSON array of objects with id, name and kind."`
}

// FinishTurn ends a turn with the runner's report.
var FinishTurn = turnAction(action.Action[*work.Runner, FinishTurnParams]{
	Name:  "finish_turn",
	Past:  "ended a turn of",
	Undo:  "The member of the session prompts again, or resumes it.",
	Title: "End a turn",
	Doc:   "Report the end of a turn that you have claimed. Its token ends.",
}, func(p FinishTurnParams) ClaimTurnParams { return p.ClaimTurnParams },
	func(tx *store.Tx, t *work.Turn, s *work.Session, p FinishTurnParams) (action.Done, error) {
		end := &wire.TurnEnd{}
		err := readJSON(p.Report, end)
		if err == nil {
			err = work.CheckTurnEnd(end)
		}
		if store.CodeOf(err) == store.Invalid {
			err = param.Bad("report", err)
		}
		if err != nil {
			return action.Done{}, err
		}
		before := s.Record()
		if err := work.FinishTurn(tx, t, s, end); err != nil {
			return action.Done{}, err
		}
		after, err := work.SessionByID(tx, s.ID)
		return action.Done{Message: "The turn has ended.", Also: []action.Also{{Subject: after, Before: before,
			Notice: &store.Notice{Reason: store.ReasonOutcome, To: []string{s.MemberID}}}}}, err
	})

// FinishTurnParams has the report on the end of a turn.
type FinishTurnParams struct {
	ClaimTurnParams
	Report param.Upload `param:"report,file" doc:"A JSON object with the state, the reason, the heads, and the worktree."`
}
