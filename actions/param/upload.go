package param

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"os"
)

// Upload is a file that a form sent, or a text that was sent in its place (see [FromText]).
type Upload struct {
	Name string
	Data []byte
	Temp *Temp // nil if the bytes are in Data
}

// Temp is an open temporary file.
type Temp struct {
	File *os.File
	Size int64  // bytes
	Sum  []byte // SHA-256
}

// Size returns the number of bytes.
func (u *Upload) Size() int64 {
	if u.Temp != nil {
		return u.Temp.Size
	}
	return int64(len(u.Data))
}

// Sum returns the SHA-256 of the bytes.
func (u *Upload) Sum() []byte {
	if u.Temp != nil {
		return u.Temp.Sum
	}
	sum := sha256.Sum256(u.Data)
	return sum[:]
}

// Reader returns a new reader of all bytes.
func (u *Upload) Reader() io.Reader {
	if u.Temp != nil {
		return io.NewSectionReader(u.Temp.File, 0, u.Temp.Size)
	}
	return bytes.NewReader(u.Data)
}

// MarshalJSON encodes the name of the file and the hash of its bytes, but not the bytes; [Freeze] stores those.
func (u Upload) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name   string `json:"name"`
		SHA256 []byte `json:"sha256"`
	}{u.Name, u.Sum()})
}
