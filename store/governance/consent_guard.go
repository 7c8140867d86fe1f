package governance

import (
	"strings"

	"samepage/store"
)

// mustBeDraftOf returns [store.Forbidden] unless the actor is the draft's author, and [store.Conflict] if the item was
// opened. It refuses actors outside the studio. The parameter `noun` is the word for the item in errors.
func mustBeDraftOf(i *store.Item, by store.Actor, noun string) error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !i.Draft() {
		return store.Errorf(store.Conflict, "This %s has been opened.", noun)
	}
	if !by.Is(i.MemberID) {
		return store.Errorf(store.Forbidden, "Only @%s can change this draft.", i.Member)
	}
	return nil
}

// mustBeUnresolved returns [store.Conflict] if the item is a draft or resolved, and refuses actors outside the studio.
// The parameter `outcome` describes the result of the item in errors, and is empty for an unresolved item.
func mustBeUnresolved(i *store.Item, noun, outcome string) error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case i.Draft():
		return store.Errorf(store.Conflict, "This %s is a draft. Its proposer must open it first.", noun)
	case outcome != "":
		return store.Errorf(store.Conflict, "This %s %s on %s.", noun, outcome, i.Stamp(i.ClosedAt))
	}
	return nil
}

// MustTakeResponseOf returns [store.Forbidden] to a member who joined after the round began, and to an agent if its
// member has responded in person. After the round's period, it returns [store.Conflict] unless the actor's own
// objection is open. It also returns the errors of [Asked.MustAsk].
func MustTakeResponseOf(a Asked, by store.Actor) error {
	if err := a.MustAsk(); err != nil {
		return err
	}
	i, c := a.Common(), a.Asks()
	if i.Studio.JoinedAt.After(c.ConsentAt.Time) {
		return store.Errorf(store.Forbidden, "You joined %s after this phase began, so you are not asked in it.", i.Studio.Name)
	}
	if Over(a) && !c.Mine.blocks() {
		return store.Errorf(store.Conflict, "The time to respond is over.")
	}
	return c.mineMustYield(by)
}

func (c *Consent) mineMustYield(by store.Actor) error {
	if by.IsAgent() && c.Mine.Position != "" && c.Mine.Agent.ID == "" {
		return store.Errorf(store.Forbidden, "@%s has responded in person, and an agent's response never replaces that.",
			by.Member.Handle)
	}
	return nil
}

func (r *Response) blocks() bool { return r.Position == Objection && r.Settled == ObjectionOpen }

// MustHaveObjectionOf returns [store.Conflict] if the actor's member has no open objection, and [store.Forbidden] to an
// agent if its member has objected in person. It also returns the errors of [Asked.MustAsk].
func MustHaveObjectionOf(a Asked, by store.Actor) error {
	if err := a.MustAsk(); err != nil {
		return err
	}
	if !a.Asks().Mine.blocks() {
		return store.Errorf(store.Conflict, "You have no open objection here.")
	}
	return a.Asks().mineMustYield(by)
}

// MustBeRuledBy returns [store.Forbidden] unless the actor is the studio's referee and passes [Asked.MustBeJudgedBy].
// It returns [store.Conflict] if no other member's objection is open, and the errors of [Asked.MustAsk].
func MustBeRuledBy(a Asked, by store.Actor) error {
	if err := a.MustAsk(); err != nil {
		return err
	}
	if studio := a.Common().Studio; !studio.Holds(by, store.Referee) {
		return store.Errorf(store.Forbidden, "Only the referee of %s can rule on an objection.", studio.Name)
	}
	if err := a.MustBeJudgedBy(by); err != nil {
		return err
	}
	if len(Ruleable(a, by)) == 0 {
		return store.Errorf(store.Conflict, "No objection of another member is open.")
	}
	return nil
}

// Ruleable returns the open objections of members other than the actor.
func Ruleable(a Asked, by store.Actor) (list []Response) {
	for _, r := range a.Asks().Open {
		if !by.Is(r.MemberID) {
			list = append(list, r)
		}
	}
	return list
}

// mustPass returns [store.Conflict] if an objection is open, if members can still respond in this round, or if the
// quorum is not reached. The parameters `subject` and `past` are words for errors, such as "this" and "accepted".
func mustPass(a Asked, subject, past string) error {
	c := a.Asks()
	switch {
	case c.Objections == 1:
		return store.Errorf(store.Conflict, "An objection is open, so %s cannot be %s.", subject, past)
	case c.Objections > 1:
		return store.Errorf(store.Conflict, "%d objections are open, so %s cannot be %s.", c.Objections, subject, past)
	case !Over(a) && c.Answered < c.Electorate:
		return store.Errorf(store.Conflict, "%d of %d have responded. %s can be %s when all have, or on %s.",
			c.Answered, c.Electorate, strings.ToUpper(subject[:1])+subject[1:], past, a.Common().Stamp(a.Common().DueAt))
	case c.Answered < c.Needed():
		return store.Errorf(store.Conflict, "%d have responded, and it takes %d.", c.Answered, c.Needed())
	}
	return nil
}

// mustBeEndable returns [store.Forbidden] unless the actor is the scheduler. It returns [store.Conflict] for a draft or
// a resolved item, before the end of the period, and for an archived studio.
func mustBeEndable(a Asked, by store.Actor, resolved bool) error {
	if !by.System {
		return store.Errorf(store.Forbidden, "Only the scheduler ends a period.")
	}
	i := a.Common()
	if err := i.Studio.MustBeActive(); err != nil {
		return err
	}
	if i.Draft() || resolved || !i.Due() {
		return store.Errorf(store.Conflict, "No period is over here.")
	}
	return nil
}
