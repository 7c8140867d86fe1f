package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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

// Holds reports whether the acting member holds a role of one of these kinds in the studio that the actor's token may
// use. It records the role as the authority; of several such roles, the one with the fewest rights.
func (s *Studio) Holds(by Actor, kinds ...string) bool {
	return s.holds(by, func(r heldRole) bool { return slices.Contains(kinds, r.kind) })
}

// HoldsRole reports whether the acting member holds the role with this id in the studio, and the actor's token may use
// the role.
func (s *Studio) HoldsRole(by Actor, id string) bool {
	return s.holds(by, func(r heldRole) bool { return r.id == id })
}

func (s *Studio) holds(by Actor, right func(heldRole) bool) bool {
	i := slices.IndexFunc(s.Mine, func(r heldRole) bool { return right(r) && by.mayUse(r.id) })
	if i < 0 {
		return false
	}
	return by.Note(true, s.AsRole(s.Mine[i].id))
}

// AsRole returns the authority that the role with this id gives to its holder in the studio.
func (s *Studio) AsRole(id string) Authority {
	as := Authority{As: AsRole, RoleID: id}
	if s.Visibility == "members" {
		as.studio = s.ID
	}
	return as
}

// held has the roles of one member in a studio. Roles with fewer rights come first. Roles with the same rights are
// sorted by the time at which the member got them, earliest first, and then by id.
type held []heldRole

type heldRole struct {
	kind, id string
	since    int64 // when the member got the role, in Unix milliseconds
	mirrors  bool  // the role mirrors a role of the parent studio
}

// byRights lists the kinds of roles by the rights that they give, the fewest first.
var byRights = []string{PlainRole, Referee, Secretary, Leader}

// Scan implements [database/sql.Scanner]. The text has four words for each role: its kind, its id, the id of its source
// or a hyphen, and the Unix time in milliseconds at which the member got it.
func (h *held) Scan(v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("roles are text, not %T", v)
	}
	fields := strings.Fields(text)
	*h = make(held, len(fields)/4)
	for i := range *h {
		r := &(*h)[i]
		r.kind, r.id, r.mirrors = fields[4*i], fields[4*i+1], fields[4*i+2] != "-"
		var err error
		if r.since, err = strconv.ParseInt(fields[4*i+3], 10, 64); err != nil {
			return err
		}
	}
	slices.SortFunc(*h, func(a, b heldRole) int {
		return cmp.Or(slices.Index(byRights, a.kind)-slices.Index(byRights, b.kind), cmp.Compare(a.since, b.since),
			cmp.Compare(a.id, b.id))
	})
	return nil
}

// mirrored returns the id of a role of the actor in the studio that mirrors a role of the parent studio, or "".
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
	return s.Holds(by, Leader, Secretary) || by.Owns()
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

// MustBeGovernedBy returns [Conflict] if the studio is archived, and [Forbidden] unless the actor is a member of the
// studio or the organization's owner. It does not enforce [GovernanceConsent].
func (s *Studio) MustBeGovernedBy(by Actor) error {
	if !s.Joined() && by.Owns() {
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

// MustTakeMembersFrom returns [Forbidden] if the actor may not add members, and [Conflict] for the general studio and
// for an archived studio. The leader, the secretary and the organization's owner may add members. If everyone in the
// organization can join the studio, every member of the studio may too.
func (s *Studio) MustTakeMembersFrom(by Actor) error {
	switch {
	case s.General:
		return Errorf(Conflict, "Everyone in the organization is in %s.", s.Name)
	case s.Visibility != "members" && s.Joined():
		return s.MustBeActive()
	}
	return s.MustBeKeptBy(by)
}

// MustLoseMembersTo returns [Forbidden] for the studio's only member, and for actors other than the studio's leader and
// the organization's owner. It returns [Conflict] for the general studio and for an archived studio.
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
	if !s.Holds(by, Leader) && !by.Owns() {
		return Errorf(Forbidden,
			"Only the leader of %s and the organization's owner can do this. Ask one of them.", s.Name)
	}
	return nil
}

// MustLetGo returns an error if the actor cannot leave the studio. The error is [Forbidden] only for an agent of a
// member with a role in the studio, and otherwise [Conflict].
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
