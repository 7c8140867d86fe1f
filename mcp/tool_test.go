package mcp

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestTwoToolsForEveryoneAlways(t *testing.T) {
	var first string
	for _, version := range []string{"2025-03-26", legacy, "2025-11-25", modern} {
		for _, token := range []string{alice, bob} {
			s := overHTTP(t, newStub(), token, version)
			call(t, s, "navigate", args{"url": "/d/1"})
			res, err := s.ListTools(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Tools) != 2 || res.Tools[0].Name != "execute_action" || res.Tools[1].Name != "navigate" {
				t.Fatalf("%s: tools are %+v", version, res.Tools)
			}
			for _, tool := range res.Tools {
				if tool.Meta["anthropic/alwaysLoad"] != true || tool.OutputSchema != nil || tool.Annotations == nil {
					t.Errorf("%s: %+v", version, tool)
				}
			}
			text, _ := json.Marshal(res.Tools)
			if first == "" {
				first = string(text)
			}
			if string(text) != first {
				t.Errorf("%s, %s: the list differs:\n%s\n%s", version, token, text, first)
			}
		}
	}
}

// TestToolsCostUnder250Tokens limits the size of the tools' names, descriptions and schemas, which every model reads.
// It estimates one token for four bytes of English and JSON (208 tokens were measured for 933 bytes).
func TestToolsCostUnder250Tokens(t *testing.T) {
	bytes := 0
	for _, tool := range []*sdk.Tool{navigateTool(), executeTool()} {
		text, err := json.Marshal(map[string]any{
			"name": tool.Name, "description": tool.Description, "input_schema": tool.InputSchema,
		})
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(text)
	}
	if tokens := (bytes + 3) / 4; tokens >= 250 {
		t.Errorf("the two tools cost about %d tokens (%d bytes)", tokens, bytes)
	} else {
		t.Logf("about %d tokens (%d bytes)", tokens, bytes)
	}
}

// TestExamplesArePages checks that texts for models use only example pages that exist on the site.
func TestExamplesArePages(t *testing.T) {
	for _, text := range []string{navigateSchema, executeSchema, errElsewhere.Error()} {
		for _, path := range regexp.MustCompile(` /[^ ,."]*`).FindAllString(text, -1) {
			if path != " /" && path != " /studios/team" {
				t.Errorf("%s in %s", path, text)
			}
		}
	}
}

func TestHello(t *testing.T) {
	for _, version := range []string{legacy, modern} {
		res := overHTTP(t, newStub(), alice, version).InitializeResult()
		if res.ProtocolVersion != version || res.Instructions != instructions {
			t.Errorf("%s: answered %s, %q", version, res.ProtocolVersion, res.Instructions)
		}
		c := res.Capabilities
		//lint:ignore SA1019 logging is deprecated, and therefore must not be declared
		if c.Logging != nil || c.Prompts == nil || c.Resources == nil || c.Tools == nil || c.Tools.ListChanged {
			t.Errorf("%s: capabilities %+v", version, c)
		}
	}
}
