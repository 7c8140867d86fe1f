package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"samepage/store"
	"samepage/store/notice"
	"samepage/views/page"
	"samepage/web/wire"
)

// A mail about notifications has a link that ends mails of its kind without signing in. The link is signed, so that
// nobody can guess or change it. It does not expire, because people read old mails. A GET of the link changes nothing,
// because programs open links in mails, too. Mail programs that offer to unsubscribe send a POST (RFC 8058).

// StopPath is the path of the links for unsubscribing, before their key.
const StopPath = "/unsubscribe/"

// stopsAll is the kind of a link that ends all mails about notifications. [notice.TurnOff] lists the other kinds.
const stopsAll = "all"

func (s *Server) stopPath(userID, kind string) string {
	h := hmac.New(sha256.New, s.Secret)
	h.Write([]byte("unsubscribe\x00" + userID + "\x00" + kind))
	return StopPath + userID + "." + kind + "." + hex.EncodeToString(h.Sum(nil))
}

// stopped returns the words for the mails of a kind, such as "digests by mail".
func stopped(kind string) string {
	switch kind {
	case notice.MailedDigest:
		return "digests by mail"
	case notice.MailedNotices:
		return "mails at once"
	case stopsAll:
		return "mails about notifications"
	}
	return "mails at once about “" + store.Reason(kind).Kind().Title + "”"
}

// readStop returns the person and the kind of a link. For a link that this installation has not signed, the error is
// [store.Missing], or that of Site.Try after too many such links.
func (s *Server) readStop(r *http.Request) (userID, kind string, err error) {
	key := chi.URLParam(r, "key")
	if parts := strings.Split(key, "."); len(parts) == 3 {
		userID, kind = parts[0], parts[1]
	}
	if !hmac.Equal([]byte(StopPath+key), []byte(s.stopPath(userID, kind))) {
		if err := s.Try(r, "", ""); err != nil { // a wrong link may be a guess: it counts as an attempt to sign in
			return "", "", err
		}
		return "", "", store.Missing()
	}
	return userID, kind, nil
}

// failStop answers with err, or with a page that says how else to choose notifications if the link is not valid.
func (s *Server) failStop(w http.ResponseWriter, r *http.Request, err error) {
	s.showDeadLink(w, r, err, &page.Page{URL: "/unsubscribe", Public: true, Blocks: []page.Block{page.Para(page.Line(
		page.Sentence("It is incomplete, or was made with other keys than those of this server now. Sign in and choose at "),
		page.Link("your notifications", notice.SettingsURL), page.T(".")))}})
}

// failMember answers a request with the link of a person without a present membership.
func (s *Server) failMember(w http.ResponseWriter, r *http.Request) {
	w.Header()["Cache-Control"] = wire.NoStore
	s.showNotice(w, r, http.StatusGone, store.Actor{}, &page.Page{URL: "/unsubscribe",
		Title: "You get no mails any more", Public: true,
		Blocks: []page.Block{page.Para(page.Line(page.Sentence("The link is of a person who is no longer a member here. This server " +
			"sends them nothing about notifications.")))}})
}

func (s *Server) showStop(w http.ResponseWriter, r *http.Request) {
	userID, kind, err := s.readStop(r)
	if err != nil {
		s.failStop(w, r, err)
		return
	}
	if err := s.Store.Read(r.Context(), func(tx *store.Tx) error {
		_, err := tx.PersonOf(userID)
		return err
	}); store.CodeOf(err) == store.NotFound {
		s.failMember(w, r)
		return
	} else if err != nil {
		s.Fail(w, r, err)
		return
	}
	p := page.Page{URL: "/unsubscribe", Title: "Get no more " + stopped(kind) + "?", Only: true, Public: true,
		State: page.Line(page.Sentence("Nothing is changed yet. Your inbox keeps telling you everything.")),
		Forms: []page.Form{{Name: "stop", Title: "Stop " + stopped(kind), Doc: "You need not sign in.",
			URL: s.stopPath(userID, kind)}}}
	if kind != stopsAll {
		p.Forms = append(p.Forms, page.Form{Name: "stop_all", Title: "Stop all " + stopped(stopsAll),
			Doc: "Mails about signing in and invitations still come.", URL: s.stopPath(userID, stopsAll)})
	}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, &p, s.Context(r, store.Actor{}), "-")
}

func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	userID, kind, err := s.readStop(r)
	if err != nil {
		s.failStop(w, r, err)
		return
	}
	kinds := []string{kind}
	if kind == stopsAll {
		kinds = []string{notice.MailedNotices, notice.MailedDigest}
	}
	var ended []bool
	err = s.Store.Write(r.Context(), func(tx *store.Tx) error {
		ended = nil
		if _, err := tx.PersonOf(userID); err != nil {
			return err
		}
		for _, k := range kinds {
			some, err := notice.TurnOff(tx, userID, k)
			if err != nil {
				return err
			}
			ended = append(ended, some)
		}
		return nil
	})
	switch {
	case err != nil && store.CodeOf(err) == store.NotFound:
		s.failMember(w, r)
		return
	case err != nil:
		s.Fail(w, r, err)
		return
	}
	says := "You got no " + stopped(kind) + " before either."
	if slices.Contains(ended, true) {
		says = "From now on you get no " + stopped(kind) + "."
		s.Event(r, "mails stopped by their link", "by", "user:"+userID, "kind", kind)
	}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showNotice(w, r, http.StatusOK, store.Actor{}, &page.Page{URL: "/unsubscribe", Title: "It is done", Public: true,
		Blocks: []page.Block{page.Para(page.Line(page.Sentence(says+" To turn them on again, sign in and choose at "),
			page.Link("your notifications", notice.SettingsURL), page.T(".")))}})
}
