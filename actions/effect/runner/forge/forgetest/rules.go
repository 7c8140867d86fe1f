package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The rules here are those of https://docs.github.com/rest, "Getting started", "Pagination", "Rate limits",
// "Troubleshooting" and the pages about pulls and issues, for the version 2022-11-28.

// apiVersions are the versions of the API that GitHub supports. GitHub uses the oldest one if a request names none.
// This server rejects such a request, because it would fail when GitHub drops that version.
var apiVersions = []string{"2022-11-28", "2026-03-10"}

const docs = "https://docs.github.com/rest"

func says(message string) any {
	return map[string]any{"message": message, "documentation_url": docs}
}

// header returns the answer to a request that is rejected for its headers, or the status 0.
func header(r *http.Request) (status int, body any) {
	accepts := slices.ContainsFunc(strings.Split(r.Header.Get("Accept"), ","), func(a string) bool {
		a, _, _ = strings.Cut(strings.TrimSpace(a), ";")
		return slices.Contains([]string{"application/vnd.github+json", "application/json"}, a)
	})
	switch version := r.Header.Get("X-GitHub-Api-Version"); {
	case r.UserAgent() == "":
		return http.StatusForbidden, says("Request forbidden by administrative rules. " +
			"Please make sure your request has a User-Agent header")
	case !slices.Contains(apiVersions, version):
		return http.StatusBadRequest, says(fmt.Sprintf("%q is not a supported version of the API", version))
	case !accepts:
		return http.StatusUnsupportedMediaType, says("Must accept 'application/json'")
	case r.Header.Get("Authorization") != "Bearer "+Token:
		return http.StatusUnauthorized, says("Bad credentials")
	}
	return 0, nil
}

// param is a member of the body of a request.
type param struct {
	name   string
	needed bool
	most   int      // greatest number of characters; 0 for no limit
	values []string // allowed values; nil for all
	flag   bool     // true or false, instead of a text
}

// params has the members that a request's body may have here, by method and path.
var params = map[string][]param{
	"POST pulls": {{name: "title", needed: true, most: 256}, {name: "head", needed: true}, {name: "base", needed: true},
		{name: "body", most: 65536}, {name: "draft", flag: true}, {name: "maintainer_can_modify", flag: true}},
	"PATCH pulls/N": {{name: "title", most: 256}, {name: "body", most: 65536}, {name: "base"},
		{name: "state", values: []string{"open", "closed"}}, {name: "maintainer_can_modify", flag: true}},
	"PUT pulls/N/merge": {{name: "commit_title"}, {name: "commit_message"}, {name: "sha"},
		{name: "merge_method", values: []string{"merge", "squash", "rebase"}}},
	"POST issues": {{name: "title", needed: true, most: 256}, {name: "body", most: 65536}},
}

// resources maps the first part of a request's path to the name of the resource in errors.
var resources = map[string]string{"pulls": "PullRequest", "issues": "Issue"}

func invalid(path, field, code, message string) (int, any) {
	kind, _, _ := strings.Cut(path, "/")
	one := map[string]any{"resource": resources[kind], "field": field, "code": code}
	if message != "" {
		one["message"] = message
	}
	return http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed", "errors": []any{one},
		"documentation_url": docs}
}

// malformed returns the answer to a request with an unknown member in its body, or a member of the wrong type.
func malformed(format string, args ...any) (int, any) {
	return http.StatusUnprocessableEntity, says("Invalid request.\n\n" + fmt.Sprintf(format, args...))
}

// check returns the answer to a body that GitHub rejects, or the status 0. It also rejects members that are not in
// params.
func check(method, path string, raw []byte) (status int, body any) {
	parts := strings.Split(path, "/")
	if len(parts) > 1 {
		parts[1] = "N"
	}
	known, ok := params[method+" "+strings.Join(parts, "/")]
	if !ok {
		if len(raw) > 0 {
			return http.StatusBadRequest, says("This request has no body")
		}
		return 0, nil
	}
	var value any
	var in map[string]json.RawMessage
	switch {
	case json.Unmarshal(raw, &value) != nil:
		return http.StatusBadRequest, says("Problems parsing JSON")
	case json.Unmarshal(raw, &in) != nil:
		return http.StatusBadRequest, says("Body should be a JSON object")
	}
	for name := range in {
		if !slices.ContainsFunc(known, func(p param) bool { return p.name == name }) {
			return malformed("%q is not a permitted key.", name)
		}
	}
	for _, p := range known {
		value, given := in[p.name]
		text, flag := "", false
		switch {
		case !given || string(value) == "null":
			if p.needed {
				return invalid(path, p.name, "missing_field", "")
			}
		case p.flag && json.Unmarshal(value, &flag) != nil:
			return malformed("For 'properties/%s', %s is not a boolean.", p.name, value)
		case p.flag:
		case json.Unmarshal(value, &text) != nil:
			return malformed("For 'properties/%s', %s is not a string.", p.name, value)
		case p.needed && text == "":
			return invalid(path, p.name, "missing_field", "")
		case p.values != nil && !slices.Contains(p.values, text):
			return invalid(path, p.name, "invalid", "")
		case p.most > 0 && utf8.RuneCountInString(text) > p.most:
			long := fmt.Sprintf("%s is too long (maximum is %d characters)", p.name, p.most)
			return invalid(path, p.name, "custom", long)
		}
	}
	return 0, nil
}

// paged returns the part of a list that a request asks for, and sets the header Link: 30 entries a page, or as many as
// the request says, and at most 100.
func paged[T any](w http.ResponseWriter, r *http.Request, list []T) []T {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	size, page := min(number("per_page", 30), 100), number("page", 1)
	last := max(1, (len(list)+size-1)/size)
	var links []string
	link := func(rel string, n int) {
		at := url.URL{Scheme: "https", Host: r.Host, Path: r.URL.Path}
		query := r.URL.Query()
		query.Set("page", strconv.Itoa(n))
		at.RawQuery = query.Encode()
		links = append(links, fmt.Sprintf("<%s>; rel=%q", at.String(), rel))
	}
	if page > 1 {
		link("prev", page-1)
		link("first", 1)
	}
	if page < last {
		link("next", page+1)
		link("last", last)
	}
	if links != nil {
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	from := min((page-1)*size, len(list))
	return append([]T{}, list[from:min(from+size, len(list))]...)
}

// Answer makes the server answer the next n requests of the API with a status, headers, and a message.
func (s *Server) Answer(n, status int, headers map[string]string, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.busyAnswer = n, func(w http.ResponseWriter) (int, any) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		return status, says(message)
	}
}

// Rename gives the repository another name. GitHub then answers 301 for the former name.
func (s *Server) Rename() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renamed = true
}

// Hide makes the repository private, so that the token has no access. GitHub then answers 404.
func (s *Server) Hide() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden = true
}
