//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The comparison servers run in processes of their own, with the garbage collector's settings of cmd/samepage/serve.go.

const (
	ballastSize = 128 << 20
	heapGrowth  = 25
)

// serveFloor serves F, the bare comparison server. Its handler only writes 1 KB, and its cost is the lower bound for a
// page.
func serveFloor() error {
	body, kind := bytes.Repeat([]byte("x"), 1<<10), []string{"text/plain; charset=utf-8"}
	return serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = kind
		w.Write(body)
	}))
}

// serveTool serves a tool that returns the text on standard input. Its cost is the lower bound for a tool call with the
// MCP SDK.
func serveTool() error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "static", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{
		Name:        "navigate",
		InputSchema: json.RawMessage(`{"type":"object"}`),
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
	})
	return serve(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true}))
}

func serve(h http.Handler) error {
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(&ballast)
	debug.SetGCPercent(heapGrowth)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("serves http://%s \n", l.Addr())
	return http.Serve(l, h)
}
