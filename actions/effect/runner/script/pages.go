package script

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"samepage/actions/effect/runner/acp"
)

// pages calls the tools of the first MCP server that the client named.
type pages struct {
	at   params
	open *mcp.ClientSession
	url  string // URL of the last page that was read
	text string
}

func (p *pages) close() {
	if p.open != nil {
		_ = p.open.Close() // there is nothing left to send
	}
}

func (p *pages) connect(ctx context.Context) error {
	if p.open != nil {
		return nil
	}
	if len(p.at.Servers) == 0 {
		return errors.New("the client named no MCP server")
	}
	server := p.at.Servers[0]
	var transport mcp.Transport
	if server.URL != "" {
		transport = &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: headers(server.Headers)},
			DisableStandaloneSSE: true}
	} else {
		cmd := exec.Command(server.Command, server.Args...)
		cmd.Env = os.Environ()
		for _, v := range server.Env {
			cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
		}
		transport = &mcp.CommandTransport{Command: cmd}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "samepage-script", Version: "1"}, nil)
	open, err := client.Connect(ctx, transport, nil)
	p.open = open
	return err
}

// headers is an http.RoundTripper that adds headers to each request.
type headers []acp.Pair

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for _, v := range h {
		r.Header.Set(v.Name, v.Value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (p *pages) call(ctx context.Context, tool string, args any) (string, error) {
	if err := p.connect(ctx); err != nil {
		return "", err
	}
	result, err := p.open.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if result.IsError {
		return "", errors.New(text.String())
	}
	p.text = text.String()
	return p.text, nil
}

func (p *pages) navigate(ctx context.Context, address string) (string, error) {
	text, err := p.call(ctx, "navigate", map[string]string{"url": address})
	if err == nil {
		p.url = address
	}
	return text, err
}

var address = regexp.MustCompile(`\]\((/[^)\s]*)\)|"(/[^"\s]*)"`)

// find returns the first address with the word in the last answer of a tool.
func (p *pages) find(word string) (string, error) {
	for _, m := range address.FindAllStringSubmatch(p.text, -1) {
		if found := m[1] + m[2]; strings.Contains(found, word) {
			return found, nil
		}
	}
	return "", fmt.Errorf("the last page has no address with %q", word)
}
