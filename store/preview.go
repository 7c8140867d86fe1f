package store

import "encoding/json"

// Preview is what would happen, as it was tried out when an agent asked for it.
type Preview struct {
	Fields []PreviewField    `json:"fields"`           // the params, as given
	Says   string            `json:"says"`             // what the action said it had done
	Before json.RawMessage   `json:"before,omitempty"` // the record of the page
	After  json.RawMessage   `json:"after,omitempty"`
	Made   []json.RawMessage `json:"made,omitempty"` // the records of what would be made
	Undo   string            `json:"undo"`           // how it can be undone, in a sentence
}

// PreviewField is one param in words.
type PreviewField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Long  bool   `json:"long,omitempty"` // it may be long, or have several lines
}

// Shown is the approval's preview; empty if it was taken out.
func (a *Approval) Shown() Preview {
	var p Preview
	if a.Preview != "" {
		json.Unmarshal([]byte(a.Preview), &p) // we wrote it
	}
	return p
}
