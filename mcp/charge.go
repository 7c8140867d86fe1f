package mcp

import (
	"context"
	"net/http"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A request to the site counts there. What makes none is counted here, so that every message counts: a list of tools, a
// greeting, a call that is refused before the site sees it, a batch that is too long.

// callTool is the method of a tool call.
const callTool = "tools/call"

// charged counts a message: a call of a tool once it has ended without a request to the site, any other message before
// it is answered, which is refused over a limit.
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

// chargedUnread counts a request of which no message was answered.
func (w *walker) chargedUnread(next http.Handler) http.Handler {
	if w.Charge == nil {
		return next
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		by := r.Context().Value(callerKey{}).(caller)
		next.ServeHTTP(rw, r)
		if !by.heard.Load() {
			w.Charge(r) // it was answered with a refusal already
		}
	})
}

// note records that a message was read.
func (c caller) note() {
	if c.heard != nil {
		c.heard.Store(true)
	}
}
