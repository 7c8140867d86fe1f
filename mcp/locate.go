package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxURL is the greatest length of a URL in bytes. It equals MaxURL in web/wire.
const maxURL = 2048

var errElsewhere = errors.New("That is not a URL of this workspace. Give a path such as / or " +
	"/studios/team, or a full URL of this workspace.")

// locate turns a URL from a model into a path with its query. The path need not exist.
func (w *walker) locate(by caller, raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return "", errors.New("url is missing. Give a path such as /, or a full URL of this workspace.")
	}
	if len(raw) > maxURL {
		return "", fmt.Errorf("That URL is longer than %d bytes.", maxURL)
	}
	if raw[0] != '/' {
		path, err := w.resolve(by, raw)
		if err != nil {
			return "", err
		}
		raw = path
	}
	raw, _, _ = strings.Cut(raw, "#")
	if !strings.HasPrefix(raw, "/") || strings.HasPrefix(raw, "//") || strings.HasPrefix(raw, `/\`) {
		return "", errElsewhere
	}
	return escaped(raw), nil
}

// resolve turns a full URL of this site into a path with its query.
func (w *walker) resolve(by caller, raw string) (string, error) {
	if w.Resolve != nil {
		return w.Resolve(raw, by.request)
	}
	n := len(w.Origin)
	if n == 0 || len(raw) < n || !strings.EqualFold(raw[:n], w.Origin) {
		return "", errElsewhere
	}
	switch rest := raw[n:]; {
	case rest == "":
		return "/", nil
	case rest[0] == '/':
		return rest, nil
	case rest[0] == '?', rest[0] == '#':
		return "/" + rest, nil
	}
	return "", errElsewhere // another host that begins like this one, or another port
}

// locateFrom returns the path and query of a URL from the site, which may be relative to the URL in from.
func (w *walker) locateFrom(by caller, from, location string) (string, error) {
	base, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	to, err := base.Parse(location)
	if err != nil {
		return "", err
	}
	return w.locate(by, to.String())
}

// escaped percent-encodes spaces, control characters and all bytes beyond ASCII, because models write them and a
// request line must not have them.
func escaped(raw string) string {
	var b strings.Builder
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// target is a parsed URL of a page, or of an action on the page if name is set.
type target struct{ page, name, query string }

// parseTarget splits a path with its query. It removes trailing slashes, a last segment "actions", and the suffix .md,
// which only selects Markdown.
func parseTarget(uri string) target {
	path, query, _ := strings.Cut(uri, "?")
	t := target{page: strings.TrimRight(path, "/"), query: query}
	if page, ok := strings.CutSuffix(t.page, "/actions"); ok {
		t.page = page
	} else if i := strings.LastIndex(t.page, "/actions/"); i >= 0 &&
		!strings.Contains(t.page[i+len("/actions/"):], "/") {
		t.page, t.name = t.page[:i], t.page[i+len("/actions/"):]
	}
	if page, ok := strings.CutSuffix(t.page, ".md"); ok && !strings.HasSuffix(page, "/") {
		t.page = page
	}
	if t.page == "" || t.page == "/index" && strings.HasPrefix(path, "/index.md") {
		t.page = "/"
	}
	return t
}

func (t target) postURL() string {
	u := strings.TrimSuffix(t.page, "/") + "/actions/" + t.name
	if t.query != "" {
		u += "?" + t.query
	}
	return u
}
