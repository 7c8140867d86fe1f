package param

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
)

// frozen is the JSON form of an [Input].
type frozen struct {
	Params Input                 `json:"params"`
	Files  map[string]frozenFile `json:"files,omitempty"`
	Form   bool                  `json:"form,omitempty"`
}

type frozenFile struct {
	Name string
	Data []byte
}

// Freeze encodes an input for storage. [Thaw] returns an input with the same values.
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
			data, err := io.ReadAll(v.Reader())
			if err != nil {
				return nil, err
			}
			if f.Files == nil {
				f.Files = map[string]frozenFile{}
			}
			f.Files[name] = frozenFile{v.Name, data}
			delete(f.Params, name)
		}
	}
	return json.Marshal(f)
}

// Thaw decodes the result of [Freeze].
func Thaw(data []byte) (Input, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var f frozen
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	for name, file := range f.Files {
		f.Params[name] = Upload{Name: file.Name, Data: file.Data}
	}
	if f.Form {
		f.Params[wholeForm] = marker{}
	}
	return f.Params, nil
}
