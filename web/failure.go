package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/account"
	"samepage/web/wire"
)

type failure struct {
	Code      string // stable code, documented at /help/errors
	Status    int
	Title     string
	Message   string
	Leads     []string // root-relative URLs of pages in the message
	Available []string
	Spent     *quota // the exceeded limit; nil for any other error
	Retry     time.Duration
	Next      []page.Inline
}

// Failure documents one error code.
type Failure struct {
	Code    string
	Status  int
	Title   string
	Meaning string
}

// failures lists every error code, in the order of /help/errors.
var failures = []Failure{
	{"invalid", 400, "That request cannot be read",
		"The request itself is wrong: the address, the JSON, the form. The message says where."},
	{"unauthenticated", 401, "Sign in first",
		"Nobody is signed in, or the token is unknown, paused, expired or revoked."},
	{"unproved", 403, "Show that it is you", "What is sensitive asks for a password or a passkey that was shown in " +
		"the last 15 minutes. Sign in again at /login?again=1."},
	{"forbidden", 403, "You may not do this", "You can see it and may not do it. The message says who may."},
	{"not_found", 404, "There is no such page", "It does not exist, or you may not see it: both look the same."},
	{"not_allowed", 405, "That method does nothing here", "Pages are read with GET; actions are done with POST."},
	{"not_acceptable", 406, "No form of this page is acceptable to you",
		"Pages come as text/html, text/markdown and application/json."},
	{"timeout", 408, "That came too slowly",
		"Not all of the request arrived in time. Nothing was changed; send it again over a faster connection."},
	{"conflict", 409, "Not in this state",
		"Too late, stale, done already, or not possible now. The message says why; read the page again."},
	{"too_large", 413, "That is too large", "Bodies are limited to 256 KiB, those with a file to 8 MiB."},
	{"media_type", 415, "That kind of body is not taken", "Actions take a form or application/json."},
	{"bad_params", 422, "Some fields need attention",
		"One or more parameters are wrong; every one is named with what would be right. Nothing was changed."},
	{"limited", 429, "Too many requests",
		"You ask too often, or send too much at once. Wait as long as Retry-After says."},
	{"uncertain", 500, "It may have been done", "The connection to the database broke while this was saved. Read " +
		"the page again before you repeat it; with the same idempotency key it is done once."},
	{"internal", 500, "Something went wrong on our side", "Nothing was changed. The operator finds it in the log."},
	{"unavailable", 503, "Not now", "The server is stopping, its disk is full, or it is sent too much at once. " +
		"Nothing was changed; try again."},
}

func failureOf(code string) Failure {
	for _, f := range failures {
		if f.Code == code {
			return f
		}
	}
	return failureOf("internal")
}

// unavailableWait is the Retry-After of an answer with the status 503 if no better estimate is known.
const unavailableWait = 5 * time.Second

// classify returns the code of an error and a sentence for the caller. The sentence is empty if the documented meaning
// of the code says everything.
func classify(err error) (code, message string) {
	code = string(store.CodeOf(err))
	if e, ok := errors.AsType[*store.Error](err); ok {
		message = e.Error()
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		code, message = e.Code, e.Message
	}
	if param.ErrorsOf(err) != nil {
		code, message = "bad_params", "Some fields need attention: "+err.Error()
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		code, message = "unavailable", "The request was given up before it was begun. Nothing was changed; try again."
	}
	if e, ok := errors.AsType[*errLimited](err); ok {
		code, message = "limited", e.Error()
	}
	if e, ok := errors.AsType[*errNoRoom](err); ok {
		code, message = e.code, e.message
	}
	if e, ok := errors.AsType[*wire.CutShort](err); ok {
		code, message = "invalid", "The request ended before all of it had arrived. Nothing was changed; send it again."
		if errors.Is(e, os.ErrDeadlineExceeded) {
			code, message = "timeout", ""
		}
	}
	return code, message
}

// explain turns the error of a request into the failure that the caller sees. The text of an internal error is logged
// and not shown; the caller sees the request's ID, by which the operator finds it in the log.
func (s *Site) explain(r *http.Request, err error) failure {
	code, message := classify(err)
	id := r.Header.Get(requestID)
	if e, ok := errors.AsType[*wire.CutShort](err); ok {
		s.log.Info("a request body was not received", "error", e.Err, "request", id)
	}
	known := failureOf(code)
	message = cmp.Or(message, known.Meaning)
	if code == "internal" {
		s.log.Error("a request failed", "error", err, "request", id)
		if id != "" {
			message += " The log calls this request " + id + "."
		}
	}
	f := failure{Code: code, Status: known.Status, Title: known.Title, Message: message}
	if e, ok := errors.AsType[*store.Error](err); ok {
		f.Leads = e.Addresses()
	}
	if e, ok := errors.AsType[*errUnavailable](err); ok {
		f.Available = e.Available
	}
	if code == "unavailable" {
		f.Retry = unavailableWait
	}
	if e, ok := errors.AsType[*errLimited](err); ok {
		f.Spent, f.Retry = &e.quota, e.wait
	}
	if _, ok := errors.AsType[*errNoRoom](err); ok {
		f.Retry = roomWait
	}
	return f
}

func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) { s.failAt(w, r, nil, err) }

// failAt answers with an error about a page. An anonymous caller gets the same answer for a missing page and for a
// forbidden one: a browser is sent to the login form, and a program is asked for a token.
func (s *Site) failAt(w http.ResponseWriter, r *http.Request, at *Location, err error) {
	f := wire.AnswerFormat(r)
	if m, ok := isMoved(err); ok && len(m.urls) == 1 {
		w.Header()["Vary"] = wire.VaryAccept
		to := m.urls[0]
		if asked, _, _ := strings.Cut(r.RequestURI, "?"); strings.HasSuffix(asked, ".md") {
			to = wire.MarkdownURL(to)
		}
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	if errors.Is(err, account.ErrUnproved) && f == wire.HTML {
		w.Header()["Vary"] = wire.VaryAccept
		http.Redirect(w, r, account.ProofURL(nextURL(r)), http.StatusSeeOther)
		return
	}
	by, known, unchecked := s.asker(r)
	visitOf(w).setActor(by)
	if unchecked != nil && refuted(err) {
		err = unchecked // not a 404, because the caller may be a member that may see the page
	}
	fail := s.explain(r, err)
	if m, ok := isMoved(err); ok {
		fail = failure{Code: "not_found", Status: http.StatusNotFound, Title: "Which page?",
			Message: m.Error(), Next: m.to}
	}
	hidden := fail.Code == "not_found" || fail.Code == "unauthenticated"
	if hidden && !known {
		if f == wire.HTML && s.credentials(r).token == "" {
			if s.showLoginWithPreview(w, r, at) {
				return
			}
			w.Header()["Vary"] = wire.VaryAccept
			http.Redirect(w, r, "/login?next="+url.QueryEscape(nextURL(r)), http.StatusSeeOther)
			return
		}
		fail = s.explain(r, store.Errorf(store.Unauthenticated,
			"Sign in at /login, or send a token: Authorization: Bearer sp_…. A member makes one at /settings/tokens."))
		if s.credentials(r).token != "" {
			fail.Message = errBadToken.Error()
			s.event(r, "token refused")
		}
		fail.Next = page.Line(page.Link("Sign in", "/login"), page.Link("Help for agents", "/help/agents"))
		w.Header().Set("WWW-Authenticate", s.oauth.Challenge(r, s.credentials(r).token != ""))
	}
	if known && fail.Code == "not_found" && len(fail.Next) == 0 && len(fail.Available) == 0 {
		fail.Next = s.nearest(r, by)
	}
	s.writeError(w, r, f, fail, at, s.context(r, by, ""))
}

func nextURL(r *http.Request) string {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		page, _, ok := cutActions(r.URL.Path)
		if ok {
			return page
		}
	}
	return wire.WithQuery(r.URL.EscapedPath(), withoutKey(r.URL.RawQuery))
}

// asker returns the actor of a failed request, and whether the actor is known. It returns an error only if the
// credentials could not be checked.
func (s *Site) asker(r *http.Request) (by store.Actor, known bool, err error) {
	creds := s.credentials(r)
	if creds.token == "" && creds.login == "" {
		return by, false, nil
	}
	err = s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		by, err = creds.actor(tx)
		return err
	})
	if err != nil && refuted(err) {
		err = nil
	}
	return by, err == nil && !by.Anonymous(), err
}

// setHeaders sets Retry-After if waiting helps, and the headers of the exceeded limit if there is one.
func (f *failure) setHeaders(h http.Header) {
	if f.Spent != nil {
		f.Spent.setHeaders(h)
	}
	if f.Retry > 0 {
		h.Set("Retry-After", seconds(f.Retry))
	}
}

func (s *Site) writeError(w http.ResponseWriter, r *http.Request, f wire.Format, fail failure, at *Location,
	c *page.Context) {
	fail.setHeaders(w.Header())
	if f == wire.JSON {
		wire.WriteJSON(w, r, fail.Status, map[string]any{"error": jsonFailure(fail, nil, c)})
		return
	}
	p := page.Page{URL: r.URL.Path, Title: fail.Title, Kind: "Error"}
	here := at != nil && fail.Status != http.StatusNotFound && fail.Status != http.StatusUnauthorized
	if here {
		p.URL = at.path
	}
	p.State = page.Linked(fail.Message, fail.Leads)
	if len(fail.Available) > 0 {
		p.Blocks = append(p.Blocks,
			page.Para(page.Line(page.T("Available here: "), page.Mono(strings.Join(fail.Available, ", ")))))
	}
	links := page.List{}
	for _, l := range fail.Next {
		links = append(links, page.Line(l))
	}
	if here {
		links = append(links, page.Line(page.Link("Back to the page", at.path)))
	}
	links = append(links, page.Line(page.Link("Start", "/")),
		page.Line(page.Link("What the errors mean", "/help/errors")))
	p.Blocks = append(p.Blocks, links)
	wire.WritePage(w, r, fail.Status, f, &p, c, "-")
}

type jsonError struct {
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Fields  any        `json:"fields,omitempty"`
	Actions []string   `json:"actions,omitempty"`
	Links   []jsonLink `json:"next,omitempty"`
}

type jsonLink struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

func jsonFailure(fail failure, fields error, c *page.Context) jsonError {
	e := jsonError{Code: fail.Code, Message: fail.Message, Actions: fail.Available}
	for _, l := range fail.Leads { // an absolute URL, because an agent may pass it on
		e.Message = strings.Replace(e.Message, l, c.Address+l, 1)
	}
	if list := param.ErrorsOf(fields); list != nil {
		e.Fields = list
	}
	for _, l := range fail.Next {
		e.Links = append(e.Links, jsonLink{l.Text(), c.Origin + l.URL()})
	}
	return e
}

// failCall answers a refused call. In HTML and Markdown the answer has the form with an error beside each wrong field,
// or the page in its present state. A browser also gets the form back if the page has changed or a limit was exceeded.
// In JSON the answer has the page only after a conflict. Errors that are not about the page are left to failAt.
func (s *Site) failCall(w http.ResponseWriter, r *http.Request, at *Location, creds credentials, call Call, err error) {
	f := wire.AnswerFormat(r)
	if errors.Is(err, account.ErrUnproved) && f == wire.HTML {
		http.Redirect(w, r, account.ProofURL(at.filledIn(call.Params)), http.StatusSeeOther)
		return
	}
	fail := s.explain(r, err)
	fail.Message = call.noted(fail.Message)
	if fail.Code == "not_found" && len(fail.Available) == 0 || fail.Code == "unauthenticated" ||
		fail.Code == "internal" || fail.Code == "limited" && f != wire.HTML {
		s.failAt(w, r, at, err)
		return
	}
	if _, ok := errors.AsType[*action.PersonOnly](err); ok {
		fail.Message += s.handOver(r, creds, at, call.Params)
	}
	if lacks := s.StepUp(r); fail.Code == "forbidden" && lacks != nil {
		if challenge := lacks(call.URL, call.Action); challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
	}
	g := renderOptions{form: f, values: call.Params, whole: f == wire.HTML, errors: param.ErrorsOf(err), spent: true}
	fresh := *at
	_, stale := errors.AsType[*errStale](err)
	if stale = stale && f == wire.HTML; stale {
		fail.Message += " What you filled in is still here: send it again if it still holds."
	} else if fail.Code != "bad_params" && fail.Code != "limited" {
		fresh.name, fresh.fill = "", url.Values{}
	}
	l, lerr := s.render(r.Context(), creds, &fresh, g)
	if lerr != nil {
		s.failAt(w, r, at, err)
		return
	}
	c := s.context(r, l.by, l.org)
	if f == wire.Markdown || f == wire.JSON && fail.Code == "conflict" {
		s.lastRead.note(l.by, &fresh, l.page.Version, c, f)
	}
	if f == wire.JSON {
		answer := map[string]any{"error": jsonFailure(fail, err, c), "on": l.title}
		if fail.Code == "conflict" {
			answer["page"] = string(l.page.AppendMarkdown(nil, c))
		}
		wire.WriteJSON(w, r, fail.Status, answer)
		return
	}
	c.Failure, c.Leads = fail.Message, fail.Leads
	switch {
	case param.ErrorsOf(err) == nil:
	case f == wire.HTML:
		c.Failure = "" // the form says that nothing is done, and has each error beside its field
	default:
		c.Failure = call.noted(wire.BadFields)
	}
	fail.setHeaders(w.Header())
	wire.WritePage(w, r, fail.Status, f, &l.page, c, "-")
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request) { s.fail(w, r, store.Missing()) }

// unknown answers that there is no such page, also to callers that are not signed in.
func (s *Site) unknown(w http.ResponseWriter, r *http.Request) {
	s.writeError(w, r, wire.AnswerFormat(r), s.explain(r, store.Missing()), nil, s.context(r, store.Actor{}, ""))
}

func (s *Site) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	if _, known, _ := s.asker(r); !known {
		s.fail(w, r, store.Missing()) // a missing page gives the same answer
		return
	}
	_, name, _ := cutActions(r.URL.Path)
	switch {
	case r.URL.Path == "/logout":
		w.Header().Set("Allow", "POST")
	case name != "", r.URL.Path == "/login", r.URL.Path == "/setup":
		w.Header().Set("Allow", "GET, HEAD, POST")
	default:
		w.Header().Set("Allow", "GET, HEAD")
	}
	s.fail(w, r, &wire.Error{Code: "not_allowed", Message: "Pages are read with GET; actions are done with POST to " +
		"the page's address followed by /actions/ and the name."})
}

func (s *Site) notAcceptable(w http.ResponseWriter, r *http.Request) {
	if _, known, _ := s.asker(r); !known {
		r.Header.Del("Accept")
		if at, ok := s.locate(r.URL.Path, nil); !ok || at == nil {
			s.fail(w, r, store.Missing())
			return
		}
	}
	wire.NotAcceptable(w)
}
