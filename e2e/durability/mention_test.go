//go:build linux

package durability

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// signIn signs in a person of the demo, as a browser would, and returns the client with the cookie.
func (s *server) signIn(person string) *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &http.Client{
		Timeout:       2 * time.Minute,
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.submit(c, "/login", url.Values{"email": {person + "@meadow.example"}, "password": {"samepage-demo"}})
	return c
}

// submit submits a form. The server must answer with a redirect.
func (s *server) submit(c *http.Client, path string, form url.Values) {
	s.t.Helper()
	resp, err := c.PostForm(s.url+path, form)
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("%s is answered with %s", path, resp.Status)
	}
}

// bearer is a token that is also an HTTP transport, which sends the token with every request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// agent returns an MCP client that uses the server with a token.
func (s *server) agent(token string) *mcp.ClientSession {
	s.t.Helper()
	transport := &mcp.StreamableClientTransport{
		Endpoint:   s.url + "/mcp",
		HTTPClient: &http.Client{Transport: bearer(token)},
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "durability", Version: "1"},
		nil).Connect(s.t.Context(), transport, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return session
}

// navigate opens a page with the tool navigate and returns the text.
func navigate(t *testing.T, agent *mcp.ClientSession, url string) (string, error) {
	res, err := agent.CallTool(t.Context(),
		&mcp.CallToolParams{Name: "navigate", Arguments: map[string]any{"url": url}})
	if err != nil {
		return "", err
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok || res.IsError {
		return "", fmt.Errorf("navigate says %v", res.Content[0])
	}
	return text.Text, nil
}

var pageVersion = regexp.MustCompile(`(?m)^version: "(\d+)"$`)

// TestMentionWakes has two servers on one database. An agent waits at one server for a change of its inbox. A person
// mentions the agent's member at the other server, and then at the same server. The agent must get the page within a
// second after the server has acknowledged the comment.
func TestMentionWakes(t *testing.T) {
	w := seeded(t)
	c := onServer(t, w)
	here, there := c.serve(t), c.serve(t)
	for _, way := range []struct {
		name            string
		waits, mentions *server
	}{{"at another server", here, there}, {"at the other one", there, here}, {"at the same server", here, here}} {
		agent, person := way.waits.agent(w.tokens[0]), way.mentions.signIn("bob")
		var slowest time.Duration
		rounds := 0
		for try := 0; rounds < 5; try++ {
			if try == 10 {
				t.Fatalf("named %s, it was woken by something else all the time", way.name)
			}
			page, err := navigate(t, agent, "/inbox")
			if err != nil {
				t.Fatal(err)
			}
			version := pageVersion.FindStringSubmatch(page)
			if version == nil {
				t.Fatalf("the inbox has no version:\n%s", page)
			}
			type woken struct {
				page string
				at   time.Time
				err  error
			}
			answer := make(chan woken, 1)
			go func() {
				page, err := navigate(t, agent, "/inbox?wait=30&since="+version[1])
				answer <- woken{page, time.Now(), err}
			}()
			time.Sleep(300 * time.Millisecond) // time for the agent to begin waiting
			select {
			case early := <-answer: // the scheduler catches up after the start, and may wake the agent
				t.Log("it is woken before anybody names it", early.err)
				continue
			default:
			}
			rounds++
			poll := w.polls[rounds]
			way.mentions.submit(person, poll.url+"/actions/comment",
				url.Values{"text": {"@alice, look at this, " + way.name + "."}})
			acknowledged := time.Now()
			got := <-answer
			if got.err != nil {
				t.Fatal(got.err)
			}
			if !strings.Contains(got.page, "names you") || !strings.Contains(got.page, poll.url) {
				t.Fatalf("it is woken, and reads of no mention:\n%s", got.page)
			}
			slowest = max(slowest, got.at.Sub(acknowledged))
		}
		t.Logf("named %s: woken at most %v after the person was answered, in %d rounds", way.name,
			slowest.Round(time.Millisecond), rounds)
		if slowest > time.Second {
			t.Errorf("named %s, the agent was woken only after %v", way.name, slowest)
		}
	}
	here.alive()
	there.alive()
}
