package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestStdioSurvivesBadLines sends lines that are not messages. Each of these lines gets an error of the protocol, and
// the following lines are answered as usual.
func TestStdioSurvivesBadLines(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("x", maxLine) + `"}}`
	tests := []struct{ name, line, id, code string }{
		{"garbage", "garbage", "null", "-32700"},
		{"half a message", `{"jsonrpc":"2.0","id":9,`, "null", "-32700"},
		{"two messages", `{"jsonrpc":"2.0","id":9,"method":"ping"}{}`, "null", "-32700"},
		{"bytes", "\x00\xff", "null", "-32700"},
		{"deep", strings.Repeat("[", 20_000), "null", "-32700"},
		{"too long", long, "null", "-32600"},
		{"too long and no message", strings.Repeat("x", 3*maxLine), "null", "-32600"},
		{"text", `"hello"`, "null", "-32600"},
		{"null", `null`, "null", "-32600"},
		{"another version", `{"jsonrpc":"1.0","id":"nine","method":"ping"}`, `"nine"`, "-32600"},
		{"method is a number", `{"jsonrpc":"2.0","id":9007199254740993,"method":7}`, "9007199254740993", "-32600"},
		{"id is a list", `{"jsonrpc":"2.0","id":[9],"method":"ping"}`, "null", "-32600"},
		{"no method, no id", `{"jsonrpc":"2.0"}`, "null", "-32600"},
		{"empty batch", `[]`, "null", "-32600"},
		{"batch in a batch", `[[]]`, "null", "-32600"},
		{"empty lines", "\r\n \t", "", ""},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/none"}`, "", ""},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":77,"result":{}}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := piping(t, tt.line+"\n"+hello+tt.line+"\r\n"+open+tt.line)
			if len(got["1"]) != 1 || len(got["2"]) != 1 || !strings.Contains(got["2"][0], "# Page") {
				t.Fatalf("the others were answered %v", got)
			}
			delete(got, "1")
			delete(got, "2")
			if tt.id == "" {
				if len(got) != 0 {
					t.Errorf("got %v", got)
				}
				return
			}
			if len(got) != 1 || len(got[tt.id]) != 3 ||
				!strings.Contains(got[tt.id][0], `"error":{"code":`+tt.code+`,"message":"`) {
				t.Errorf("got %.300v", got)
			}
		})
	}
}

func TestStdioTakesBatchesApart(t *testing.T) {
	got := piping(t, hello+`[{"jsonrpc":"2.0","id":"a","method":"ping"},`+"\r"+
		`7,{"jsonrpc":"2.0","id":"b","method":"ping"}]`+"\n"+open)
	for _, id := range []string{`"a"`, `"b"`, "null", "1", "2"} {
		if len(got[id]) != 1 {
			t.Errorf("%s: %v", id, got[id])
		}
	}
}

// TestStdioTakesLongLines checks that a line just short of the limit is accepted.
func TestStdioTakesLongLines(t *testing.T) {
	begin, end := `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"`, `"}}`
	got := piping(t, hello+begin+strings.Repeat("x", maxLine-len(begin)-len(end)-1)+end+"\n"+open)
	if len(got["9"]) != 1 || strings.Contains(got["9"][0], `"error"`) || len(got["2"]) != 1 {
		t.Errorf("got %.300v", got)
	}
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	open = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"/d/1"}}}
`
)

// piping gives the input to Stdio and returns the answers by ID. Every line of the output must be a message.
func piping(t *testing.T, in string) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	if err := Stdio(context.Background(), strings.NewReader(in), &out, alice, newStub(), Options{}); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	lines := bufio.NewScanner(&out)
	for lines.Scan() {
		var m struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.Version != "2.0" {
			t.Errorf("%v: %s", err, lines.Text())
		}
		got[string(m.ID)] = append(got[string(m.ID)], lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	return got
}

// TestStdioEndsWithItsReader sends a bad line while nobody reads the answers. The session must end with the error of
// the write.
func TestStdioEndsWithItsReader(t *testing.T) {
	away := errors.New("nobody reads")
	in, out := io.Pipe()
	in.CloseWithError(away)
	l := newLines(strings.NewReader("garbage\n"+hello), &writer{out: out})
	if n, err := l.Read(make([]byte, 10)); n > 0 || !errors.Is(err, away) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
