package param

import (
	"bytes"
	"encoding/json"
	"maps"
)

// frozen is an [Input] as it is kept until somebody has approved it.
type frozen struct {
	Params Input             `json:"params"`
	Files  map[string]Upload `json:"files,omitempty"`
	Form   bool              `json:"form,omitempty"`
}

// Freeze writes an input down so that [Thaw] gives the same one again.
func Freeze(in Input) ([]byte, error) {
	f := frozen{Params: maps.Clone(in)}
	if f.Params == nil {
		f.Params = Input{}
	}
	for name, v := range in {
		switch v := v.(type) {
		case marker:
			f.Form = true
			delete(f.Params, name)
		case Upload:
			if f.Files == nil {
				f.Files = map[string]Upload{}
			}
			f.Files[name] = v
			delete(f.Params, name)
		}
	}
	return json.Marshal(f)
}

// Thaw reads what [Freeze] wrote.
func Thaw(data []byte) (Input, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var f frozen
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	for name, file := range f.Files {
		f.Params[name] = file
	}
	if f.Form {
		f.Params[wholeForm] = marker{}
	}
	return f.Params, nil
}
