package actions

import (
	"samepage/actions/action"
	"samepage/store"
)

var _ = action.Describe[*store.Cycle](
	"A day, a week or a month of a studio: what is due, made, decided and done in it, and who was there.")

// OnCycle has the actions on the page of a cycle. [SendDigest] is for the latest past cycle. The others are actions of
// the studio, and are possible while the cycle is the current one.
var OnCycle = []*action.Spec[*store.Cycle]{onCycle(SendHeartbeat), besideCycle(CreateNote),
	besideCycle(CreateDecision), besideCycle(CreateCommitment), SendDigest}

func onCycle(a *action.Spec[*store.Studio]) *action.Spec[*store.Cycle] {
	return action.Lift(a, (*store.Cycle).MustBeCurrent)
}

func besideCycle(a *action.Spec[*store.Studio]) *action.Spec[*store.Cycle] {
	lifted := onCycle(a)
	lifted.Side = true
	return lifted
}

// SendHeartbeat records that the acting member is present in the current cycle of the studio.
var SendHeartbeat = action.New(action.Action[*store.Studio, HeartbeatParams]{
	Name:       "send_heartbeat",
	Past:       "was present in",
	Undo:       "It cannot be taken back.",
	Title:      "I am here",
	Doc:        "Say that you are there in this cycle, once, with a line of what you are at if you like.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeAway() },
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p HeartbeatParams) (action.Done, error) {
		h, err := tx.SendHeartbeat(by, s, p.Text)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "You are here.", URL: h.Cycle.URL(), Made: []action.Subject{h}}, nil
	},
})

// HeartbeatParams has the text of a heartbeat.
type HeartbeatParams struct {
	Text string `param:"text,text,optional" doc:"What you are at, in a line."`
}

// SendDigest tells the members of a studio the counts of the latest past cycle. Only the scheduler takes this action.
var SendDigest = action.New(action.Action[*store.Cycle, struct{}]{
	Name:       "send_digest",
	Title:      "Sum up",
	Doc:        "Tell everyone in the studio what happened in the cycle that is over. The scheduler does it, once.",
	Past:       "sums up",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard: func(by store.Actor, c *store.Cycle) error {
		if !by.System {
			return store.Errorf(store.Forbidden, "Only the scheduler sums up.")
		}
		return c.MustBeLast()
	},
	Run: func(tx *store.Tx, _ store.Actor, c *store.Cycle, _ struct{}) (action.Done, error) {
		d, err := tx.MakeDigest(c)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{
			Message: "They are told.",
			Made:    []action.Subject{d},
			Notice:  &store.Notice{Reason: store.ReasonChange, Studio: true},
		}, nil
	},
})
