package web

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/actions/password"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// setupKey holds the hash of the secret that the first person is let in with.
const setupKey = "setup"

// SetupURL makes the link with which the first person sets this installation up, while nobody can sign in yet; afterwards
// it is empty. An earlier link stops working.
func (s *Site) SetupURL(ctx context.Context) (string, error) {
	u := ""
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		taken, err := tx.HasUsers()
		if err != nil || taken {
			return err
		}
		secret, hash := store.NewSecret()
		if err := tx.DeleteInstance(setupKey); err != nil {
			return err
		}
		u = "/setup?token=" + secret
		_, err = tx.Instance(setupKey, func() []byte { return hash })
		return err
	})
	return u, err
}

// Founding is what the first person says to set an installation up.
type Founding struct {
	Organization string `param:"organization,text,optional" max:"80" doc:"What your organization is called. You can say it later."`
	Handle       string `param:"handle,text" max:"40" doc:"Its name in URLs: lower-case letters, digits and hyphens."`
	Zone         string `param:"zone,text,optional" max:"60" doc:"Its time zone, such as Europe/Paris. UTC if you do not say."`
	Name         string `param:"name,text" max:"80" doc:"Your name."`
	Member       string `param:"member,text" max:"40" doc:"Your handle: lower-case letters, digits and hyphens."`
	Email        string `param:"email,text" max:"254" doc:"Your email address, to sign in with."`
	Password     string `param:"password,secret" doc:"A password of at least 8 characters."`
	Why          string `param:"-"` // a line for the record
}

// check names what is wrong with a founding, beside what did not decode.
func (f Founding) check() (errs param.Errors) {
	bad := func(field string, err error) {
		if err != nil {
			errs = append(errs, param.Error{Field: field, Message: err.Error()})
		}
	}
	_, err := store.Handle(f.Handle)
	bad("handle", err)
	_, err = store.Handle(f.Member)
	bad("member", err)
	_, err = store.Email(f.Email)
	bad("email", err)
	if _, err := time.LoadLocation(f.Zone); err != nil {
		bad("zone", store.Errorf(store.Invalid, "That is no time zone. Write one such as Europe/Paris."))
	}
	if why := password.Wrong(f.Password, f.Organization, f.Name, f.Member, f.Email); why != "" {
		errs = append(errs, param.Error{Field: "password", Message: why})
	}
	return errs
}

// Found makes an organization with its owner and its general studio, and records all three.
func Found(tx *store.Tx, f Founding) (*store.Organization, *store.Member, error) {
	if errs := f.check(); errs != nil {
		return nil, nil, errs
	}
	hash, err := password.Hash(f.Password)
	if err != nil {
		return nil, nil, err
	}
	if f.Zone == "" {
		f.Zone = "UTC"
	}
	if f.Organization == "" {
		f.Organization = f.Handle
	}
	o, m, err := tx.CreateOrganization(f.Handle, f.Organization, f.Zone, store.NewMember{Handle: f.Member, Name: f.Name, Email: f.Email, PasswordHash: hash})
	if err != nil {
		return nil, nil, err
	}
	by := store.Actor{UserID: m.UserID, Members: []store.Member{*m}, Member: m}
	general, err := tx.FindStudio(by, o.Handle)
	if err != nil {
		return nil, nil, err
	}
	leader, err := tx.LeaderOf(general)
	if err != nil {
		return nil, nil, err
	}
	for _, made := range []struct {
		action string
		ref    store.Ref
		record any
	}{{"found_organization", o.Ref(), o.Record()}, {joinOrganization, m.Ref(), m.Record()}, {"found_studio", general.Ref(), general.Record()}, {actions.CreateRole.Name, leader.Ref(), leader.Record()}} {
		if _, err := tx.Journal(by, store.Change{Action: made.action, Target: made.ref, After: made.record, Why: f.Why}); err != nil {
			return nil, nil, err
		}
	}
	return o, m, nil
}

// Enroll makes somebody a member of an organization and records it, in the name of its owner.
func Enroll(tx *store.Tx, by store.Actor, handle, name, email, password string) (*store.Member, error) {
	return enroll(tx, by, handle, name, email, password, "")
}

func enroll(tx *store.Tx, by store.Actor, handle, name, email, secret, why string) (*store.Member, error) {
	hash, err := HashPassword(secret, handle, name, email)
	if err != nil {
		return nil, err
	}
	m, err := tx.CreateMember(by.Member.OrgID, handle, name, email, hash)
	if err != nil {
		return nil, err
	}
	_, err = tx.Journal(by, store.Change{Action: joinOrganization, Target: m.Ref(), After: m.Record(), Why: why})
	return m, err
}

// joinOrganization is what the journal calls it that somebody became a member.
const joinOrganization = "join_organization"

func (s *Site) mayFound(tx *store.Tx, token string) error {
	taken, err := tx.HasUsers()
	if err != nil {
		return err
	}
	hash, err := tx.Instance(setupKey, nil)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return err
	}
	if taken || err != nil || subtle.ConstantTimeCompare(hash, store.SecretHash(token)) != 1 {
		return store.Missing()
	}
	return nil
}

func foundingForm(token string, in param.Input, errs param.Errors) *page.Page {
	return &page.Page{URL: "/setup", Title: "Set up your workspace", Only: true,
		Blocks: []page.Block{page.Para(page.Line(page.T("You are the first here. What you make now can be changed later, but for the handle of the organization.")))},
		Forms: []page.Form{{Name: "setup", Title: "Set up", Doc: "Make your organization and your account.", URL: "/setup?token=" + url.QueryEscape(token),
			Fields: param.FillIn(param.Fields(reflect.TypeFor[Founding]()), in, errs != nil), Errors: errs}}}
}

func (s *Site) setupPage(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	err := s.store.Read(r.Context(), func(tx *store.Tx) error { return s.mayFound(tx, token) })
	if err != nil {
		s.fail(w, r, err)
		return
	}
	wire.WritePage(w, r, http.StatusOK, wire.HTML, foundingForm(token, nil, nil), s.context(r, store.Actor{}, ""), "-")
}

func (s *Site) setup(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if err := s.store.Read(r.Context(), func(tx *store.Tx) error { return s.mayFound(tx, token) }); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := wire.ParseForm(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	in := param.FromForm(r.PostForm, nil)
	var f Founding
	var m *store.Member
	fields := param.Fields(reflect.TypeFor[Founding]())
	err := param.Decode(fields, in, param.Clock{Now: s.store.Now()}, &f)
	if bad := param.ErrorsOf(err).Merge(fields, f.check()); len(bad) > 0 {
		err = bad
	}
	if err == nil {
		err = s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
			if _, err := tx.Serialize(store.Actor{}, setupKey); err != nil {
				return err
			}
			if err := s.mayFound(tx, token); err != nil {
				return err
			}
			if _, m, err = Found(tx, f); err != nil {
				return err
			}
			return tx.DeleteInstance(setupKey)
		})
	}
	if errs := param.ErrorsOf(err); errs != nil {
		s.badForm(w, r, store.Actor{}, foundingForm(token, in, errs), badFields)
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.signIn(w, r, m.UserID, "/", s.store.Now())
}
