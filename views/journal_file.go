package views

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

type entryPublic struct {
	Seq    int64           `json:"seq"`
	At     store.Time      `json:"at"`
	By     string          `json:"by"`
	Agent  bool            `json:"agent"`
	As     string          `json:"as,omitempty"` // name of the [store.Authority] by which the actor could act
	Role   string          `json:"role,omitempty"`
	RoleID string          `json:"role_id,omitempty"`
	Did    string          `json:"did"`
	Action string          `json:"action"`
	Kind   string          `json:"kind"`
	Title  string          `json:"title"`
	URL    string          `json:"url"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Why    string          `json:"why,omitempty"`
	Prev   string          `json:"prev"`
	Hash   string          `json:"hash"`
}

// EntryData returns the JSON form of a journal entry.
func EntryData(e *store.Entry) any {
	raw := func(s *string) json.RawMessage {
		if s == nil {
			return nil
		}
		return json.RawMessage(*s)
	}
	return &entryPublic{Seq: e.Seq, At: e.At, By: e.By(), Agent: e.AgentID != "", As: e.As, Role: e.Role,
		RoleID: roleID(e), Did: e.Did, Action: e.Action, Kind: e.Kind, Title: entryTitle(e), URL: e.URL,
		Before: raw(e.Before), After: raw(e.After), Why: e.Why, Prev: hex.EncodeToString(e.Prev), Hash: hex.EncodeToString(e.Hash)}
}

// roleID returns the id of the role that allowed the action, or "" if the entry does not name the role. An entry does
// not name a role that some of its readers may not see. The id is left out too, because ids would tell such roles
// apart.
func roleID(e *store.Entry) string {
	if e.Role == "" {
		return ""
	}
	return e.RoleID
}

// EntryColumns has the titles of the columns of [EntryCells].
var EntryColumns = []string{"seq", "at", "by", "agent", "as", "role", "role_id", "did", "action", "kind", "title", "url",
	"before", "after", "why", "prev", "hash"}

// EntryCells returns a journal entry as a row of a table: the fields of [EntryData] as texts.
func EntryCells(e *store.Entry) []string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return []string{strconv.FormatInt(e.Seq, 10), e.At.UTC().Format(time.RFC3339Nano), e.By(), strconv.FormatBool(e.AgentID != ""),
		e.As, e.Role, roleID(e), e.Did, e.Action, e.Kind, entryTitle(e), e.URL, text(e.Before), text(e.After), e.Why,
		hex.EncodeToString(e.Prev), hex.EncodeToString(e.Hash)}
}

// mostChanges is the maximum number of fields of a change in a list of entries. mostChanged and mostWinner are maximum
// lengths in runes, of a value and of the names of winners.
const (
	mostChanges = 8
	mostChanged = 200
	mostWinner  = 40
)

// changes returns the fields that an entry changed, shortened for a list, and the new state of the subject if the state
// changed. For a decided decision and an election, the state is the winner. The entry must have the subject before and
// after the change.
func changes(e *store.Entry) (list []page.Changed, state page.Inline) {
	var before, after map[string]json.RawMessage
	if json.Unmarshal([]byte(*e.Before), &before) != nil || json.Unmarshal([]byte(*e.After), &after) != nil {
		return nil, state
	}
	if len(before["state"]) > 0 && len(after["state"]) > 0 && !bytes.Equal(before["state"], after["state"]) {
		state = statePill(plainValue(after["state"]))
		if chosen := winner(*e.After); chosen != "" {
			state = page.Pill(chosen, page.Good)
		}
	}
	var names []string
	for name, value := range after {
		if !bytes.Equal(before[name], value) {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if i == mostChanges {
			return append(list, page.Changed{Field: "…", After: "more on the page of the entry"}), state
		}
		was, is := shortChange(plainValue(before[name]), plainValue(after[name]))
		list = append(list, page.Changed{Field: strings.ReplaceAll(name, "_", " "), Before: was, After: is})
	}
	return list, state
}

// stateTones has the tones of the states in entries; other states are calm. No tone is [page.Late], because an entry
// waits for nobody.
var stateTones = map[string]page.Tone{"result": page.Good, "approved": page.Good, "accepted": page.Good,
	"elected": page.Good, "held": page.Good, "bound": page.Good, "done": page.Good, "ready": page.Good,
	"merged": page.Good, "open": page.Live, "running": page.Runs, "queued": page.Soon, "rejected": page.Bad, "failed": page.Bad,
	"interrupted": page.Bad, "no_quorum": page.Bad, "changes_requested": page.Bad}

func statePill(state string) page.Inline {
	word := strings.ReplaceAll(state, "_", " ")
	if state == "result" {
		word = "decided"
	}
	if word == "" {
		return page.Inline{}
	}
	return page.Pill(strings.ToUpper(word[:1])+word[1:], stateTones[state])
}

// winner returns the outcome in the record of a decision or an election, or "" if there is none. Long titles are cut.
func winner(record string) string {
	var r struct {
		State, Candidate string
		Options          []string
		Deciding         *int
		Result           struct{ Winners []int }
	}
	if json.Unmarshal([]byte(record), &r) != nil {
		return "" // a record of another kind
	}
	winners, names := r.Result.Winners, []string{}
	if r.Deciding != nil {
		winners = []int{*r.Deciding - 1}
	}
	switch r.State {
	case governance.Elected:
		names = append(names, "@"+r.Candidate)
	case governance.DecisionResult:
		for _, i := range winners {
			if i >= 0 && i < len(r.Options) {
				names = append(names, r.Options[i])
			}
		}
	}
	text := []rune(strings.Join(names, ", "))
	if len(text) > mostWinner {
		return string(text[:mostWinner]) + "…"
	}
	return string(text)
}

func plainValue(v json.RawMessage) string {
	var s string
	if len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// shortChange shortens two texts. Long texts lose most of the beginning that they share, then their end.
func shortChange(was, is string) (string, string) {
	x, y := []rune(was), []rune(is)
	same := 0
	for same < len(x) && same < len(y) && x[same] == y[same] {
		same++
	}
	const before = 30
	cut := func(s []rune) string {
		open := ""
		if from := same - before; from > 0 && len(s) > mostChanged/2 {
			s, open = s[from:], "…"
		}
		if len(s) > mostChanged {
			return open + string(s[:mostChanged]) + "…"
		}
		return open + string(s)
	}
	return cut(x), cut(y)
}
