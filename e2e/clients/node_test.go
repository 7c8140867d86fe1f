package clients

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
)

const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// inspect runs the command line of the MCP Inspector with one method against /mcp.
func (w *world) inspect(token, method string, args ...string) ran {
	w.t.Helper()
	return runNode(w.t, "", inspector, append([]string{"--cli", "--transport", "http", "--server-url", w.url + "/mcp",
		"--header", "Authorization: Bearer " + token, "--method", method}, args...)...)
}

// overInspector returns an agent that uses the Inspector. Every call starts a process.
func (w *world) overInspector(name, token string) *agent {
	return &agent{t: w.t, name: name, call: func(tool string, args map[string]any) (string, bool) {
		w.t.Helper()
		text, err := json.Marshal(args)
		if err != nil {
			w.t.Fatal(err)
		}
		res := w.inspect(token, "tools/call", "--tool-name", tool, "--tool-args-json", string(text))
		var answer struct {
			Content []struct{ Type, Text string }
			IsError bool
		}
		if err := json.Unmarshal([]byte(res.output), &answer); err != nil || len(answer.Content) != 1 {
			w.t.Fatalf("the Inspector said, with exit code %d: %s%s", res.code, res.output, res.errors)
		}
		return answer.Content[0].Text, answer.IsError
	}}
}

// overTypeScript returns an agent that uses a client of the TypeScript SDK. The version is "v1" or "v2". The client
// "v2" is pinned to the MCP revision 2026-07-28.
func (w *world) overTypeScript(name, version, token string) *agent {
	w.t.Helper()
	cmd := exec.Command(node(w.t), file(w.t, "client.mjs"), version, w.url+"/mcp", token)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		in.Close()
		end(w.t, cmd)
	})
	return &agent{t: w.t, name: name, call: linesCaller(w.t, in, out)}
}

// linesCaller returns a caller that writes each call as one line and reads each answer as one line.
func linesCaller(t *testing.T, in io.Writer, out io.Reader) caller {
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	return func(tool string, args map[string]any) (string, bool) {
		t.Helper()
		if err := json.NewEncoder(in).Encode(map[string]any{"name": tool, "arguments": args}); err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Text   string
			Failed bool
			Error  string
		}
		if !answers.Scan() {
			t.Fatalf("the TypeScript client ended: %v", answers.Err())
		}
		if err := json.Unmarshal(answers.Bytes(), &answer); err != nil || answer.Error != "" {
			t.Fatalf("the TypeScript client: %v %s", err, answer.Error)
		}
		return answer.Text, answer.Failed
	}
}
