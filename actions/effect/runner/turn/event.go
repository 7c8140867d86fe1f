package turn

import (
	"encoding/json"
	"sync"
	"time"
	"unicode/utf8"

	"samepage/actions/effect/runner/acp"
)

// Kind is the kind of an event.
type Kind string

// These are the kinds of events, with the fields that they set.
const (
	Began      Kind = "began"      // Text: id of the agent's session, which the next turn continues
	Text       Kind = "text"       // Text: a part of the agent's answer
	Thought    Kind = "thought"    // Text
	Plan       Kind = "plan"       // Steps
	Call       Kind = "call"       // Tool: a tool call that begins or changes
	Permission Kind = "permission" // Tool: the tool call that needs permission
	Usage      Kind = "usage"      // Usage
	Mode       Kind = "mode"       // Text: id of the agent's mode
	Stderr     Kind = "stderr"     // Text: end of the program's standard error
	Raw        Kind = "raw"        // Data: an update of an unknown kind
	End        Kind = "end"        // State, Class, Stop; Text: a reason for people
)

// MaxText is the maximum length, in bytes, of a part of the agent's text in one event, of Data, and of the texts of a
// tool call together. A longer text continues in the next event; the others are cut, and [Event.Cut] has the
// approximate number of missing bytes.
const MaxText = 48 << 10

const (
	often   = 100 * time.Millisecond // maximum delay of a report, unless the reporter is slow
	maxWait = 256 << 10              // bytes of unreported events at which the agent has to wait
)

// Event is something that happened in a turn.
type Event struct {
	N     int // number in the turn, from 1
	Kind  Kind
	Text  string
	Tool  *acp.Tool
	Steps []acp.Step
	Usage *acp.Usage
	Data  json.RawMessage
	Cut   int
	State State
	Class acp.Class
	Stop  string
}

// size returns the approximate size of an event, in bytes.
func (e *Event) size() int {
	n := 200 + len(e.Text) + len(e.Data)
	for _, s := range e.Steps {
		n += len(s.Text) + 50
	}
	if t := e.Tool; t != nil {
		n += len(t.Title) + len(t.Input) + len(t.Output)
		for _, text := range t.Text {
			n += len(text)
		}
		for _, d := range t.Diffs {
			n += len(d.Path) + len(d.New)
			if d.Old != nil {
				n += len(*d.Old)
			}
		}
		n += 50 * len(t.Locations)
	}
	return n
}

// update adds the event for an update of the agent. While no prompt is open, for example when the agent replays the
// history, only unknown updates add an event.
func (r *running) update(u acp.Update) {
	if u.Usage != nil {
		r.events.used(u.Usage)
	}
	switch {
	case u.Idle && u.Known:
	case !u.Known:
		data, cut := cutBytes(u.Raw)
		r.events.add(Event{Kind: Raw, Data: data, Cut: cut})
	case u.Kind == "agent_message_chunk":
		r.events.addText(Text, u.Text)
	case u.Kind == "agent_thought_chunk":
		r.events.addText(Thought, u.Text)
	case u.Tool != nil:
		tool, cut := shortened(*u.Tool)
		r.events.add(Event{Kind: Call, Tool: &tool, Cut: cut})
	case u.Kind == "plan":
		r.events.add(Event{Kind: Plan, Steps: u.Plan})
	case u.Usage != nil:
		r.events.add(Event{Kind: Usage, Usage: u.Usage})
	case u.Mode != "":
		r.events.add(Event{Kind: Mode, Text: u.Mode})
	}
}

// cutBytes returns the JSON, or a JSON string with its beginning if it is too long, and the number of bytes that were
// left out.
func cutBytes(raw json.RawMessage) (json.RawMessage, int) {
	if len(raw) <= MaxText {
		return raw, 0
	}
	begin := beginning(string(raw), MaxText/2)
	data, _ := json.Marshal(begin) // cannot fail for a string
	return data, len(raw) - len(begin)
}

// beginning returns at most n bytes of a text, without a part of a character at the end.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// shortened cuts the texts of a tool call to MaxText bytes in total, and its locations to 100. It returns the
// approximate number of bytes that were left out.
func shortened(t acp.Tool) (acp.Tool, int) {
	left, cut := MaxText, 0
	take := func(text string) string {
		kept := beginning(text, left)
		left -= len(kept)
		cut += len(text) - len(kept)
		return kept
	}
	t.Title = take(t.Title)
	texts := make([]string, 0, len(t.Text))
	for _, text := range t.Text {
		texts = append(texts, take(text))
	}
	t.Text = texts
	diffs := make([]acp.Diff, 0, len(t.Diffs))
	for _, d := range t.Diffs {
		if d.Old != nil {
			d.Old = new(take(*d.Old))
		}
		d.New = take(d.New)
		diffs = append(diffs, d)
	}
	t.Diffs = diffs
	for _, raw := range []*json.RawMessage{&t.Input, &t.Output} {
		if len(*raw) > left {
			cut += len(*raw)
			*raw = nil
		}
		left -= len(*raw)
	}
	if most := 100; len(t.Locations) > most {
		cut += 50 * (len(t.Locations) - most)
		t.Locations = t.Locations[:most]
	}
	return t, cut
}

// batch reports several events together, in the order of their numbers.
type batch struct {
	report func([]Event) error

	mu    sync.Mutex
	moved *sync.Cond // signals that the list has become shorter, or that err is set
	list  []Event
	size  int
	n     int
	err   error
	id    string
	usage *acp.Usage

	sending sync.Mutex // held while events are reported
	timer   *time.Timer
}

func newBatch(report func([]Event) error) *batch {
	b := &batch{report: report}
	b.moved = sync.NewCond(&b.mu)
	return b
}

func (b *batch) began(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.id = session
}

func (b *batch) session() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.id
}

func (b *batch) used(u *acp.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.usage = u
}

func (b *batch) lastUsage() *acp.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage
}

// add adds an event and returns its number. It blocks while there are too many unreported events.
func (b *batch) add(e Event) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.put(e)
}

// addText appends text to the last unreported event if that event has the same kind, and otherwise adds events.
func (b *batch) addText(kind Kind, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for text != "" {
		if last := len(b.list) - 1; last >= 0 && b.list[last].Kind == kind {
			more := beginning(text, MaxText-len(b.list[last].Text))
			b.list[last].Text += more
			b.size += len(more)
			text = text[len(more):]
		}
		if text == "" {
			break
		}
		part := beginning(text, MaxText)
		b.put(Event{Kind: kind, Text: part})
		text = text[len(part):]
	}
	b.wait()
}

func (b *batch) put(e Event) int {
	b.wait()
	b.n++
	e.N = b.n
	b.list = append(b.list, e)
	b.size += e.size()
	if len(b.list) == 1 {
		b.timer = time.AfterFunc(often, func() { _ = b.flush() }) // the batch keeps the error
	}
	return e.N
}

func (b *batch) wait() {
	for b.size > maxWait && b.err == nil {
		go b.flush()
		b.moved.Wait()
	}
}

// flush reports the collected events. It returns the first error of all reports so far.
func (b *batch) flush() error {
	b.sending.Lock()
	defer b.sending.Unlock()
	b.mu.Lock()
	list, err := b.list, b.err
	b.list, b.size = nil, 0
	if b.timer != nil {
		b.timer.Stop()
	}
	b.mu.Unlock()
	if len(list) > 0 && err == nil {
		err = b.report(list)
	}
	b.mu.Lock()
	b.err = err
	b.mu.Unlock()
	b.moved.Broadcast()
	return err
}

func (b *batch) close() { _ = b.flush() }
