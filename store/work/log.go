package work

import (
	"slices"

	"samepage/store"
	"samepage/store/work/wire"
)

const mostLog = 50

// LogPage is one page of a worktree's log, with the commits that the runner has reported.
type LogPage struct {
	*Worktree
	Since []wire.Commit // commits that the base lacks, newest first
	Older []wire.Commit // the base commit and older ones
	Next  string        // first commit of the next page; empty on the last page
	First bool          // asked for without a first commit
	Gap   int           // on the last page, number of unreported commits that the base lacks
	Whole bool          // the page ends with the first commit of the history
}

// ShowLog loads the page of the log that begins with the commit of this hash, or with the head if the hash is empty. It
// returns [store.Invalid] if the runner has not reported that commit.
func ShowLog(w *Worktree, from string) (*LogPage, error) {
	f, err := w.Reported()
	if err != nil {
		return nil, err
	}
	v := &LogPage{Worktree: w, First: from == ""}
	all := slices.Concat(f.Commits, f.Older)
	first := 0
	if from != "" {
		first = slices.IndexFunc(all, func(c wire.Commit) bool { return c.Hash == from })
		if first < 0 {
			return nil, store.Errorf(store.Invalid,
				"The log has no commit %q, as far as the runner reported it. Begin again at %s.", from,
				store.Address(w.URL()+"/log"))
		}
	}
	last := min(first+mostLog, len(all))
	since := min(max(first, len(f.Commits)), last)
	v.Since, v.Older = all[first:since], all[since:last]
	if last < len(all) {
		v.Next = all[last].Hash
		return v, nil
	}
	v.Whole = f.Whole
	if len(f.Older) == 0 {
		v.Gap = w.Ahead - len(f.Commits)
	}
	return v, nil
}
