package account

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// setupKey is the key of the setup token's hash in the database.
const setupKey = "setup"

// SetupURL makes the link with which the first person sets up this installation, and ends any earlier link. It returns
// the empty string if there is an account already.
func SetupURL(ctx context.Context, st *store.Store) (string, error) {
	u := ""
	err := st.Write(ctx, func(tx *store.Tx) error {
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

// MustBeSetupToken returns [store.Missing] if the token is not that of the latest setup link, or if there is an account
// already.
func MustBeSetupToken(tx *store.Tx, token string) error {
	taken, err := tx.HasUsers()
	if err != nil {
		return err
	}
	hash, err := tx.Instance(setupKey, nil)
	if err != nil {
		return err
	}
	if taken || subtle.ConstantTimeCompare(hash, store.SecretHash(token)) != 1 {
		return store.Missing()
	}
	return nil
}

func setupPage(token string, in param.Input, errs param.Errors) *page.Page {
	about := "You are the first here. All of this can be changed later, except the handle of the organization under More settings."
	return &page.Page{URL: "/setup", Title: "Set up your workspace", Only: true,
		Blocks: []page.Block{page.Para(page.Line(page.T(about)))},
		Forms: []page.Form{{Name: "setup", Title: "Set up",
			URL: "/setup?token=" + url.QueryEscape(token), Fields: param.FillIn(setupFields(), in, errs != nil),
			Errors: errs}}}
}

func foundingFields() []param.Field { return param.Fields(reflect.TypeFor[Founding]()) }

// setupFields returns the fields of the setup form. It requires the name of the organization, because an empty handle
// is made from the name.
func setupFields() []param.Field {
	fields := slices.Clone(foundingFields())
	for i := range fields {
		if fields[i].Name == "organization" {
			fields[i].Optional = false
		}
	}
	return fields
}

func (s *Server) showSetup(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if err := s.Store.Read(r.Context(), func(tx *store.Tx) error { return MustBeSetupToken(tx, token) }); err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeSetup(w, r, http.StatusOK, setupPage(token, nil, nil))
}

// writeSetup answers with the setup page. It has no link to the login, because nobody can sign in yet.
func (s *Server) writeSetup(w http.ResponseWriter, r *http.Request, status int, p *page.Page) {
	c := s.Context(r, store.Actor{})
	c.Nav = []page.Inline{page.Link("Help", "/help")}
	wire.WritePage(w, r, status, wire.HTML, p, c, "-")
}

func (s *Server) setUp(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if err := s.Store.Read(r.Context(), func(tx *store.Tx) error { return MustBeSetupToken(tx, token) }); err != nil {
		s.Fail(w, r, err)
		return
	}
	if err := wire.ParseForm(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	in := param.FromForm(r.PostForm, nil)
	var f Founding
	var m *store.Member
	err := param.Decode(setupFields(), in, param.Clock{Now: s.Store.Now()}, &f)
	f = f.WithHandles()
	for name, made := range map[string]string{"handle": f.Handle, "member": f.Member} {
		if in[name] == nil || in[name] == "" {
			in[name] = made // shown if the form is returned with errors
		}
	}
	if bad := param.ErrorsOf(err).Merge(setupFields(), f.check()); len(bad) > 0 {
		err = bad
	}
	if err == nil {
		err = s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
			if _, err := tx.Serialize(store.Actor{}, setupKey); err != nil {
				return err
			}
			if err := MustBeSetupToken(tx, token); err != nil {
				return err
			}
			if _, m, err = Found(tx, f); err != nil {
				return err
			}
			return tx.DeleteInstance(setupKey)
		})
	}
	if errs := param.ErrorsOf(err); errs != nil {
		s.writeSetup(w, r, http.StatusUnprocessableEntity, setupPage(token, in, errs))
		return
	}
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.signIn(w, r, m.UserID, "", "/", s.Store.Now())
}
