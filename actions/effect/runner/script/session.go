package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// kept is the content of a session's file.
type kept struct {
	Played  int    `json:"played"` // prompts played
	Turn    int    `json:"turn"`   // turns that count as ended; also the index of the next turn
	Said    []said `json:"said"`
	Allowed bool   `json:"allowed"` // permission is given for the whole session
}

type said struct {
	Kind string `json:"kind"` // kind of the update that sent it
	Text string `json:"text"`
}

type session struct {
	a    *agent
	id   string
	file string
	dir  string
	at   params // params of the request that began or continued the session, with the MCP servers

	mu    sync.Mutex
	kept  kept
	mode  string
	model string
	stop  context.CancelFunc // ends the open prompt
}

// A session begins in modeFree, in which the agent does not ask for permission.
const (
	modeFree = "free"
	modeAsk  = "ask"
)

var models = []string{"steady", "bold"}

const folder = ".samepage-script"

// begin creates a session with the next free number.
func (a *agent) begin(p params) (*session, error) {
	if !filepath.IsAbs(p.Dir) {
		return nil, failure{jsonrpc.CodeInvalidParams, "cwd must be an absolute path"}
	}
	home := filepath.Join(a.o.Home, folder)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		s := a.session("script-"+strconv.Itoa(n), p)
		f, err := os.OpenFile(s.file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := errors.Join(f.Close(), s.keep()); err != nil {
			return nil, err
		}
		return a.add(s), nil
	}
}

func (a *agent) session(id string, p params) *session {
	return &session{a: a, id: id, file: filepath.Join(a.o.Home, folder, id+".json"), dir: p.Dir, at: p,
		mode: modeFree, model: models[0]}
}

func (a *agent) add(s *session) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[s.id] = s
	return s
}

var validID = regexp.MustCompile(`^script-[0-9]{1,9}$`)

// goOn opens an existing session, of this process or of an earlier one.
func (a *agent) goOn(p params) (*session, error) {
	if !validID.MatchString(p.Session) {
		return nil, failure{codeNotFound, fmt.Sprintf("there is no session %q", p.Session)}
	}
	s := a.session(p.Session, p)
	data, err := os.ReadFile(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, failure{codeNotFound, fmt.Sprintf("there is no session %q", p.Session)}
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.kept); err != nil {
		return nil, err
	}
	return a.add(s), nil
}

func (a *agent) fork(p params) (*session, error) {
	from, err := a.goOn(p)
	if err != nil {
		return nil, err
	}
	s, err := a.begin(p)
	if err != nil {
		return nil, err
	}
	s.kept = kept{Played: from.kept.Played, Turn: from.kept.Turn, Said: slices.Clone(from.kept.Said)}
	return s, s.keep()
}

func (s *session) keep() error {
	data, err := json.Marshal(s.kept)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file+"~", data, 0o600); err != nil {
		return err
	}
	return os.Rename(s.file+"~", s.file)
}

// settings returns the session's modes and options in the form of the protocol's answers.
func (s *session) settings(withID bool) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := map[string]any{
		"modes": map[string]any{"currentModeId": s.mode, "availableModes": []any{
			map[string]string{"id": modeFree, "name": "Free", "description": "Decides by itself"},
			map[string]string{"id": modeAsk, "name": "Ask", "description": "Asks as the script says"},
		}},
		"configOptions": s.options(),
	}
	if withID {
		m["sessionId"] = s.id
	}
	return m
}

func (s *session) options() []any {
	var choices []any
	for _, m := range models {
		choices = append(choices, map[string]string{"value": m, "name": m})
	}
	return []any{map[string]any{"id": "model", "name": "Model", "category": "model", "type": "select",
		"currentValue": s.model, "options": choices}}
}

func (s *session) set(method string, p params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case method == "session/set_mode":
		if p.Mode != modeFree && p.Mode != modeAsk {
			return nil, failure{jsonrpc.CodeInvalidParams, fmt.Sprintf("there is no mode %q", p.Mode)}
		}
		s.mode = p.Mode
		return map[string]any{}, nil
	case p.Config != "model":
		return nil, failure{jsonrpc.CodeInvalidParams, fmt.Sprintf("there is no option %q", p.Config)}
	case !slices.Contains(models, p.Value):
		return nil, failure{jsonrpc.CodeInvalidParams, fmt.Sprintf("model %q does not exist", p.Value)}
	}
	s.model = p.Value
	return map[string]any{"configOptions": s.options()}, nil
}

// open begins a turn. It returns an error if the session has an open prompt.
func (s *session) open(ctx context.Context) (context.Context, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		return nil, nil, errors.New("the session has an open prompt")
	}
	ctx, s.stop = context.WithCancel(ctx)
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stop()
		s.stop = nil
	}, nil
}

func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}

func (s *session) update(ctx context.Context, u any) error {
	return s.a.conn.Notify(ctx, "session/update", map[string]any{"sessionId": s.id, "update": u})
}

// chunk sends a paragraph and adds it to the history.
func (s *session) chunk(ctx context.Context, kind, text string) error {
	s.kept.Said = append(s.kept.Said, said{kind, text})
	return s.update(ctx, textUpdate(kind, text))
}

func textUpdate(kind, text string) any {
	return map[string]any{"sessionUpdate": kind, "content": map[string]string{"type": "text", "text": text}}
}

func (s *session) repeat() {
	for _, t := range s.kept.Said {
		if s.update(s.a.ctx, textUpdate(t.Kind, t.Text)) != nil {
			return
		}
	}
}
