package param

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Example returns an example value as JSON for a file, or for a grid with options. It returns "" for other fields. The
// points of an example are at most f.Max in all, because an action may take f.Max as a budget for all options.
func (f *Field) Example() string {
	switch {
	case f.Kind == File:
		return `"data:text/plain;base64,SGVsbG8="`
	case f.Kind != Grid || len(f.Options) == 0:
		return ""
	case len(f.Options) == 1:
		return fmt.Sprintf("{%q: %d}", f.Options[0].Value, max(f.Min, 1))
	case f.Min > 0 || f.Max == 0: // the grid takes ranks
		return fmt.Sprintf("{%q: 1, %q: 2}", f.Options[1].Value, f.Options[0].Value)
	}
	if f.Max == 1 {
		return fmt.Sprintf("{%q: 1}", f.Options[0].Value)
	}
	return fmt.Sprintf("{%q: %d, %q: 1}", f.Options[0].Value, f.Max-1, f.Options[1].Value)
}

// FromText makes a file from a text that a caller sent in its place. A data URL (RFC 2397) is decoded; any other text
// is the contents. FromText refuses a text that looks like a path or a web address, because the server reads no paths
// and fetches no addresses.
func FromText(name, text string) (u Upload, problem string) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		head, data, found := strings.Cut(rest, ",")
		media, coded := strings.CutSuffix(head, ";base64")
		var raw []byte
		var err error
		if coded {
			raw, err = base64.StdEncoding.DecodeString(strings.Map(unspaced, data))
		} else {
			data, err = url.PathUnescape(data)
			raw = []byte(data)
		}
		if !found || err != nil {
			return u, `is no data URL that can be read; send "data:TYPE;base64,…"`
		}
		return Upload{Name: name + extension(media), Data: raw}, ""
	}
	if looksLikePath(text) {
		return u, "is " + quote(text) + ", a path or an address, which is not read. Send the contents: their text, or a data URL"
	}
	return Upload{Name: name + ".txt", Data: []byte(text)}, ""
}

func unspaced(r rune) rune {
	if r == ' ' || r == '\n' || r == '\r' {
		return -1
	}
	return r
}

func extension(media string) string {
	known, _, err := mime.ParseMediaType(media)
	switch {
	case media == "" || known == "text/plain":
		return ".txt"
	case err != nil:
		return ".bin"
	}
	for suffix, kind := range map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif", ".pdf": "application/pdf",
		".csv": "text/csv", ".json": "application/json", ".md": "text/markdown", ".html": "text/html", ".zip": "application/zip",
		".webp": "image/webp", ".svg": "image/svg+xml"} {
		if kind == known {
			return suffix
		}
	}
	return ".bin"
}

// fileName matches a name such as report.pdf. It does not match a number such as 3.5.
var fileName = regexp.MustCompile(`^[\pL\pN_-][^/\\]*\.[A-Za-z][A-Za-z0-9]{0,4}$`)

// looksLikePath reports whether a text is a single path, file name or web address.
func looksLikePath(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 400 || strings.ContainsAny(text, "\n\r\t") ||
		strings.ContainsAny(text[:1], "{[") && json.Valid([]byte(text)) {
		return false
	}
	for _, begin := range []string{"/", "./", "../", "~/", `\\`, "file:", "http://", "https://"} {
		if strings.HasPrefix(text, begin) && !strings.Contains(text, " ") {
			return true
		}
	}
	if len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') {
		return true
	}
	return !strings.Contains(text, " ") && (strings.ContainsAny(text, `/\`) && path.Ext(text) != "" || fileName.MatchString(text))
}
