package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/blob"
	"samepage/web/wire"
)

// maxFile is the maximum size of the body of a call with a file, in bytes.
const maxFile = param.MaxFile + 64<<10

const maxParts = 1000

// uploadTime is the time limit for receiving the body of a form with a file. It replaces the server's shorter
// ReadTimeout.
const uploadTime = 5 * time.Minute

// answerTime is the time limit for the answer after an upload, and for each part of a long answer.
const answerTime = time.Minute

// giveTime extends the deadlines of the connection for an upload. It does nothing if the ResponseWriter does not
// support deadlines.
func giveTime(w http.ResponseWriter) error {
	c, now := http.NewResponseController(w), time.Now()
	err := errors.Join(c.SetReadDeadline(now.Add(uploadTime)), c.SetWriteDeadline(now.Add(uploadTime+answerTime)))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// callLife is the time in which a call with the same Samepage-Call-Id as an earlier call counts as its repetition. It
// is short, because clients choose these IDs less carefully than idempotency keys.
const callLife = 2 * time.Minute

const (
	formMedia      = "application/x-www-form-urlencoded"
	multipartMedia = "multipart/form-data"
	jsonMedia      = "application/json"
)

// readCall reads the call from the body, for which it reserves memory. Afterwards, also after an error, the caller must
// call leave to release the memory, and [Call.drop] to remove temporary files.
func (s *Site) readCall(w http.ResponseWriter, r *http.Request, at *Location, by store.Actor,
	call *Call) (leave func(), err error) {
	leave = func() {}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Header.Get("Content-Type") != "" {
		return leave, store.Errorf(store.Invalid, "The Content-Type cannot be read. Send a form or application/json.")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return leave, wire.ErrCoding
	}
	files := at.route.files(at.name)
	d := at.route.decl(at.name)
	limit, times, read := int64(wire.MaxBody), int64(copies), s.readForm
	if len(files) > 0 {
		limit = maxFile
	}
	switch media {
	case "", formMedia:
		limit = wire.MaxBody // a form in this media type cannot carry a file
	case multipartMedia:
		read, times = s.readMultipart, 1
	case jsonMedia:
		read = s.readJSON
	default:
		return leave, wire.ErrMediaType
	}
	if err = nil; r.ContentLength > limit {
		err = &http.MaxBytesError{Limit: limit}
	} else if leave, err = s.rooms.members.open(w, r, by.UserID, limit, times); err == nil {
		if len(files) > 0 && media == multipartMedia {
			err = giveTime(w)
		}
		if err == nil {
			err = read(r, call, d, files)
		}
	}
	if err = wire.TooLarge(err); store.CodeOf(err) == store.TooLarge && limit == wire.MaxBody && len(files) > 0 {
		err = store.Errorf(store.TooLarge,
			"A form of this kind is at most %d KiB large. Send a file as multipart/form-data.",
			wire.MaxBody>>10)
	}
	if err == nil {
		err = at.checkQuery()
	}
	if err == nil {
		err = call.readHeaders(r)
	}
	return leave, err
}

// maxWhy is the maximum length of a reason for the journal, in characters.
const maxWhy = 500

// readHeaders reads the headers that identify repetitions of a call, and cleans the reason for the journal. The error
// is [store.Invalid] if the idempotency key or the reason is too long, or if the header and the body have different
// keys.
func (c *Call) readHeaders(r *http.Request) error {
	if key := r.Header.Get("Idempotency-Key"); c.Key == "" {
		c.Key = key
	} else if key != "" && key != c.Key {
		return store.Errorf(store.Invalid,
			"The header Idempotency-Key and the idempotency key in the body differ. Send one key.")
	}
	if id := r.Header.Get("Samepage-Call-Id"); id != "" {
		c.Request = id
		if c.Key == "" {
			c.Key, c.Loose, c.Within = "call:"+wire.Clip(id, 200), true, callLife
		}
	}
	if len(c.Key) > 300 {
		return store.Errorf(store.Invalid, "The idempotency key is longer than 300 bytes.")
	}
	c.Why = strings.ReplaceAll(strings.ToValidUTF8(c.Why, "\uFFFD"), "\x00", "")
	if n := utf8.RuneCountInString(c.Why); n > maxWhy {
		return store.Errorf(store.Invalid, "The reason, why, is longer than %d characters: it has %d. Shorten it.",
			maxWhy, n)
	}
	return nil
}

func (c *Call) drop() {
	for _, f := range c.temps {
		blob.Drop(f)
	}
}

func (s *Site) spool(call *Call, name string, from io.Reader) (param.Upload, error) {
	f, size, sum, err := s.store.Receive(from)
	if err != nil {
		return param.Upload{}, err
	}
	call.temps = append(call.temps, f)
	return param.Upload{Name: name, Temp: &param.Temp{File: f, Size: size, Sum: sum}}, nil
}

// readJSON reads a call from JSON. It writes files longer than [wire.MaxBody] to temporary files.
func (s *Site) readJSON(r *http.Request, call *Call, d *action.Decl, files []string) error {
	var body bytes.Buffer
	// ReadFrom reallocates the buffer unless bytes.MinRead bytes are free at its end.
	body.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead)
	if _, err := body.ReadFrom(r.Body); err != nil {
		return err
	}
	all, err := param.Members(body.Bytes())
	if err != nil {
		return store.Errorf(store.Invalid, `The JSON cannot be read: %s. Send {"params": {…}}.`, err)
	}
	params, notes, err := findParams(all, d)
	if err != nil {
		return err
	}
	for name, dst := range map[string]any{"dry_run": &call.DryRun, "why": &call.Why, "idempotency_key": &call.Key} {
		if raw := all[name]; len(raw) > 0 && json.Unmarshal(raw, dst) != nil {
			return store.Errorf(store.Invalid, "%s cannot be %s. Send {\"params\": {…}, \"%s\": %s}.", name,
				wire.Clip(string(raw), 40), name, map[bool]string{true: "true", false: `"…"`}[name == "dry_run"])
		}
	}
	call.Notes, call.Version = notes, strings.Trim(string(all["if_version"]), `"`) // "7" and 7 are the same version
	if call.Version == "null" {
		call.Version = ""
	}
	if call.Params, err = param.FromJSON(params); err != nil {
		return store.Errorf(store.Invalid, "%s", err)
	}
	for _, name := range files {
		if text, ok := call.Params[name].(string); ok && len(text) > wire.MaxBody {
			file, problem := param.FromText(name, text)
			if problem != "" {
				return param.Errors{{Field: name, Message: problem}}
			}
			if call.Params[name], err = s.spool(call, file.Name, file.Reader()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Site) readForm(r *http.Request, call *Call, _ *action.Decl, _ []string) error {
	if err := wire.FormError(r.ParseForm()); err != nil {
		return err
	}
	return call.setForm(r.PostForm, nil)
}

// setForm reads the call from the values of a form.
func (c *Call) setForm(f url.Values, files map[string]param.Upload) error {
	if err := checkControls(f); err != nil {
		return err
	}
	c.Params = param.FromForm(f, files)
	dry := f.Get("_dry_run")
	c.DryRun = dry != "" && dry != "0" && dry != "false"
	c.Version, c.Why, c.then = f.Get("_if_version"), f.Get("_why"), f.Get("_then")
	if k := f.Get("_idempotency_key"); k != "" {
		c.Key, c.Loose = k, true
	}
	return nil
}

// readMultipart reads a call from a multipart form. It writes the files to temporary files as they arrive.
func (s *Site) readMultipart(r *http.Request, call *Call, _ *action.Decl, _ []string) error {
	form, err := r.MultipartReader()
	if err != nil {
		return wire.FormError(err)
	}
	values, files, left := url.Values{}, map[string]param.Upload{}, wire.MaxBody
	for n := 0; ; n++ {
		part, err := form.NextPart()
		if err == io.EOF { // a wrapped EOF means that the form was cut short
			return call.setForm(values, files)
		}
		if err != nil {
			return wire.FormError(err)
		}
		name := part.FormName()
		switch _, twice := files[name]; {
		case n == maxParts:
			return store.Errorf(store.Invalid, "The form has more than %d parts. Send fewer.", maxParts)
		case name == "":
			d := part.Header.Get("Content-Disposition")
			if _, _, err := mime.ParseMediaType(d); d != "" && err != nil {
				return store.Errorf(store.Invalid, "The name of a part of the form, or of a file in it, cannot be read. "+
					"Write a quotation mark in a name as %%22.")
			}
			return store.Errorf(store.Invalid, "A part of the form has no name. Name each after its field.")
		case part.FileName() == "":
			text, err := readValue(part, &left)
			if err != nil {
				return err
			}
			values.Add(name, text)
		case strings.HasPrefix(name, "_"):
			return store.Errorf(store.Invalid, "%s is a control field, which cannot be a file.", wire.Clip(name, 40))
		case twice:
			return store.Errorf(store.Invalid, "%s was given more than once. Send one file.", wire.Clip(name, 40))
		default:
			if files[name], err = s.spool(call, part.FileName(), part); err != nil {
				return wire.FormError(err)
			}
		}
	}
}

// readValue reads a part without a file. It subtracts the length of the part from left, the number of bytes that all
// such parts of the form may still have.
func readValue(part *multipart.Part, left *int) (string, error) {
	text, err := io.ReadAll(io.LimitReader(part, int64(*left)+1))
	if err != nil {
		return "", wire.FormError(err)
	}
	if *left -= len(text); *left < 0 {
		return "", store.Errorf(store.TooLarge,
			"The fields beside the file are larger than %d KiB, the most they may be.",
			wire.MaxBody>>10)
	}
	return string(text), nil
}
