package web

import (
	"net/http"
	"reflect"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// Some pages are apart from the site map: whoever fills in their forms is nobody here yet, or shows who they are.

// badFields is said above a form some fields of which are wrong.
const badFields = "Some fields need attention. Nothing was changed."

// showForm answers with a page that is apart. The etag is as [Site.write] takes it.
func (s *Site) showForm(w http.ResponseWriter, r *http.Request, status int, p *page.Page, c *page.Context, etag string) {
	f := wire.PageFormat(r)
	if f == wire.None {
		wire.NotAcceptable(w)
		return
	}
	forBrowsers(p, f)
	wire.WritePage(w, r, status, f, p, c, etag)
}

// forBrowsers leaves the form to browsers. Signing in is no action, and agents would try to take it.
func forBrowsers(p *page.Page, f wire.Format) {
	if f != wire.HTML {
		p.Forms = nil
	}
}

// badForm answers with a form that was sent and is wrong, which stands on the page with what was filled in.
func (s *Site) badForm(w http.ResponseWriter, r *http.Request, by store.Actor, p *page.Page, failure string) {
	c := s.context(r, by, "")
	c.Failure = failure
	wire.WritePage(w, r, http.StatusUnprocessableEntity, wire.HTML, p, c, "-")
}

// byMail is a page on which somebody asks for a link to their address. Its answer is the same for every address.
type byMail struct {
	path, title, about string
	name, doc          string        // of the form
	field              reflect.Type  // a struct with the one field email
	unsent             []page.Inline // in place of the form where the server sends no mail
	refused, sent      string
	queue              func(r *http.Request, email string) error // has the link mailed, if it is owed
}

func (m *byMail) page(s *Site, in param.Input, errs param.Errors) *page.Page {
	p := &page.Page{URL: m.path, Title: m.title, Only: true, Public: true, State: m.unsent}
	if s.config.Mail != nil {
		p.State = page.Line(page.T(m.about))
		p.Forms = []page.Form{{Name: m.name, Title: "Send me a link", Doc: m.doc, URL: m.path, Fields: param.FillIn(param.Fields(m.field), in, errs != nil), Errors: errs}}
	}
	return p
}

// askByMail answers GET and POST for a page on which somebody asks for a link.
func (s *Site) askByMail(m *byMail) (get, post http.HandlerFunc) {
	get = func(w http.ResponseWriter, r *http.Request) {
		by, _ := s.whoAsks(r)
		s.showForm(w, r, http.StatusOK, m.page(s, nil, nil), s.context(r, by, ""), "")
	}
	post = func(w http.ResponseWriter, r *http.Request) {
		if err := wire.ParseForm(w, r); err != nil {
			s.fail(w, r, err)
			return
		}
		if s.config.Mail == nil {
			s.fail(w, r, store.Errorf(store.Conflict, "This server sends no mail. %s", m.refused))
			return
		}
		email, err := store.Email(r.PostForm.Get("email"))
		if err != nil {
			s.badForm(w, r, store.Actor{}, m.page(s, param.FromForm(r.PostForm, nil), param.Errors{{Field: "email", Message: err.Error()}}), badFields)
			return
		}
		if err = s.try(r, tryMail, email); err == nil {
			err = m.queue(r, email)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		p := page.Page{URL: m.path, Title: "Look into your mail", Blocks: []page.Block{page.Para(page.Line(page.Sentence(m.sent)))}}
		wire.WritePage(w, r, http.StatusOK, wire.AnswerFormat(r), &p, s.context(r, store.Actor{}, ""), "-")
	}
	return get, post
}

// notInForce answers for a mailed link that is not in force, with the page that says what to do, or for anything else that is
// wrong.
func (s *Site) notInForce(w http.ResponseWriter, r *http.Request, err error, p *page.Page) {
	if store.CodeOf(err) != store.NotFound {
		s.fail(w, r, err)
		return
	}
	p.Title = "This link is not in force"
	w.Header()["Cache-Control"] = wire.NoStore
	wire.WritePage(w, r, http.StatusNotFound, wire.AnswerFormat(r), p, s.context(r, store.Actor{}, ""), "-")
}
