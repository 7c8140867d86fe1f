package work

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"samepage/store"
)

// stepBack is the number of earlier events that [beginning] searches for the title of a call. The event about the end
// of a call often has no title.
const stepBack = 50

// maxStep is the maximum length of a step, in characters.
const maxStep = 120

// call has the fields of a [Call] that are needed for the step of a session. The step is the session's last ended call
// with a title, in one line.
type call struct {
	CallHead
	Input json.RawMessage `json:"input"`
}

// add adds a later report of the same call. Omitted values stay.
func (c *call) add(later call) {
	c.Title, c.Kind = cmp.Or(later.Title, c.Title), cmp.Or(later.Kind, c.Kind)
	if len(later.Input) > 0 {
		c.Input = later.Input
	}
}

func (c *call) ended() bool { return c.Status == "completed" || c.Status == "failed" }

// step returns the call in one line, and whether the line is a command. The line is empty for a call without a title.
func (c *call) step() (line string, runs bool) {
	title := strings.Join(strings.Fields(c.Title), " ")
	if c.Kind == "execute" {
		var in struct{ Command string }
		if json.Unmarshal(c.Input, &in) == nil && strings.TrimSpace(in.Command) != "" {
			title, runs = strings.Join(strings.Fields(in.Command), " "), true
		} else if bare := strings.Trim(title, "`"); bare != title {
			title, runs = bare, true
		}
	}
	return cutText(title, maxStep), runs
}

// noteStep stores the last titled call that ended in the new events as the step of the session.
func noteStep(tx *store.Tx, t *Turn, s *Session, list []TurnEvent) error {
	known, ended := map[string]*call{}, []*call(nil)
	for i := range list {
		var c call
		if list[i].Kind != "call" || json.Unmarshal(list[i].Data, &c) != nil || c.ID == "" {
			continue
		}
		if known[c.ID] == nil {
			known[c.ID] = &call{CallHead: CallHead{ID: c.ID}}
		}
		known[c.ID].add(c)
		if c.ended() {
			ended = append(ended, known[c.ID])
		}
	}
	for _, c := range slices.Backward(ended) {
		if c.Title == "" {
			if err := beginning(tx, t, c); err != nil {
				return err
			}
		}
		if line, runs := c.step(); line != "" {
			return tx.Exec(`UPDATE sessions SET step = ?, step_runs = ?, step_at = ? WHERE id = ?`, line, number(runs),
				store.At(tx.Now), s.ID)
		}
	}
	return nil
}

// beginning adds the values of the event about the call's beginning, if that is among the last [stepBack] stored
// events.
func beginning(tx *store.Tx, t *Turn, c *call) error {
	id, err := json.Marshal(c.ID)
	if err != nil {
		return err
	}
	var data []string
	err = tx.Select(&data, `SELECT data FROM turn_events WHERE turn_id = ? AND n > ? AND n <= ? AND kind = 'call'
		AND data LIKE ? ESCAPE '!' ORDER BY n`+store.AtMost, t.ID, t.Events-stepBack, t.Events,
		"%"+strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(string(id))+"%", 3)
	for _, text := range data {
		var begun call
		if json.Unmarshal([]byte(text), &begun) == nil && begun.ID == c.ID && begun.Title != "" {
			begun.add(*c)
			begun.Status, *c = c.Status, begun
			break
		}
	}
	return err
}
