package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// multiRound is the first revision that wants to be told that a result is complete.
const multiRound = "2026-07-28"

// plainResult is a [sdk.CallToolResult] that holds nothing but texts. The SDK's own type encodes itself by methods within
// methods, and encoding/json reads again what each of them made; these are escaped once, which a large page notices.
type plainResult struct {
	sdk.ResultBase
	Content    []plainText `json:"content"`
	IsError    bool        `json:"isError,omitempty"`
	ResultType string      `json:"resultType,omitempty"`
}

type plainText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// plainly makes a tool's result a plain one.
func plainly(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		full, ok := res.(*sdk.CallToolResult)
		if err != nil || !ok {
			return res, err
		}
		plain := &plainResult{Content: make([]plainText, len(full.Content)), IsError: full.IsError}
		for i, c := range full.Content {
			plain.Content[i] = plainText{"text", c.(*sdk.TextContent).Text} // said makes no other
		}
		session := req.GetSession().(*sdk.ServerSession)
		if p := session.InitializeParams(); p == nil || p.ProtocolVersion >= multiRound {
			plain.ResultType = "complete"
		}
		return plain, nil
	}
}
