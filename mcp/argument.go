package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// arguments holds the arguments of a tool call by name. The slice wrong has a sentence for each mistake in them.
type arguments struct {
	members map[string]json.RawMessage
	wrong   []string
}

func readArguments(raw json.RawMessage) *arguments {
	a := &arguments{members: map[string]json.RawMessage{}}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return a
	}
	if raw[0] != '{' {
		a.wrong = append(a.wrong, "The arguments must be an object, they were "+kindOf(raw)+".")
		return a
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() // reads the opening brace
	for d.More() {
		name, err := d.Token()
		var v json.RawMessage
		if err == nil {
			err = d.Decode(&v)
		}
		if err != nil {
			a.wrong = append(a.wrong, "The arguments are not valid JSON.")
			return a
		}
		key, _ := name.(string)
		if _, twice := a.members[key]; twice {
			a.wrong = append(a.wrong, fmt.Sprintf("The arguments name %q twice. Give it once.", key))
		}
		a.members[key] = v
	}
	return a
}

func (a *arguments) err() error {
	if len(a.wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(a.wrong, "\n"))
}

// ignored returns a sentence that names all arguments except the known one, or "". Arguments that are null, and those
// that begin with an underscore, which clients add for themselves, are left out.
func (a *arguments) ignored(known string) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(a.members)) {
		if _, given := a.get(name); given && name != known && !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("\nIgnored: %s. What belongs to an address is part of %s, as in /search?q=WORDS.\n",
		strings.Join(names, ", "), known)
}

// get returns the JSON value of an argument, and false if the argument is missing or null.
func (a *arguments) get(name string) (json.RawMessage, bool) {
	raw := bytes.TrimSpace(a.members[name])
	return raw, len(raw) > 0 && string(raw) != "null"
}

func (a *arguments) isNot(name, what string, raw json.RawMessage) {
	a.wrong = append(a.wrong, fmt.Sprintf("%s must be %s, it was %s.", name, what, kindOf(raw)))
}

// text returns a string argument without surrounding space, or "".
func (a *arguments) text(name string) string {
	raw, ok := a.get(name)
	if !ok {
		return ""
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		a.isNot(name, "text", raw)
	}
	return strings.TrimSpace(s)
}

// textOrNumber is like text, but also accepts a number, because models write versions as numbers.
func (a *arguments) textOrNumber(name string) string {
	if raw, ok := a.get(name); ok && kindOf(raw) == "a number" {
		return string(raw)
	}
	return a.text(name)
}

// flag returns a Boolean argument, which some clients send as a string. A missing argument is false.
func (a *arguments) flag(name string) bool {
	raw, ok := a.get(name)
	if !ok {
		return false
	}
	switch string(raw) {
	case "true", `"true"`:
		return true
	case "false", `"false"`, `""`:
		return false
	}
	a.isNot(name, "true or false", raw)
	return false
}

// object returns an argument that is a JSON object, or a string that contains one, because Codex passes on its model's
// output as a string. The object is not decoded, so that the site gets numbers and repeated names as the model wrote
// them.
func (a *arguments) object(name string) json.RawMessage {
	raw, ok := a.get(name)
	if !ok {
		return json.RawMessage("{}")
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		inner := bytes.TrimSpace([]byte(s))
		switch {
		case len(inner) == 0, string(inner) == "null":
			return json.RawMessage("{}")
		case inner[0] == '{' && json.Valid(inner):
			return inner
		}
		a.wrong = append(a.wrong, name+` must be an object such as {"reason": "…"}, it was text that is not one.`)
		return nil
	}
	if raw[0] != '{' {
		a.isNot(name, `an object such as {"reason": "…"}`, raw)
		return nil
	}
	return raw
}

// kindOf returns the type of a JSON value in words for a model.
func kindOf(raw json.RawMessage) string {
	switch c := raw[0]; {
	case c == '"':
		return "text"
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == 't', c == 'f':
		return string(raw)
	case c == 'n':
		return "null"
	}
	return "a number"
}
