package clients

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// caller is an MCP client. It calls a tool and returns the text of the result, as a model gets it, and whether the
// call failed.
type caller func(tool string, args map[string]any) (text string, failed bool)

// agent is a program that knows only the descriptions of the two tools: pages are markdown with links, the first page
// is /, and the section Actions lists the actions with their parameters.
type agent struct {
	t     *testing.T
	name  string
	call  caller
	calls int // number of calls of the tool navigate
}

func (a *agent) navigate(url string) string {
	a.t.Helper()
	a.calls++
	text, failed := a.call("navigate", map[string]any{"url": url})
	if failed {
		a.t.Fatalf("%s cannot open %s: %s", a.name, url, text)
	}
	return text
}

var link = regexp.MustCompile(`\[((?:[^\]\\]|\\.)+)\]\(([^)\s]+)\)`)

// links returns the addresses of a page's links by their texts. If a text occurs more than once,
// the first link counts.
func links(page string) map[string]string {
	found := map[string]string{}
	for _, m := range link.FindAllStringSubmatch(page, -1) {
		if _, ok := found[m[1]]; !ok {
			found[m[1]] = m[2]
		}
	}
	return found
}

// find returns the address of the page with the given title. If the search does not list it, find follows links from
// /, the nearest pages first.
func (a *agent) find(title string) string {
	a.t.Helper()
	if found, ok := links(a.navigate("/search?q=" + url.QueryEscape(title)))[title]; ok {
		return found
	}
	next := []string{"/"}
	seen := map[string]bool{"/": true}
	for range 60 {
		if len(next) == 0 {
			break
		}
		page := a.navigate(next[0])
		next = next[1:]
		if url, ok := links(page)[title]; ok {
			return url
		}
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if !seen[m[2]] {
				seen[m[2]] = true
				next = append(next, m[2])
			}
		}
	}
	a.t.Fatalf("%s cannot find %q", a.name, title)
	return ""
}

var choice = regexp.MustCompile("`([^`]+)` ([^·`]+?)(?: ·|\\. |$)")

// params returns the parameters of an action that a page lists, by name. Each parameter maps the titles of its
// choices to their values. The result is empty if the page only names the action, and nil if the page does not list
// it.
func params(page, action string) map[string]map[string]string {
	_, actions, _ := strings.Cut(page, "\n## Actions\n")
	_, rest, ok := strings.Cut(actions, "\n- **"+action+"**")
	if !ok {
		_, also, _ := strings.Cut(actions, "\n- also: `")
		names, _, _ := strings.Cut(also, "`")
		if slices.Contains(strings.Split(names, ", "), action) {
			return map[string]map[string]string{}
		}
		return nil
	}
	rest, _, _ = strings.Cut(rest, "\n- **")
	found := map[string]map[string]string{}
	for line := range strings.Lines(rest) {
		line, ok := strings.CutPrefix(line, "  - `")
		if !ok {
			continue
		}
		name, about, _ := strings.Cut(strings.TrimSpace(line), "` (")
		found[name] = map[string]string{}
		_, about, _ = strings.Cut(about, "): ")
		about, _, _ = strings.Cut(about, " Filled in: ")
		about, _, _ = strings.Cut(about, " In the form: ")
		for _, m := range choice.FindAllStringSubmatch(about, -1) {
			found[name][m[2]] = m[1]
		}
	}
	return found
}

// act takes an action that the page lists, and returns the answer. The argument values has choices
// by their titles.
func (a *agent) act(url, action string, values map[string]any, why string) string {
	a.t.Helper()
	listed := params(a.navigate(url), action)
	if listed == nil {
		a.t.Fatalf("%s is not offered %s on %s", a.name, action, url)
	}
	given := map[string]any{}
	for name, value := range values {
		if listed[name] == nil { // the page only names rarely needed actions; the page /actions below it has their parameters
			listed = params(a.navigate(url+"/actions"), action)
		}
		choices, ok := listed[name]
		if !ok {
			a.t.Fatalf("%s of %s is not listed for %s", name, action, a.name)
		}
		given[name] = value
		titles, isList := value.([]string)
		if !isList || len(choices) == 0 {
			continue
		}
		var ids []string
		for _, title := range titles {
			if choices[title] == "" {
				a.t.Fatalf("%q is not among the choices of %s: %v", title, name, choices)
			}
			ids = append(ids, choices[title])
		}
		given[name] = ids
	}
	text, failed := a.call("execute_action", map[string]any{"url": url, "action": action, "params": given, "why": why})
	if failed {
		a.t.Fatalf("%s: %s failed: %s", a.name, action, text)
	}
	return text
}

// goClient returns a session of the Go SDK's client. The session is closed at the end of the test.
func goClient(t *testing.T, transport sdk.Transport) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "story", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func goCaller(t *testing.T, session *sdk.ClientSession) caller {
	return func(tool string, args map[string]any) (string, bool) {
		t.Helper()
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: maps.Clone(args)})
		if err != nil {
			t.Fatal(err)
		}
		text, err := onlyText(res)
		if err != nil {
			t.Fatal(err)
		}
		return text, res.IsError
	}
}

// onlyText returns the text of a result. It returns an error unless the result has exactly one block, which is a
// text, and no structured content.
func onlyText(res *sdk.CallToolResult) (string, error) {
	if len(res.Content) != 1 || res.StructuredContent != nil {
		return "", fmt.Errorf("a result has %d blocks, and structured content %v; want one block of text",
			len(res.Content), res.StructuredContent)
	}
	text, ok := res.Content[0].(*sdk.TextContent)
	if !ok {
		return "", fmt.Errorf("a result has a %T", res.Content[0])
	}
	return text.Text, nil
}

// overStdio returns an agent that uses the Go SDK's client with `samepage mcp`. That command finds
// the running server by itself.
func (w *world) overStdio(name, token string) *agent {
	w.t.Helper()
	cmd := exec.Command(w.bin, "mcp")
	cmd.Env = append(os.Environ(), w.at, w.keys, "SAMEPAGE_TOKEN="+token)
	cmd.Stderr = os.Stderr
	return &agent{t: w.t, name: name, call: goCaller(w.t, goClient(w.t, &sdk.CommandTransport{Command: cmd}))}
}

// overHTTP returns an agent that uses the Go SDK's client with /mcp.
func (w *world) overHTTP(name, token string) *agent {
	w.t.Helper()
	return &agent{t: w.t, name: name, call: goCaller(w.t, goClient(w.t, w.transport(token)))}
}

func (w *world) transport(token string) sdk.Transport {
	return &sdk.StreamableClientTransport{Endpoint: w.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}}
}

// bearer is a token that is also an HTTP transport, which sends the token with every request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
