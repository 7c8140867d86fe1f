package store

import "strings"

// Relation is a set of the relations that an actor can have to a page, such as author. Each action declares the
// relations of the actors that may use it.
type Relation uint16

// These are the relations. [InStudio], [Author] and [Chair] require that the actor is in the studio at present.
const (
	InOrganization Relation = 1 << iota // a member of the organization that may see the page
	InStudio                            // a member of the studio of the page
	Author                              // the member that made the page
	Chair                               // the author or a keeper, if that member is in the studio
	Keeper                              // the studio's leader, its secretary or the organization's owner
	Owner                               // the owner of the organization
	Self                                // the member that the page, such as an inbox, is about or belongs to
	Clock                               // the scheduler
	Runner                              // the runner that the page is about
)

// relationWords describes each relation, in the order of the constants.
var relationWords = []string{"members of the organization", "members of the studio", "its author",
	"its author and who keeps the studio", "who keeps the studio",
	"the organization's owner", "yourself", "the scheduler", "the runner itself"}

// String describes the actors that have one of the relations, for example "its author or the organization's owner".
func (r Relation) String() string {
	var words []string
	for i, w := range relationWords {
		if r&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " or ")
}

// Authority is the right by which a guard let an actor take an action. It is zero if the action needs no more than a
// membership in the organization or the studio.
type Authority struct {
	As     string `db:"authority"` // one of the names below
	RoleID string `db:"role_id"`
	// Role is the title of the role at the time of the action. It is empty if the title was erased, or if some readers
	// of the entry may not see the studio of the role.
	Role string `db:"role"`

	studio string // id of the studio of the role if only members see the studio; otherwise empty
}

// These are the names of authorities.
const (
	AsAuthor  = "author"
	AsSelf    = "self"
	AsRole    = "role"
	AsOwner   = "owner"
	AsConsent = "consent"
	AsClock   = "schedule"
	AsRunner  = "runner"
)

// authorities describes all authorities, the weakest first. [Actor.Settle] searches them in this order.
var authorities = []struct {
	name  string
	gives Relation // the relations that give the authority
	words string   // describes the actor that has the authority; not used for a role with a known title
	said  string   // addition to a sentence about the actor; empty if it would tell readers nothing
}{
	{AsAuthor, Author, "its author", ""},
	{AsSelf, Self, "the member whom it concerns", ""},
	{AsRole, Chair | Keeper, "the holder of a role", "as the holder of a role"},
	{AsOwner, Owner, "the organization's owner", "as owner"},
	{AsConsent, 0, "an accepted topic", "by consent"},
	{AsClock, Clock, "the scheduler", ""},
	{AsRunner, Runner, "the runner itself", ""},
}

// Words describes the actor that has the authority. It is empty for the zero Authority.
func (a Authority) Words() string { words, _ := a.texts(); return words }

// Said returns an addition to a sentence about the actor, such as "as Secretary". It is empty if the authority tells
// readers nothing.
func (a Authority) Said() string { _, said := a.texts(); return said }

func (a Authority) texts() (words, said string) {
	if a.Role != "" {
		return a.Role, "as " + a.Role
	}
	for _, d := range authorities {
		if d.name == a.As {
			return d.words, d.said
		}
	}
	return "", ""
}

// Noting returns a copy of the actor in which guards record the authority by which they allow an action; see
// [Actor.Note].
func (a Actor) Noting() Actor {
	a.noted = new(Authority)
	return a
}

// Noted returns the authority that was recorded last, or the zero Authority if none was recorded.
func (a Actor) Noted() Authority {
	if a.noted == nil {
		return Authority{}
	}
	return *a.noted
}

// Note returns has. If has is true, Note also records the given authority.
func (a Actor) Note(has bool, as Authority) bool {
	if has && a.noted != nil {
		*a.noted = as
	}
	return has
}

// Wrote reports whether the acting member is the author with the id memberID. If so, it records the authority
// [AsAuthor].
func (a Actor) Wrote(memberID string) bool { return a.Note(a.Is(memberID), Authority{As: AsAuthor}) }

// Owns reports whether the acting member owns the organization. If so, it records the authority [AsOwner].
func (a Actor) Owns() bool { return a.Note(a.Member != nil && a.Member.Owner, Authority{As: AsOwner}) }

// Through evaluates the condition for a copy of the actor, and returns the authority that the condition's checks
// recorded in that copy. The condition's result is ignored.
func (a Actor) Through(condition func(Actor) bool) Authority {
	a = a.Noting()
	condition(a)
	return a.Noted()
}

// Settle records the final authority for an action. If [Actor.ByConsent] is set, the authority is [AsConsent].
// Otherwise it is the one that the guard recorded. If guard is zero and no membership suffices, Settle derives the
// authority from the actor's relations (has) and the relations that permit the action (needs).
func (a Actor) Settle(guard Authority, has, needs Relation) {
	if a.noted == nil {
		return
	}
	kept := *a.noted // recorded while the relations Chair and Keeper were computed
	matched := has & (needs | Clock)
	if matched&Chair != 0 {
		matched |= has & Author
	}
	switch {
	case a.ByConsent != "":
		guard = Authority{As: AsConsent}
	case guard.As != "" || matched&(InOrganization|InStudio) != 0:
	default:
		for _, d := range authorities {
			if matched&d.gives != 0 {
				guard = Authority{As: d.name}
				break
			}
		}
		if guard.As == AsRole {
			guard = kept
		}
	}
	*a.noted = guard
}

// NameRole adds the present title of the role to an authority that a role gives.
func (tx *Tx) NameRole(as Authority) (Authority, error) {
	if as.RoleID == "" || as.Role != "" {
		return as, nil
	}
	err := tx.Get(&as.Role, `SELECT title FROM roles WHERE id = ?`, as.RoleID)
	return as, err
}

// Relation returns the actor's relations to the organization.
func (o *Organization) Relation(by Actor) Relation {
	return toOrganization(by, o.ID)
}

func toOrganization(by Actor, orgID string) Relation {
	m := by.Member
	if m == nil || m.OrgID != orgID {
		m = by.In(orgID).Member
	}
	switch {
	case by.System:
		return Clock
	case m == nil:
		return 0
	case m.Owner:
		return InOrganization | Owner
	}
	return InOrganization
}

// toMember returns the actor's relations to a page about one member.
func toMember(by Actor, orgID, memberID string) Relation {
	r := toOrganization(by, orgID)
	if by.Is(memberID) {
		r |= Self
	}
	return r
}

// Relation returns the actor's relations to the studio. The studio must have been loaded for this actor.
func (s *Studio) Relation(by Actor) Relation {
	r := toOrganization(by, s.OrgID)
	if r&InOrganization == 0 {
		return r
	}
	if s.Joined() {
		r |= InStudio
	}
	if s.KeptBy(by) {
		r |= Keeper
	}
	return r
}

// Relation returns the actor's relations to the item.
func (i *Item) Relation(by Actor) Relation {
	r := i.Studio.Relation(by)
	if r&InStudio == 0 {
		return r
	}
	if by.Is(i.MemberID) {
		r |= Author | Chair
	} else if i.MustBeChairedBy(by) == nil {
		r |= Chair
	}
	return r
}

// Relation returns the actor's relations to the file. The file's author is the member that attached the file.
func (f *FilePage) Relation(by Actor) Relation {
	r := f.Item.Relation(by)
	if r&InStudio != 0 && by.Is(f.File.MemberID) {
		r |= Author
	}
	return r
}

// Relation returns the actor's relations to the cycle's studio.
func (c *Cycle) Relation(by Actor) Relation { return c.Studio.Relation(by) }

// Relation returns the actor's relations to the member.
func (m *Member) Relation(by Actor) Relation { return toMember(by, m.OrgID, m.ID) }

// Relation returns the actor's relations to the page of tokens, among them [Self], because an actor can load only the
// actor's own page.
func (t *Tokens) Relation(by Actor) Relation { return t.Member.Relation(by) }

// Relation returns [Self] for an actor that has an inbox, because an actor can load only the actor's own inbox.
func (b *Inbox) Relation(by Actor) Relation {
	if by.Anonymous() || by.System {
		return 0
	}
	return Self
}

// Relation returns [Self] if the token belongs to the acting member, and no relation otherwise.
func (t *Token) Relation(by Actor) Relation {
	if by.Is(t.MemberID) {
		return Self
	}
	return 0
}

// Relation returns the actor's relations to the heartbeat's studio.
func (h *Heartbeat) Relation(by Actor) Relation { return h.Cycle.Relation(by) }

// Relation returns the actor's relations to the agent, among them [Self] for the agent's member.
func (a *AgentPage) Relation(by Actor) Relation { return toMember(by, a.OrgID, a.MemberID) }

// Relation returns the actor's relations to the approval, among them [Self] for the member of the asking agent and for
// all agents of that member.
func (a *Approval) Relation(by Actor) Relation { return toMember(by, a.OrgID, a.MemberID) }

// Relation returns [Self] for an actor with a membership, because an actor can load only the list of the actor's own
// organizations.
func (p *OrganizationsPage) Relation(by Actor) Relation {
	if len(by.Members) == 0 {
		return 0
	}
	return Self
}

// Relation returns the actor's relations to the organization of the invitation.
func (i *Invitation) Relation(by Actor) Relation { return toOrganization(by, i.OrgID) }
