package account

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/oauth"
	"samepage/web/wire"
)

const refusePath = oauth.AuthorizePath + "/refuse"

// consentRequest is a program's request to act for the person in front of the browser.
type consentRequest struct {
	*oauth.Request
	by     store.Actor // the person, in the chosen organization if there is one
	chosen bool
	roles  []store.Role
	label  string             // proposed label of the agent; empty if the name of the program is taken
	before *credential.Agreed // last agreement with a verified client; nil if there was none
	query  string
}

// readConsent reads the request for consent and finds the person. If that fails, readConsent answers the request and
// returns nil.
func (s *Server) readConsent(w http.ResponseWriter, r *http.Request) *consentRequest {
	w.Header()["Cache-Control"] = wire.NoStore
	by, known, err := s.actor(r)
	switch {
	case err != nil:
		s.Fail(w, r, err)
		return nil
	case !known:
		// This failure leads to the sign-in page, which leads back to the request.
		s.Fail(w, r, store.Missing())
		return nil
	case by.IsAgent():
		s.Fail(w, r, store.Errorf(store.Forbidden, "Only a person can let a program act for them, in a browser."))
		return nil
	}
	request, err := s.OAuth.Authorization(r)
	if away, ok := errors.AsType[*oauth.Away](err); ok {
		s.answerAway(w, r, by, away)
		return nil
	}
	if err != nil {
		s.Fail(w, r, err)
		return nil
	}
	q := &consentRequest{Request: request, query: r.URL.RawQuery}
	org := r.URL.Query().Get("org")
	for i := range by.Members {
		if m := &by.Members[i]; m.Org == org || len(by.Members) == 1 {
			q.by, q.chosen = by.In(m.OrgID), true
		}
	}
	if !q.chosen {
		q.by = by
		return q
	}
	if err := s.Store.Read(r.Context(), q.load); err != nil {
		s.Fail(w, r, err)
		return nil
	}
	return q
}

// load sets q.roles to the roles in which the person may let the program act, q.label and q.before.
func (q *consentRequest) load(tx *store.Tx) (err error) {
	if q.roles, err = tx.MyRoles(q.by); err != nil {
		return err
	}
	q.roles = slices.DeleteFunc(q.roles, func(r store.Role) bool { return r.OrgID != q.by.Member.OrgID })
	q.label = clipRunes(store.PlainLabel(q.Client.Name), 40)
	switch err := tx.MustBeLabel(q.by.Member, q.label); {
	case store.CodeOf(err) == store.Invalid:
		q.label = ""
	case err != nil:
		return err
	}
	if !q.Client.Verified {
		return nil
	}
	q.before, err = credential.LastConsent(tx, q.by.Member, q.Client.ID, q.Host)
	if store.CodeOf(err) == store.NotFound {
		q.before, err = nil, nil
	}
	return err
}

// page returns the page that asks for consent. If there are errors, the form is filled in with the input.
func (q *consentRequest) page(in param.Input, errs param.Errors) page.Page {
	asked := views.ConsentRequest{Client: q.Client, Host: q.Host, Local: q.Local, Scopes: q.Scopes, Before: q.before,
		Access: oauth.AccessLife}
	if !q.chosen {
		p := views.WhichOrganization(q.by, asked, func(org string) string {
			return oauth.AuthorizePath + "?" + q.query + "&org=" + url.QueryEscape(org)
		})
		p.URL = oauth.AuthorizePath
		return p
	}
	p := views.Consent(q.by, asked)
	p.URL, p.Only = oauth.AuthorizePath, true
	p.Forms = []page.Form{
		{Name: "allow", Title: "Allow", URL: oauth.AuthorizePath + "?" + q.query,
			Fields: param.FillIn(q.fields(), in, errs != nil), Errors: errs},
		{Name: "refuse", Title: "Refuse", Doc: "Nothing happens, and the program is told that you said no.",
			URL: refusePath + "?" + q.query},
	}
	return p
}

// answerAway answers a faulty request with a page that shows the address of the program. Only a POST of that page's
// form redirects there, so that no browser is sent to an unknown site without a warning.
func (s *Server) answerAway(w http.ResponseWriter, r *http.Request, by store.Actor, away *oauth.Away) {
	if r.URL.Path == refusePath && r.Method == http.MethodPost {
		http.Redirect(w, r, away.URL, http.StatusSeeOther)
		return
	}
	p := views.BadConsent(away.Client, away.Redirect, away.Reason)
	p.URL, p.Only = oauth.AuthorizePath, true
	p.Forms = []page.Form{{Name: "refuse", Title: "Tell the program", Doc: "It receives the reason above, and nothing else.",
		URL: refusePath + "?" + r.URL.RawQuery}}
	allowForms(w, away.Request)
	s.showForm(w, r, http.StatusBadRequest, &p, s.consentContext(r, by), "-")
}

// allowForms adds the program's address to the form-action of the content security policy, so that the forms of the
// page can redirect to the program.
func allowForms(w http.ResponseWriter, q *oauth.Request) {
	if to := q.FormTarget(); to != "" {
		h := w.Header()
		h.Set(policyHeader, strings.Replace(h.Get(policyHeader), "form-action 'self'", "form-action 'self' "+to, 1))
	}
}

// consentContext returns a context without a sidebar, so that nothing distracts the person from the decision.
func (s *Server) consentContext(r *http.Request, by store.Actor) *page.Context {
	c := s.Context(r, by)
	c.Side, c.Nav = nil, []page.Inline{page.Link("Help", "/help"), page.Link("Home", "/")}
	return c
}

func (s *Server) writeConsent(w http.ResponseWriter, r *http.Request, status int, q *consentRequest, in param.Input,
	errs param.Errors) {
	allowForms(w, q.Request)
	p := q.page(in, errs)
	s.showForm(w, r, status, &p, s.consentContext(r, q.by), "-")
}

const policyHeader = "Content-Security-Policy"

// showConsent asks the person again even if the program acts for them already, because any other program on the
// person's machine could ask in that program's name (RFC 8252 §8.6).
func (s *Server) showConsent(w http.ResponseWriter, r *http.Request) {
	if q := s.readConsent(w, r); q != nil && s.hasProof(w, r, q.by) {
		s.writeConsent(w, r, http.StatusOK, q, nil, nil)
	}
}

// giveConsent makes a grant and redirects to the program with the authorization code.
func (s *Server) giveConsent(w http.ResponseWriter, r *http.Request) {
	q := s.readConsent(w, r)
	if q == nil || !s.hasProof(w, r, q.by) {
		return
	}
	if err := wire.ParseForm(w, r); err != nil || !q.chosen {
		if err == nil {
			err = store.Errorf(store.Invalid,
				"Choose an organization first: go back to the page and follow one of its links.")
		}
		s.Fail(w, r, err)
		return
	}
	in := param.FromForm(r.PostForm, nil)
	var a agreement
	err := param.Decode(q.fields(), in, param.Clock{Now: s.Store.Now()}, &a)
	if bad := param.ErrorsOf(err).Merge(q.fields(), a.Check()); len(bad) > 0 {
		s.writeConsent(w, r, http.StatusUnprocessableEntity, q, in, bad)
		return
	}
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	code := ""
	if err := s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
		code, err = q.grant(tx, a)
		return err
	}); param.ErrorsOf(err) != nil {
		s.writeConsent(w, r, http.StatusUnprocessableEntity, q, in, param.ErrorsOf(err))
		return
	} else if err != nil {
		s.Fail(w, r, err)
		return
	}
	http.Redirect(w, r, q.Granted(code), http.StatusSeeOther)
}

// refuseConsent redirects to the program with the error access_denied (RFC 6749 §4.1.2.1).
func (s *Server) refuseConsent(w http.ResponseWriter, r *http.Request) {
	if q := s.readConsent(w, r); q != nil {
		http.Redirect(w, r, q.Refused(), http.StatusSeeOther)
	}
}
