package store

import "strings"

// Relation is the set of roles of an actor on a page. An action declares the relations that may use it; its
// guard checks the page's state and the actor's own part on top of that.
type Relation uint8

// The relations. [InStudio], [Author] and [Chair] include present membership of the studio.
const (
	InOrganization Relation = 1 << iota // a member of the organization that may see the page
	InStudio                            // a member of the page's studio
	Author                              // the author of the page
	Chair                               // the author or a keeper, in the studio
	Keeper                              // the studio's leader or secretary or the organization's owner
	Owner                               // the owner of the organization
	Self                                // the only person that the page is for
	Clock                               // the scheduler
)

// relationWords describe the relations, in their order.
var relationWords = []string{"members of the organization", "members of the studio", "its author",
	"its author and who keeps the studio", "who keeps the studio",
	"the organization's owner", "yourself", "the scheduler"}

// String describes the actors of the set: "its author or the organization's owner".
func (r Relation) String() string {
	var words []string
	for i, w := range relationWords {
		if r&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " or ")
}

// Relation returns the relation of the actor to the organization.
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

// toMember returns the relation of the actor to a page of one member; that member is [Self].
func toMember(by Actor, orgID, memberID string) Relation {
	r := toOrganization(by, orgID)
	if by.Is(memberID) {
		r |= Self
	}
	return r
}

// Relation returns the relation of the actor to the studio.
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

// Relation returns the relation of the actor to the item.
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

// Relation returns the relation of the actor to the file; the member that attached it is its author.
func (f *FilePage) Relation(by Actor) Relation {
	r := f.Item.Relation(by)
	if r&InStudio != 0 && by.Is(f.File.MemberID) {
		r |= Author
	}
	return r
}

// Relation returns the relation of the actor to the cycle's studio.
func (c *Cycle) Relation(by Actor) Relation { return c.Studio.Relation(by) }

// Relation returns the relation of the actor to the member.
func (m *Member) Relation(by Actor) Relation { return toMember(by, m.OrgID, m.ID) }

// Relation returns [Self], since an actor loads no other member's tokens.
func (t *Tokens) Relation(by Actor) Relation { return t.Member.Relation(by) }

// Relation returns [Self], since an actor loads no other inbox.
func (b *Inbox) Relation(by Actor) Relation {
	if by.Anonymous() || by.System {
		return 0
	}
	return Self
}

// Relation returns the relation of the actor to the token.
func (t *Token) Relation(by Actor) Relation {
	if by.Is(t.MemberID) {
		return Self
	}
	return 0
}

// Relation returns the relation of the actor to the heartbeat's studio.
func (h *Heartbeat) Relation(by Actor) Relation { return h.Cycle.Relation(by) }

// Relation returns the relation of the actor to the agent; its member is [Self].
func (a *AgentPage) Relation(by Actor) Relation { return toMember(by, a.OrgID, a.MemberID) }

// Relation returns the relation of the actor to the approval; its agent and that agent's member are [Self].
func (a *Approval) Relation(by Actor) Relation { return toMember(by, a.OrgID, a.MemberID) }

// Relation returns [Self], since an actor loads only their own organizations.
func (p *OrganizationsPage) Relation(by Actor) Relation {
	if len(by.Members) == 0 {
		return 0
	}
	return Self
}

// Relation returns the relation of the actor to the organization.
func (i *Invitation) Relation(by Actor) Relation { return toOrganization(by, i.OrgID) }
