package account

import (
	"net/http"
	"reflect"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// showForm answers with a page that has forms, or with 406 if the request accepts no format of a page. If the etag is
// empty, it is computed from the body; if it is "-", the answer has no ETag.
func (s *Server) showForm(w http.ResponseWriter, r *http.Request, status int, p *page.Page, c *page.Context,
	etag string) {
	f := wire.PageFormat(r)
	if f == wire.None {
		wire.NotAcceptable(w)
		return
	}
	formsForBrowsers(p, f)
	wire.WritePage(w, r, status, f, p, c, etag)
}

// formsForBrowsers removes the forms unless the format is HTML. Other formats present forms as actions to take, and
// agents would try to sign in.
func formsForBrowsers(p *page.Page, f wire.Format) {
	if f != wire.HTML {
		p.Forms = nil
	}
}

// showBadForm answers a refused form with the page p, which should have the form again, and with the failure, if
// there is one beside those of the fields.
func (s *Server) showBadForm(w http.ResponseWriter, r *http.Request, by store.Actor, p *page.Page, failure string) {
	c := s.Context(r, by)
	c.Failure = failure
	wire.WritePage(w, r, http.StatusUnprocessableEntity, wire.HTML, p, c, "-")
}

// showNotice answers with a page that has no forms.
func (s *Server) showNotice(w http.ResponseWriter, r *http.Request, status int, by store.Actor, p *page.Page) {
	p.Only = true
	wire.WritePage(w, r, status, wire.AnswerFormat(r), p, s.Context(r, by), "-")
}

// showDeadLink answers a request for a mailed link that is not in force (unknown, used, replaced or expired) with the
// page p. If err is not [store.NotFound], it answers with err instead.
func (s *Server) showDeadLink(w http.ResponseWriter, r *http.Request, err error, p *page.Page) {
	if store.CodeOf(err) != store.NotFound {
		s.Fail(w, r, err)
		return
	}
	p.Title = "This link is not in force"
	w.Header()["Cache-Control"] = wire.NoStore
	s.showNotice(w, r, http.StatusNotFound, store.Actor{}, p)
}

// linkForm describes a page on which people ask for a mailed link. The answer does not depend on whether the address
// has an account, so that nobody learns that.
type linkForm struct {
	path, title, about string
	name, doc          string        // of the form
	field              reflect.Type  // a struct with the one field email
	unsent             []page.Inline // shown in place of the form if the server sends no mail
	refused, sent      string
	// queue queues the mail with the link if the address is entitled to one.
	queue func(r *http.Request, email string) error
}

func (l *linkForm) page(s *Server, in param.Input, errs param.Errors) *page.Page {
	p := &page.Page{URL: l.path, Title: l.title, Only: true, Public: true, State: l.unsent}
	if s.Mail != nil {
		p.State = page.Line(page.T(l.about))
		p.Forms = []page.Form{{Name: l.name, Title: "Send me a link", Doc: l.doc, URL: l.path,
			Fields: param.FillIn(param.Fields(l.field), in, errs != nil), Errors: errs}}
	}
	return p
}

func (s *Server) showLinkForm(l *linkForm) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		by, _, err := s.actor(r)
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		s.showForm(w, r, http.StatusOK, l.page(s, nil, nil), s.Context(r, by), "")
	}
}

func (s *Server) sendLink(l *linkForm) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := wire.ParseForm(w, r); err != nil {
			s.Fail(w, r, err)
			return
		}
		if s.Mail == nil {
			s.Fail(w, r, store.Errorf(store.Conflict, "This server sends no mail. %s", l.refused))
			return
		}
		email, err := store.Email(r.PostForm.Get("email"))
		if err != nil {
			s.showBadForm(w, r, store.Actor{}, l.page(s, param.FromForm(r.PostForm, nil), param.Bad("email", err)), "")
			return
		}
		if err = s.countTry(r, tryMail, email); err == nil {
			err = l.queue(r, email)
		}
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		p := page.Page{URL: l.path, Title: "Look into your mail",
			Blocks: []page.Block{page.Para(page.Line(page.Sentence(l.sent)))}}
		s.showNotice(w, r, http.StatusOK, store.Actor{}, &p)
	}
}
