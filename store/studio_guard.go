package store

import (
	"fmt"
	"slices"
	"strings"
)

// The guards of a studio: the actions that its state, the actor's membership and the actor's roles allow.
// The rights of roles are defined only here.

// MustBeActive refuses an archived studio, with [Conflict].
func (s *Studio) MustBeActive() error {
	if s.State() == "archived" {
		return Errorf(Conflict, "%s is archived. It can be read, and nothing in it can be changed.", s.Name)
	}
	return nil
}

// MustBeJoined refuses an actor outside the studio, and an archived studio.
func (s *Studio) MustBeJoined() error {
	if err := s.MustBeActive(); err != nil {
		return err
	}
	if !s.Joined() {
		return Errorf(Forbidden, "Only members of %s can do this. Join it on %s.", s.Name, s.URL())
	}
	return nil
}

// Holds reports that the actor holds a role of one of these kinds in the studio and, as a token, may use
// it. Without kinds any role counts.
func (s *Studio) Holds(by Actor, kinds ...string) bool {
	for _, r := range s.Mine {
		if (len(kinds) == 0 || slices.Contains(kinds, r.kind)) && by.MayUse(r.id) {
			return true
		}
	}
	return false
}

// held are the roles of one member.
type held []struct {
	kind, id string
	mirrors  bool // mirrors a role of the parent
}

// Scan implements [database/sql.Scanner]. For each role the text has its kind, its id, and its source or a hyphen.
func (h *held) Scan(v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("roles are text, not %T", v)
	}
	fields := strings.Fields(text)
	*h = make(held, len(fields)/3)
	for i := range *h {
		r := &(*h)[i]
		r.kind, r.id, r.mirrors = fields[3*i], fields[3*i+1], fields[3*i+2] != "-"
	}
	return nil
}

// mirrored reports that one of the actor's roles here mirrors a role of the parent.
func (s *Studio) mirrored() bool {
	for _, r := range s.Mine {
		if r.mirrors {
			return true
		}
	}
	return false
}

// KeptBy reports that the actor has the rights of the studio's leader or secretary, which the
// organization's owner has too.
func (s *Studio) KeptBy(by Actor) bool {
	return by.Member != nil && by.Member.Owner || s.Holds(by, Leader, Secretary)
}

// MustBeKeptBy refuses actors other than the studio's leader and secretary and the organization's owner,
// with [Forbidden].
func (s *Studio) MustBeKeptBy(by Actor) error {
	if err := s.MustBeActive(); err != nil {
		return err
	}
	if !s.KeptBy(by) {
		return Errorf(Forbidden,
			"Only the leader and the secretary of %s and the organization's owner can do this. Ask one of them.",
			s.Name)
	}
	return nil
}

// MustBeGovernedBy refuses actors that may not change the studio's structure: its fields, its parent and
// its roles. Its members and the organization's owner may; the journal makes every change visible.
func (s *Studio) MustBeGovernedBy(by Actor) error {
	if by.Member != nil && by.Member.Owner {
		return s.MustBeActive()
	}
	return s.MustBeJoined()
}

// MustBeArchivableBy refuses actors other than the leader, and the general studio.
func (s *Studio) MustBeArchivableBy(by Actor) error {
	if s.General {
		return Errorf(Conflict, "The general studio cannot be archived.")
	}
	return s.MustBeKeptBy(by)
}

// MustTakeMembersFrom refuses actors that may not add members: any member may where everyone in the
// organization could join, else the leader and the secretary.
func (s *Studio) MustTakeMembersFrom(by Actor) error {
	switch {
	case s.General:
		return Errorf(Conflict, "Everyone in the organization is in %s.", s.Name)
	case s.Visibility != "members" && s.Joined():
		return s.MustBeActive()
	}
	return s.MustBeKeptBy(by)
}

// MustLoseMembersTo refuses actors other than the leader and the organization's owner.
func (s *Studio) MustLoseMembersTo(by Actor) error {
	if s.General {
		return Errorf(Conflict, "Everyone in the organization is in %s.", s.Name)
	}
	if err := s.MustBeActive(); err != nil {
		return err
	}
	if s.People == 1 && s.Joined() {
		return Errorf(Conflict, "You are the only member of %s.", s.Name)
	}
	if !by.Member.Owner && !s.Holds(by, Leader) {
		return Errorf(Forbidden,
			"Only the leader of %s and the organization's owner can do this. Ask one of them.", s.Name)
	}
	return nil
}

// MustLetGo refuses an actor outside the studio, and a departure that is not possible: from the general studio, of the
// last member of a hidden one, of a leader by a role of its parent, and of a role's holder by an agent.
func (s *Studio) MustLetGo(by Actor) error {
	switch {
	case !s.Joined():
		return Errorf(Conflict, "You are not in %s.", s.Name)
	case s.General:
		return Errorf(Conflict, "Everyone in the organization is in %s.", s.Name)
	case s.People == 1 && s.Visibility == "members":
		return Errorf(Conflict,
			"You are the last member of %s, and nobody else could see it. Archive it instead.", s.Name)
	case s.mirrored():
		return Errorf(Conflict, "You lead %s through a role of the studio above it. Give that up first.", s.Name)
	case by.IsAgent() && len(s.Mine) > 0:
		return Errorf(Forbidden, "@%s holds a role in %s, which only a person gives up.", by.Member.Handle, s.Name)
	}
	return s.MustBeActive()
}
