package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK would have answered the same, in every revision and for failures too.
func TestPlainResultIsTheSDKs(t *testing.T) {
	w := newWalker(t.Context(), newStub(), options())
	for _, version := range []string{"", "2025-03-26", legacy, "2025-11-25", modern} {
		for _, url := range []string{"/d/1", "/nowhere", "<&>\u2028"} {
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"` + url + `"}}}`
			if version == modern {
				body = strings.TrimSuffix(body, "}}") + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
					`"io.modelcontextprotocol/clientCapabilities":{}}}}`
			}
			var answers []any
			for _, h := range []http.Handler{Handler(newStub(), options()), w.authenticated(theirs(w))} {
				r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(body))
				for name, value := range map[string]string{"Authorization": "Bearer " + alice, "Content-Type": "application/json",
					"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version} {
					if value != "" {
						r.Header.Set(name, value)
					}
				}
				if version == modern {
					r.Header.Set("Mcp-Method", "tools/call")
					r.Header.Set("Mcp-Name", "navigate")
				}
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, r)
				var got map[string]any
				if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || got["result"] == nil {
					t.Fatalf("%s %s: %v in %s", version, url, err, rec.Body)
				}
				answers = append(answers, got)
			}
			if !reflect.DeepEqual(answers[0], answers[1]) {
				t.Errorf("%s %s:\n%v, the SDK:\n%v", version, url, answers[0], answers[1])
			}
		}
	}
}

// theirs is the same two tools, answering as the SDK does.
func theirs(w *walker) http.Handler {
	s := sdk.NewServer(&sdk.Implementation{Name: "samepage", Title: "Samepage", Version: w.Version}, nil)
	s.AddReceivingMiddleware(w.survive)
	s.AddTool(navigateTool(), w.navigate)
	s.AddTool(executeTool(), w.execute)
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}
