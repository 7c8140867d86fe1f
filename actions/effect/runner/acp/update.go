package acp

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Update is an agent's notification about a session. Kind decides which of the fields from Text on have a value. They
// are empty, and Known is false, if the kind is unknown or the update cannot be decoded.
type Update struct {
	Session string
	Kind    string          // as the agent names it, such as agent_message_chunk
	Raw     json.RawMessage // the update as it was sent
	Known   bool
	Idle    bool // no prompt was open: the update repeats the history, or reports settings

	Text    string   // user_message_chunk, agent_message_chunk, agent_thought_chunk; "" for a picture or sound
	Tool    *Tool    // tool_call, tool_call_update
	Plan    []Step   // plan
	Usage   *Usage   // usage_update
	Mode    string   // current_mode_update
	Options []Option // config_option_update
	Title   string   // session_info_update
}

// Tool is a call of a tool. In an update of a call, an empty field means that the value is unchanged.
type Tool struct {
	ID        string
	Title     string
	Kind      string // read, edit, delete, move, search, execute, think, fetch, switch_mode or other
	Status    string // pending, in_progress, completed or failed
	Text      []string
	Diffs     []Diff
	Locations []Location
	Input     json.RawMessage
	Output    json.RawMessage
}

// Diff is a change of a file. Old is nil for a new file.
type Diff struct {
	Path string  `json:"path"`
	Old  *string `json:"oldText"`
	New  string  `json:"newText"`
}

// Location is a place in a file. Line is 0 if it is unknown.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// Step is a step of an agent's plan. Status is pending, in_progress or completed.
type Step struct {
	Text     string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// Usage is the use of a session's context window, in tokens. Size is the maximum. Cost is the cost of the session so
// far, or nil if it is unknown.
type Usage struct {
	Used int64
	Size int64
	Cost *Cost
}

// Cost is an amount of money, such as 0.41 and EUR.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// Option is a setting of a session, such as its model. Category is mode, model, model_config, thought_level or empty.
// Value is the id of the current choice, or "true" or "false" for a setting without choices.
type Option struct {
	ID       string
	Name     string
	Category string
	Value    string
	Choices  []OptionChoice
}

// OptionChoice is a possible value of an option.
type OptionChoice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

// UnmarshalJSON joins the choices of all groups into one list.
func (o *Option) UnmarshalJSON(data []byte) error {
	var got struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Category string          `json:"category"`
		Value    json.RawMessage `json:"currentValue"`
		Choices  []struct {
			OptionChoice
			Group   string         `json:"group"`
			Options []OptionChoice `json:"options"`
		} `json:"options"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return err
	}
	*o = Option{ID: got.ID, Name: got.Name, Category: got.Category, Value: string(got.Value)}
	if bytes.HasPrefix(got.Value, []byte(`"`)) {
		if err := json.Unmarshal(got.Value, &o.Value); err != nil {
			return err
		}
	}
	for _, c := range got.Choices {
		if c.Group != "" {
			o.Choices = append(o.Choices, c.Options...)
			continue
		}
		o.Choices = append(o.Choices, c.OptionChoice)
	}
	return nil
}

func (c *Client) notice(method string, params json.RawMessage) {
	switch method {
	case "$/cancel_request":
		c.withdraw(params)
	case "session/update":
		if c.h.Update == nil {
			return
		}
		u := ReadUpdate(params)
		c.mu.Lock()
		u.Idle = c.turns[u.Session] == nil
		c.mu.Unlock()
		c.h.Update(u)
	}
}

// ReadUpdate decodes the parameters of session/update, as far as they can be decoded.
func ReadUpdate(params json.RawMessage) Update {
	var got struct {
		Session string          `json:"sessionId"`
		Update  json.RawMessage `json:"update"`
	}
	if json.Unmarshal(params, &got) != nil || len(got.Update) == 0 {
		return Update{Raw: params}
	}
	var kind struct {
		Kind string `json:"sessionUpdate"`
	}
	if json.Unmarshal(got.Update, &kind) != nil {
		return Update{Session: got.Session, Raw: got.Update}
	}
	plain := Update{Session: got.Session, Kind: kind.Kind, Raw: got.Update}
	u := plain
	if u.decode() != nil {
		return plain
	}
	u.Known = true
	return u
}

var errUnknown = errors.New("the kind of update is not known")

func (u *Update) decode() error {
	switch u.Kind {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		return u.decodeText()
	case "tool_call", "tool_call_update":
		u.Tool = &Tool{}
		return u.Tool.decode(u.Raw)
	case "plan":
		var got struct {
			Entries *[]Step `json:"entries"`
		}
		if err := json.Unmarshal(u.Raw, &got); err != nil || got.Entries == nil {
			return errors.Join(err, errUnknown)
		}
		u.Plan = *got.Entries
	case "usage_update":
		return u.decodeUsage()
	case "current_mode_update":
		err := json.Unmarshal(u.Raw, &struct {
			Mode *string `json:"currentModeId"`
		}{&u.Mode})
		if u.Mode == "" {
			return errors.Join(err, errUnknown)
		}
		return err
	case "config_option_update":
		return json.Unmarshal(u.Raw, &struct {
			Options *[]Option `json:"configOptions"`
		}{&u.Options})
	case "session_info_update":
		return json.Unmarshal(u.Raw, &struct {
			Title *string `json:"title"`
		}{&u.Title})
	case "available_commands_update":
	default:
		return errUnknown
	}
	return nil
}

func (u *Update) decodeText() error {
	var got struct {
		Content *content `json:"content"`
	}
	if err := json.Unmarshal(u.Raw, &got); err != nil || got.Content == nil {
		return errors.Join(err, errUnknown)
	}
	u.Text = got.Content.words()
	return nil
}

// decodeUsage returns an error for a missing number, which means an unknown use, not 0.
func (u *Update) decodeUsage() error {
	var got struct {
		Used *int64 `json:"used"`
		Size *int64 `json:"size"`
		Cost *Cost  `json:"cost"`
	}
	if err := json.Unmarshal(u.Raw, &got); err != nil || got.Used == nil || got.Size == nil {
		return errors.Join(err, errUnknown)
	}
	u.Usage = &Usage{Used: *got.Used, Size: *got.Size, Cost: got.Cost}
	return nil
}

// content is a content block of the protocol.
type content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	URI      string `json:"uri"`
	Resource struct {
		Text string `json:"text"`
	} `json:"resource"`
}

// words returns the text of a block, the address of a link, or "" for media.
func (c content) words() string {
	switch c.Type {
	case "text":
		return c.Text
	case "resource_link":
		return c.URI
	case "resource":
		return c.Resource.Text
	}
	return ""
}

func (t *Tool) decode(raw json.RawMessage) error {
	var got struct {
		ID        string          `json:"toolCallId"`
		Title     string          `json:"title"`
		Kind      string          `json:"kind"`
		Status    string          `json:"status"`
		Locations []Location      `json:"locations"`
		Input     json.RawMessage `json:"rawInput"`
		Output    json.RawMessage `json:"rawOutput"`
		Content   []struct {
			Type    string  `json:"type"`
			Content content `json:"content"`
			Diff
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	if got.ID == "" {
		return errors.New("a call of a tool has no toolCallId")
	}
	*t = Tool{ID: got.ID, Title: got.Title, Kind: got.Kind, Status: got.Status, Locations: got.Locations,
		Input: got.Input, Output: got.Output}
	for _, c := range got.Content {
		switch c.Type {
		case "content":
			if text := c.Content.words(); text != "" {
				t.Text = append(t.Text, text)
			}
		case "diff":
			t.Diffs = append(t.Diffs, c.Diff)
		}
	}
	return nil
}
