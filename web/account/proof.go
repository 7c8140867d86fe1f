package account

import (
	"net/http"
	"net/url"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web/wire"
)

// ErrUnproved asks the person to prove their identity again before something sensitive is done.
var ErrUnproved error = &wire.Error{Code: "unproved",
	Message: "You signed in a while ago. Sign in again at /login?again=1 to show that it is you, then do this " +
		"once more."}

// ProofURL returns the URL on which a signed-in person proves their identity again before they go on to next.
func ProofURL(next string) string { return LoginPath + "?again=1&next=" + url.QueryEscape(next) }

// hasProof reports whether the person has proved their identity recently. If not, it redirects them to the sign-in
// page, which leads back to the requested page.
func (s *Server) hasProof(w http.ResponseWriter, r *http.Request, by store.Actor) bool {
	if !credential.Unproved(by, s.Store.Now()) {
		return true
	}
	http.Redirect(w, r, ProofURL(r.URL.RequestURI()), http.StatusSeeOther)
	return false
}

// owner returns the account of the signed-in person, or [ErrUnproved] if they have not proved their identity recently.
func (s *Server) owner(tx *store.Tx, r *http.Request) (*credential.Account, error) {
	by, err := s.Caller(r)(tx)
	if err != nil {
		return nil, err
	}
	if credential.Unproved(by, tx.Now) {
		return nil, ErrUnproved
	}
	return credential.FindAccount(tx, by)
}

func (s *Server) findOwner(r *http.Request) (a *credential.Account, err error) {
	err = s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
		a, err = s.owner(tx, r)
		return err
	})
	return a, err
}
