package mcp

import (
	"context"
	"mime"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (w *walker) navigate(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	by := ctx.Value(callerKey{}).(caller)
	args := readArguments(req.Params.Arguments)
	raw := args.text("url")
	if err := args.err(); err != nil {
		return errorResult(err.Error()), nil
	}
	uri, err := w.locate(by, raw)
	if err != nil {
		return errorResult(err.Error()), nil
	}
	a, err := w.get(ctx, by, uri, "text/markdown")
	if err != nil {
		return errorResult(err.Error()), nil
	}
	switch {
	case !a.ok() && a.isText():
		return errorResult(a.textOrStatus()), nil
	case !a.isPage():
		return errorResult("That is not a page but a file, which is opened in a browser. The page of an attached file " +
			"quotes the beginning of a text."), nil
	}
	w.visits.add(by.principal, parseTarget(a.uri).page)
	return textResult(a.body + args.ignored("url")), nil
}

// isText reports whether a model can read the body: it is empty, text or JSON, or has no valid Content-Type.
func (a answer) isText() bool {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	return err != nil || strings.HasPrefix(kind, "text/") || kind == "application/json" || a.body == ""
}

// isPage reports whether the body is a page. The text of a file is not, because a member may have written it like a
// page.
func (a answer) isPage() bool {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	return err == nil && kind == "text/markdown" && a.header.Get("Content-Disposition") == ""
}

func (a answer) textOrStatus() string {
	if strings.TrimSpace(a.body) != "" {
		return a.body
	}
	return http.StatusText(a.status) + "."
}
