package webtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
)

// Client sends requests to the site as one actor, without a network.
type Client struct {
	Name   string
	Header http.Header // headers sent with every request, besides the credentials
	w      *World
	secret secret
	signed time.Time
}

// As returns a client that acts as one of [World.Actors]: a person with a login, an agent with a token, or "anonymous".
func (w *World) As(name string) *Client {
	s, ok := w.secrets[name]
	if !ok {
		w.t.Helper()
		w.t.Fatalf("there is no actor %q; there are %q", name, w.Actors())
	}
	return &Client{Name: name, Header: http.Header{}, w: w, secret: s, signed: Start}
}

// Bearer returns a client that sends the token with each request.
func (w *World) Bearer(token string) *Client {
	return &Client{Name: "bearer", Header: http.Header{}, w: w, secret: secret{token: token}}
}

// Response is the site's answer to a request.
type Response struct {
	Status int
	Header http.Header
	Body   string
	// Request is the ID of the request. It is not in Header, because tests compare headers.
	Request string
}

// Location returns the URL to which a redirect leads, without scheme and host if it stays on the site.
func (r *Response) Location() string { return strings.TrimPrefix(r.Header.Get("Location"), Origin) }

// Call holds the parameters of an action and the options of the call.
type Call struct {
	Params            param.Input
	DryRun            bool
	Version, Key, Why string
	Accept            string // if empty, the default for the media type of the body
}

// Get requests a page. Accept may be empty.
func (c *Client) Get(path, accept string) *Response {
	r := httptest.NewRequest(http.MethodGet, Origin+path, nil)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	return c.Do(r)
}

// Ahead makes the client prefetch pages, as a browser does, so that reading a page changes nothing. It returns c.
func (c *Client) Ahead() *Client {
	c.Header = http.Header{"Sec-Purpose": {"prefetch"}}
	return c
}

// Post takes an action on a page by sending a form.
func (c *Client) Post(page, action string, params param.Input) *Response {
	return c.Form(page, action, Call{Params: params})
}

// PostJSON takes an action on a page by sending JSON.
func (c *Client) PostJSON(page, action string, params param.Input) *Response {
	return c.JSON(page, action, Call{Params: params})
}

// Form takes an action by sending a form, as a browser does.
func (c *Client) Form(page, action string, call Call) *Response {
	values, files := formValues(call.Params)
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("_if_version", call.Version)
	set("_idempotency_key", call.Key)
	set("_why", call.Why)
	if call.DryRun {
		values.Set("_dry_run", "1")
	}
	if len(files) == 0 {
		return c.send(page, action, "application/x-www-form-urlencoded",
			strings.NewReader(values.Encode()), call.Accept)
	}
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	for name, list := range values {
		for _, v := range list {
			c.must(m.WriteField(name, v))
		}
	}
	for name, file := range files {
		part, err := m.CreateFormFile(name, file.Name)
		c.must(err)
		_, err = part.Write(file.Data)
		c.must(err)
	}
	c.must(m.Close())
	return c.send(page, action, m.FormDataContentType(), &body, call.Accept)
}

// JSON takes an action by sending JSON, as a program does.
func (c *Client) JSON(page, action string, call Call) *Response {
	params := map[string]any{}
	for name, v := range call.Params {
		if file, ok := v.(param.Upload); ok {
			v = string(file.Data)
		}
		params[name] = v
	}
	body := map[string]any{"params": params}
	if call.DryRun {
		body["dry_run"] = true
	}
	for name, v := range map[string]string{"if_version": call.Version, "idempotency_key": call.Key, "why": call.Why} {
		if v != "" {
			body[name] = v
		}
	}
	text, err := json.Marshal(body)
	c.must(err)
	return c.send(page, action, "application/json", bytes.NewReader(text), call.Accept)
}

func (c *Client) send(page, action, media string, body io.Reader, accept string) *Response {
	page, view, _ := strings.Cut(page, "?")
	target := Origin + strings.TrimSuffix(page, "/") + "/actions/" + action
	if view != "" {
		target += "?" + view
	}
	r := httptest.NewRequest(http.MethodPost, target, body)
	r.Header.Set("Content-Type", media)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	return c.Do(r)
}

// Do sends a request as this actor and returns the answer.
func (c *Client) Do(r *http.Request) *Response {
	rec := httptest.NewRecorder()
	c.Serve(rec, r)
	header := rec.Result().Header
	id := header.Get("X-Request-Id")
	header.Del("X-Request-Id")
	return &Response{Status: rec.Code, Header: header, Body: rec.Body.String(), Request: id}
}

// Serve sends a request as this actor, and writes the answer to w while it arrives.
func (c *Client) Serve(w http.ResponseWriter, r *http.Request) {
	for name, list := range c.Header {
		r.Header[name] = list
	}
	if c.secret.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.secret.token)
	}
	if c.secret.login != "" {
		c.signInAgain()
		r.AddCookie(&http.Cookie{Name: c.w.cookie, Value: c.secret.login})
	}
	c.w.Site.ServeHTTP(w, r)
}

// signInAgain replaces the login if it is too old for a sensitive action.
func (c *Client) signInAgain() {
	now := c.w.Clock.Now()
	if now.Sub(c.signed) <= credential.ProofLife {
		return
	}
	c.signed = now
	c.must(c.w.Store.Write(context.Background(), func(tx *store.Tx) (err error) {
		c.secret.login, err = credential.CreateLogin(tx, c.secret.user, laptop, tx.Now)
		return err
	}))
}

func (c *Client) must(err error) {
	if err != nil {
		c.w.t.Helper()
		c.w.t.Fatal(err)
	}
}

func formValues(in param.Input) (url.Values, map[string]param.Upload) {
	values, files := url.Values{}, map[string]param.Upload{}
	for name, v := range in {
		switch v := v.(type) {
		case param.Upload:
			files[name] = v
		case []string:
			values[name] = v
		case []any:
			if len(v) == 0 {
				values.Add("_none", name)
			}
			for _, x := range v {
				values.Add(name, fmt.Sprint(x))
			}
		case map[string]any:
			for option, x := range v {
				values.Set(name+"."+option, fmt.Sprint(x))
			}
		case nil:
		default:
			values.Set(name, fmt.Sprint(v))
		}
	}
	return values, files
}
