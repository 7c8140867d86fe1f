package store

import "encoding/json"

// Preview has the effects of an agent's call, from a dry run at the time of the call.
type Preview struct {
	Fields []PreviewField    `json:"fields"`           // the params, as given
	Says   string            `json:"says"`             // the message of the action
	Before json.RawMessage   `json:"before,omitempty"` // the record of the page
	After  json.RawMessage   `json:"after,omitempty"`
	Made   []json.RawMessage `json:"made,omitempty"` // the records of the new items
	Undo   string            `json:"undo"`           // a sentence on how to undo it
}

// PreviewField is one param, formatted for people.
type PreviewField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Long  bool   `json:"long,omitempty"` // the value may be long or have several lines
}

// Shown returns the approval's preview; empty if it was removed.
func (a *Approval) Shown() Preview {
	var p Preview
	if a.Preview != "" {
		json.Unmarshal([]byte(a.Preview), &p) // always valid: the program wrote it
	}
	return p
}
