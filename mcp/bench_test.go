package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pageSize is the size of a typical decision page, in bytes.
const pageSize = 8700

const benchCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/d/1"},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

var benchPage = strings.Repeat("| 1 | Yes, every Monday | 5 | 3 |\n", pageSize/34+1)[:pageSize]

var benchSite = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	io.WriteString(w, benchPage)
})

// static is a server with a tool that returns fixed bytes without a site. It measures the cost of the protocol alone.
func static() http.Handler {
	s := sdk.NewServer(&sdk.Implementation{Name: "static", Version: "1"}, nil)
	s.AddTool(navigateTool(), func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return textResult(benchPage), nil
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true})
}

func benchRequest(url string) *http.Request {
	r := httptest.NewRequest("POST", url, strings.NewReader(benchCall))
	for k, v := range map[string]string{
		"Authorization":        "Bearer " + alice,
		"Content-Type":         "application/json",
		"Accept":               "application/json, text/event-stream",
		"MCP-Protocol-Version": modern,
		"Mcp-Method":           "tools/call",
		"Mcp-Name":             "navigate",
	} {
		r.Header.Set(k, v)
	}
	r.RequestURI = ""
	return r
}

// BenchmarkNavigate measures a request for a page, a call of navigate for that page, and a call of a tool that
// returns the same bytes. It calls the tools both without and with the network. This benchmark only reports the
// times. The program ./e2e/bench runs navigate and the static tool in turn, and checks that the ratio of their times
// stays below a limit.
func BenchmarkNavigate(b *testing.B) {
	b.Run("site alone", func(b *testing.B) {
		w := newWalker(b.Context(), benchSite, options())
		by := caller{principal: "p", request: request(alice)}
		b.ReportAllocs()
		for b.Loop() {
			if a, err := w.get(b.Context(), by, "/d/1", "text/markdown"); err != nil || len(a.body) != pageSize {
				b.Fatal(err)
			}
		}
	})
	for name, h := range map[string]http.Handler{"navigate": Handler(benchSite, options()), "static": static()} {
		b.Run("in process "+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := &recorder{header: http.Header{}, body: new(bytes.Buffer), stop: func() {}}
				h.ServeHTTP(w, benchRequest("http://localhost/mcp"))
				if w.body.Len() < pageSize {
					b.Fatal(w.body)
				}
			}
		})
		b.Run("over HTTP "+name, func(b *testing.B) { overLoopback(b, h, "/mcp") })
	}
	b.Run("over HTTP page", func(b *testing.B) { overLoopback(b, benchSite, "/d/1") })
}

func overLoopback(b *testing.B, h http.Handler, path string) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	client := httpClient(b, alice)
	b.ReportAllocs()
	for b.Loop() {
		res, err := client.Do(benchRequest(srv.URL + path))
		if err != nil {
			b.Fatal(err)
		}
		n, _ := io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if n < pageSize {
			b.Fatal(n)
		}
	}
}

// BenchmarkBareName measures a call that names an action but not its page, with the greatest number of remembered
// pages.
func BenchmarkBareName(b *testing.B) {
	site := newStub()
	w := newWalker(b.Context(), site, options())
	by := caller{principal: "p", request: request(alice)}
	for i := range visitPages {
		page := "/topic/" + strings.Repeat("x", i+1)
		site.offers[page] = []string{"comment"}
		w.visits.add("p", page)
	}
	site.offers["/topic/x"] = []string{"cast_vote"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.findTarget(b.Context(), by, executeArgs{action: "cast_vote"}); err != nil {
			b.Fatal(err)
		}
	}
}
