package clients

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model is a server that answers coding agents as a model does, by the same rules for all agents. It reads a page,
// runs a command, and says that it is done. A prompt that contains "wait for ever" gets no answer, and a prompt that
// contains "second prompt" is answered at once.
type model struct {
	*httptest.Server
	t *testing.T
	// answer returns the model's answer to the last input instead of the rules above, unless it is nil.
	answer  func(last string) move
	mu      sync.Mutex
	asked   []string // the bodies of the requests since the last call of forget
	keys    []string // the header Authorization or X-Api-Key of the requests
	waiting chan bool
}

func newModel(t *testing.T) *model {
	m := &model{t: t, waiting: make(chan bool, 100)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/responses", m.responses)
	mux.HandleFunc("POST /v1beta/models/{call}", m.contents)
	m.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

// forget empties the list that [model.heard] searches.
func (m *model) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = nil
}

// heard reports whether a request since the last call of forget contains a text.
func (m *model) heard(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.asked, func(body string) bool { return strings.Contains(body, text) })
}

func (m *model) body(r *http.Request) []byte {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, string(data))
	m.keys = append(m.keys, cmp.Or(r.Header.Get("Authorization"), r.Header.Get("X-Api-Key")))
	return data
}

// move is the model's next answer: a call of a tool, or a text.
type move struct {
	id, tool, text string
	input          any
}

// These are the tools that a model calls: our two, and the shell of the agent.
const (
	pageTool   = "navigate"
	actionTool = "execute_action"
	shellTool  = "shell"
)

// of returns the name by which the agent knows the tool: the name of the agent's shell, or the name of our tool with
// a prefix. It returns "" for a text.
func (m move) of(prefix, shell string) string {
	switch m.tool {
	case "":
		return ""
	case shellTool:
		return shell
	}
	return prefix + m.tool
}

// next returns the model's answer to the last input, or false if there is none. The argument command is the input
// with which the agent's shell makes a file.
func (m *model) next(r *http.Request, last string, command any) (move, bool) {
	if m.answer != nil {
		return m.answer(last), true
	}
	switch {
	case strings.Contains(last, "call_shell"):
		return move{text: "All done."}, true
	case strings.Contains(last, "call_page"):
		return move{id: "call_shell", tool: shellTool, input: command}, true
	case strings.Contains(last, "wait for ever"):
		m.waiting <- true
		<-r.Context().Done()
		return move{}, false
	case strings.Contains(last, "second prompt"):
		return move{text: "The second answer."}, true
	}
	return move{id: "call_page", tool: pageTool, input: map[string]string{"url": "/whoami"}}, true
}

// events writes server-sent events. The type of each event is also a member of its data.
func events(w http.ResponseWriter, list ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range list {
		data, _ := json.Marshal(e) // texts, numbers, lists and maps can always be encoded
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}

type object = map[string]any

// messages answers Claude Code through Anthropic's Messages API.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Tools    []struct{ Name string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(m.body(r), &q); err != nil || len(q.Messages) == 0 {
		http.Error(w, "no messages", http.StatusBadRequest)
		return
	}
	next := move{text: "A title"}
	if len(q.Tools) > 0 {
		var ok bool
		last := ""
		for _, message := range slices.Backward(q.Messages) { // the inputs since the model's last answer
			if message.Role == "assistant" {
				break
			}
			last += string(message.Content)
		}
		if next, ok = m.next(r, last,
			object{"command": "touch made-by-a-model", "description": "Makes a file"}); !ok {
			return
		}
		next.tool = next.of("mcp__samepage__", "Bash")
	}
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": next.text}, "end_turn"
	if next.tool != "" {
		input, _ := json.Marshal(next.input)
		block = object{"type": "tool_use", "id": next.id, "name": next.tool, "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": string(input)}, "tool_use"
	}
	events(w,
		object{"type": "message_start", "message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
			"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 1}}},
		object{"type": "content_block_start", "index": 0, "content_block": block},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 5}},
		object{"type": "message_stop"})
}

// responses answers Codex through OpenAI's Responses API.
func (m *model) responses(w http.ResponseWriter, r *http.Request) {
	var q struct{ Input []json.RawMessage }
	if err := json.Unmarshal(m.body(r), &q); err != nil || len(q.Input) == 0 {
		http.Error(w, "no input", http.StatusBadRequest)
		return
	}
	next, ok := m.next(r, string(q.Input[len(q.Input)-1]),
		object{"cmd": "touch made-by-a-model", "sandbox_permissions": "require_escalated",
			"justification": "May I make a file?"})
	if !ok {
		return
	}
	item := object{"type": "message", "id": "item_1", "role": "assistant",
		"content": []any{object{"type": "output_text", "text": next.text}}}
	if next.tool != "" {
		input, _ := json.Marshal(next.input)
		item = object{"type": "function_call", "id": "item_1", "call_id": next.id, "name": next.of("", "exec_command"),
			"arguments": string(input)}
		if next.tool != shellTool {
			item["namespace"] = "mcp__samepage"
		}
	}
	events(w,
		object{"type": "response.created", "response": object{"id": "resp_1"}},
		object{"type": "response.output_item.added", "output_index": 0, "item": item},
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": object{"id": "resp_1", "usage": object{
			"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}}}})
}

// contents answers Gemini CLI. Calls without tools come from its router, which expects JSON.
func (m *model) contents(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Role  string
			Parts json.RawMessage
		}
	}
	if err := json.Unmarshal(m.body(r), &q); err != nil || len(q.Contents) == 0 {
		http.Error(w, "no contents", http.StatusBadRequest)
		return
	}
	prefix, offered := "", false
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			if of, ok := strings.CutSuffix(f.Name, pageTool); ok {
				prefix, offered = of, true
			}
		}
	}
	next := move{text: `{"reasoning": "There is one.", "model_choice": "flash"}`}
	if offered {
		last := ""
		for _, content := range slices.Backward(q.Contents) {
			if content.Role == "model" {
				break
			}
			last += string(content.Parts)
		}
		var ok bool
		if next, ok = m.next(r, last, object{"command": "touch made-by-a-model"}); !ok {
			return
		}
		next.tool = next.of(prefix, "run_shell_command")
	}
	part := object{"text": next.text}
	if next.tool != "" {
		part = object{"functionCall": object{"id": next.id, "name": next.tool, "args": next.input}}
	}
	answer := object{"candidates": []any{object{"index": 0, "finishReason": "STOP",
		"content": object{"role": "model", "parts": []any{part}}}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}
	data, _ := json.Marshal(answer) // texts, numbers, lists and maps can always be encoded
	if strings.HasSuffix(r.PathValue("call"), ":streamGenerateContent") {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", data)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}
