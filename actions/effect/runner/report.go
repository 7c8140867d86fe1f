package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/effect/runner/turn"
)

// The numbers of events in a report and of bytes in one event's data are below the server's limits, MaxEvents and
// MaxEventBytes in store/work.
const (
	mostReported = 400      // events
	maxReport    = 1 << 20  // approximate number of bytes after which a report is sent
	maxData      = 60 << 10 // bytes
)

type reporter struct {
	r    *Runner
	w    *working
	held context.Context // ends when the claim is lost, or farewell is over
	dir  string          // working folder of the agent
}

type event struct {
	N    int             `json:"n"`
	Kind string          `json:"kind"`
	Text string          `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// call is the data of an event about a tool call.
type call struct {
	ID     string          `json:"id"`
	Title  string          `json:"title,omitempty"`
	Kind   string          `json:"kind,omitempty"`
	Status string          `json:"status,omitempty"`
	Text   []string        `json:"text,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	Places []string        `json:"places,omitempty"`
	Diffs  []acp.Diff      `json:"diffs,omitempty"`
	Cut    int             `json:"cut,omitempty"` // approximate number of bytes that were left out
}

// Report sends events to the server, in one or several reports.
func (p *reporter) Report(_ context.Context, events []turn.Event) error {
	var list []event
	size := 0
	send := func() error {
		if len(list) == 0 {
			return nil
		}
		text, err := encode(list)
		if err == nil {
			err = p.r.persist(p.held, p.r.Verbs.ReportTurn, p.w.with(map[string]any{"events": string(text)}))
		}
		list, size = nil, 0
		return err
	}
	for i := range events {
		e := &events[i]
		out := event{N: e.N, Kind: string(e.Kind), Text: e.Text, Data: dataOf(e)}
		list = append(list, out)
		if size += len(out.Text) + len(out.Data) + 100; len(list) == mostReported || size > maxReport {
			if err := send(); err != nil {
				return err
			}
		}
	}
	return send()
}

// dataOf returns the JSON data of an event besides its text, or nil.
func dataOf(e *turn.Event) json.RawMessage {
	var v any
	switch {
	case e.Tool != nil:
		c := call{ID: e.Tool.ID, Title: e.Tool.Title, Kind: e.Tool.Kind, Status: e.Tool.Status, Text: e.Tool.Text,
			Input:  e.Tool.Input,
			Output: e.Tool.Output, Diffs: e.Tool.Diffs, Cut: e.Cut}
		for _, l := range e.Tool.Locations {
			place := l.Path
			if l.Line > 0 {
				place += fmt.Sprintf(":%d", l.Line)
			}
			c.Places = append(c.Places, place)
		}
		if text, err := encode(c); err == nil && len(text) <= maxData {
			return text
		}
		c.Cut += len(c.Input) + len(c.Output)
		c.Text, c.Input, c.Output, c.Diffs, c.Places = nil, nil, nil, nil, nil
		v = c
	case e.Steps != nil:
		v = e.Steps
	case e.Usage != nil:
		v = e.Usage
	case e.Kind == turn.End:
		v = struct {
			State turn.State `json:"state"`
			Class acp.Class  `json:"class,omitempty"`
			Stop  string     `json:"stop,omitempty"`
		}{e.State, e.Class, e.Stop}
	case e.Data != nil:
		v = struct {
			Raw json.RawMessage `json:"raw"`
			Cut int             `json:"cut,omitempty"`
		}{e.Data, e.Cut}
	default:
		return nil
	}
	text, err := encode(v)
	if err != nil || len(text) > maxData {
		return json.RawMessage(`{"cut":1}`)
	}
	return text
}

// Permission sends a permission request to the server, and waits for the answer of a person or a rule. It returns "" if
// the request cannot be reported, or the context ends.
func (p *reporter) Permission(ctx context.Context, n int, q acp.Permission) string {
	w := p.w
	w.mu.Lock()
	answered := make(chan string, 1)
	w.waiting[n] = answered
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, n)
	}()
	type choice struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	list := make([]choice, len(q.Choices))
	for i, c := range q.Choices {
		list[i] = choice(c)
	}
	kind := ""
	if visible(q.Tool.Kind) {
		kind = cut(text(q.Tool.Kind), 40)
	}
	choices, err := encode(list)
	paths, err2 := encode(places(p.dir, q.Tool))
	if err = errors.Join(err, err2); err == nil {
		err = p.r.persist(p.held, p.r.Verbs.Ask, w.with(map[string]any{"event": n,
			"title": cut(text(title(q.Tool)), 500),
			"kind":  kind, "input": cut(string(q.Tool.Input), 15_000),
			"paths": string(paths), "digest": digest(q.Tool), "choices": string(choices)}))
	}
	if err != nil {
		p.r.Log.Warn("a request of an agent could not be passed on", "turn", w.ID, "error", err)
		return ""
	}
	select {
	case choice := <-answered:
		return choice
	case <-ctx.Done():
		return ""
	}
}

// title returns the title of a tool call in one line, because some agents use the whole text of a command as a title.
// If no character of it can be seen, title returns another text, because the site would refuse it.
func title(t acp.Tool) string {
	switch line := strings.Join(strings.Fields(t.Title), " "); {
	case visible(line):
		return line
	case visible(t.Kind):
		return t.Kind
	}
	return "something that it does not name"
}

// visible reports whether a text has a character that can certainly be seen.
func visible(s string) bool {
	const brailleBlank = '\u2800'
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != brailleBlank && unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs, unicode.M,
			unicode.Other_Default_Ignorable_Code_Point)
	})
}
