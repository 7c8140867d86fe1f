package account

import (
	"net/http"
	"reflect"
	"time"

	"samepage/store"
	"samepage/views/page"
)

// A person with an address in a domain that an organization has listed can join without an inviter. The mailed link
// proves that the address is theirs.

type joinFields struct {
	Email string `param:"email,text" max:"254" as:"email" doc:"Your address at work. It gets a mail with a link."`
}

// againAfter is the time in which a further request for the same mail to the same address sends nothing, unless the
// earlier link was used meanwhile.
const againAfter = 10 * time.Minute

func (s *Server) joinForm() *linkForm {
	return &linkForm{path: "/join", title: "Join with your work address", name: "join_by_mail",
		doc: "The link works for a day.", field: reflect.TypeFor[joinFields](),
		about: "Some organizations here let everyone in who has an address of theirs. " +
			"Who was invited opens the link of the invitation instead.",
		unsent: page.Line(
			page.T("This server sends no mail, so nobody can join with an address alone. Ask somebody to invite you.")),
		refused: "Ask somebody to invite you.",
		sent: "If an organization here lets people in with this address, a link is on its way to it. " +
			"If none comes, ask somebody to invite you.",
		queue: func(r *http.Request, email string) error {
			return s.Store.Write(r.Context(), func(tx *store.Tx) error { return inviteByDomain(tx, email) })
		}}
}

// inviteByDomain invites the address to the organizations of [store.Tx.OrganizationsOfDomain], except those in which a
// member has the address, and those with a pending invitation for it from the last [againAfter].
func inviteByDomain(tx *store.Tx, email string) error {
	list, err := tx.OrganizationsOfDomain(email)
	if err != nil {
		return err
	}
	for i := range list {
		o := &list[i]
		if _, err := tx.Serialize(store.Actor{}, o.ID); err != nil {
			return err
		}
		in, err := tx.IsMember(o, email)
		if err != nil {
			return err
		}
		pending, err := tx.PendingFor(o, email, againAfter)
		if err != nil {
			return err
		}
		if in || pending {
			continue
		}
		if err := inviteTo(tx, o, email); err != nil {
			return err
		}
	}
	return nil
}

func inviteTo(tx *store.Tx, o *store.Organization, email string) error {
	x, err := tx.CreateInvitation(store.Actor{}, o, email, store.JoiningLife)
	if err != nil {
		return err
	}
	change := store.Change{Action: askToJoin, Target: x.Ref(), After: x.Record(),
		Why: "with an address of the organization's"}
	if _, err := tx.Journal(store.Actor{}, change); err != nil {
		return err
	}
	return tx.QueueMail(store.MailedInvitation, x.ID, email)
}
