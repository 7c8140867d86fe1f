package mcp

import (
	"context"
	"net/http"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const callTool = "tools/call"

// charged is middleware that counts the messages that make no request to the site, because the site counts its requests
// itself. A tool call is counted at its end, and any other message at its start.
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

// chargedUnread is middleware that counts HTTP requests that end before a message is read.
func (w *walker) chargedUnread(next http.Handler) http.Handler {
	if w.Charge == nil {
		return next
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		by := r.Context().Value(callerKey{}).(caller)
		next.ServeHTTP(rw, r)
		if !by.heard.Load() {
			w.Charge(r) // the request has been refused already
		}
	})
}

func (c caller) note() {
	if c.heard != nil {
		c.heard.Store(true)
	}
}
