package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxURL is the longest URL that means anything to the site, in bytes.
const maxURL = 2048

var errElsewhere = errors.New("That is not a URL of this workspace. Give a path such as / or /studios/team, or a full URL of this workspace.")

// locate makes a path with its query of what a model gave as a URL. It only decides that the place is ours; what the path
// means, and whether it may be read in one way only, the site decides.
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

// resolve makes a path of a full URL.
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
	return "", errElsewhere // a longer host that starts like ours, or another port
}

// locateFrom reads the Location of a redirect, which may be relative to where it was met.
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

// escaped encodes what models leave plain in a URL, such as the spaces of a search, and what must not reach a request line.
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

// place is a URL taken apart: the page, the action if it is an action's own URL, and the query, which says which view of the page is
// meant or prefills the action.
type place struct{ page, name, query string }

// apart takes the path of a page, or of an action, apart. The page loses what is no part of its name: a trailing slash, and
// the ending of its markdown form.
func apart(target string) place {
	path, query, _ := strings.Cut(target, "?")
	p := place{page: strings.TrimRight(path, "/"), query: query}
	if page, ok := strings.CutSuffix(p.page, "/actions"); ok {
		p.page = page
	} else if i := strings.LastIndex(p.page, "/actions/"); i >= 0 && !strings.Contains(p.page[i+len("/actions/"):], "/") {
		p.page, p.name = p.page[:i], p.page[i+len("/actions/"):]
	}
	if page, ok := strings.CutSuffix(p.page, ".md"); ok && !strings.HasSuffix(page, "/") {
		p.page = page
	}
	if p.page == "" || p.page == "/index" && strings.HasPrefix(path, "/index.md") {
		p.page = "/"
	}
	return p
}

// target is where the action of the page is posted.
func (p place) target() string {
	u := strings.TrimSuffix(p.page, "/") + "/actions/" + p.name
	if p.query != "" {
		u += "?" + p.query
	}
	return u
}
