package store

import "strings"

// Standing is what an actor is to a page, as a set. An action declares which standings it is for; what the page's state and
// the actor's own doings allow on top of that is for its guard.
type Standing uint8

// The standings. Who is [InStudio], [Author] or [Chair] of something is in its studio now.
const (
	InOrganization Standing = 1 << iota // a member of the organization, who may see the page
	InStudio                            // a member of its studio
	Author                              // who made it
	Chair                               // who sees to it
	Keeper                              // who keeps the studio, in it or not
	Owner                               // who owns the organization
	Self                                // whom alone the page is for
	Clock                               // the scheduler
)

// standingWords say who is meant, in the order of the standings.
var standingWords = []string{"members of the organization", "members of the studio", "its author", "its author and who keeps the studio", "who keeps the studio",
	"the organization's owner", "yourself", "the scheduler"}

// String says who is meant: "its author or the organization's owner".
func (r Standing) String() string {
	var words []string
	for i, w := range standingWords {
		if r&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " or ")
}

// Standing is what the actor is to the organization.
func (o *Organization) Standing(by Actor) Standing {
	return toOrganization(by, o.ID)
}

func toOrganization(by Actor, orgID string) Standing {
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
func toMember(by Actor, orgID, memberID string) Standing {
	r := toOrganization(by, orgID)
	if by.Is(memberID) {
		r |= Self
	}
	return r
}

// Standing is what the actor is to the studio.
func (s *Studio) Standing(by Actor) Standing {
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

// Standing is what the actor is to the item.
func (i *Item) Standing(by Actor) Standing {
	r := i.Studio.Standing(by)
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

// Standing is what the actor is to the file: its author is who attached it.
func (f *FilePage) Standing(by Actor) Standing {
	r := f.Item.Standing(by)
	if r&InStudio != 0 && by.Is(f.File.MemberID) {
		r |= Author
	}
	return r
}

// Standing is what the actor is to the cycle: what they are to its studio.
func (c *Cycle) Standing(by Actor) Standing { return c.Studio.Standing(by) }

// Standing is what the actor is to the member.
func (m *Member) Standing(by Actor) Standing { return toMember(by, m.OrgID, m.ID) }

// Standing is [Self]: nobody finds another's tokens.
func (t *Tokens) Standing(by Actor) Standing { return t.Member.Standing(by) }

// Standing is [Self]: nobody finds another's inbox.
func (b *Inbox) Standing(by Actor) Standing {
	if by.Anonymous() || by.System {
		return 0
	}
	return Self
}

// Standing is what the actor is to the token.
func (t *Token) Standing(by Actor) Standing {
	if by.Is(t.MemberID) {
		return Self
	}
	return 0
}

// Standing is what the actor is to the heartbeat: what they are to its studio.
func (h *Heartbeat) Standing(by Actor) Standing { return h.Cycle.Standing(by) }

// Standing is what the actor is to the agent: who it acts for is [Self].
func (a *AgentPage) Standing(by Actor) Standing { return toMember(by, a.OrgID, a.MemberID) }

// Standing is what the actor is to the approval: the agent that asked and its member are [Self].
func (a *Approval) Standing(by Actor) Standing { return toMember(by, a.OrgID, a.MemberID) }

// Standing is [Self]: everybody sees their own.
func (p *OrganizationsPage) Standing(by Actor) Standing {
	if len(by.Members) == 0 {
		return 0
	}
	return Self
}

// Standing is what the actor is to the organization.
func (i *Invitation) Standing(by Actor) Standing { return toOrganization(by, i.OrgID) }
