package web

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// refusePath is where a person says no.
const refusePath = oauth.AuthorizePath + "/refuse"

// agreement is what a person says to a program that asks to act for them.
type agreement struct {
	May    []string `param:"may,choices,optional" options:"write=Take part: comment and vote and ask,governance=Govern: change how things are decided" doc:"What it may do beside reading. Leave out what it does not need."`
	Public bool     `param:"public,flag,optional" doc:"It may also write on pages that everybody in the world can read."`
	Lasts  string   `param:"lasts,choice" options:"1=A day,7=A week,30=30 days" doc:"How long this holds, if you do not end it before."`
	Label  string   `param:"label,text" max:"40" doc:"The agent's name, shown beside everything it does."`
	Roles  []string `param:"roles,choices,more" doc:"The only roles of yours that it may act in; all of them if you choose none."`
	Kinds  []string `param:"kinds,choices,more" doc:"The only kinds it may act on; all kinds if you choose none. It reads all that you can read."`
	Asks   []string `param:"asks,lines,more" max:"50" doc:"Names of the actions that it asks you for first, such as cast_vote, one a line."`
}

// days is how long the agreement holds.
func (a *agreement) days() time.Duration {
	n, err := strconv.Atoi(a.Lasts)
	if err != nil {
		return 0 // no option is anything else
	}
	return time.Duration(n) * 24 * time.Hour
}

// question is a program's question to the person who has opened it.
type question struct {
	*oauth.Request
	by     store.Actor // in the organization chosen
	chosen bool        // the organization is
	roles  []store.Role
	before *store.Agreed
	query  string // of its address
}

// asked finds who is asked and what. A failure has been answered: then the question is nil.
func (s *Site) asked(w http.ResponseWriter, r *http.Request) *question {
	w.Header()["Cache-Control"] = wire.NoStore
	by, known := s.whoAsks(r)
	switch {
	case !known:
		s.fail(w, r, store.Missing()) // leads to signing in, and back
		return nil
	case by.IsAgent():
		s.fail(w, r, store.Errorf(store.Forbidden, "Only a person can let a program act for them, in a browser."))
		return nil
	}
	asks, err := s.oauth.Authorization(r)
	if away, ok := errors.AsType[*oauth.Away](err); ok {
		http.Redirect(w, r, away.URL, http.StatusSeeOther)
		return nil
	}
	if err != nil {
		s.fail(w, r, err)
		return nil
	}
	q := &question{Request: asks, query: r.URL.RawQuery}
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
	if err := s.store.Read(r.Context(), q.load); err != nil {
		s.fail(w, r, err)
		return nil
	}
	return q
}

// load finds what the person has to give, and what they gave before to a client that somebody vouches for.
func (q *question) load(tx *store.Tx) (err error) {
	if q.roles, err = tx.MyRoles(q.by); err != nil {
		return err
	}
	q.roles = slices.DeleteFunc(q.roles, func(r store.Role) bool { return r.OrgID != q.by.Member.OrgID })
	if !q.Client.Verified {
		return nil
	}
	q.before, err = tx.LastConsent(q.by.Member, q.Client.ID, q.Host)
	if store.CodeOf(err) == store.NotFound {
		q.before, err = nil, nil
	}
	return err
}

// page is the question as a page, with the form filled in as it was sent.
func (q *question) page(in param.Input, errs param.Errors) page.Page {
	asked := views.Asked{Client: q.Client, Host: q.Host, Local: q.Local, Scopes: q.Scopes, Before: q.before, Access: oauth.AccessLife}
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
		{Name: "allow", Title: "Allow", Doc: "Let " + q.Client.Name + " act for you.", URL: oauth.AuthorizePath + "?" + q.query, Fields: param.FillIn(q.fields(), in, errs != nil), Errors: errs},
		{Name: "refuse", Title: "Refuse", Doc: "Nothing happens, and the program is told that you said no.", URL: refusePath + "?" + q.query},
	}
	return p
}

// fields are those of the form: narrower than what is asked for it can only become.
func (q *question) fields() []param.Field {
	wants := slices.DeleteFunc(strings.Fields(q.Scopes.String()), func(s string) bool { return s == string(store.ScopeRead) })
	label := clipRunes(q.Client.Name, 40)
	if q.before != nil {
		label = q.before.Label
	}
	reads := len(wants) == 0 // and does nothing, so that there is nothing to restrict
	fields := slices.Clone(param.Apply(param.Fields(reflect.TypeFor[agreement]()), param.Offers{
		"may":    {Omit: reads, Values: wants},
		"public": {Omit: reads},
		"lasts":  {Value: "30"},
		"label":  {Value: label},
		"roles":  {Omit: reads || len(q.roles) == 0, Options: actions.RoleOptions(q.roles)},
		"kinds":  {Omit: reads, Options: actions.KindOptions()},
		"asks":   {Omit: reads},
	}))
	for i := range fields {
		if fields[i].Name == "may" {
			fields[i].Options = slices.DeleteFunc(slices.Clone(fields[i].Options), func(o param.Option) bool { return !slices.Contains(wants, o.Value) })
		}
	}
	return fields
}

func clipRunes(s string, n int) string {
	r := []rune(s)
	return string(r[:min(len(r), n)])
}

// show answers with the question. Its form leads, after it was sent here, to where the answer goes.
func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, q *question, in param.Input, errs param.Errors) {
	if to := q.FormTarget(); to != "" {
		w.Header()["Content-Security-Policy"] = []string{strings.Replace(contentSecurityPolicy[0], "form-action 'self'", "form-action 'self' "+to, 1)}
	}
	p, c := q.page(in, errs), s.context(r, q.by, "")
	if errs != nil {
		c.Failure = badFields
	}
	s.showForm(w, r, status, &p, c, "-")
}

// consentPage answers GET at the authorization endpoint: it asks the person. Nothing is granted before they have said yes,
// also to a program that they let act for them before: any other on their machine could ask in its name (RFC 8252 §8.6).
func (s *Site) consentPage(w http.ResponseWriter, r *http.Request) {
	if q := s.asked(w, r); q != nil && s.proved(w, r, q.by) {
		s.show(w, r, http.StatusOK, q, nil, nil)
	}
}

// consent answers a person's yes: the program gets a code, and with it a grant.
func (s *Site) consent(w http.ResponseWriter, r *http.Request) {
	q := s.asked(w, r)
	if q == nil || !s.proved(w, r, q.by) {
		return
	}
	if err := wire.ParseForm(w, r); err != nil || !q.chosen {
		if err == nil {
			err = store.Errorf(store.Invalid, "Choose an organization first: go back to the page and follow one of its links.")
		}
		s.fail(w, r, err)
		return
	}
	in := param.FromForm(r.PostForm, nil)
	var a agreement
	err := param.Decode(q.fields(), in, param.Clock{Now: s.store.Now()}, &a)
	if bad := param.ErrorsOf(err).Merge(q.fields(), actions.CheckAsks("asks", a.Asks)); len(bad) > 0 {
		s.show(w, r, http.StatusUnprocessableEntity, q, in, bad)
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	code := ""
	if err := s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
		code, err = q.agree(tx, a)
		return err
	}); err != nil {
		s.fail(w, r, err)
		return
	}
	http.Redirect(w, r, q.Granted(code), http.StatusSeeOther)
}

// agree makes the grant and records it.
func (q *question) agree(tx *store.Tx, a agreement) (string, error) {
	scopes := store.Set[store.Scope]{store.ScopeRead}
	for _, s := range a.May {
		scopes = append(scopes, store.Scope(s))
	}
	g := store.Grant{Label: strings.TrimSpace(a.Label), Scopes: scopes, Asks: a.Asks, Public: a.Public, Expires: store.At(tx.Now.Add(a.days()))}
	if len(a.Roles) > 0 {
		g.Roles = a.Roles
	}
	if len(a.Kinds) > 0 {
		g.Kinds = a.Kinds
	}
	t, code, err := tx.GrantAccess(q.by.Member, q.Consent(g))
	if err != nil {
		return "", err
	}
	_, err = tx.Journal(q.by, store.Change{Action: actions.CreateToken.Name, Target: t.Ref(), After: t.Record(), Why: "asked for by " + q.Client.Name + " at " + q.Host})
	return code, err
}

// refuse answers a person's no: the program is told.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request) {
	if q := s.asked(w, r); q != nil {
		http.Redirect(w, r, q.Refused(), http.StatusSeeOther)
	}
}
