package actions

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

var _ = action.Describe[*governance.Commitment](
	"Something to do together, or an event. It binds those who joined once they are as many as its "+
		"critical mass, and nobody before.", governance.CommitmentKind.States...)

// CommonCommitment has the actions that a commitment shares with other items (see [Common]), and MarkMissed. MarkMissed
// comes after the action for comments, because a page highlights its first possible action, and that must not be
// MarkMissed.
var CommonCommitment = slices.Insert(Common(governance.CommitmentKind.Name, func(
	tx *store.Tx, by store.Actor, c *governance.Commitment,
) (*governance.Commitment, error) {
	return governance.CreateCommitment(tx, by, c.Studio, governance.NewCommitment{
		Title:        c.Title,
		Body:         c.Body,
		Place:        c.Place,
		CriticalMass: c.CriticalMass,
		Limit:        c.Limit,
	})
}), 1, MarkMissed)

// CreateCommitment makes a commitment in a studio, open or as a draft.
var CreateCommitment = action.New(action.Action[*store.Studio, CreateCommitmentParams]{
	Name: "create_commitment",
	Effects: []action.Effect{action.Makes(governance.CommitmentKind.Name),
		action.Opens(governance.CommitmentKind.Name)},
	Undo:  "Change while it binds nobody: update_commitment; a draft: discard.",
	Title: "Propose a commitment",
	Past:  "proposed",
	Doc: "Propose an event, or something to do together that binds those who join " +
		"once they are enough.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Aliases:    []string{"create_event"},
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Check: func(tx *store.Tx, _ store.Actor, _ *store.Studio, p CreateCommitmentParams, bad param.Errors) param.Errors {
		return p.check(tx.Now, 0, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateCommitmentParams) (action.Done, error) {
		c, err := governance.CreateCommitment(tx, by, s, p.commitment())
		if err != nil {
			return action.Done{}, err
		}
		return DraftOrOpen(tx, by, c, p.Draft, governance.OpenCommitment, governance.FindCommitment,
			"The commitment is open. Join it if you are in.")
	},
})

// CommitmentParams has the contents of a commitment.
type CommitmentParams struct {
	Title        string    `param:"title,text" doc:"What those who join will do, or the event they come to."`
	Text         string    `param:"text,markdown,optional" max:"20000" doc:"What one needs to know to join."`
	CriticalMass int       `param:"critical_mass,number" min:"1" max:"100000"`
	_            struct{}  `doc:"How many people it takes. Below that it binds nobody."`
	Limit        int       `param:"limit,number,optional" max:"100000"`
	_            struct{}  `doc:"How many can join at most: any number unless set."`
	ClosesAt     time.Time `param:"closes_at,time,optional"`
	_            struct{}  `doc:"Until when people can join. An event takes people until it starts unless you set a time."`
	StartsAt     time.Time `param:"starts_at,time,optional" doc:"For an event: when it starts."`
	EndsAt       time.Time `param:"ends_at,time,optional" doc:"For an event: when it ends."`
	Place        string    `param:"place,text,optional" doc:"For an event: where it is."`
}

// CreateCommitmentParams are the params of [CreateCommitment].
type CreateCommitmentParams struct {
	CommitmentParams
	Draft bool `param:"draft,flag,optional" doc:"Keep it as a draft of yours."`
}

// check returns the errors in decoded params. The argument joined is the number of participants, and bad has the errors
// of decoding.
func (p CommitmentParams) check(now time.Time, joined int, bad param.Errors) (errs param.Errors) {
	add := func(field, message string, args ...any) {
		errs = append(errs, param.Error{Field: field, Message: fmt.Sprintf(message, args...)})
	}
	if joined > 0 && p.CriticalMass <= joined {
		add("critical_mass", "%d have joined, and nobody is bound by a change. Choose more than %d.", joined, joined)
	}
	if p.Limit > 0 && p.Limit < p.CriticalMass && !bad.Has("critical_mass") {
		add("limit", "Fewer than the critical mass, so it could never bind. Choose %d or more.", p.CriticalMass)
	}
	if !p.ClosesAt.IsZero() && !p.ClosesAt.After(now) {
		add("closes_at", "That has passed already. Name a time in the future, such as 3d.")
	}
	if bad.Has("starts_at") {
		return errs
	}
	if p.StartsAt.IsZero() {
		if !p.EndsAt.IsZero() || p.Place != "" {
			add("starts_at", "What has an end or a place is an event. Say when it starts.")
		}
		return errs
	}
	if !p.StartsAt.After(now) {
		add("starts_at", "That has passed already. Name a time in the future, such as 2w.")
	}
	if !p.EndsAt.IsZero() && !p.EndsAt.After(p.StartsAt) {
		add("ends_at", "It must end after it starts.")
	}
	if p.ClosesAt.After(p.StartsAt) {
		add("closes_at", "Joining ends when the event starts, at the latest.")
	}
	return errs
}

func (p CommitmentParams) commitment() governance.NewCommitment {
	if p.ClosesAt.IsZero() {
		p.ClosesAt = p.StartsAt
	}
	return governance.NewCommitment{
		Title:        p.Title,
		Body:         p.Text,
		CriticalMass: p.CriticalMass,
		Limit:        p.Limit,
		ClosesAt:     p.ClosesAt,
		StartsAt:     p.StartsAt,
		EndsAt:       p.EndsAt,
		Place:        p.Place,
	}
}

// UpdateCommitment changes the contents of a commitment that is not binding yet.
var UpdateCommitment = action.New(action.Action[*governance.Commitment, CommitmentParams]{
	Name:       "update_commitment",
	Effects:    []action.Effect{action.Edits(governance.CommitmentKind.Name)},
	Undo:       "Change again: update_commitment.",
	Title:      "Change the commitment",
	Past:       "changed",
	Doc:        "Change what it says, while it binds nobody. What you leave out stays as it is.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Versioned:  true,
	Guard:      func(by store.Actor, c *governance.Commitment) error { return c.MustBeRevisableBy(by) },
	Offers: func(_ store.Actor, c *governance.Commitment) param.Offers {
		stamp := func(t store.Time) *param.Offered {
			if t.IsZero() {
				return nil
			}
			return &param.Offered{Value: t.Format("2006-01-02 15:04 UTC")}
		}
		o := param.Offers{
			"title":         {Value: c.Title},
			"text":          {Value: c.Body},
			"critical_mass": {Value: strconv.Itoa(c.CriticalMass), Min: c.Joined + 1},
			"closes_at":     stamp(c.DueAt),
			"starts_at":     stamp(c.StartsAt),
			"ends_at":       stamp(c.EndsAt),
			"place":         {Value: c.Place},
		}
		if c.Limit > 0 {
			o["limit"] = &param.Offered{Value: strconv.Itoa(c.Limit)}
		}
		return o
	},
	Check: func(tx *store.Tx, _ store.Actor, c *governance.Commitment, p CommitmentParams,
		bad param.Errors) param.Errors {
		return p.check(tx.Now, c.Joined, bad)
	},
	Run: func(tx *store.Tx, _ store.Actor, c *governance.Commitment, p CommitmentParams) (action.Done, error) {
		return action.Done{
			Message: "The commitment is changed.",
			Notice:  &store.Notice{Reason: store.ReasonChange, Text: p.Text, Was: c.Body},
		}, governance.UpdateCommitment(tx, c, p.commitment())
	},
})

// OpenCommitment shows a draft to the studio, so that members can join.
var OpenCommitment = action.New(action.Action[*governance.Commitment, struct{}]{
	Name:       "open_commitment",
	Effects:    []action.Effect{action.Opens(governance.CommitmentKind.Name)},
	Undo:       "Change until it binds: update_commitment.",
	Title:      "Open the commitment",
	Past:       "proposed",
	Doc:        "Show this draft to the studio, so that people can join.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Guard:      func(by store.Actor, c *governance.Commitment) error { return c.MustBeDraftOf(by) },
	Run: func(tx *store.Tx, _ store.Actor, c *governance.Commitment, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The commitment is open.", Notice: c.OpeningNotice()},
			governance.OpenCommitment(tx, c)
	},
})

// partAction declares an action of members on their own part in a commitment.
func partAction[P any](a action.Action[*governance.Commitment, P]) *action.Spec[*governance.Commitment] {
	a.Scope, a.AllowedFor = store.ScopeWrite, store.InStudio
	return action.New(a)
}

// boundNow is the answer about undoing a join after which a commitment binds.
const boundNow = "It binds, so nobody can leave it."

// JoinCommitment adds the acting member to the participants of a commitment.
var JoinCommitment = partAction(action.Action[*governance.Commitment, struct{}]{
	Name:  join,
	Slot:  "people",
	Undo:  "Undo until it binds: leave.",
	Title: "Join",
	Told:  "joined and so bound",
	Past:  "joined",
	Doc:   "Say that you are in. Until it binds you can leave again; once enough have joined, it counts.",
	Guard: func(_ store.Actor, c *governance.Commitment) error { return c.MustBeJoinable() },
	Run: func(tx *store.Tx, by store.Actor, c *governance.Commitment, _ struct{}) (action.Done, error) {
		done := action.Done{Message: "You are in."}
		switch missing := c.Missing() - 1; {
		case missing > 0:
			done.Message = fmt.Sprintf("You are in. It takes %d more.", missing)
		case missing == 0:
			done.Undo = boundNow
			done.Message = "You are in, and so enough have joined: it is bound."
			done.Notice = &store.Notice{Reason: store.ReasonOutcome}
		default:
			done.Undo = boundNow
		}
		return done, governance.JoinCommitment(tx, by, c)
	},
})

// LeaveCommitment removes the acting member from the participants of a commitment.
var LeaveCommitment = partAction(action.Action[*governance.Commitment, struct{}]{
	Name:  leave,
	Past:  "left",
	Undo:  "Undo: join.",
	Title: "Leave",
	Doc:   "Say that you are not in after all. This is possible until it binds.",
	Guard: func(_ store.Actor, c *governance.Commitment) error { return c.MustBeLeavable() },
	Run: func(tx *store.Tx, by store.Actor, c *governance.Commitment, _ struct{}) (action.Done, error) {
		return action.Done{Message: "You are no longer in."}, governance.LeaveCommitment(tx, by, c)
	},
})

// CloseCommitment ends the time in which members can join.
var CloseCommitment = action.New(action.Action[*governance.Commitment, struct{}]{
	Name:        "close_commitment",
	Title:       "End the joining",
	Past:        "ended the joining of",
	Doc:         "Take no more people. If it is not bound by now, it does not come about. It cannot be opened again.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Chair,
	HumanOnly:   true,
	Destructive: true,
	ByClock:     true,
	Guard:       func(by store.Actor, c *governance.Commitment) error { return c.MustBeClosableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, c *governance.Commitment, _ struct{}) (action.Done, error) {
		message := "Joining has ended. It counts for those who are in."
		if !c.Bound() {
			message = "The commitment did not come about. It binds nobody."
		}
		return action.Done{
			Message: message,
			Notice:  &store.Notice{Reason: store.ReasonOutcome},
		}, governance.CloseCommitment(tx, by, c)
	},
})

// MarkDone records that the acting member did their part of a commitment.
var MarkDone = partAction(action.Action[*governance.Commitment, MarkParams]{
	Name:  markDone,
	Past:  "did",
	Slot:  "people",
	Undo:  "Say otherwise: mark_missed.",
	Title: "I did it",
	Doc:   "Say that you did your part, or were there. " + endsJoining,
	Guard: func(_ store.Actor, c *governance.Commitment) error {
		return c.MustBeMarkable(governance.CommitmentDone)
	},
	Run: func(tx *store.Tx, by store.Actor, c *governance.Commitment, p MarkParams) (action.Done, error) {
		return mark(tx, by, c, true, p.Note, "You did it.")
	},
})

// MarkMissed records that the acting member did not do their part of a commitment.
var MarkMissed = partAction(action.Action[*governance.Commitment, MarkParams]{
	Name:  "mark_missed",
	Past:  "did not do",
	Undo:  "Say otherwise: mark_done.",
	Title: "I did not do it",
	Doc:   "Say that you did not do your part, or were not there. " + endsJoining,
	Guard: func(_ store.Actor, c *governance.Commitment) error {
		return c.MustBeMarkable(governance.CommitmentMissed)
	},
	Run: func(tx *store.Tx, by store.Actor, c *governance.Commitment, p MarkParams) (action.Done, error) {
		return mark(tx, by, c, false, p.Note, "Noted. Thank you for saying so.")
	},
})

// endsJoining says when a mark is more than the member's own.
const endsJoining = "Joining ends once all have said how it went."

func mark(
	tx *store.Tx, by store.Actor, c *governance.Commitment, done bool, note, message string,
) (action.Done, error) {
	if c.IsLastMark() {
		message += " All who are in have said how it went, so joining has ended."
	}
	return action.Done{Message: message}, governance.MarkCommitment(tx, by, c, done, note)
}

// MarkParams are the params of [MarkDone] and [MarkMissed].
type MarkParams struct {
	Note string `param:"note,text,optional" doc:"How it went, in a line."`
}
