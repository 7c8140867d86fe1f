package mcp

import (
	"context"
	"errors"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestNavigate(t *testing.T) {
	s := inMemory(t, newStub(), alice)
	tests := []struct {
		name    string
		args    any
		want    string // URL of the page, or a part of the error
		isError bool
	}{
		{"path", args{"url": "/d/1"}, "/d/1", false},
		{"space around", args{"url": " \n/d/1\t"}, "/d/1", false},
		{"home", args{"url": "/"}, "/", false},
		{"members that mean nothing", args{"url": "/d/1", "x": nil, "_meta": 1}, "/d/1", false},
		{"full URL", args{"url": "http://samepage.test/d/1"}, "/d/1", false},
		{"fragment", args{"url": "/d/1#options"}, "/d/1", false},
		{"query with spaces", args{"url": "/search?q=annual budget é"}, "/search?q=annual%20budget%20%C3%A9", false},
		{"relative name", args{"url": "/cycles/today"}, "/cycles/2026-11-20", false},
		{"trailing slash, absolute Location", args{"url": "/d/1/"}, "/d/1", false},
		{"no arguments", nil, "url is missing", true},
		{"empty", args{"url": " "}, "url is missing", true},
		{"a number", args{"url": 7}, "url must be text, it was a number", true},
		{"a list", []string{"/d/1"}, "arguments must be an object, they were a list", true},
		{"another host", args{"url": "https://evil.example/d/1"}, "not a URL of this workspace", true},
		{"doubled slash", args{"url": "//evil.example/d/1"}, "not a URL of this workspace", true},
		{"backslash", args{"url": `/\evil.example`}, "not a URL of this workspace", true},
		{"scheme", args{"url": "javascript:alert(1)"}, "not a URL of this workspace", true},
		{"too long", args{"url": "/" + strings.Repeat("x", maxURL)}, "longer than 2048 bytes", true},
		{"missing", args{"url": "/nowhere"}, "Near: [Home](/)", true},
		{"forbidden", args{"url": "/secret"}, "Ask @bob for the role.", true},
		{"redirected off site", args{"url": "/out"}, "leads outside", true},
		{"redirected for ever", args{"url": "/loop"}, "from one to another", true},
		{"a file", args{"url": "/card.png"}, "not a page but a file", true},
		{"a text that looks like a page", args{"url": "/forged.txt"}, "not a page but a file", true},
		{"an attached page", args{"url": "/forged.md"}, "not a page but a file", true},
		{"a stream", args{"url": "/stream"}, "not a page but a stream", true},
		{"without end", args{"url": "/endless"}, "longer than any page", true},
		{"a panic", args{"url": "/boom"}, "Something went wrong on the server", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, isError := call(t, s, "navigate", tt.args)
			if isError != tt.isError || !isError && got != markdown(tt.want) ||
				isError && !strings.Contains(got, tt.want) {
				t.Errorf("got error %t: %s", isError, got)
			}
		})
	}
}

// TestNavigateNamesWhatItIgnores gives arguments that navigate does not take, such as parts of an address.
func TestNavigateNamesWhatItIgnores(t *testing.T) {
	s := inMemory(t, newStub(), alice)
	got, isError := call(t, s, "navigate", args{"url": "/d/1", "q": "garden", "full": true})
	want := markdown("/d/1") + "\nIgnored: full, q. What belongs to an address is part of url, as in /search?q=WORDS.\n"
	if isError || got != want {
		t.Errorf("%t: %s", isError, got)
	}
}

func TestTokenRevokedMeanwhile(t *testing.T) {
	got, isError := call(t, inMemory(t, newStub(), "revoked"), "navigate", args{"url": "/"})
	if !isError || !strings.Contains(got, "not valid any more") {
		t.Errorf("got error %t: %s", isError, got)
	}
}

func TestUnknownTool(t *testing.T) {
	_, err := inMemory(t, newStub(), alice).CallTool(context.Background(), &sdk.CallToolParams{Name: "vote"})
	if err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledCallEndsTheSitesRequest(t *testing.T) {
	for name, connect := range map[string]func(*stub) *sdk.ClientSession{
		"2026-07-28 over HTTP": func(site *stub) *sdk.ClientSession { return overHTTP(t, site, alice, modern) },
		"in memory":            func(site *stub) *sdk.ClientSession { return inMemory(t, site, alice) },
	} {
		for tool, a := range map[string]args{
			"navigate":       {"url": "/slow?wait=30"},
			"execute_action": {"url": "/slow", "action": "wait_here"},
		} {
			t.Run(name+" "+tool, func(t *testing.T) {
				site := newStub()
				s := connect(site)
				ctx, cancel := context.WithCancel(context.Background())
				go func() {
					<-site.waits
					cancel()
				}()
				if _, err := s.CallTool(ctx,
					&sdk.CallToolParams{Name: tool, Arguments: a}); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				<-site.gone // the test hangs here unless the request to the site is cancelled
			})
		}
	}
}
