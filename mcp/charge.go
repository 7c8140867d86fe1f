package mcp

import (
	"context"
	"net/http"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The site counts the requests that it gets. The middleware in this file counts the other messages: those for the
// list of tools, greetings, and calls that are refused before they reach the site.

const callTool = "tools/call"

// charged is middleware that counts the messages that the site does not count. It counts a tool call afterwards, if the
// call made no request to the site. It counts any other message before handling it. If the caller is over a limit, the
// answer is an error.
func (w *walker) charged(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		by, ok := ctx.Value(callerKey{}).(caller)
		if !ok || w.Charge == nil {
			return next(ctx, method, req)
		}
		if method != callTool {
			by.note()
			if err := w.Charge(by.request); err != nil {
				return nil, err
			}
			return next(ctx, method, req)
		}
		by.note()
		by.asked = new(atomic.Bool)
		res, err := next(context.WithValue(ctx, callerKey{}, by), method, req)
		if !by.asked.Load() {
			if over := w.Charge(by.request); over != nil {
				return errorResult(over.Error()), nil
			}
		}
		return res, err
	}
}

// chargedUnread counts an HTTP request if none of its messages was read, because [walker.charged] has not counted it.
func (w *walker) chargedUnread(next http.Handler) http.Handler {
	if w.Charge == nil {
		return next
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		by := r.Context().Value(callerKey{}).(caller)
		next.ServeHTTP(rw, r)
		if !by.heard.Load() {
			w.Charge(r) // the error changes nothing, because the request was refused already
		}
	})
}

// note records that a message of the HTTP request was read.
func (c caller) note() {
	if c.heard != nil {
		c.heard.Store(true)
	}
}
