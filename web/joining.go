package web

import (
	"net/http"
	"reflect"
	"time"

	"samepage/actions/param"
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

func joinForm(in param.Input, errs param.Errors) *page.Page {
	return &page.Page{URL: "/join", Title: "Join with your work address", Only: true, Public: true,
		State: page.Line(page.T("Some organizations here let everyone in who has an address of theirs. Who was invited opens the link of the invitation instead.")),
		Forms: []page.Form{{Name: "join_by_mail", Title: "Send me a link", Doc: "The link works for a day.", URL: "/join", Fields: filled(param.Fields(reflect.TypeFor[joining]()), in, errs != nil), Errors: errs}}}
}

// joinPage answers GET /join.
func (s *Site) joinPage(w http.ResponseWriter, r *http.Request) {
	f := negotiate(accept(r), formHTML)
	if f == formNone {
		noForm(w)
		return
	}
	by, _ := s.whoAsks(r)
	p := joinForm(nil, nil)
	if s.config.Mail == nil {
		p.State, p.Forms = page.Line(page.T("This server sends no mail, so nobody can join with an address alone. Ask somebody to invite you.")), nil
	}
	forBrowsers(p, f)
	s.write(w, r, http.StatusOK, f, p, s.context(r, by, ""), "")
}

// join answers POST /join. The answer is the same for every address.
func (s *Site) join(w http.ResponseWriter, r *http.Request) {
	if err := parseForm(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	in := param.FromForm(r.PostForm, nil)
	email, err := store.Email(r.PostForm.Get("email"))
	c := s.context(r, store.Actor{}, "")
	switch {
	case s.config.Mail == nil:
		s.fail(w, r, store.Errorf(store.Conflict, "This server sends no mail. Ask somebody to invite you."))
		return
	case err != nil:
		c.Failure = "Some fields need attention. Nothing was changed."
		s.write(w, r, http.StatusUnprocessableEntity, formHTML, joinForm(in, param.Errors{{Field: "email", Message: err.Error()}}), c, "-")
		return
	}
	if err := s.try(r, email); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.store.Write(r.Context(), func(tx *store.Tx) error { return s.inviteByDomain(tx, email) }); err != nil {
		s.fail(w, r, err)
		return
	}
	p := page.Page{URL: "/join", Title: "Look into your mail", Public: true,
		Blocks: []page.Block{page.Para(page.Line(page.Sentence("If an organization here lets people in with this address, a link is on its way to it. If none comes, ask somebody to invite you.")))}}
	s.write(w, r, http.StatusOK, answerForm(r), &p, c, "-")
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
