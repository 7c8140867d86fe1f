package tally

import (
	"encoding/json"
	"slices"
	"strings"

	"samepage/store/memo"
)

// Counts and rules are stored as text. Their parsed values are cached by that text.

// Stored is the stored form of a count: the rules, and either the recorded result or the running tally.
type Stored struct {
	Method                Method
	Rules, Tally, Outcome string // JSON of [Rules], [Running] and [Result]
	Electorate            int
}

// Size implements [memo.Key].
func (s Stored) Size() int { return len(s.Rules) + len(s.Tally) + len(s.Outcome) }

// Clone implements [memo.Key].
func (s Stored) Clone() Stored {
	s.Rules, s.Tally, s.Outcome = strings.Clone(s.Rules), strings.Clone(s.Tally), strings.Clone(s.Outcome)
	return s
}

// Result returns the recorded result, or the result of the running tally so far. It returns nil if there is neither, or
// if it cannot be read or does not fit the method. Callers share the result and must not change it.
func (s Stored) Result() *Result { return results.Get(s).Result }

type result struct {
	*Result
	size int
}

// Size implements [memo.Answer].
func (r result) Size() int { return r.size }

// resultBytes is the size of the cache in bytes, enough for the results of a few thousand decisions.
const resultBytes = 16 << 20

var results = memo.New(resultBytes, func(s Stored) result {
	size := 512 + 4*(len(s.Tally)+len(s.Outcome)) // a number takes eight bytes in memory and two or more in the text
	if s.Outcome != "" {
		var r Result
		if json.Unmarshal([]byte(s.Outcome), &r) != nil {
			return result{}
		}
		return result{&r, size}
	}
	var running Running
	if s.Tally == "" || running.UnmarshalJSON([]byte(s.Tally)) != nil {
		return result{}
	}
	r, err := running.Result(s.Method, ReadRules(s.Rules).For(s.Electorate))
	if err != nil {
		return result{}
	}
	return result{&r, size}
})

// ReadRules parses stored rules. It returns rules without requirements if the text cannot be parsed. Callers share the
// value and must not change it.
func ReadRules(text string) Rules { return rules.Get(rulesText(text)) }

type rulesText string

// Size implements [memo.Key].
func (t rulesText) Size() int { return len(t) }

// Clone implements [memo.Key].
func (t rulesText) Clone() rulesText { return rulesText(strings.Clone(string(t))) }

// Size implements [memo.Answer].
func (r Rules) Size() int { return 128 + 16*len(r.Majority) }

var rules = memo.New(1<<20, func(text rulesText) Rules {
	r := Rules{Default: NoDefault}
	if text != "" && json.Unmarshal([]byte(text), &r) != nil {
		return Rules{Default: NoDefault}
	}
	r.Majority = slices.Clip(r.Majority) // makes an append by a caller copy the list
	return r
})
