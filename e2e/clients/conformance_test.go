package clients

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store/pgtest"
)

const (
	conformance = "@modelcontextprotocol/conformance/dist/index.js"
	baseline    = "../conformance-baseline.yml"
)

// TestConformance checks that the MCP conformance suite passes for two revisions of MCP. The failures that the
// baseline lists are allowed: those tests need fixtures that the product does not have.
func TestConformance(t *testing.T) {
	pgtest.Folder(t, "it is about the protocol")
	w := newWorld(t)
	front := httptest.NewServer(injecting(t, w.url, w.token("Scribe")))
	defer front.Close()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			out := t.TempDir()
			res := runNode(t, "", conformance, "server", "--url", front.URL+"/mcp",
				"--requirements", revision, "--expected-failures", file(t, baseline), "-o", out)
			if res.code != 0 {
				t.Errorf("exit code %d:\n%s\n%s", res.code, tail(res.output, 6000), tail(res.errors, 2000))
			}
			passed, all := checks(t, out)
			t.Logf("%s: %d of %d checks succeeded, in %d scenarios", revision, passed, all, scenarios(out))
			if passed < 20 {
				t.Errorf("only %d checks succeeded: was the suite run at all?", passed)
			}
		})
	}
}

// injecting returns a proxy that adds the token to requests, because the suite cannot send one. It
// does not change the Host header, because the suite tests that header.
func injecting(t *testing.T, to, token string) http.Handler {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
}

func checks(t *testing.T, dir string) (passed, all int) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct{ Status string }
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range list {
			switch c.Status {
			case "SUCCESS":
				passed++
				all++
			case "FAILURE", "WARNING":
				all++
			}
		}
	}
	return passed, all
}

func scenarios(dir string) int {
	files, _ := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	return len(files)
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// TestBaselineIsShort checks that the baseline has no duplicates and does not grow.
func TestBaselineIsShort(t *testing.T) {
	pgtest.Folder(t, "it is about a file")
	data, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		entry, ok := strings.CutPrefix(line, "  - ")
		if !ok {
			continue
		}
		if seen[entry] {
			t.Errorf("listed twice: %s", entry)
		}
		seen[entry] = true
		listed++
	}
	if listed > mostListed {
		t.Errorf("the baseline lists %d, and may only become shorter than %d", listed, mostListed)
	}
}

// mostListed is the number of entries in the baseline. Lower it when the baseline gets shorter, and
// never raise it.
const mostListed = 39
