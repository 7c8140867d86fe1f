package tally

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Election is one vote from a file, with the rules in the file.
type Election struct {
	ID, Title, Source string // Title and Source may be empty
	Options           []string
	Scale             Scale  // scale of the ballots
	Method            Method // empty if the file does not determine the method
	Ballots           []Ballot
	Rules             Rules
	Voters            int             // total number of voters of the ballots
	Opened, Closed    time.Time       // voting period; both are zero if the file does not give it
	Expect            json.RawMessage // published outcome as it stands in the file; nil if there is none
}

// Limits of a file. A ballot line counts as one mark for each option.
const (
	MaxFile      = 16 << 20 // bytes
	MaxElections = 1000
	MaxMarks     = 10_000_000
	MaxName      = 500 // bytes of the name of an option
)

// Count counts the election by the method m, or by its own method if m is empty. Count returns an error if both are
// empty, or if m does not suit the scale of the ballots.
func (e Election) Count(m Method) (Result, error) {
	m = cmp.Or(m, e.Method)
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

// Read reads the votes of a file. The content of the file determines the format:
//
//   - JSON with one vote or a list of votes. Each vote has an id, its options (or candidates) and its ballots. There
//     are three forms of ballots. The first is an object such as {"2-13": 57}, which maps rank strings, with one
//     character for each option, to numbers of voters. This form is used for votes of Debian, which are counted by
//     Schulze. A vote in this form can also have default_option, which is counted from 1, and official, which has the
//     quorum and the majorities. The second form is lines such as "A > B = C * 8", which have ranks, and leave the
//     method open. The third is a list such as [[4, [5, 0, 3]]], with numbers of voters and their points, for STAR.
//   - CSV with the heading count,rank1,rank2,… and lines with a number of voters and, for each rank, the name of an
//     option, undervote or overvote. The vote is counted by an instant runoff with [Rules.Batch]. Options
//     are numbered in the order in which they first appear, rank by rank.
//
// A vote in JSON may have a title, and the times opened and closed (RFC 3339). If it has no title, the
// title is made from its id.
//
// A file is read completely or not at all. An error begins with the name, in most cases followed by the line.
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
		return readJSON(name, data, MaxMarks)
	case bytes.HasPrefix(start, []byte("count,")):
		return readCSV(name, data, MaxMarks)
	}
	return nil, fmt.Errorf("%s:1: expected JSON, starting with [ or {, or CSV, starting with count,rank1", name)
}

// titleOf makes a title from an id, for example "Minneapolis 2013 mayor" from minneapolis-2013-mayor.
func titleOf(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) })
	if len(words) == 0 {
		return id
	}
	text := strings.Join(words, " ")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// invalid returns the offset of the first byte that is not valid UTF-8, or -1.
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

// line returns the line number, from 1, of the byte at an offset.
func line(data []byte, at int) int {
	return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
}

// indexOptions returns the index of each option by its name. It returns an error for too few or too many names, and for
// an invalid or repeated name.
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
