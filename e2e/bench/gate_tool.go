//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"samepage/e2e/bench/world"
)

// protocol is a revision of MCP.
const protocol = "2026-07-28"

// call returns the request for an MCP method. The argument params has members of a JSON object, each with a comma after
// it.
func call(token, method, params string) []byte {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":%q,`+
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params, protocol)
	headers := []string{"Authorization: Bearer " + token, "Content-Type: application/json",
		"Accept: application/json, text/event-stream",
		"MCP-Protocol-Version: " + protocol, "Mcp-Method: " + method}
	if method == "tools/call" {
		headers = append(headers, "Mcp-Name: navigate")
	}
	return request("POST", "/mcp", body, headers...)
}

func navigate(token, path string) []byte {
	return call(token, "tools/call", fmt.Sprintf(`"name":"navigate","arguments":{"url":%q},`, path))
}

// tools measures gates 9 and 10: the tool navigate, compared with a static tool that returns the same bytes, and with a
// request for the page itself.
func (b *bench) tools(context.Context) error {
	server, err := b.serve(b.large.Folder)
	if err != nil {
		return err
	}
	defer b.end(server)
	ask := navigate(b.large.Token, b.large.Small)
	text, err := toolText(server, ask)
	if err != nil {
		return err
	}
	tool, err := b.child(text, "tool")
	if err != nil {
		return err
	}
	defer b.end(tool)
	if same, err := toolText(tool, ask); err != nil || same != text {
		return fmt.Errorf("the static tool answers something else: %w", err)
	}
	c, err := b.compare(many(manyConns), page("page", server, b.large, b.large.Small),
		&target{name: "static tool", server: tool, status: http.StatusOK, requests: [][]byte{ask}},
		&target{name: "navigate", server: server, status: http.StatusOK, requests: [][]byte{ask}})
	if err != nil {
		return b.refuse(9, "MCP navigate", err)
	}
	b.most(9, "MCP navigate ÷ a tool that returns the same bytes, CPU", c.between(2, 1), 2.2, "",
		"the tool: "+c.beside(1))
	b.most(10, "MCP navigate ÷ the page over HTTP, CPU", c.between(2, 0), 3.3, "", c.beside(2))
	return nil
}

func toolText(server *process, ask []byte) (string, error) {
	c, err := dial(server.addr)
	if err != nil {
		return "", err
	}
	defer c.close()
	a, err := c.ask(ask)
	if err != nil {
		return "", err
	}
	var out struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(unchunked(a), &out); err != nil || a.status != http.StatusOK ||
		len(out.Result.Content) != 1 || out.Result.IsError {
		return "", fmt.Errorf("tool call: status %d: %w\n%s", a.status, err, a.body)
	}
	return out.Result.Content[0].Text, nil
}

const mcpClients = 10_000

// memories measures gate 15, the server's memory when idle, after load, and after requests of 10,000 MCP clients.
func (b *bench) memories(context.Context) error {
	server, err := b.serve(b.large.Folder)
	if err != nil {
		return err
	}
	defer b.end(server)
	decisions := page("decisions", server, b.large, b.large.Closed...)
	weigh := func(measure string, limit float64) error {
		// The pause gives the Go runtime time to return memory to the system.
		time.Sleep(4 * b.plan.window)
		bytes, err := server.memory()
		if err == nil {
			b.most(15, "anonymous memory "+measure, float64(bytes)/(1<<20), limit, " MB", "")
		}
		return err
	}
	if _, err := decisions.load(1, time.Millisecond); err != nil {
		return err
	}
	if err := weigh("idle", 32); err != nil {
		return err
	}
	cookie, err := login(server)
	if err != nil {
		return err
	}
	html := &target{name: "HTML", server: server, status: http.StatusOK}
	tools := &target{name: "navigate", server: server, status: http.StatusOK}
	for _, path := range b.large.Closed {
		html.requests = append(html.requests, request("GET", path, "", "Cookie: "+cookie, "Accept: text/html"))
		tools.requests = append(tools.requests, navigate(b.large.Token, path))
	}
	for _, t := range []*target{decisions, html, tools} {
		if _, err := t.load(64, 8*b.plan.window); err != nil {
			return err
		}
	}
	if err := weigh("after load", 128); err != nil {
		return err
	}
	clients, err := b.crowd(server)
	defer func() {
		for _, c := range clients {
			c.close()
		}
	}()
	if err != nil {
		return err
	}
	return weigh(fmt.Sprintf("with %d MCP clients (%d still connected)", mcpClients, len(clients)), 256)
}

// crowd connects many MCP clients, which stay connected until the server closes the connection.
func (b *bench) crowd(server *process) ([]*client, error) {
	var mu sync.Mutex
	var clients []*client
	var failed error
	var wg sync.WaitGroup
	for worker := range 4 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := worker; i < mcpClients; i += 4 * runtime.GOMAXPROCS(0) {
				c, err := b.hello(server, i)
				mu.Lock()
				if err != nil {
					failed = err
					mu.Unlock()
					return
				}
				if c != nil {
					clients = append(clients, c)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return clients, failed
}

// hello sends the requests of one client. The server may close the connection after any answer. The result is nil if
// the server closed it after the last one.
func (b *bench) hello(server *process, i int) (c *client, err error) {
	token := b.large.Tokens[i%world.Writers]
	t := &target{name: "MCP client", server: server, status: http.StatusOK, requests: [][]byte{
		call(token, "server/discover", ""), call(token, "tools/list", ""),
		navigate(token, b.large.Closed[i%len(b.large.Closed)])}}
	for n := range t.requests {
		if c == nil {
			if c, err = dial(server.addr); err != nil {
				return nil, err
			}
		}
		a, err := t.ask(c, n)
		if err != nil {
			return nil, err
		}
		if a.header("Connection") == "close" {
			c.close()
			c = nil
		}
	}
	if c != nil {
		c.buf = nil
	}
	return c, nil
}
