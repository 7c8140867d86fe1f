package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// Another address to sign in with counts once the link was opened that was mailed there. Whoever has it is who reads the mail, and
// need not be signed in. The secret in the address is neither in the page, nor in a link to it, nor in a log.

// noAddress answers for a link that is not in force, or anything else that is wrong.
func (s *Site) noAddress(w http.ResponseWriter, r *http.Request, err error) {
	s.notInForce(w, r, err, &page.Page{URL: "/address", Public: true,
		Blocks: []page.Block{page.Para(page.Line(page.Sentence("It was used already, has expired, or was replaced by a later one. You can ask for another at "), page.Link("your account", store.AccountURL), page.T(".")))}})
}

// addressPage answers GET /address/{secret}.
func (s *Site) addressPage(w http.ResponseWriter, r *http.Request) {
	secret := chi.URLParam(r, "secret")
	var c *store.AddressChange
	if err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		c, err = tx.AddressBySecret(secret)
		return err
	}); err != nil {
		s.noAddress(w, r, err)
		return
	}
	p := page.Page{URL: "/address", Title: "Another address to sign in with", Only: true, Public: true,
		State: page.Line(page.T("From then on you sign in with "), page.Strong(c.Email), page.T(", and no longer with the address until now.")),
		Forms: []page.Form{{Name: "confirm", Title: "Sign in with it from now on", Doc: "Your password stays, and so do your logins.", URL: store.AddressPath(secret)}}}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, &p, s.context(r, store.Actor{}, ""), "-")
}

// changeAddress answers POST /address/{secret}.
func (s *Site) changeAddress(w http.ResponseWriter, r *http.Request) {
	var c *store.AddressChange
	if err := s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
		c, err = tx.ChangeAddress(chi.URLParam(r, "secret"))
		return err
	}); err != nil {
		s.noAddress(w, r, err)
		return
	}
	s.event(r, "email address changed", "by", "user:"+c.UserID, "account", c.Email)
	wire.SetFlash(w, "You sign in with "+c.Email+" from now on.", s.secure())
	http.Redirect(w, r, store.AccountURL, http.StatusSeeOther)
}

// addressMail is what the mail says that brings the link.
func addressMail(link string) (subject, body string) {
	return "Sign in with this address?", "Somebody, perhaps you, wants to sign in with this address from now on.\n\nIf it was you, open this link. It works once, for a day:\n\n" + link +
		"\n\nIf it was not you, do nothing.\n"
}

// addressNotice is what the mail says to the address that somebody signs in with until now.
func addressNotice(email, account string) (subject, body string) {
	return "Your address is about to change", "Somebody who is signed in to your account, perhaps you, wants to sign in with " + email +
		" in place of this address. A link was mailed there, and once it is opened, this address signs in no more.\n\n" +
		"If it was not you, change your password at once, and end all other logins:\n\n" + account + "\n\nIf you cannot sign in any more, ask whoever runs this server.\n"
}
