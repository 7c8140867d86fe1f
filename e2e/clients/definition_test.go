package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"samepage/store/pgtest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestTwoToolsUnder250Tokens checks that every client sees the same two tools, that the Inspector's
// strict check finds no error, and that the definitions cost a model fewer than 250 tokens.
func TestTwoToolsUnder250Tokens(t *testing.T) {
	pgtest.Folder(t, "it is about the protocol")
	w := newWorld(t)
	res := w.inspect(w.token("Scribe"), "tools/list", "--strict")
	if res.code != 0 || res.errors != "" {
		t.Errorf("the Inspector's strict check: exit code %d: %s", res.code, res.errors)
	}
	var listed struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal([]byte(res.output), &listed); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"execute_action", "navigate"}) {
		t.Errorf("the tools are %v", names)
	}
	// A model gets the names, the descriptions and the schemas.
	text, err := json.Marshal(listed.Tools)
	if err != nil {
		t.Fatal(err)
	}
	n := tokens(t, string(text))
	t.Logf("the two tools are %d tokens (o200k)", n)
	if n >= 250 {
		t.Errorf("the two tools are %d tokens, want fewer than 250", n)
	}

	for _, label := range []string{"Scribe", "Scout", "Reader"} {
		over, err := goClient(t, w.transport(w.token(label))).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(over.Tools) != 2 || over.Tools[0].Name != "execute_action" || over.Tools[1].Name != "navigate" {
			t.Errorf("%s has the tools %v", label, toolNames(over.Tools))
		}
	}
}

func toolNames(list []*sdk.Tool) (names []string) {
	for _, tool := range list {
		names = append(names, tool.Name)
	}
	return names
}

// tokens returns the number of tokens of a text in the encoding o200k_base of OpenAI's models.
func tokens(t *testing.T, text string) int {
	t.Helper()
	module := file(t, modules, "gpt-tokenizer/cjs/encoding/o200k_base.js")
	script := filepath.Join(t.TempDir(), "count.cjs")
	source := "console.log(require(" + strconv.Quote(module) + `).countTokens(require("fs").readFileSync(0, "utf8")))`
	if err := os.WriteFile(script, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node(t), script)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("count tokens: %v %s", err, stderrOf(err))
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
