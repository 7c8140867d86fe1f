package work

import (
	"encoding/json"
	"fmt"
	"strings"

	"samepage/store"
)

// These are the limits of [WorktreeFacts].
const (
	MaxChanged   = 3000    // files
	MaxPatches   = 2 << 20 // bytes of all patches
	MaxLines     = 20_000  // lines of all patches
	MaxAhead     = 100     // commits since the base
	MaxOlder     = 100     // commits up to the base
	MaxUntracked = 100     // ignored and nested folders
)

// WorktreeFacts is the report of a runner on a worktree. The difference is that between the base commit and the files
// as they are, with those that are in no commit yet.
type WorktreeFacts struct {
	Head    string        `json:"head"`             // last commit of the checkout
	Branch  string        `json:"branch,omitempty"` // branch that the checkout is on; empty if it is on none
	Base    string        `json:"base"`             // newest commit that the head and the branch base have in common
	Tip     string        `json:"tip"`              // last commit of the branch base
	Ahead   int           `json:"ahead"`
	Behind  int           `json:"behind"`
	Dirty   bool          `json:"dirty"`
	Size    int64         `json:"size"`
	Added   int           `json:"added"` // lines in all files, also in those that are missing
	Deleted int           `json:"deleted"`
	Commits []Commit      `json:"commits"`           // since the base, newest first
	Older   []Commit      `json:"older,omitempty"`   // the base and those before it, newest first; none if Commits has a gap
	Whole   bool          `json:"whole,omitempty"`   // there is no commit before the last one
	Files   []ChangedFile `json:"files,omitempty"`   // in the order of their paths
	More    bool          `json:"more,omitempty"`    // files are missing at the end
	Ignored []string      `json:"ignored,omitempty"` // files and folders that no commit contains
	Nested  []string      `json:"nested,omitempty"`  // folders that are repositories of their own
}

// ChangedFile is a changed file of a worktree.
type ChangedFile struct {
	N       int    `json:"-" db:"n"` // place in the list, from 1
	Path    string `json:"path" db:"path"`
	Was     string `json:"was,omitempty" db:"was"` // former path, if it was moved
	Change  string `json:"change" db:"change"`     // added, deleted, modified, renamed or retyped
	Added   int    `json:"added" db:"added"`
	Deleted int    `json:"deleted" db:"deleted"`
	Binary  bool   `json:"binary,omitempty" db:"is_binary"`
	Cut     bool   `json:"cut,omitempty" db:"cut"` // the patch is beyond the limits
	Patch   string `json:"patch,omitempty" db:"patch"`
	Lines   int    `json:"-" db:"lines"` // of the patch
}

// check returns [store.Invalid] for a report that no runner makes.
func (f *WorktreeFacts) check() error {
	if len(f.Head) != 40 || len(f.Base) != 40 {
		return store.Errorf(store.Invalid, "Give the head and the base as full hashes.")
	}
	size, lines := 0, 0
	for i := range f.Files {
		size += len(f.Files[i].Patch)
		lines += strings.Count(f.Files[i].Patch, "\n")
	}
	if len(f.Files) > MaxChanged || size > MaxPatches || lines > MaxLines || len(f.Commits) > MaxAhead ||
		len(f.Older) > MaxOlder ||
		len(f.Ignored) > MaxUntracked || len(f.Nested) > MaxUntracked {
		return store.Errorf(store.Invalid,
			"Report at most %d files, %d lines and %d bytes of patches, %d commits, %d older ones and "+
				"%d ignored files.", MaxChanged, MaxLines, MaxPatches, MaxAhead, MaxOlder, MaxUntracked)
	}
	return nil
}

// ReportWorktree stores the report of a runner on a worktree.
func ReportWorktree(tx *store.Tx, id string, f WorktreeFacts) error {
	files := f.Files
	f.Files = nil
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	now, before := store.At(tx.Now), ""
	if err := tx.Get(&before, `SELECT head FROM worktrees WHERE id = ?`, id); err != nil {
		return err
	}
	if err := raiseReviews(tx, id, before, f.Head); err != nil {
		return err
	}
	if err := raiseSessionsIn(tx, id); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE worktrees SET head = ?, base_commit = ?, facts = ?, facts_at = ?, made_at = coalesce(made_at, ?),
		archived_at = NULL, dirty = ?, ahead = ?, behind = ?, size = ?, changed = ?, added = ?, deleted = ? WHERE id = ?`,
		f.Head, f.Base, string(text), now, now, number(f.Dirty), f.Ahead, f.Behind, f.Size, len(files), f.Added,
		f.Deleted,
		id); err != nil {
		return err
	}
	if err := tx.Exec(`DELETE FROM worktree_files WHERE worktree_id = ?`, id); err != nil {
		return err
	}
	if err := insertFiles(tx, id, files); err != nil {
		return err
	}
	return followHead(tx, id, before, f.Head)
}

// insertFiles adds changed files of a worktree, in a few statements. The number of different statements is small, too,
// because the database keeps each one.
func insertFiles(tx *store.Tx, id string, files []ChangedFile) error {
	var org string
	if err := tx.Get(&org, `SELECT org_id FROM worktrees WHERE id = ?`, id); err != nil {
		return err
	}
	const insert, row = `INSERT INTO worktree_files (worktree_id, n, org_id, path, was, change, added, deleted, lines, is_binary, cut,
		patch) VALUES `, `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := 0; i < len(files); {
		n := 1
		for _, most := range []int{100, 10} {
			if len(files)-i >= most {
				n = most
				break
			}
		}
		var args []any
		for ; len(args) < 12*n; i++ {
			c := &files[i]
			args = append(args, id, i+1, org, c.Path, c.Was, c.Change, c.Added, c.Deleted, strings.Count(c.Patch, "\n"),
				number(c.Binary), number(c.Cut), c.Patch)
		}
		if err := tx.Exec(insert+row+strings.Repeat(`, `+row, n-1), args...); err != nil {
			return err
		}
	}
	return nil
}

// number returns a truth as the database has it.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// WorktreePage is a worktree with the report of its runner.
type WorktreePage struct {
	*Worktree
	Found WorktreeFacts
	Files []ChangedFile // without patches
	// Sessions has the sessions of agents in it, the last moved first.
	Sessions []Session
}

// mostChanged is the number of changed files on the page of a worktree.
const mostChanged = 50

// ShowWorktree loads the report of the runner.
func ShowWorktree(tx *store.Tx, _ store.Actor, w *Worktree) (*WorktreePage, error) {
	f, err := w.Reported()
	if err != nil {
		return nil, err
	}
	v := &WorktreePage{Worktree: w, Found: *f}
	if v.Files, err = w.files(tx, mostChanged); err != nil {
		return nil, err
	}
	v.Sessions, err = sessionsIn(tx, w)
	return v, err
}

// Reported returns the last report of the runner, without files. It is empty before the first one.
func (w *Worktree) Reported() (*WorktreeFacts, error) {
	f := &WorktreeFacts{}
	if w.Facts == "" {
		return f, nil
	}
	if err := json.Unmarshal([]byte(w.Facts), f); err != nil {
		return nil, fmt.Errorf("the facts of the worktree %s: %w", w.ID, err)
	}
	return f, nil
}

// files lists the first changed files, without patches.
func (w *Worktree) files(tx *store.Tx, most int) (list []ChangedFile, err error) {
	err = tx.Select(&list, `SELECT n, path, was, change, added, deleted, lines, is_binary, cut FROM worktree_files
		WHERE worktree_id = ? ORDER BY n LIMIT ?`, w.ID, most)
	return list, err
}
