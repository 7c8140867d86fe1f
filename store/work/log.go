package work

import (
	"slices"

	"samepage/store"
)

// mostLog is the number of commits on one page.
const mostLog = 50

// LogPage is a part of the log of a worktree, as far as the runner reported it.
type LogPage struct {
	*Worktree
	Since []Commit // that the base lacks, newest first
	Older []Commit // the base commit and those before it
	Next  string   // hash of the first commit of the next part; empty at the end
	First bool     // the page begins with the head
	Gap   int      // at the end, commits since the base that the runner did not report
	Whole bool     // at the end, the last commit is the first of the history
}

// ShowLog loads a part of the log that begins with a commit; an empty hash stands for the head. It returns
// [store.Invalid] if the runner did not report this commit.
func ShowLog(w *Worktree, from string) (*LogPage, error) {
	f, err := w.Reported()
	if err != nil {
		return nil, err
	}
	v := &LogPage{Worktree: w, First: from == ""}
	all := slices.Concat(f.Commits, f.Older)
	first := 0
	if from != "" {
		first = slices.IndexFunc(all, func(c Commit) bool { return c.Hash == from })
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
