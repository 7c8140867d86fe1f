package mcp

import (
	"context"
	"net/http"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const callTool = "tools/call"

// charged is middleware that calls Charge for each message that makes no request to the site, because the site counts
// its requests itself. Only at the end of a tool call is it known whether the call made a request. Any other message is
// counted at its start.
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

// chargedUnread is middleware that calls Charge for each HTTP request that ends before a message is read.
func (w *walker) chargedUnread(next http.Handler) http.Handler {
	if w.Charge == nil {
		return next
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		by := r.Context().Value(callerKey{}).(caller)
		next.ServeHTTP(rw, r)
		if !by.heard.Load() {
			w.Charge(r) // the error is ignored, because the request has been refused already
		}
	})
}

func (c caller) note() {
	if c.heard != nil {
		c.heard.Store(true)
	}
}
