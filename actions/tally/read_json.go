package tally

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// vote is one vote in any of the JSON formats.
type vote struct {
	ID         string          `json:"id"`
	Title      string          `json:"title"`
	Source     string          `json:"source"`
	Opened     time.Time       `json:"opened"`
	Closed     time.Time       `json:"closed"`
	SourcePath string          `json:"source_path"`
	Options    []string        `json:"options"`
	Candidates []string        `json:"candidates"`
	Default    *int            `json:"default_option"`
	Voters     *int            `json:"voters"`
	Ballots    json.RawMessage `json:"ballots"`
	Official   json.RawMessage `json:"official"`
	Expect     json.RawMessage `json:"expect"`
}

// readJSON reads all votes of a file. The argument room is the maximum number of marks in all of them.
func readJSON(name string, data []byte, room int) ([]Election, error) {
	fail := func(at int64, err error) ([]Election, error) {
		return nil, fmt.Errorf("%s:%d: %w", name, line(data, int(at)), err)
	}
	var checked json.RawMessage
	if err := json.Unmarshal(data, &checked); err != nil {
		return fail(place(err), err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	list := bytes.TrimSpace(data)[0] == '['
	if list {
		if _, err := dec.Token(); err != nil {
			return fail(0, err)
		}
	}
	var elections []Election
	seen := map[string]bool{}
	for list && dec.More() || !list && elections == nil {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fail(dec.InputOffset(), err)
		}
		start := dec.InputOffset() - int64(len(raw))
		e, at, err := readVote(raw, room)
		switch {
		case err != nil && e.ID != "":
			return fail(start+at, fmt.Errorf("vote %q: %w", e.ID, err))
		case err != nil:
			return fail(start+at, fmt.Errorf("vote %d: %w", len(elections)+1, err))
		case seen[e.ID]:
			return fail(start, fmt.Errorf("vote %q is there twice", e.ID))
		case len(elections) == MaxElections:
			return fail(start, fmt.Errorf("more than %d votes", MaxElections))
		}
		seen[e.ID] = true
		room -= len(e.Ballots) * len(e.Options)
		elections = append(elections, e)
	}
	if len(elections) == 0 {
		return fail(0, errors.New("no vote in the list"))
	}
	return elections, nil
}

// place returns the offset in the text to which an error of encoding/json refers, or 0.
func place(err error) int64 {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return syntax.Offset
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return kind.Offset
	}
	return 0
}

// readVote reads one vote with at most room marks. If it returns an error, at is the offset in raw of the error or
// of the ballots, or 0, and e has the fields that were read before.
func readVote(raw []byte, room int) (e Election, at int64, err error) {
	var v vote
	if err := json.Unmarshal(raw, &v); err != nil {
		return e, place(err), err
	}
	e.ID = v.ID
	if v.ID == "" {
		return e, 0, errors.New("no id")
	}
	e.Title, e.Source, e.Expect = v.Title, v.Source, v.Expect
	if v.Title == "" {
		e.Title = titleOf(v.ID)
	}
	if e.Opened, e.Closed = v.Opened, v.Closed; v.Opened.IsZero() != v.Closed.IsZero() ||
		!v.Opened.IsZero() && !v.Closed.After(v.Opened) {
		return e, 0, errors.New("opened and closed: expected both, the close after the opening")
	}
	if v.Source == "" {
		e.Source = v.SourcePath
	}
	if v.Official != nil {
		e.Expect = v.Official
	}
	e.Options = v.Options
	if v.Options == nil {
		e.Options = v.Candidates
	}
	e.Rules.Default = NoDefault
	index, err := indexOptions(e.Options)
	if err != nil {
		return e, 0, err
	}
	at = int64(max(0, bytes.Index(raw, v.Ballots)))
	switch {
	case bytes.HasPrefix(v.Ballots, []byte("{")):
		err = e.readRankStrings(v, room)
	case bytes.HasPrefix(v.Ballots, []byte(`"`)):
		err = e.readLines(v.Ballots, index, room)
	case bytes.HasPrefix(v.Ballots, []byte("[")):
		err = e.readPoints(v.Ballots, room)
	default:
		err = errors.New("no ballots: expected an object of rank strings, lines in a string, or a list of points")
	}
	if err == nil && v.Voters != nil && *v.Voters != e.Voters {
		err = fmt.Errorf("voters is %d, but the ballots are of %d", *v.Voters, e.Voters)
	}
	return e, at, err
}

// readPoints reads ballots such as [[4, [5, 0, 3]]]: a number of voters and their points for each option.
func (e *Election) readPoints(raw json.RawMessage, room int) error {
	e.Scale, e.Method = Points, STAR
	var rows [][]json.RawMessage
	if err := json.Unmarshal(raw, &rows); err != nil {
		return fmt.Errorf("ballots: %w", err)
	}
	if len(rows) > room/len(e.Options) {
		return tooMany(e)
	}
	for i, row := range rows {
		fail := func(err error) error { return fmt.Errorf("ballot %d: %w", i+1, err) }
		if len(row) != 2 {
			return fail(errors.New("expected [voters, [points per option]]"))
		}
		count, err := whole(row[0])
		if err != nil {
			return fail(fmt.Errorf("voters %w", err))
		}
		var points []json.RawMessage
		if err := json.Unmarshal(row[1], &points); err != nil || len(points) != len(e.Options) {
			return fail(fmt.Errorf("expected a list of points for each of %d options", len(e.Options)))
		}
		marks := make([]int, len(points))
		for k, raw := range points {
			if marks[k], err = whole(raw); err != nil {
				return fail(fmt.Errorf("points of option %d: %w", k+1, err))
			}
		}
		if err := e.add(Ballot{Marks: marks, Count: count}); err != nil {
			return fail(err)
		}
	}
	return nil
}

func tooMany(e *Election) error {
	return fmt.Errorf("too many ballots for %d options: a file holds %d marks", len(e.Options), MaxMarks)
}

func whole(raw []byte) (int, error) {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0, fmt.Errorf("%.40q: expected a whole number", raw)
	}
	return n, nil
}
