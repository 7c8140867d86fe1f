package account

import (
	"cmp"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-chi/chi/v5"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/wire"
)

// guest is the caller with the link of an invitation, signed in or not.
type guest struct {
	by         store.Actor
	email      string // empty if the guest is not signed in
	invitation *store.Invitation
}

func (g *guest) signedIn() bool { return g.by.UserID != "" }

// wrongAddress reports whether the invitation is for one address and the guest is signed in with another.
func (g *guest) wrongAddress() bool {
	return g.signedIn() && g.invitation.Email != "" && g.invitation.Email != g.email
}

// findGuest finds the caller and the invitation with the secret. The error is [store.Missing] if the invitation does
// not exist or can no longer be accepted.
func (s *Server) findGuest(tx *store.Tx, r *http.Request, secret string) (g guest, err error) {
	if g.by, err = s.Caller(r)(tx); err != nil {
		return g, err
	}
	if g.by.IsAgent() {
		return g, store.Errorf(store.Forbidden, "Only a person can do this, in a browser.")
	}
	if g.signedIn() {
		if g.email, err = tx.UserEmail(g.by.UserID); err != nil {
			return g, err
		}
	}
	g.invitation, err = tx.InvitationBySecret(secret)
	return g, err
}

// openInvitation calls [Server.findGuest] with the secret in the URL. If ok is false, openInvitation has answered the
// request.
func (s *Server) openInvitation(w http.ResponseWriter, r *http.Request) (secret string, g guest, ok bool) {
	secret = chi.URLParam(r, "secret")
	err := s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
		g, err = s.findGuest(tx, r, secret)
		return err
	})
	if err != nil {
		s.failInvitation(w, r, g.by, err)
	}
	return secret, g, err == nil
}

// failInvitation answers with err, or with a page that says that the invitation cannot be accepted if err is
// [store.NotFound].
func (s *Server) failInvitation(w http.ResponseWriter, r *http.Request, by store.Actor, err error) {
	if store.CodeOf(err) != store.NotFound {
		s.Fail(w, r, err)
		return
	}
	p := views.NoInvitation()
	w.Header()["Cache-Control"] = wire.NoStore
	s.showNotice(w, r, http.StatusNotFound, by, &p)
}

// fields returns the fields of the form to accept. The form does not ask for the address if the invitation names one.
func (g *guest) fields() []param.Field {
	if g.signedIn() {
		return param.Fields(reflect.TypeFor[memberFields]())
	}
	var list []param.Field
	for _, f := range param.Fields(reflect.TypeFor[userFields]()) {
		if f.Name != "email" || g.invitation.Email == "" {
			list = append(list, f)
		}
	}
	return list
}

// proposal returns the values that the form starts with.
func (g *guest) proposal() param.Input {
	if len(g.by.Members) > 0 {
		return param.Input{"name": g.by.Members[0].Name, "handle": g.by.Members[0].Handle}
	}
	email := cmp.Or(g.email, g.invitation.Email)
	local, _, _ := strings.Cut(email, "@")
	handle, err := store.Handle(strings.NewReplacer(".", "-", "_", "-").Replace(local))
	if err != nil {
		return nil
	}
	return param.Input{"handle": handle}
}

// page returns the page of the invitation. It has no forms if [guest.wrongAddress] is true. If there are errors, the
// form to accept is filled in with the input.
func (g *guest) page(secret string, in param.Input, errs param.Errors) *page.Page {
	p := views.Invitation(g.invitation, g.email)
	at := store.InvitationPath(secret)
	if g.wrongAddress() {
		p.Blocks = []page.Block{page.Para(page.Line(page.Sentence("This invitation is for "),
			page.T(g.invitation.Email), page.Sentence(", and you are signed in as "), page.T(g.email),
			page.T(". Log out and open its link again, or ask for an invitation for your address.")))}
		return &p
	}
	if m := g.by.In(g.invitation.OrgID).Member; m != nil {
		p.Title = "An invitation to " + g.invitation.OrgName
		p.State = page.Line(page.Sentence("You are a member of "+g.invitation.OrgName+" already, as @"+m.Handle+
			". The invitation is still there for somebody else, until "),
			page.When(g.invitation.ExpiresAt.Time).Dated(), page.T("."))
		p.Blocks = []page.Block{page.Para(page.Line(page.Link("Go to "+g.invitation.OrgName,
			"/orgs/"+g.invitation.Org)))}
		return &p
	}
	whole := errs != nil
	if !whole {
		in = g.proposal()
	}
	become := "Become a member of " + g.invitation.OrgName + "."
	p.Forms = []page.Form{{Name: "accept", Slot: "accept", Title: "Join", Doc: become, URL: at + "/accept",
		Fields: param.FillIn(g.fields(), in, whole), Errors: errs}}
	if !g.signedIn() {
		if g.invitation.Email != "" {
			p.Forms[0].Doc = become + " You will sign in as " + g.invitation.Email + "."
		}
		p.Forms = append(p.Forms, page.Form{Name: "login", Slot: "login", Title: "Sign in first",
			Doc: "Use the login that you have here.",
			URL: LoginPath + "?next=" + url.QueryEscape(at), Fields: loginFields(g.invitation.Email)})
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "accept"}, page.Slot{ID: "login"},
		page.Section{ID: "decline", Title: "Not for you?", Extra: true, // in no text for agents, because it has the secret
			Blocks: []page.Block{page.Para(page.Line(page.Link("Decline the invitation", at+"/decline")))}})
	return &p
}

// showDecline shows the form with which a guest declines the invitation.
func (s *Server) showDecline(w http.ResponseWriter, r *http.Request) {
	secret, g, ok := s.openInvitation(w, r)
	if !ok {
		return
	}
	at := store.InvitationPath(secret)
	p := &page.Page{URL: "/invitations", Title: "Decline to join " + g.invitation.OrgName + "?", Only: true,
		Blocks: []page.Block{page.Slot{ID: "decline"}, page.Para(page.Line(page.Link("Back to the invitation", at)))},
		Forms: []page.Form{{Name: "decline", Slot: "decline", Title: "Decline", URL: at + "/decline", Destructive: true,
			Doc: "The invitation ends, for everybody who has its link. Nobody is told who you are."}}}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, p, s.Context(r, g.by), "-")
}

func (s *Server) showInvitation(w http.ResponseWriter, r *http.Request) {
	secret, g, ok := s.openInvitation(w, r)
	if !ok {
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, g.page(secret, nil, nil), s.Context(r, g.by), "-")
}

func (s *Server) acceptInvitation(w http.ResponseWriter, r *http.Request) {
	if err := s.Try(r, "", ""); err != nil {
		s.Fail(w, r, err)
		return
	}
	if err := wire.ParseForm(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	secret, g, ok := s.openInvitation(w, r)
	if !ok {
		return
	}
	in := param.FromForm(r.PostForm, nil)
	userID, err := s.join(r, secret, g, in)
	if errs := param.ErrorsOf(err); errs != nil || g.wrongAddress() {
		failure := ""
		switch {
		case g.wrongAddress():
			failure = "This invitation is for another address."
		case g.by.In(g.invitation.OrgID).Member != nil:
			failure = "You are a member already."
		}
		w.Header()["Cache-Control"] = wire.NoStore
		s.showBadForm(w, r, g.by, g.page(secret, in, errs), failure)
		return
	}
	if err != nil {
		s.failInvitation(w, r, g.by, err)
		return
	}
	if g.signedIn() {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	s.signIn(w, r, userID, "", "/", s.Store.Now())
}

func (s *Server) declineInvitation(w http.ResponseWriter, r *http.Request) {
	secret := chi.URLParam(r, "secret")
	var g guest
	err := s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if g, err = s.findGuest(tx, r, secret); err != nil {
			return err
		}
		if _, err := tx.Serialize(store.Actor{}, g.invitation.OrgID); err != nil {
			return err
		}
		before := g.invitation.Record()
		if err := tx.DeclineInvitation(g.invitation); err != nil {
			return err
		}
		_, err = tx.Journal(store.Actor{},
			store.Change{Action: declineInvitation, Target: g.invitation.Ref(), Before: before,
				After: g.invitation.Record(), Why: "by whoever was invited"})
		return err
	})
	if err != nil {
		s.failInvitation(w, r, g.by, err)
		return
	}
	s.showNotice(w, r, http.StatusOK, g.by,
		&page.Page{URL: "/invitations", Title: "Declined", Blocks: []page.Block{page.Para(page.Line(
			page.Sentence("You have declined the invitation to " + g.invitation.OrgName +
				". You can close this page.")))}})
}

// isInvitation reports whether a path has the form of the path of an invitation, so that a person may go on to it after
// signing in.
func isInvitation(raw string) bool {
	rest, ok := strings.CutPrefix(raw, store.InvitationPath(""))
	return ok && len(rest) > 0 && len(rest) <= 64 && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
