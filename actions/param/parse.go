package param

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// parser decodes valid JSON. It replaces encoding/json, which accepts duplicate names and needs four times the memory
// of a long text.
type parser struct {
	rest   []byte
	values int // number of values decoded so far
}

// value decodes one value at this depth of nesting, where 1 is the outermost. Numbers are returned as [json.Number].
func (p *parser) value(depth int) (any, error) {
	if p.values++; p.values > maxValues {
		return nil, fmt.Errorf("params have more than %d values", maxValues)
	}
	switch c := p.peek(); {
	case (c == '{' || c == '[') && depth > maxDepth:
		return nil, fmt.Errorf("params nest deeper than %d levels", maxDepth)
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.list(depth)
	case c == '"':
		return p.text()
	case c == 't':
		p.skip(len("true"))
		return true, nil
	case c == 'f':
		p.skip(len("false"))
		return false, nil
	case c == 'n':
		p.skip(len("null"))
		return nil, nil
	}
	n := 0
	for n < len(p.rest) && strings.IndexByte("+-.0123456789eE", p.rest[n]) >= 0 {
		n++
	}
	return json.Number(p.skip(n)), nil
}

// peek skips white space and returns the next byte without skipping it.
func (p *parser) peek() byte {
	p.rest = bytes.TrimLeft(p.rest, " \t\r\n")
	return p.rest[0]
}

func (p *parser) skip(n int) []byte {
	skipped := p.rest[:n]
	p.rest = p.rest[n:]
	return skipped
}

// closed skips the closing byte end, or else a comma. It reports whether it skipped the closing byte.
func (p *parser) closed(end byte) bool {
	switch p.peek() {
	case end:
		p.skip(1)
		return true
	case ',':
		p.skip(1)
	}
	return false
}

func (p *parser) list(depth int) (any, error) {
	list := []any{}
	for p.skip(1); !p.closed(']'); {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (p *parser) object(depth int) (any, error) {
	object := map[string]any{}
	for p.skip(1); !p.closed('}'); {
		p.peek()
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("params name %s twice; send it once", quote(name))
		}
		p.peek()
		p.skip(1) // the colon
		if object[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func (p *parser) text() (s string, err error) {
	n := quotedLength(p.rest)
	quoted := p.skip(n)
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : n-1]), nil
	}
	err = json.Unmarshal(quoted, &s)
	return s, err
}

// quotedLength returns the length of the JSON string at the start of data, with its quotes.
func quotedLength(data []byte) int {
	n := 1
	for data[n] != '"' {
		if data[n] == '\\' {
			n++
		}
		n++
	}
	return n + 1
}

// raw moves past one value and returns its bytes.
func (p *parser) raw() []byte {
	n, depth := 0, 0
	for p.peek(); n == 0 || depth > 0 || strings.IndexByte(",} \t\r\n", p.rest[n]) < 0; {
		switch p.rest[n] {
		case '"':
			n += quotedLength(p.rest[n:])
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		n++
	}
	return p.skip(n)
}

// Members splits a JSON object into its members without decoding their values. It returns nil for empty data and for
// null. A duplicate name is an error.
func Members(data []byte) (map[string]json.RawMessage, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	if !json.Valid(data) {
		var whole json.RawMessage
		return nil, json.Unmarshal(data, &whole)
	}
	if data[0] != '{' {
		return nil, errors.New("it must be an object")
	}
	members := map[string]json.RawMessage{}
	p := &parser{rest: data}
	for p.skip(1); !p.closed('}'); {
		p.peek()
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("it names %s twice; send it once", quote(name))
		}
		if len(members) == maxValues {
			return nil, fmt.Errorf("it has more than %d members", maxValues)
		}
		p.peek()
		p.skip(1) // the colon
		members[name] = p.raw()
	}
	return members, nil
}
