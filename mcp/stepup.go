package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

const executeAction = "execute_action"

// steppedUp is middleware that answers a call of execute_action with 403 if the token lacks a scope for the action, so
// that the client can ask its member for the scope. A tool result could not carry the challenge, because its status is
// always 200. The check protects nothing: a call that cannot be parsed here is passed on, and the SDK or the site
// refuses it.
func (w *walker) steppedUp(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var lacks func(page, action string) string
		if w.StepUp != nil && r.Method == http.MethodPost {
			lacks = w.StepUp(r)
		}
		if lacks == nil {
			next.ServeHTTP(rw, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			http.Error(rw, "The request could not be read.", http.StatusBadRequest)
			return
		}
		by := r.Context().Value(callerKey{}).(caller)
		for _, raw := range calls(body) {
			page, action, ok := w.namedAction(by, raw)
			if !ok {
				continue
			}
			if challenge := lacks(page, action); challenge != "" {
				rw.Header().Set("WWW-Authenticate", challenge)
				rw.Header().Set("Cache-Control", "no-store")
				http.Error(rw,
					"This token does not carry the scope that the action needs. Nothing was changed.",
					http.StatusForbidden)
				return
			}
		}
		again := *r
		again.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		next.ServeHTTP(rw, &again)
	})
}

func calls(body []byte) (list []json.RawMessage) {
	type message struct {
		Method string
		Params struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	var messages []message
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		if json.Unmarshal(body, &messages) != nil {
			return nil
		}
	} else {
		messages = make([]message, 1)
		if json.Unmarshal(body, &messages[0]) != nil {
			return nil
		}
	}
	for _, m := range messages {
		if m.Method == "tools/call" && m.Params.Name == executeAction {
			list = append(list, m.Params.Arguments)
		}
	}
	return list
}

// namedAction returns the action of a call, and its page if the call has a URL. It returns false if the call cannot be
// read.
func (w *walker) namedAction(by caller, arguments json.RawMessage) (page, action string, ok bool) {
	o, err := readExecuteArgs(arguments)
	if err != nil {
		return "", "", false
	}
	link := o.url
	if strings.Contains(o.action, "/") {
		link = o.action
	}
	if link == "" {
		return "", o.action, true
	}
	uri, err := w.locate(by, link)
	if err != nil {
		return "", "", false
	}
	at := parseTarget(uri)
	at.name = cmp.Or(at.name, o.action)
	return at.page, at.name, true
}
