package store

import (
	"fmt"
	"slices"
	"strings"
)

// The guards of a studio follow. They decide which actions are allowed by the studio's state and by the actor's
// membership and roles. The rights of roles are defined only here.

// MustBeActive returns [Conflict] if the studio is archived.
func (s *Studio) MustBeActive() error {
	if s.State() == "archived" {
		return Errorf(Conflict, "%s is archived. It can be read, and nothing in it can be changed.", s.Name)
	}
	return nil
}

// MustBeJoined returns [Conflict] if the studio is archived, and [Forbidden] if the actor is not a member of
// the studio.
func (s *Studio) MustBeJoined() error {
	if err := s.MustBeActive(); err != nil {
		return err
	}
	if !s.Joined() {
		return Errorf(Forbidden, "Only members of %s can do this. Join it at %s.", s.Name, Address(s.URL()))
	}
	return nil
}

// Holds reports whether the acting member holds a role of one of these kinds in the studio that the actor's token, if
// there is one, may use. Without kinds, any role counts.
func (s *Studio) Holds(by Actor, kinds ...string) bool {
	for _, r := range s.Mine {
		if (len(kinds) == 0 || slices.Contains(kinds, r.kind)) && by.mayUse(r.id) {
			return true
		}
	}
	return false
}

// held has the roles of one member in a studio.
type held []struct {
	kind, id string
	mirrors  bool // the role mirrors a role of the parent studio
}

// Scan implements [database/sql.Scanner]. The text has three words for each role: its kind, its id, and the id of its
// source or a hyphen.
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

// mirrored returns the id of an actor's role in the studio that mirrors a role of the parent studio, or "".
func (s *Studio) mirrored() string {
	for _, r := range s.Mine {
		if r.mirrors {
			return r.id
		}
	}
	return ""
}

// KeptBy reports whether the actor has the rights of the studio's leader or secretary. The organization's owner
// has these rights too.
func (s *Studio) KeptBy(by Actor) bool {
	return by.Member != nil && by.Member.Owner || s.Holds(by, Leader, Secretary)
}

// MustBeKeptBy returns [Forbidden] unless the actor is the studio's leader or secretary or the organization's
// owner. It returns [Conflict] if the studio is archived.
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

// MustBeGovernedBy returns an error if the actor may not change the studio's structure, which consists of its fields,
// its parent and its roles. All members of the studio and the organization's owner may change it, because the journal
// makes every change visible.
func (s *Studio) MustBeGovernedBy(by Actor) error {
	if by.Member != nil && by.Member.Owner {
		return s.MustBeActive()
	}
	return s.MustBeJoined()
}

// MustBeArchivableBy returns the errors of [Studio.MustBeKeptBy], and [Conflict] for the general studio.
func (s *Studio) MustBeArchivableBy(by Actor) error {
	if s.General {
		return Errorf(Conflict, "The general studio cannot be archived.")
	}
	return s.MustBeKeptBy(by)
}

// MustTakeMembersFrom returns an error if the actor may not add members. If everyone in the organization can join the
// studio, every member of the studio may add others. Otherwise only the leader, the secretary and the organization's
// owner may.
func (s *Studio) MustTakeMembersFrom(by Actor) error {
	switch {
	case s.General:
		return Errorf(Conflict, "Everyone in the organization is in %s.", s.Name)
	case s.Visibility != "members" && s.Joined():
		return s.MustBeActive()
	}
	return s.MustBeKeptBy(by)
}

// MustLoseMembersTo returns an error unless the actor is the studio's leader or the organization's owner. It also
// returns an error for the general studio, and if the actor is the studio's only member.
func (s *Studio) MustLoseMembersTo(by Actor) error {
	if s.General {
		return Errorf(Conflict, "Everyone in the organization is in %s.", s.Name)
	}
	if err := s.MustBeActive(); err != nil {
		return err
	}
	if s.People == 1 && s.Joined() {
		return Errorf(Forbidden, "You are the only member of %s.", s.Name)
	}
	if !by.Member.Owner && !s.Holds(by, Leader) {
		return Errorf(Forbidden,
			"Only the leader of %s and the organization's owner can do this. Ask one of them.", s.Name)
	}
	return nil
}

// MustLetGo returns an error if the actor cannot leave the studio. Nobody can leave the general studio. The last member
// cannot leave a studio that only its members see. A leader through a role of the parent studio cannot leave, and an
// agent cannot make a member leave who holds a role.
func (s *Studio) MustLetGo(by Actor) error {
	switch {
	case !s.Joined():
		return Errorf(Conflict, "You are not in %s.", s.Name)
	case s.General:
		return Errorf(Conflict, "Everyone in the organization is in %s.", s.Name)
	case s.People == 1 && s.Visibility == "members":
		return Errorf(Conflict,
			"You are the last member of %s, and nobody else could see it. Archive it instead, from the list at %s.",
			s.Name, Address(s.URL()+"/actions"))
	case s.mirrored() != "":
		return Errorf(Conflict, "You lead %s through a role of the studio above it. Give that up first, as %s says.",
			s.Name, Address(s.URL()+"/roles/"+s.mirrored()))
	case by.IsAgent() && len(s.Mine) > 0:
		return Errorf(Forbidden, "@%s holds a role in %s, which only a person gives up, at %s.", by.Member.Handle, s.Name,
			Address(s.URL()+"/roles/"+s.Mine[0].id))
	}
	return s.MustBeActive()
}
