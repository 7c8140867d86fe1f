package tally

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// Values of a CSV cell that does not name an option.
const (
	undervote = "undervote"
	overvote  = "overvote"
)

// readCSV reads the ballots of a ranked-choice election in the format of US cities. The argument room is the maximum
// number of marks.
func readCSV(name string, data []byte, room int) ([]Election, error) {
	id := strings.TrimSuffix(path.Base(name), path.Ext(name))
	e := Election{ID: id, Title: titleOf(id), Scale: Ranks, Method: IRV, Rules: Rules{Default: NoDefault, Batch: true}}
	rows, err := readRows(name, data)
	if err != nil {
		return nil, err
	}
	index := map[string]int{}
	for rank := range rows[0].ranks {
		for _, row := range rows {
			option := row.ranks[rank]
			if _, known := index[option]; known || option == undervote || option == overvote {
				continue
			}
			if err := checkName(option); err != nil {
				return nil, fmt.Errorf("%s:%d: rank %d: %w", name, row.line, rank+1, err)
			}
			if len(e.Options) == MaxOptions {
				return nil, fmt.Errorf("%s:%d: %q is one option more than %d", name, row.line, option, MaxOptions)
			}
			index[option] = len(e.Options)
			e.Options = append(e.Options, option)
		}
	}
	if len(e.Options) == 0 {
		return nil, fmt.Errorf("%s: no ballot names an option", name)
	}
	if len(rows) > room/len(e.Options) {
		return nil, fmt.Errorf("%s: %w", name, tooMany(&e))
	}
	for _, row := range rows {
		b := row.ballot(index)
		if err := e.add(b); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, row.line, err)
		}
	}
	return []Election{e}, nil
}

// ranking is one line of the file, with a cell for each rank.
type ranking struct {
	line   int
	voters int
	ranks  []string
}

func readRows(name string, data []byte) ([]ranking, error) {
	in := csv.NewReader(bytes.NewReader(data))
	var rows []ranking
	for {
		fields, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			if bad, ok := errors.AsType[*csv.ParseError](err); ok {
				return nil, fmt.Errorf("%s:%d: %w", name, bad.Line, bad.Err)
			}
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		at, _ := in.FieldPos(0)
		if rows == nil {
			if err := checkHeading(fields); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, at, err)
			}
			rows = []ranking{}
			continue
		}
		voters, err := strconv.Atoi(fields[0])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: count %.40q: expected a whole number", name, at, fields[0])
		}
		rows = append(rows, ranking{at, voters, fields[1:]})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no ballots after the heading", name)
	}
	return rows, nil
}

func checkHeading(fields []string) error {
	if len(fields)-1 > MaxOptions {
		return fmt.Errorf("%d ranks: expected at most %d", len(fields)-1, MaxOptions)
	}
	for i, field := range fields {
		want := "rank" + strconv.Itoa(i)
		if i == 0 {
			want = "count"
		}
		if field != want {
			return fmt.Errorf("heading %.40q: expected %s, as in count,rank1,rank2", field, want)
		}
	}
	return nil
}

// ballot converts the line to a ballot. A repeated option is dropped, and later ranks move up, so that it leaves no
// blank rank.
func (r ranking) ballot(index map[string]int) Ballot {
	b := Ballot{Marks: make([]int, len(index)), Count: r.voters}
	rank := 0
	for _, option := range r.ranks {
		rank++
		switch option {
		case undervote:
		case overvote:
			b.Overvotes = append(b.Overvotes, rank)
		default:
			if i := index[option]; b.Marks[i] == 0 {
				b.Marks[i] = rank
			} else {
				rank--
			}
		}
	}
	return b
}
