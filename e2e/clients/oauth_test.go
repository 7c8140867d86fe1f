package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store/pgtest"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// documents serves a client's metadata document over TLS on this machine. It returns the client's
// id, which is the address of the document, and the file of the server's certificate.
func documents(t *testing.T, redirect string) (id, certificate string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"client_id":                  "https://" + r.Host + r.URL.Path,
			"client_name":                "Robot of documents",
			"redirect_uris":              []string{redirect},
			"token_endpoint_auth_method": "none",
			"grant_types":                []string{"authorization_code", "refresh_token"},
		})
	}))
	t.Cleanup(server.Close)
	certificate = filepath.Join(t.TempDir(), "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL + "/client.json", certificate
}

// register registers an OAuth client and returns its id.
func (w *world) register(name, redirect string) string {
	w.t.Helper()
	resp, err := http.Post(w.url+"/oauth/register", "application/json",
		strings.NewReader(fmt.Sprintf(`{"client_name":%q,"redirect_uris":[%q]}`, name, redirect)))
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&client); err != nil || client.ID == "" {
		w.t.Fatalf("registration answered %d: %v", resp.StatusCode, err)
	}
	return client.ID
}

// withDocuments serves a demo workspace that may fetch metadata documents from this machine.
func withDocuments(t *testing.T, certificate string) *world {
	t.Helper()
	w := unserved(t)
	w.serve("--client-metadata", "--outgoing-allow=127.0.0.0/8", "SSL_CERT_FILE="+certificate)
	return w
}

// consents opens a consent page, as a client would, and checks that it shows the given texts. Then consents presses
// the button, which leads to the client's redirect address.
func (b *browser) consents(address, button string, sees ...string) {
	b.t.Helper()
	b.visit(address)
	b.sees(append(sees, "act for you?", "What it can never do")...)
	b.press(button)
	b.quiet("consent")
}

// backTo serves a client's redirect address on a port of its own. The channel gets the parameters
// of each redirect.
func backTo(t *testing.T) (redirect string, answers chan url.Values) {
	t.Helper()
	answers = make(chan url.Values, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!DOCTYPE html><html lang=en><title>Done</title><link rel=icon "+
			"href='data:,'><p>You may close this window.")
		if r.URL.Path == "/callback" {
			answers <- r.URL.Query()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/callback", answers
}

// TestGoSDKSignsIn checks that the Go SDK's client gets a token by itself from nothing but the URL of /mcp. The
// client begins with the scope read, and requests more scopes when an action needs them. Each time, a person consents
// in Chromium.
func TestGoSDKSignsIn(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "the tests of web/oauth run on a server")
	for _, by := range []string{"registration", "document"} {
		t.Run(by, func(t *testing.T) {
			story(t)
			redirect, answers := backTo(t)
			config := &auth.AuthorizationCodeHandlerConfig{RedirectURL: redirect}
			var w *world
			if by == "document" {
				id, certificate := documents(t, "http://127.0.0.1/callback")
				w = withDocuments(t, certificate)
				config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: id}
			} else {
				w = newWorld(t)
				metadata := &oauthex.ClientRegistrationMetadata{
					ClientName:              "Robot",
					RedirectURIs:            []string{redirect},
					TokenEndpointAuthMethod: "none",
					GrantTypes:              []string{"authorization_code", "refresh_token"},
				}
				config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: metadata}
			}
			b := open(t).login(w, "alice")
			var asked []string
			config.AuthorizationCodeFetcher = func(
				_ context.Context, args *auth.AuthorizationArgs,
			) (*auth.AuthorizationResult, error) {
				u, err := url.Parse(args.URL)
				if err != nil {
					return nil, err
				}
				scopes := strings.Fields(u.Query().Get("scope"))
				slices.Sort(scopes) // the client has the scopes in a map, so their order varies
				asked = append(asked, strings.Join(scopes, " "))
				sees := "Nobody vouches for this name"
				if by == "document" {
					sees = "its address, which it controls"
				}
				b.consents(args.URL, "Allow", sees, "The answer goes to a program on the machine that you sit at")
				said := <-answers
				return &auth.AuthorizationResult{
					Code:  said.Get("code"),
					State: said.Get("state"),
					Iss:   said.Get("iss"),
				}, nil
			}
			handler, err := auth.NewAuthorizationCodeHandler(config)
			if err != nil {
				t.Fatal(err)
			}
			session := goClient(t, &sdk.StreamableClientTransport{Endpoint: w.url + "/mcp", OAuthHandler: handler})
			robot := &agent{t: t, name: "Robot", call: goCaller(t, session)}
			page := robot.navigate(robot.find("Should we adopt weekly stand-ups?"))
			if !strings.Contains(page, "agent of @alice") || !strings.Contains(page,
				"Your token only carries the scopes read") || strings.Contains(page, "\n## Actions\n") {
				t.Fatalf("with reading alone:\n%s", page)
			}
			if len(asked) != 1 || asked[0] != "read" {
				t.Fatalf("it asked for %q", asked)
			}
			decision := robot.find("Should we adopt weekly stand-ups?")
			text, failed := robot.call("execute_action", map[string]any{
				"url": decision, "action": "comment",
				"params": map[string]any{"text": "I was let in."},
			})
			if failed || len(asked) != 2 || asked[1] != "read write" {
				t.Fatalf("acting, it asked for %q and was told: %s", asked, text)
			}
			contains(t, "the page after", robot.navigate(decision), "I was let in.")
			b.visit(w.url + "/settings/tokens")
			b.sees("granted to Robot", "at 127.0.0.1")
		})
	}
}

// TestOAuth4WebAPI uses every endpoint with the library oauth4webapi, which implements the standards of OAuth and
// knows nothing about this product.
func TestOAuth4WebAPI(t *testing.T) {
	t.Parallel()
	pgtest.Folder(t, "it is about the protocol, and TestGoSDKSignsIn keeps the same rows")
	for _, by := range []string{"registration", "document"} {
		t.Run(by, func(t *testing.T) {
			story(t)
			var w *world
			args := []string{file(t, "oauth.mjs")}
			if by == "document" {
				id, certificate := documents(t, "http://127.0.0.1/callback")
				w = withDocuments(t, certificate)
				args = append(args, w.url, id)
			} else {
				w = newWorld(t)
				args = append(args, w.url)
			}
			b := open(t).login(w, "bob")
			cmd := exec.CommandContext(t.Context(), node(t), args...)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			next := func() string {
				if !lines.Scan() {
					t.Fatalf("the library gave up: %v", cmd.Wait())
				}
				return lines.Text()
			}
			b.consents(next(), "Refuse")
			b.consents(next(), "Allow", "read and take part")
			var found map[string]any
			if err := json.Unmarshal([]byte(next()), &found); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			name := map[string]string{"registration": "Panva", "document": "Robot of documents"}[by]
			for key, want := range map[string]string{"same": "true",
				"documents": fmt.Sprint(by == "document"), "refused": "access_denied",
				"scope": "read write", "successor": "true", "claims": "true read write true",
				"page": `as: "` + name + `, agent of @bob"`, "revoked": "invalid_grant",
				"after": "401", "challenge": "invalid_token", "replayed": "invalid_grant"} {
				if got := fmt.Sprint(found[key]); got != want {
					t.Errorf("%s is %s, not %s", key, got, want)
				}
			}
		})
	}
}

// TestAuthorizationConformance runs the conformance suite's scenarios for authorization servers.
func TestAuthorizationConformance(t *testing.T) {
	pgtest.Folder(t, "it is about the protocol")
	_, certificate := documents(t, "")
	w := withDocuments(t, certificate)
	port := freePort(t)
	client := w.register("Conformance", fmt.Sprintf("http://127.0.0.1:%d/callback", port))
	b := open(t).login(w, "alice")
	dir := t.TempDir()
	p := run(t, node(t), nil, file(t, modules, conformance), "authorization", "--url", w.url,
		"--client-id", client, "--port", fmt.Sprint(port), "--resource", w.url+"/mcp", "-o", dir)
	b.consents(p.waitFor(w.url+`/oauth/authorize\?\S+`), "Allow")
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, p.text())
	}
	passed, all := checks(t, dir)
	t.Logf("%d of %d checks succeeded, in %d scenarios", passed, all, scenarios(dir))
	if passed < 3 || passed < all {
		t.Errorf("%d of %d checks succeeded:\n%s", passed, all, p.text())
	}
}

// TestCodexSignsIn runs the login command of Codex, as on a machine without a browser.
func TestCodexSignsIn(t *testing.T) {
	pgtest.Folder(t, "it is about the client, and TestGoSDKSignsIn keeps the same rows")
	w := newWorld(t)
	b := open(t).login(w, "carol")
	home := t.TempDir()
	config := fmt.Sprintf("[mcp_servers.samepage]\nurl = %q\n", w.url+"/mcp")
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config+"[features]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"CODEX_HOME=" + home, "HOME=" + home, "BROWSER=true"}
	codex := file(t, modules, "@openai/codex/bin/codex.js")
	p := run(t, node(t), env, codex, "mcp", "login", "samepage", "--scopes", "read,write")
	b.consents(p.waitFor(w.url+`/oauth/authorize\?\S+`), "Allow", "Codex",
		"Nobody vouches for this name", "read and take part")
	if code := p.wait(); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.text())
	}
	list := run(t, node(t), env, codex, "mcp", "list")
	if code := list.wait(); code != 0 || !strings.Contains(list.text(), "OAuth") {
		t.Errorf("exit code %d:\n%s", code, list.text())
	}
	w.hasGrant("carol", "read,write")
}

// TestClaudeCodeSignsIn runs the login command of Claude Code, which needs a terminal. Afterwards
// the client itself connects.
func TestClaudeCodeSignsIn(t *testing.T) {
	pgtest.Folder(t, "it is about the client, and TestGoSDKSignsIn keeps the same rows")
	w := newWorld(t)
	b := open(t).login(w, "dave")
	home := t.TempDir()
	env := []string{"HOME=" + home, "CLAUDE_CONFIG_DIR=" + home, "BROWSER=true",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	claude := file(t, modules, map[string]string{
		"amd64": "@anthropic-ai/claude-code-linux-x64",
		"arm64": "@anthropic-ai/claude-code-linux-arm64",
	}[runtime.GOARCH], "claude")
	if p := run(t, claude, env, "mcp", "add", "--scope", "user", "--transport", "http", "samepage",
		w.url+"/mcp"); p.wait() != 0 {
		t.Fatal(p.text())
	}
	p := run(t, "script", env, "-qec", claude+" mcp login samepage --no-browser", "/dev/null")
	b.consents(p.waitFor(w.url+`/oauth/authorize\?[^\s\x07\x1b]+`), "Allow", "Claude Code",
		"Nobody vouches for this name")
	if code := p.wait(); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.text())
	}
	list := run(t, claude, env, "mcp", "list")
	if code := list.wait(); code != 0 || !strings.Contains(list.text(), "Connected") {
		t.Errorf("exit code %d:\n%s", code, list.text())
	}
	w.hasGrant("dave", "read")
}

// hasGrant fails the test unless the member has granted the given scopes to an agent.
func (w *world) hasGrant(member, scopes string) {
	w.t.Helper()
	if list := w.run("token", "list"); !regexp.MustCompile(`active .*@` + member + ` .*` + scopes).MatchString(list) {
		w.t.Errorf("no grant of %s by @%s:\n%s", scopes, member, list)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// process is a program that runs at the same time as the test. The test can wait for its output.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	said  strings.Builder
}

func run(t *testing.T, path string, env []string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	p := &process{t: t, cmd: exec.CommandContext(ctx, path, args...), lines: make(chan string, 1000)}
	p.cmd.Env = append(os.Environ(), env...)
	r, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		w.Close()
	}()
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	return p
}

// waitFor reads the output of the program until a line matches the pattern, and returns the match.
func (p *process) waitFor(pattern string) string {
	p.t.Helper()
	want := regexp.MustCompile(pattern)
	for line := range p.lines {
		p.said.WriteString(line + "\n")
		if found := want.FindString(line); found != "" {
			return found
		}
	}
	p.t.Fatalf("%s ended without printing %s:\n%s", p.cmd.Path, pattern, p.said.String())
	return ""
}

// wait waits for the end of the program and returns its exit code.
func (p *process) wait() int {
	for line := range p.lines {
		p.said.WriteString(line + "\n")
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) text() string { return tail(p.said.String(), 4000) }
