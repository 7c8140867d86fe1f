package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

type player struct {
	*session
	ctx    context.Context
	prompt string
	pages  *pages
	answer string // "allowed" or "denied", the answer to the last permission request; "" before the first
	calls  int
	usage  map[string]any
	spoke  string // verb of the last step, "say" or "think", if the client has seen nothing since
}

// errRefused ends a turn with the stop reason refusal, as if a model had declined.
var errRefused = errors.New("refused")

// errCrashed ends a turn without saving its end, as if the process had crashed.
var errCrashed = errors.New("crashed")

// play plays the steps of the next turn. It counts the turn as ended before its first step, so that after a crash
// another process continues with the next turn. A turn with the step "again" counts as ended only after its last step,
// or after the step "refuse".
func (s *session) play(ctx context.Context, prompt string) (any, error) {
	n := s.kept.Turn
	again := n < len(s.a.script.turns) &&
		slices.ContainsFunc(s.a.script.turns[n], func(st step) bool { return st.verb == "again" })
	s.kept.Played++
	if !again {
		s.kept.Turn++
	}
	s.kept.Said = append(s.kept.Said, said{"user_message_chunk", prompt})
	if err := s.keep(); err != nil {
		return nil, err
	}
	p := &player{session: s, ctx: ctx, prompt: prompt, pages: &pages{at: s.at}}
	defer p.pages.close()
	var err error
	if n >= len(s.a.script.turns) {
		err = s.chunk(ctx, "agent_message_chunk", "The script has nothing more to do.")
	} else {
		err = p.steps(s.a.script.turns[n])
	}
	if errors.Is(err, errCrashed) {
		return nil, err
	}
	if again && (err == nil || errors.Is(err, errRefused)) {
		s.kept.Turn++
	}
	if kerr := s.keep(); err == nil {
		err = kerr
	}
	result := map[string]any{"stopReason": "end_turn"}
	if p.usage != nil {
		result["usage"] = p.usage
	}
	if errors.Is(err, errRefused) {
		result["stopReason"], err = "refusal", nil
	}
	return result, err
}

func (p *player) steps(list []step) error {
	for _, st := range list {
		if st.when != "" && st.when != p.answer {
			continue
		}
		text := st.fill(p.prompt, p.dir)
		switch st.verb {
		case "say", "think":
			if p.spoke == st.verb { // without a break, a client would join this text to the previous one
				text = "\n\n" + text
			}
			p.spoke = st.verb
		case "plan", "navigate", "open", "act", "write", "commit":
			p.spoke = ""
		}
		if err := p.step(st, text); err != nil {
			return err
		}
		if err := p.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) step(st step, text string) error {
	switch st.verb {
	case "say":
		return p.chunk(p.ctx, "agent_message_chunk", text)
	case "think":
		return p.chunk(p.ctx, "agent_thought_chunk", text)
	case "plan":
		return p.plan(text)
	case "navigate":
		return p.navigate(text)
	case "open":
		return p.openAddress(text)
	case "act":
		return p.act(text)
	case "ask":
		return p.ask(call{Title: text, Kind: "execute", Input: map[string]string{"command": text}})
	case "want":
		kind, path, _ := strings.Cut(text, " ")
		full := p.dir + "/" + path // not cleaned, so that a test can send an odd path such as src/../d.txt
		return p.ask(call{Title: kind + " " + path, Kind: kind, Input: map[string]string{"path": full},
			Locations: []place{{full}}})
	case "write":
		return p.write(text)
	case "commit":
		return p.commit(text)
	case "again":
		return nil // the step does nothing itself: play has looked for it before the first step
	case "usage":
		return p.tellUsage(text)
	case "sleep":
		return p.sleep(st.wait)
	case "child":
		return exec.Command("sleep", strconv.Itoa(int(st.wait.Seconds()))).Start()
	case "flood":
		return p.flood(st.count)
	case "print":
		_, err := fmt.Fprintln(p.a.o.Out, text)
		return err
	case "log":
		_, err := fmt.Fprintln(p.a.o.Log, text)
		return err
	case "update":
		return p.update(p.ctx, json.RawMessage(text))
	case "request":
		err := p.a.conn.Call(p.ctx, text, map[string]string{"sessionId": p.id}, nil)
		return p.chunk(p.ctx, "agent_message_chunk", fmt.Sprintf("%s: %v", text, err))
	case "fail":
		_, message, _ := strings.Cut(text, " ")
		return failure{int64(st.count), message}
	case "refuse":
		return errRefused
	case "crash":
		p.a.conn.Close()
		<-p.a.conn.Written() // the client has received the steps before this one
		p.a.o.Crash()
		return errCrashed // only in tests, where Crash returns
	}
	return nil
}

func (p *player) plan(text string) error {
	var entries []any
	for item := range strings.SplitSeq(text, ";") {
		entries = append(entries, map[string]string{"content": strings.TrimSpace(item), "priority": "medium", "status": "pending"})
	}
	return p.update(p.ctx, map[string]any{"sessionUpdate": "plan", "entries": entries})
}

func (p *player) tool(title, kind string, input any, locations []any, do func() (content []any, err error)) error {
	p.calls++
	id := fmt.Sprintf("%s-%d-%d", p.id, p.kept.Played, p.calls)
	begun := map[string]any{"sessionUpdate": "tool_call", "toolCallId": id, "title": title, "kind": kind,
		"status": "in_progress", "rawInput": input}
	if locations != nil {
		begun["locations"] = locations
	}
	if err := p.update(p.ctx, begun); err != nil {
		return err
	}
	content, err := do()
	status := "completed"
	if err != nil {
		status, content = "failed", []any{textContent(err.Error())}
	}
	return p.update(p.ctx, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, "content": content})
}

func textContent(text string) any {
	return map[string]any{"type": "content", "content": map[string]string{"type": "text", "text": text}}
}

func (p *player) navigate(address string) error {
	return p.tool("navigate "+address, "fetch", map[string]string{"url": address}, nil, func() ([]any, error) {
		text, err := p.pages.navigate(p.ctx, address)
		return []any{textContent(text)}, err
	})
}

func (p *player) openAddress(word string) error {
	address, err := p.pages.find(word)
	if err != nil {
		return p.chunk(p.ctx, "agent_message_chunk", err.Error())
	}
	return p.navigate(address)
}

func (p *player) act(text string) error {
	name, params, _ := strings.Cut(text, " ")
	input := map[string]any{"url": p.pages.url, "action": name, "params": json.RawMessage(cmp.Or(params, "{}"))}
	return p.tool("execute_action "+name, "other", input, nil, func() ([]any, error) {
		text, err := p.pages.call(p.ctx, "execute_action", input)
		return []any{textContent(text)}, err
	})
}

type call struct {
	ID        string            `json:"toolCallId"`
	Title     string            `json:"title"`
	Kind      string            `json:"kind"`
	Status    string            `json:"status"`
	Input     map[string]string `json:"rawInput"`
	Locations []place           `json:"locations,omitempty"`
}

type place struct {
	Path string `json:"path"`
}

// ask requests permission for a tool call, and keeps the answer for the steps that depend on it.
func (p *player) ask(c call) error {
	p.mu.Lock()
	allowed := p.mode == modeFree || p.kept.Allowed
	p.mu.Unlock()
	if p.answer = "allowed"; allowed {
		return nil
	}
	p.spoke = ""
	p.calls++
	c.ID, c.Status = fmt.Sprintf("%s-%d-%d", p.id, p.kept.Played, p.calls), "pending"
	var got struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	}
	err := p.a.conn.Call(p.ctx, "session/request_permission", map[string]any{
		"sessionId": p.id,
		"toolCall":  c,
		"options": []any{
			map[string]string{"optionId": "once", "name": "Allow once", "kind": "allow_once"},
			map[string]string{"optionId": "always", "name": "Allow in this session", "kind": "allow_always"},
			map[string]string{"optionId": "no", "name": "Deny", "kind": "reject_once"},
		},
	}, &got)
	if err != nil {
		return err
	}
	switch got.Outcome.Option {
	case "always":
		p.kept.Allowed = true
	case "once":
	default:
		p.answer = "denied"
	}
	return nil
}

// write refuses paths out of the working folder.
func (p *player) write(text string) error {
	path, body, _ := strings.Cut(text, " ")
	body = strings.ReplaceAll(body, `\n`, "\n") + "\n"
	full := filepath.Join(p.dir, path)
	return p.tool("Write "+path, "edit", map[string]string{"path": path}, []any{map[string]any{"path": full}}, func() ([]any, error) {
		root, err := os.OpenRoot(p.dir)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		diff := map[string]any{"type": "diff", "path": full, "newText": body}
		if old, err := root.ReadFile(path); err == nil {
			diff["oldText"] = string(old)
		}
		if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return []any{diff}, root.WriteFile(path, []byte(body), 0o600)
	})
}

func (p *player) commit(message string) error {
	return p.tool("Commit", "execute", map[string]string{"message": message}, nil, func() ([]any, error) {
		var all strings.Builder
		for _, args := range [][]string{
			{"add", "--all"},
			{"-c", "user.name=Script", "-c", "user.email=script@samepage.invalid", "commit", "--quiet", "--message", message},
		} {
			cmd := exec.CommandContext(p.ctx, "git", args...)
			cmd.Dir = p.dir
			out, err := cmd.CombinedOutput()
			all.Write(out)
			if err != nil {
				return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
			}
		}
		return []any{textContent(cmp.Or(all.String(), message))}, nil
	})
}

func (p *player) tellUsage(text string) error {
	var used, size uint64
	var cost float64
	if _, err := fmt.Sscanf(text, "%d %d %f", &used, &size, &cost); err != nil {
		return err
	}
	p.usage = map[string]any{"inputTokens": used, "outputTokens": 0, "totalTokens": used}
	return p.update(p.ctx, map[string]any{"sessionUpdate": "usage_update", "used": used, "size": size,
		"cost": map[string]any{"amount": cost, "currency": "EUR"}})
}

func (p *player) sleep(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

func (p *player) flood(count int) error {
	text := strings.Repeat("flood ", 170)[:1000]
	for range count {
		if err := p.update(p.ctx, textUpdate("agent_message_chunk", text)); err != nil {
			return err
		}
	}
	return nil
}
