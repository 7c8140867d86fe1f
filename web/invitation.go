package web

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-chi/chi/v5"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/actions/password"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/wire"
)

// Accepting an invitation is like signing in, no action: whoever does it is nobody here yet. The secret in the address is neither
// in the page, nor in a link to it, nor in a log.

// entering is what somebody says to join with the login they have.
type entering struct {
	Name   string `param:"name,text" max:"80" doc:"Your name."`
	Handle string `param:"handle,text" max:"40" doc:"Your handle here: lower-case letters, digits and hyphens."`
}

// arriving is what somebody says to join with a new login.
type arriving struct {
	entering
	Email    string `param:"email,text" max:"254" doc:"Your email address, to sign in with."`
	Password string `param:"password,secret" doc:"A password of at least 8 characters."`
}

// guest is who opens an invitation: somebody signed in, or nobody.
type guest struct {
	by         store.Actor
	email      string // of who is signed in
	invitation *store.Invitation
}

func (g *guest) signedIn() bool { return g.by.UserID != "" }

// findGuest finds who opens which invitation. One that cannot be accepted: [store.Missing].
func (s *Site) findGuest(tx *store.Tx, r *http.Request, secret string) (g guest, err error) {
	if g.by, err = s.credentials(r).actor(tx); err != nil {
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

// fields are what the form asks for: an address that the invitation is for is not asked.
func (g *guest) fields() []param.Field {
	if g.signedIn() {
		return param.Fields(reflect.TypeFor[entering]())
	}
	var list []param.Field
	for _, f := range param.Fields(reflect.TypeFor[arriving]()) {
		if f.Name != "email" || g.invitation.Email == "" {
			list = append(list, f)
		}
	}
	return list
}

// proposal is what the form is filled in with at first: what they are called elsewhere, or by their address.
func (g *guest) proposal() param.Input {
	if len(g.by.Members) > 0 {
		return param.Input{"name": g.by.Members[0].Name, "handle": g.by.Members[0].Handle}
	}
	email := g.email
	if email == "" {
		email = g.invitation.Email
	}
	local, _, _ := strings.Cut(email, "@")
	handle, err := store.Handle(strings.NewReplacer(".", "-", "_", "-").Replace(local))
	if err != nil {
		return nil
	}
	return param.Input{"handle": handle}
}

// page is what the guest is shown: who invites them, and the forms to accept and to decline.
func (g *guest) page(secret string, in param.Input, errs param.Errors) *page.Page {
	p := views.Invitation(g.invitation, g.email)
	at := store.InvitationPath(secret)
	if g.wrongAddress() {
		p.Blocks = []page.Block{page.Para(page.Line(page.Sentence("This invitation is for "), page.T(g.invitation.Email), page.Sentence(", and you are signed in as "), page.T(g.email),
			page.T(". Log out and open its link again, or ask for an invitation for your address.")))}
		return &p
	}
	whole := errs != nil
	if !whole {
		in = g.proposal()
	}
	p.Forms = []page.Form{{Name: "accept", Title: "Join", Doc: "Become a member of " + g.invitation.OrgName + ".", URL: at + "/accept", Fields: param.FillIn(g.fields(), in, whole), Errors: errs}}
	if !g.signedIn() {
		if g.invitation.Email != "" {
			p.Forms[0].Doc = "Become a member of " + g.invitation.OrgName + ". You will sign in as " + g.invitation.Email + "."
		}
		p.Forms = append(p.Forms, page.Form{Name: "login", Title: "Sign in first", Doc: "Use the login that you have here.", URL: "/login?next=" + url.QueryEscape(at), Fields: loginFields(g.invitation.Email)})
	}
	p.Forms = append(p.Forms, page.Form{Name: "decline", Title: "Decline", Doc: "The invitation ends. Nobody is told who you are.", URL: at + "/decline", Destructive: true})
	return &p
}

func (g *guest) wrongAddress() bool {
	return g.signedIn() && g.invitation.Email != "" && g.invitation.Email != g.email
}

// opened is who opens the invitation that a request's address has the secret of. One that cannot be accepted is answered here.
func (s *Site) opened(w http.ResponseWriter, r *http.Request) (secret string, g guest, ok bool) {
	secret = chi.URLParam(r, "secret")
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		g, err = s.findGuest(tx, r, secret)
		return err
	})
	if err != nil {
		s.noInvitation(w, r, g.by, err)
	}
	return secret, g, err == nil
}

// invitationPage answers GET /invitations/{secret}.
func (s *Site) invitationPage(w http.ResponseWriter, r *http.Request) {
	secret, g, ok := s.opened(w, r)
	if !ok {
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, g.page(secret, nil, nil), s.context(r, g.by, ""), "-")
}

// noInvitation answers who cannot accept, whatever the reason is.
func (s *Site) noInvitation(w http.ResponseWriter, r *http.Request, by store.Actor, err error) {
	if store.CodeOf(err) != store.NotFound {
		s.fail(w, r, err)
		return
	}
	p := views.NoInvitation()
	w.Header()["Cache-Control"] = wire.NoStore
	wire.WritePage(w, r, http.StatusNotFound, wire.AnswerFormat(r), &p, s.context(r, by, ""), "-")
}

// accept answers POST /invitations/{secret}/accept.
func (s *Site) accept(w http.ResponseWriter, r *http.Request) {
	if _, err := s.limits.take(s.tries(r)); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := wire.ParseForm(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	secret, g, ok := s.opened(w, r)
	if !ok {
		return
	}
	in := param.FromForm(r.PostForm, nil)
	userID, org, err := s.enter(r, secret, g, in)
	if errs := param.ErrorsOf(err); errs != nil || g.wrongAddress() {
		failure := badFields
		if g.wrongAddress() {
			failure = "This invitation is for another address."
		}
		w.Header()["Cache-Control"] = wire.NoStore
		s.badForm(w, r, g.by, g.page(secret, in, errs), failure)
		return
	}
	if err != nil {
		s.noInvitation(w, r, g.by, err)
		return
	}
	if g.signedIn() {
		http.Redirect(w, r, org, http.StatusSeeOther)
		return
	}
	s.signIn(w, r, userID, org, s.store.Now())
}

// enter makes the guest a member. What is wrong with the form: [param.Errors].
func (s *Site) enter(r *http.Request, secret string, g guest, in param.Input) (userID, org string, err error) {
	if g.wrongAddress() {
		return "", "", store.Errorf(store.Forbidden, "This invitation is for another address.")
	}
	var a arriving
	fields := g.fields()
	if g.signedIn() {
		err = param.Decode(fields, in, param.Clock{Now: s.store.Now()}, &a.entering)
	} else {
		a.Email = g.invitation.Email
		err = param.Decode(fields, in, param.Clock{Now: s.store.Now()}, &a)
	}
	bad := a.check(g.signedIn())
	if handle, herr := store.Handle(a.Handle); herr == nil && !g.signedIn() { // who was a member before takes their handle back
		herr = s.store.Read(r.Context(), func(tx *store.Tx) error { return tx.MemberHandleFree(g.invitation.OrgID, "", handle) })
		if store.CodeOf(herr) == store.Conflict {
			bad = append(bad, param.Error{Field: "handle", Message: herr.Error()})
		}
	}
	if bad = param.ErrorsOf(err).Merge(fields, bad); len(bad) > 0 {
		return "", "", bad
	}
	if err != nil {
		return "", "", err
	}
	a.Name, _ = actions.PersonName(a.Name)
	hash := ""
	if !g.signedIn() {
		if hash, err = HashPassword(a.Password, a.Handle, a.Name, a.Email); err != nil {
			return "", "", err
		}
	}
	err = s.store.Write(r.Context(), func(tx *store.Tx) error {
		if _, err := tx.Serialize(store.Actor{}, g.invitation.OrgID); err != nil {
			return err
		}
		g, err := s.findGuest(tx, r, secret) // somebody may have been faster
		if err != nil {
			return err
		}
		if userID = g.by.UserID; userID == "" {
			userID, err = tx.CreateUser(a.Email, hash)
			if store.CodeOf(err) == store.Conflict {
				return param.Errors{{Field: addressField(g.invitation), Message: "Somebody signs in with this address already. If it is you, sign in first, below."}}
			}
			if err != nil {
				return err
			}
		}
		m, err := tx.AcceptInvitation(g.invitation, userID, a.Handle, a.Name)
		if store.CodeOf(err) == store.Conflict {
			return param.Errors{{Field: "handle", Message: err.Error()}}
		}
		if err != nil {
			return err
		}
		org = "/orgs/" + m.Org
		return s.recordJoining(tx, m, g.invitation)
	})
	return userID, org, err
}

// addressField is the field beside which it is said what is wrong with an address.
func addressField(i *store.Invitation) string {
	if i.Email == "" {
		return "email"
	}
	return "password" // the address itself is not asked for
}

// check names what is wrong beside what did not decode.
func (a arriving) check(signedIn bool) (errs param.Errors) {
	bad := func(field string, err error) {
		if err != nil {
			errs = append(errs, param.Error{Field: field, Message: err.Error()})
		}
	}
	_, err := actions.PersonName(a.Name)
	bad("name", err)
	_, err = store.Handle(a.Handle)
	bad("handle", err)
	if signedIn {
		return errs
	}
	_, err = store.Email(a.Email)
	bad("email", err)
	if why := password.Wrong(a.Password, a.Handle, a.Name, a.Email); why != "" {
		errs = append(errs, param.Error{Field: "password", Message: why})
	}
	return errs
}

// recordJoining journals that somebody joined, in their own name, and tells who invited them.
func (s *Site) recordJoining(tx *store.Tx, m *store.Member, i *store.Invitation) error {
	by := inPerson(m)
	why, told := "with an address of the organization's", []string{}
	if i.Inviter != "" {
		why, told = "by an invitation", []string{i.InvitedBy}
	}
	seq, err := tx.Journal(by, store.Change{Action: joinOrganization, Target: m.Ref(), After: m.Record(), Why: why})
	if err != nil {
		return err
	}
	return tx.Notify(by, store.Event{Seq: seq, Did: "accepted your invitation as", Target: m.Ref()}, store.Notice{Reason: store.ReasonOutcome, To: told})
}

// decline answers POST /invitations/{secret}/decline.
func (s *Site) decline(w http.ResponseWriter, r *http.Request) {
	secret := chi.URLParam(r, "secret")
	var g guest
	err := s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
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
		_, err = tx.Journal(store.Actor{}, store.Change{Action: "decline_invitation", Target: g.invitation.Ref(), Before: before, After: g.invitation.Record(), Why: "by whoever was invited"})
		return err
	})
	if err != nil {
		s.noInvitation(w, r, g.by, err)
		return
	}
	p := page.Page{URL: "/invitations", Title: "Declined", Blocks: []page.Block{page.Para(page.Line(page.Sentence("You have declined the invitation to " + g.invitation.OrgName + ". You can close this page.")))}}
	wire.WritePage(w, r, http.StatusOK, wire.AnswerFormat(r), &p, s.context(r, g.by, ""), "-")
}

// secretPath reports an address that opens an invitation, to which one may go on after signing in.
func secretPath(raw string) bool {
	rest, ok := strings.CutPrefix(raw, "/invitations/")
	return ok && len(rest) > 0 && len(rest) <= 64 && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
