package store

import "strings"

// Relation is a set of the relations that an actor can have to a page, such as author. Each action declares the
// relations of the actors that may use it. The guard of the action also checks the state of the page.
type Relation uint16

// These are the relations. [InStudio], [Author] and [Chair] require that the actor is in the studio at present.
const (
	InOrganization Relation = 1 << iota // a member of the organization who may see the page
	InStudio                            // a member of the studio of the page
	Author                              // the member who made the page
	Chair                               // the author or a keeper, if in the studio
	Keeper                              // the studio's leader, its secretary or the organization's owner
	Owner                               // the owner of the organization
	Self                                // the member that the page is about, or the reader of an inbox
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

// toMember returns the actor's relations to a page about one member, among them [Self] if the actor is that member.
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

// Relation returns the actor's relations to the file. Its author is the member who attached it.
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
