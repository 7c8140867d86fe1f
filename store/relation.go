package store

import "strings"

// Relation is what an actor is to a page, as a set. An action declares which relations it is for; what the page's state and
// the actor's own doings allow on top of that is for its guard.
type Relation uint8

// The relations. Who is [InStudio], [Author] or [Chair] of something is in its studio now.
const (
	InOrganization Relation = 1 << iota // a member of the organization, who may see the page
	InStudio                            // a member of its studio
	Author                              // who made it
	Chair                               // who sees to it
	Keeper                              // who keeps the studio, in it or not
	Owner                               // who owns the organization
	Self                                // whom alone the page is for
	Clock                               // the scheduler
)

// relationWords say who is meant, in the order of the relations.
var relationWords = []string{"members of the organization", "members of the studio", "its author",
	"its author and who keeps the studio", "who keeps the studio",
	"the organization's owner", "yourself", "the scheduler"}

// String says who is meant: "its author or the organization's owner".
func (r Relation) String() string {
	var words []string
	for i, w := range relationWords {
		if r&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " or ")
}

// Relation is what the actor is to the organization.
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

// toMember is what the actor is to what belongs to a member, who is [Self].
func toMember(by Actor, orgID, memberID string) Relation {
	r := toOrganization(by, orgID)
	if by.Is(memberID) {
		r |= Self
	}
	return r
}

// Relation is what the actor is to the studio.
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

// Relation is what the actor is to the item.
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

// Relation is what the actor is to the file: its author is who attached it.
func (f *FilePage) Relation(by Actor) Relation {
	r := f.Item.Relation(by)
	if r&InStudio != 0 && by.Is(f.File.MemberID) {
		r |= Author
	}
	return r
}

// Relation is what the actor is to the cycle: what they are to its studio.
func (c *Cycle) Relation(by Actor) Relation { return c.Studio.Relation(by) }

// Relation is what the actor is to the member.
func (m *Member) Relation(by Actor) Relation { return toMember(by, m.OrgID, m.ID) }

// Relation is [Self]: nobody finds another's tokens.
func (t *Tokens) Relation(by Actor) Relation { return t.Member.Relation(by) }

// Relation is [Self]: nobody finds another's inbox.
func (b *Inbox) Relation(by Actor) Relation {
	if by.Anonymous() || by.System {
		return 0
	}
	return Self
}

// Relation is what the actor is to the token.
func (t *Token) Relation(by Actor) Relation {
	if by.Is(t.MemberID) {
		return Self
	}
	return 0
}

// Relation is what the actor is to the heartbeat: what they are to its studio.
func (h *Heartbeat) Relation(by Actor) Relation { return h.Cycle.Relation(by) }

// Relation is what the actor is to the agent: who it acts for is [Self].
func (a *AgentPage) Relation(by Actor) Relation { return toMember(by, a.OrgID, a.MemberID) }

// Relation is what the actor is to the approval: the agent that asked and its member are [Self].
func (a *Approval) Relation(by Actor) Relation { return toMember(by, a.OrgID, a.MemberID) }

// Relation is [Self]: everybody sees their own.
func (p *OrganizationsPage) Relation(by Actor) Relation {
	if len(by.Members) == 0 {
		return 0
	}
	return Self
}

// Relation is what the actor is to the organization.
func (i *Invitation) Relation(by Actor) Relation { return toOrganization(by, i.OrgID) }
