package work

import (
	"encoding/json"
	"fmt"
	"slices"

	"samepage/store"
)

// RewindJob brings the files and the branch of a worktree back to a commit.
var RewindJob = declareJob("rewind", "rewind", "refresh it, and rewind it again", (*WorktreeFacts).check,
	reportWorktree).holding()

// rewindOrder has the params of a [RewindJob].
type rewindOrder struct {
	To   string `json:"to"`
	From string `json:"from"` // the head of the worktree when somebody asked for it
}

// Past is a commit to which a worktree can be rewound.
type Past struct {
	Commit string
	Label  string // such as "after turn 2 of Paint the door"
}

// These limit the commits to which a worktree can be rewound.
const (
	pastSessions = "20" // those that moved last
	pastTurns    = "40" // of these sessions
	pastRewinds  = "10"
)

// loadPast loads the commits at which turns in the worktree ended, the last first, those before the first turn of each
// session, and those from which it was rewound.
func (w *Worktree) loadPast(tx *store.Tx) error {
	var turns []struct {
		N      int    `db:"n"`
		Before string `db:"head_before"`
		After  string `db:"head_after"`
		Title  string `db:"title"`
	}
	if err := tx.Select(&turns, `SELECT t.n, t.head_before, t.head_after, e.title FROM (SELECT s.id, s.title FROM sessions s
		WHERE s.worktree_id = ? ORDER BY s.moved_at DESC, s.created_at DESC, s.id LIMIT `+pastSessions+`) e
		JOIN turns t ON t.session_id = e.id WHERE t.reads = 0 AND t.head_after <> ''
		ORDER BY t.ended_at DESC, t.id LIMIT `+pastTurns, w.ID); err != nil {
		return err
	}
	for _, t := range turns {
		w.addPast(t.After, fmt.Sprintf("after turn %d of %s", t.N, t.Title))
		if t.N == 1 {
			w.addPast(t.Before, "before turn 1 of "+t.Title)
		}
	}
	var rewinds []string
	if err := tx.Select(&rewinds, `SELECT j.params FROM jobs j WHERE j.worktree_id = ? AND j.kind = '`+RewindJob.Name+
		`' ORDER BY j.created_at DESC, j.id LIMIT `+pastRewinds, w.ID); err != nil {
		return err
	}
	for _, text := range rewinds {
		var order rewindOrder
		if err := json.Unmarshal([]byte(text), &order); err != nil {
			return fmt.Errorf("a job of the worktree %s: %w", w.ID, err)
		}
		w.addPast(order.From, "before it was rewound to "+Short(order.To))
	}
	return nil
}

// addPast adds a commit unless it is the present one, or is there already, or the report of a runner named
// something else.
func (w *Worktree) addPast(commit, label string) {
	if IsHash(commit) && commit != w.Head && !slices.ContainsFunc(w.Past, func(p Past) bool { return p.Commit == commit }) {
		w.Past = append(w.Past, Past{commit, label})
	}
}

// MustBeRewindable refuses what [Worktree.MustBeIdle] refuses, and a worktree with files that are in no commit, with an
// agent at work in it, or without another commit to which it can be rewound.
func (w *Worktree) MustBeRewindable() error {
	if err := w.MustBeIdle(); err != nil {
		return err
	}
	if err := w.mustBeUnworked(); err != nil {
		return err
	}
	switch {
	case w.Dirty:
		return store.Errorf(store.Conflict, "It has uncommitted changes. Commit them first, and refresh the page.")
	case len(w.Past) == 0:
		return store.Errorf(store.Conflict, "No turn of an agent in it has ended with another commit than the present one.")
	}
	return nil
}

// RewindWorktree asks the runner to bring a worktree back to one of [Worktree.Past], which is given in its short form.
func RewindWorktree(tx *store.Tx, w *Worktree, commit string) error {
	for _, p := range w.Past {
		if Short(p.Commit) == commit {
			return QueueWorktreeJob(tx, w, RewindJob, rewindOrder{To: p.Commit, From: w.Head})
		}
	}
	return store.Missing()
}
