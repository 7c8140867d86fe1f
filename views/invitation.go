package views

import (
	"cmp"
	"samepage/store"
	"samepage/views/page"
)

// Invitations returns the page that lists an organization's invitations, newest first.
func Invitations(by store.Actor, v *store.Invitations) page.Page {
	o := v.Organization
	p := page.Page{
		Title:    "Invitations to " + o.Name,
		Kind:     "Invitations",
		Trail:    page.Line(page.Link(o.Name, o.URL()), page.Link("Members", o.URL()+"/members")),
		Audience: "the owner of " + o.Name,
	}
	if o.Inviters == "members" {
		p.Audience = "the people of " + o.Name
	}
	if len(v.List) == 0 {
		p.Blocks = []page.Block{page.Empty(page.Line(page.T("Nobody has been invited to " + o.Name + " yet.")))}
		return p
	}
	t := page.Table{Caption: "Invitations", Columns: page.Columns("For", "State", "Invited by", "Made", "Mail")}
	data := make([]invitationPublic, 0, len(v.List))
	for i := range v.List {
		x := &v.List[i]
		whom, by := x.Email, "asked for it"
		whom = cmp.Or(whom, "whoever has the link")
		if x.Inviter != "" {
			by = "@" + x.Inviter
		}
		data = append(data, invitationPublic{x.ID, x.Email, x.State(), x.ExpiresAt})
		t.Rows = append(t.Rows, page.Row{Key: x.ID, Cells: [][]page.Inline{
			page.Line(page.T(whom)),
			invitationState(x),
			page.Line(page.T(by)),
			page.Line(page.When(x.CreatedAt.Time).Dated()),
			mailState(&x.Mailed),
		}})
	}
	p.Blocks, p.Data = []page.Block{t}, func() any {
		return struct {
			Invitations []invitationPublic `json:"invitations"`
		}{data}
	}
	if last := v.Last(); last != nil {
		p.Continue("Earlier invitations", o.URL()+"/invitations?after="+last.Cursor().String())
	}
	return p
}

type invitationPublic struct {
	ID      string     `json:"id"`
	Email   string     `json:"email,omitempty"`
	State   string     `json:"state"`
	Expires store.Time `json:"expires"`
}

func invitationState(i *store.Invitation) []page.Inline {
	switch i.State() {
	case "accepted":
		return page.Line(page.T("accepted by "), page.Link("@"+i.Member, store.MemberURL(i.Org, i.Member)))
	case "declined":
		return page.Line(page.T("declined, "), page.When(i.DeclinedAt.Time))
	case "revoked":
		return page.Line(page.Sentence("revoked by @"+i.RevokedBy+", "), page.When(i.RevokedAt.Time))
	case "expired":
		return page.Line(page.T("expired, "), page.When(i.ExpiresAt.Time))
	}
	return page.Line(page.T("pending until "), page.When(i.ExpiresAt.Time).Dated())
}

func mailState(m *store.Mail) []page.Inline {
	switch {
	case m.ID == "":
		return page.Line(page.T("–"))
	case !m.SentAt.IsZero():
		return page.Line(page.T("sent, "), page.When(m.SentAt.Time))
	case !m.FailedAt.IsZero():
		return page.Line(page.Sentence("given up after "+count(m.Attempts, "try", "tries")+": "),
			page.T(m.Problem), page.T(". Revoke it and make another."))
	case m.Attempts > 0:
		return page.Line(page.Sentence("tried "+count(m.Attempts, "time",
			"times")+", will be tried again: "), page.T(m.Problem))
	}
	return page.Line(page.T("on the way"))
}

// Invitation returns the page that a secret invitation link opens. The argument email is the reader's address, or empty
// if the reader is not signed in.
func Invitation(i *store.Invitation, email string) page.Page {
	p := page.Page{URL: "/invitations", Title: "Join " + i.OrgName, Only: true}
	by := "Somebody asked for this with an address that " + i.OrgName + " knows."
	if i.Inviter != "" {
		by = "@" + i.Inviter + " invites you to " + i.OrgName + "."
	}
	p.State = page.Line(page.Sentence(by+" You can accept once, until "), page.When(i.ExpiresAt.Time).Dated(), page.T("."))
	if email == "" {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence(
			"Make a login here. If you sign in here already, do that first: the way back is kept.",
		))))
		return p
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Sentence("You are signed in as "),
		page.T(email), page.T(". Log out to join by another login."))))
	return p
}

// NoInvitation returns the page for an invitation link that can no longer be accepted.
func NoInvitation() page.Page {
	return page.Page{URL: "/invitations", Title: "This invitation cannot be accepted",
		Blocks: []page.Block{page.Para(page.Line(page.Sentence("It was accepted, declined or revoked, it " +
			"has expired, or its link is not whole. Ask whoever invited you for another one."))),
			page.Para(page.Line(page.T("If you have joined already, "), page.Link("sign in", "/login"), page.T(".")))}}
}
