package actions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// CheckCounts compares the ballots of all decisions of an organization with the stored counts and with the journal.
// Drafts, removed decisions and erased texts are not compared.
func CheckCounts(tx *store.Tx, o *store.Organization) (wrong []store.Mismatch, err error) {
	ids, err := governance.DecisionIDs(tx, o)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		d, err := governance.FindDecision(tx, store.System(), "", id)
		if store.CodeOf(err) == store.NotFound { // a draft
			continue
		}
		if err != nil {
			return nil, err
		}
		reason, err := miscount(tx, d)
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", d.URL(), err)
		}
		if reason != "" {
			wrong = append(wrong, store.Mismatch{URL: d.URL(), Reason: reason})
		}
	}
	return wrong, nil
}

// miscount returns the first difference between the ballots, the counts and the journal of a decision, as a clause, or
// "" if there is none.
func miscount(tx *store.Tx, d *governance.Decision) (string, error) {
	if d.Removed() {
		return "", nil
	}
	if recorded, err := governance.RecordedOptions(tx, d); err != nil || recorded != nil && !slices.Equal(recorded, d.Titles()) {
		return "its options are not those in the journal", err
	}
	method, n := tally.Method(d.Method), max(d.Options, 1)
	profiles, err := governance.Profiles(tx, d)
	if err != nil {
		return "", err
	}
	running, err := Rules(d).Running(method, n)
	if err != nil {
		return "", err
	}
	ballots, total := make([]tally.Ballot, len(profiles)), 0
	for i, p := range profiles {
		b, err := tally.ParseMarks(p.Marks, n)
		if err == nil {
			err = running.Add(b, p.Count)
		}
		if err != nil {
			return "a ballot in it is none of its method", nil
		}
		b.Count = p.Count
		ballots[i], total = b, total+p.Count
	}
	if total != d.Ballots {
		return fmt.Sprintf("it has %d ballots, and %d are kept as its number", total, d.Ballots), nil
	}
	if strays, err := governance.StrayBallots(tx, d, CastVote.Name); err != nil || strays > 0 {
		return fmt.Sprintf("the journal has no entry of %d of its ballots", strays), err
	}
	if d.Closed() {
		return checkResult(tx, d, running, ballots)
	}
	if d.Anonymous || d.Tally == "" && total == 0 {
		return "", nil
	}
	if text, err := marshal(running); err != nil || !sameJSON(text, d.Tally) {
		return "its ballots do not make the count that is kept with it", err
	}
	return "", nil
}

// checkResult counts a closed vote again. It returns the first difference from the stored and the journalled result, as
// a clause, or "" if there is none.
func checkResult(tx *store.Tx, d *governance.Decision, running tally.Running, ballots []tally.Ballot) (string, error) {
	method, rules := tally.Method(d.Method), Rules(d).For(d.Electorate)
	result, err := running.Result(method, rules)
	if method == tally.IRV || d.Anonymous {
		result, err = tally.Count(method, max(d.Options, 1), ballots, rules)
	}
	if err != nil {
		return "", err
	}
	text, err := marshal(result)
	if err != nil {
		return "", err
	}
	if !sameJSON(text, d.Result) {
		return "its ballots do not make the result that is kept with it", nil
	}
	recorded, err := governance.RecordedResult(tx, d)
	if err != nil || recorded == "" || sameJSON(recorded, d.Result) {
		return "", err
	}
	return "its result is not the one in the journal", nil
}

// sameJSON reports whether two JSON texts are equal except for white space.
func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
