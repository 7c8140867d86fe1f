package web

import (
	"net/http"
	"reflect"
	"time"

	"samepage/store"
	"samepage/views/page"
)

// People with an address of an organization's domain join by themselves: a mail shows that the address is theirs.

// joining is the form for people who have an address of an organization's.
type joining struct {
	Email string `param:"email,text" max:"254" doc:"Your address at work. It gets a mail with a link."`
}

// againAfter is how long nobody is mailed a second time for asking again.
const againAfter = 10 * time.Minute

func (s *Site) joining() *byMail {
	return &byMail{path: "/join", title: "Join with your work address", name: "join_by_mail", doc: "The link works for a day.", field: reflect.TypeFor[joining](),
		about:   "Some organizations here let everyone in who has an address of theirs. Who was invited opens the link of the invitation instead.",
		unsent:  page.Line(page.T("This server sends no mail, so nobody can join with an address alone. Ask somebody to invite you.")),
		refused: "Ask somebody to invite you.",
		sent:    "If an organization here lets people in with this address, a link is on its way to it. If none comes, ask somebody to invite you.",
		queue: func(r *http.Request, email string) error {
			return s.store.Write(r.Context(), func(tx *store.Tx) error { return s.inviteByDomain(tx, email) })
		}}
}

// inviteByDomain invites an address to the organizations whose domain it has, unless it was just now.
func (s *Site) inviteByDomain(tx *store.Tx, email string) error {
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
		just, err := tx.PendingFor(o, email, againAfter)
		if err != nil {
			return err
		}
		if in || just {
			continue
		}
		x, err := tx.CreateInvitation(store.Actor{}, o, email, store.JoiningLife)
		if err != nil {
			return err
		}
		if _, err := tx.Journal(store.Actor{}, store.Change{Action: "ask_to_join", Target: x.Ref(), After: x.Record(), Why: "with an address of the organization's"}); err != nil {
			return err
		}
		if err := tx.Queue(store.MailedInvitation, x.ID, email); err != nil {
			return err
		}
	}
	return nil
}
