package web

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// maxFile is the largest body of a call whose action takes a file, in bytes.
const maxFile = param.MaxFile + 64<<10

// post answers POST P/actions/NAME: it does the action.
func (s *Site) post(w http.ResponseWriter, r *http.Request, at *location) {
	if strings.HasSuffix(at.path, ".md") { // a form of a page is not where things are done
		s.fail(w, r, store.Missing())
		return
	}
	limit := int64(wire.MaxBody)
	if at.route.takesFile(at.name) {
		limit = maxFile
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	call, err := readCall(r)
	if err != nil {
		s.failAt(w, r, at, err)
		return
	}
	call.URL, call.Action = at.page(), at.name
	who, left := s.credentials(r), quota{limit: math.MaxInt}
	who.left = &left
	out, err := s.Do(r.Context(), who, call)
	left.setHeaders(w.Header())
	if err != nil {
		s.failCall(w, r, at, who, call, err)
		return
	}
	s.done(w, r, who, out)
}

// readCall reads a form or JSON.
func readCall(r *http.Request) (Call, error) {
	call := Call{Key: r.Header.Get("Idempotency-Key")}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Header.Get("Content-Type") != "" {
		return call, store.Errorf(store.Invalid, "The Content-Type cannot be read. Send a form or application/json.")
	}
	switch media {
	case "application/json":
		err = readJSON(r, &call)
	case "application/x-www-form-urlencoded", "":
		err = readForm(r, &call, nil)
	case "multipart/form-data":
		err = readMultipart(r, &call)
	default:
		return call, wire.ErrMediaType
	}
	if id := r.Header.Get("Samepage-Call-Id"); id != "" {
		call.Request = id
		if call.Key == "" {
			call.Key, call.Loose, call.Within = "call:"+wire.Clip(id, 200), true, callLife
		}
	}
	if len(call.Key) > 300 {
		return call, store.Errorf(store.Invalid, "The idempotency key is longer than 300 bytes.")
	}
	call.Why = strings.ReplaceAll(strings.ToValidUTF8(call.Why, "\uFFFD"), "\x00", "")
	return call, wire.TooLarge(err)
}

// callLife is how long a client's own name of a call keeps it from being done twice. Names are less unique than keys.
const callLife = 2 * time.Minute

func readJSON(r *http.Request, call *Call) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var in struct {
		Params  json.RawMessage `json:"params"`
		DryRun  bool            `json:"dry_run"`
		Version json.RawMessage `json:"if_version"`
		Key     string          `json:"idempotency_key"`
		Why     string          `json:"why"`
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &in); err != nil {
			return store.Errorf(store.Invalid, `The JSON cannot be read: %s. Send {"params": {…}}.`, unreadable(err))
		}
	}
	call.DryRun, call.Why = in.DryRun, in.Why
	call.Version = strings.Trim(string(in.Version), `"`) // "7" and 7 mean the same
	if call.Version == "null" {
		call.Version = ""
	}
	if in.Key != "" {
		call.Key = in.Key
	}
	if call.Params, err = param.FromJSON(in.Params); err != nil {
		return store.Errorf(store.Invalid, "%s", err)
	}
	return nil
}

// unreadable is what is wrong with JSON, in words that know nothing of our types.
func unreadable(err error) string {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return err.Error()
	case e.Field == "":
		return "it must be an object, not " + e.Value
	}
	return e.Field + " cannot be " + e.Value
}

func readForm(r *http.Request, call *Call, files map[string]param.Upload) error {
	if err := wire.FormError(r.ParseForm()); err != nil {
		return err
	}
	f := r.PostForm
	call.Params = param.FromForm(f, files)
	call.DryRun = f.Get("_dry_run") != ""
	call.Version, call.Why = f.Get("_if_version"), f.Get("_why")
	if k := f.Get("_idempotency_key"); k != "" {
		call.Key, call.Loose = k, true
	}
	return nil
}

func readMultipart(r *http.Request, call *Call) error {
	if err := wire.FormError(r.ParseMultipartForm(maxFile)); err != nil {
		return err
	}
	defer r.MultipartForm.RemoveAll()
	files := map[string]param.Upload{}
	for name, list := range r.MultipartForm.File {
		f, err := list[0].Open()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			return err
		}
		files[name] = param.Upload{Name: list[0].Filename, Data: data}
	}
	return readForm(r, call, files)
}

// done answers a call that was done: a form goes on to the result's page; markdown and JSON get the message and the page.
func (s *Site) done(w http.ResponseWriter, r *http.Request, who credentials, out Outcome) {
	f := wire.AnswerFormat(r)
	if f == wire.HTML && out.Secret == "" {
		wire.SetFlash(w, out.Message, s.secure())
		w.Header()["Vary"] = wire.VaryAccept
		http.Redirect(w, r, out.URL, http.StatusSeeOther)
		return
	}
	status := http.StatusOK
	if out.Held {
		status = http.StatusAccepted
		if f == wire.JSON {
			wire.WriteJSON(w, status, map[string]any{"held": true, "message": out.Message, "url": out.URL})
			return
		}
	}
	l := rendered{}
	at, err := s.resolve(out.URL)
	if err == nil {
		l, err = s.render(r.Context(), who, at, renderOptions{form: f, spent: true})
	}
	if err != nil {
		// It is done; that its page cannot be shown is not a failure of the action.
		l.page = page.Page{URL: out.URL, Title: out.Message}
	}
	c := s.context(r, l.by, l.org)
	c.Message = out.Message
	if out.Secret != "" {
		if out.Secret[0] == '/' { // a link: whoever gets it needs all of it
			out.Secret = s.origin(r) + out.Secret
		}
		w.Header()["Cache-Control"] = wire.NoStore
		l.page.Blocks = append([]page.Block{page.Banner(page.Line(page.Strong("Copy this now, it is shown only once: "), page.Mono(out.Secret)))}, l.page.Blocks...)
	}
	if f == wire.JSON {
		c.Message = ""
		answer := map[string]any{"message": out.Message, "url": out.URL, "page": string(l.page.AppendMarkdown(nil, c))}
		if out.Secret != "" {
			answer["secret"] = out.Secret
		}
		wire.WriteJSON(w, status, answer)
		return
	}
	wire.WritePage(w, r, status, f, &l.page, c, "-")
}
