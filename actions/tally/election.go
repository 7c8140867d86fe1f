package tally

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Election is one vote read from a file, with the rules that the file states.
type Election struct {
	ID, Title, Source string // Title and Source may be empty
	Options           []string
	Scale             Scale  // the scale of the ballots
	Method            Method // "" if the file leaves it open among the methods of the scale
	Ballots           []Ballot
	Rules             Rules
	Voters            int             // sum of the ballots' voters
	Opened, Closed    time.Time       // the voting period; both zero if the file does not say
	Expect            json.RawMessage // the published outcome as in the file; nil if there is none
}

// Limits of a file. Marks are ballots times options, over the whole file.
const (
	MaxFile      = 16 << 20 // bytes
	MaxElections = 1000
	MaxMarks     = 10_000_000
	MaxName      = 500 // bytes of an option's name
)

// Count counts the election by m, or by its own method if m is "".
func (e Election) Count(m Method) (Result, error) {
	if m == "" {
		m = e.Method
	}
	if m == "" {
		return Result{}, fmt.Errorf("%s does not say how it is counted: name a method for %s", e.ID, e.Scale)
	}
	if m.Scale() != "" && m.Scale() != e.Scale {
		return Result{}, fmt.Errorf("%s: %s counts %s, but these ballots have %s", e.ID, m, m.Scale(), e.Scale)
	}
	res, err := Count(m, len(e.Options), e.Ballots, e.Rules)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", e.ID, err)
	}
	return res, nil
}

// Read reads the votes of a file. The content determines the format:
//
//   - JSON, one vote or a list of votes, each with an id, its options (or candidates) and its
//     ballots. Ballots are an object {"2-13": 57} from rank strings, one character per option, to
//     voters (Debian; counted by Schulze, with default_option from 1 and official quorum and
//     majority); or lines "A > B = C * 8" (ranks, method open); or a list [[4, [5, 0, 3]]] of
//     voters and points (STAR).
//   - CSV with the heading count,rank1,rank2,… and per line the voters and an option's name,
//     undervote or overvote per rank (instant runoff with batches, as in US cities). Options are
//     numbered as they first appear, rank by rank.
//
// A vote in JSON may have a title, and the times opened and closed (RFC 3339). A vote without a
// title is called by its id in words.
//
// A file is read whole or not at all. Errors start with name and line, followed by the error and
// the expected form.
func Read(name string, r io.Reader) ([]Election, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s: larger than %d MiB", name, MaxFile>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if at := invalid(data); at >= 0 {
		return nil, fmt.Errorf("%s:%d: not UTF-8", name, line(data, at))
	}
	start := bytes.TrimSpace(data)
	switch {
	case len(start) == 0:
		return nil, fmt.Errorf("%s: empty: expected votes as JSON or ranked ballots as CSV", name)
	case start[0] == '[' || start[0] == '{':
		return readJSON(name, data)
	case bytes.HasPrefix(start, []byte("count,")):
		return readCSV(name, data)
	}
	return nil, fmt.Errorf("%s:1: expected JSON, starting with [ or {, or CSV, starting with count,rank1", name)
}

// titleOf returns an id in words: minneapolis-2013-mayor is Minneapolis 2013 mayor.
func titleOf(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) })
	if len(words) == 0 {
		return id
	}
	text := strings.Join(words, " ")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// invalid returns the offset of the first byte that is not UTF-8, or -1.
func invalid(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; ; {
		char, size := utf8.DecodeRune(data[at:])
		if char == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
}

// line returns the number of the line, from 1, with the byte at an offset.
func line(data []byte, at int) int {
	return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
}

// indexOptions maps names to indices. It refuses a list of options with bad names or a bad
// length.
func indexOptions(names []string) (map[string]int, error) {
	if len(names) == 0 || len(names) > MaxOptions {
		return nil, fmt.Errorf("%d options: expected 1 to %d", len(names), MaxOptions)
	}
	index := make(map[string]int, len(names))
	for i, name := range names {
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("option %d: %w", i+1, err)
		}
		if _, twice := index[name]; twice {
			return nil, fmt.Errorf("option %q is listed twice", name)
		}
		index[name] = i
	}
	return index, nil
}

func checkName(name string) error {
	switch {
	case name == "" || strings.TrimSpace(name) != name:
		return fmt.Errorf("name %q is empty or has spaces around it", name)
	case len(name) > MaxName:
		return fmt.Errorf("name of %d bytes: expected at most %d", len(name), MaxName)
	case strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("name %q has control characters", name)
	}
	return nil
}

// add adds a ballot and its voters.
func (e *Election) add(b Ballot) error {
	if b.Count < 1 || b.Count > MaxBallots-e.Voters {
		return fmt.Errorf("%d voters: expected 1 or more, and at most %d in all", b.Count, MaxBallots)
	}
	if err := b.check(e.Scale, len(e.Options), e.Rules.Dots()); err != nil {
		return err
	}
	e.Voters += b.Count
	e.Ballots = append(e.Ballots, b)
	return nil
}
