package tally

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// readRankStrings reads ballots in the form of Debian's votes, such as {"2-13": 57}. Each key has one character for
// each option: a rank from 1 to 9, or - for no rank. The value is the number of voters.
func (e *Election) readRankStrings(v vote, room int) error {
	e.Scale, e.Method = Ranks, Schulze
	if err := e.debianRules(v); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(v.Ballots))
	if _, err := dec.Token(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		text, _ := key.(string)
		fail := func(err error) error { return fmt.Errorf("ballot %.250q: %w", text, err) }
		var voters json.RawMessage
		if err := dec.Decode(&voters); err != nil {
			return fail(err)
		}
		if seen[text] {
			return fail(errors.New("is there twice"))
		}
		seen[text] = true
		if len(seen) > room/len(e.Options) {
			return tooMany(e)
		}
		marks, err := rankString(text, len(e.Options))
		if err != nil {
			return fail(err)
		}
		count, err := whole(voters)
		if err != nil {
			return fail(fmt.Errorf("voters %w", err))
		}
		if err := e.add(Ballot{Marks: marks, Count: count}); err != nil {
			return fail(err)
		}
	}
	return nil
}

func rankString(text string, n int) ([]int, error) {
	if len(text) != n {
		return nil, fmt.Errorf("%d ranks for %d options", len(text), n)
	}
	marks := make([]int, n)
	for i, char := range []byte(text) {
		switch {
		case char >= '1' && char <= '9':
			marks[i] = int(char - '0')
		case char != '-':
			return nil, fmt.Errorf("rank %q of option %d: expected 1 to 9, or - for none", char, i+1)
		}
	}
	return marks, nil
}

// debianRules reads the default option, the quorum and the majorities that were published with a vote. If there is a
// default option, each other option needs the [Rules.Majority] 1:1, unless the vote requires another one.
func (e *Election) debianRules(v vote) error {
	var official struct {
		Quorum   json.Number `json:"quorum"`
		Majority []struct {
			Option int         `json:"option"`
			Needs  json.Number `json:"needs"`
		} `json:"majority"`
	}
	if v.Official != nil {
		if err := json.Unmarshal(v.Official, &official); err != nil {
			return fmt.Errorf("official: %w", err)
		}
	}
	n := len(e.Options)
	if v.Default == nil {
		if official.Quorum != "" || official.Majority != nil {
			return errors.New("a quorum or majority needs a default_option")
		}
		return nil
	}
	if *v.Default < 1 || *v.Default > n {
		return fmt.Errorf("default_option %d: expected 1 to %d", *v.Default, n)
	}
	e.Rules.Default = *v.Default - 1
	e.Rules.Majority = make([]Ratio, n)
	for i := range e.Rules.Majority {
		e.Rules.Majority[i] = Ratio{1, 1}
	}
	var err error
	if official.Quorum != "" {
		if e.Rules.Quorum, err = ParseRatio(official.Quorum.String()); err != nil {
			return fmt.Errorf("quorum: %w", err)
		}
	}
	for _, m := range official.Majority {
		if m.Option < 1 || m.Option > n {
			return fmt.Errorf("majority of option %d: expected 1 to %d", m.Option, n)
		}
		if e.Rules.Majority[m.Option-1], err = ParseRatio(m.Needs.String()); err != nil {
			return fmt.Errorf("majority of option %d: %w", m.Option, err)
		}
	}
	return nil
}

// readLines reads ballots in lines such as "A > B = C * 8", best option first, with = between equal options and the
// number of voters after *. The number is 1 by default. Options that are not in a line are not ranked.
func (e *Election) readLines(raw json.RawMessage, index map[string]int, room int) error {
	e.Scale = Ranks
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("ballots: %w", err)
	}
	at := 0
	for row := range strings.SplitSeq(text, "\n") {
		at++
		if row = strings.TrimSpace(row); row == "" {
			continue
		}
		if len(e.Ballots) >= room/len(e.Options) {
			return tooMany(e)
		}
		b, err := readPreference(row, index)
		if err == nil {
			err = e.add(b)
		}
		if err != nil {
			return fmt.Errorf("line %d of the ballots: %w", at, err)
		}
	}
	return nil
}

func readPreference(row string, index map[string]int) (Ballot, error) {
	b := Ballot{Marks: make([]int, len(index)), Count: 1}
	order, voters, counted := strings.Cut(row, "*")
	if counted {
		count, err := strconv.Atoi(strings.TrimSpace(voters))
		if err != nil {
			return b, fmt.Errorf("%.40q after *: expected a number of voters", strings.TrimSpace(voters))
		}
		b.Count = count
	}
	rank := 0
	for group := range strings.SplitSeq(order, ">") {
		rank++
		for name := range strings.SplitSeq(group, "=") {
			name = strings.TrimSpace(name)
			i, known := index[name]
			if !known {
				return b, fmt.Errorf("%.80q is not an option", name)
			}
			if b.Marks[i] != 0 {
				return b, fmt.Errorf("%q is ranked twice", name)
			}
			b.Marks[i] = rank
		}
	}
	return b, nil
}
