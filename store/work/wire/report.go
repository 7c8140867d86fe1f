package wire

import "time"

// RepoFacts is a runner's report on a repository.
type RepoFacts struct {
	Main     string   `json:"main"`
	Head     string   `json:"head"`
	Branches []Branch `json:"branches"`
	Commits  []Commit `json:"commits"` // newest of the default branch
}

// Branch is a branch with its last commit.
type Branch struct {
	Name string    `json:"name"`
	Head string    `json:"head"`
	At   time.Time `json:"at"`
}

// Commit is a commit in a log.
type Commit struct {
	Hash    string    `json:"hash"`
	Author  string    `json:"author"`
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
}

// These are the limits of [RepoFacts].
const (
	MaxBranches = 200
	MaxCommits  = 30
	MaxFacts    = 400_000 // bytes as JSON; has room for the longest names
)

// WorktreeFacts is a runner's report on a worktree. Files has the changes since the base commit, also uncommitted ones.
type WorktreeFacts struct {
	Head    string        `json:"head"`             // last commit
	Branch  string        `json:"branch,omitempty"` // empty for a detached head
	Base    string        `json:"base"`             // newest common commit of the head and the base branch
	Tip     string        `json:"tip"`              // last commit of the base branch
	Ahead   int           `json:"ahead"`
	Behind  int           `json:"behind"`
	Dirty   bool          `json:"dirty"`
	Size    int64         `json:"size"`
	Added   int           `json:"added"` // number of added lines in all files, also those left out
	Deleted int           `json:"deleted"`
	Commits []Commit      `json:"commits"`           // since the base, newest first
	Older   []Commit      `json:"older,omitempty"`   // the base commit and older ones; none if Commits is incomplete
	Whole   bool          `json:"whole,omitempty"`   // the last listed commit is the first of the history
	Files   []ChangedFile `json:"files,omitempty"`   // sorted by path
	More    bool          `json:"more,omitempty"`    // files at the end are left out
	Ignored []string      `json:"ignored,omitempty"` // files and folders
	Nested  []string      `json:"nested,omitempty"`  // folders that are repositories themselves
}

// ChangedFile is a changed file of a worktree. Only the server sets N and Lines.
type ChangedFile struct {
	N       int    `json:"-" db:"n"` // place in the list, from 1
	Path    string `json:"path" db:"path"`
	Was     string `json:"was,omitempty" db:"was"` // former path of a moved file
	Change  string `json:"change" db:"change"`     // added, deleted, modified, renamed or retyped
	Added   int    `json:"added" db:"added"`
	Deleted int    `json:"deleted" db:"deleted"`
	Binary  bool   `json:"binary,omitempty" db:"is_binary"`
	Cut     bool   `json:"cut,omitempty" db:"cut"` // Patch is left out because of the limits
	Patch   string `json:"patch,omitempty" db:"patch"`
	Lines   int    `json:"-" db:"lines"` // number of lines of Patch
}

// These are the limits of [WorktreeFacts].
const (
	MaxChanged   = 3000    // changed files
	MaxPatches   = 2 << 20 // bytes of all patches
	MaxLines     = 20_000  // lines of all patches
	MaxAhead     = 100     // commits since the base
	MaxOlder     = 100     // the base commit and older ones
	MaxUntracked = 100     // elements of Ignored, and of Nested
)

// These are the limits of turns.
const (
	TurnLease       = 30 * time.Second // how long a claim of a turn lasts unless the runner renews it
	MaxPaths        = 20               // files of a permission request
	MaxAgentSession = 200              // bytes of the id that an agent gives its conversation
)

// Archived is a runner's report on the removal of a worktree's folder.
type Archived struct {
	Head string `json:"head"` // last commit
}

// MaxCheckOutput is the greatest length, in bytes, of the field Said in the reports on a check, a setup and an
// environment. Said is a sentence about the result, which an empty line and the end of the output may follow.
const MaxCheckOutput = 20_000

// CheckReport is a runner's report on a finished check.
type CheckReport struct {
	Commit string `json:"commit"`
	Passed bool   `json:"passed"`
	Said   string `json:"said"`
}

// SetupReport is a runner's report on a setup.
type SetupReport struct {
	Passed bool   `json:"passed"`
	Said   string `json:"said"`
}

// EnvironmentReport is a runner's report on an environment.
type EnvironmentReport struct {
	State string `json:"state"` // such as [EnvRunning]
	Port  int    `json:"port"`
	Said  string `json:"said"`
}

// These are the states of an environment.
const (
	EnvRunning   = "running"
	EnvUnhealthy = "unhealthy" // the program runs, but fails its health check
	EnvStopped   = "stopped"
	EnvFailed    = "failed"
)

// MergeReport is a runner's report on an attempt to merge. It has exactly one of a commit, conflicts and a problem.
type MergeReport struct {
	Into      string     `json:"into"`             // head of the base before the merge
	Commit    string     `json:"commit,omitempty"` // head of the base after the merge
	Conflicts []Conflict `json:"conflicts,omitempty"`
	Problem   string     `json:"problem,omitempty"`
	Place     string     `json:"place,omitempty"` // of the merged repository on the runner's machine; may be empty
	Repo      RepoFacts  `json:"repo"`
}

// Conflict is a file with different changes in the branch and its base.
type Conflict struct {
	Path   string `json:"path"`
	Ours   string `json:"ours"`             // content in the base; empty if there is no such file
	Theirs string `json:"theirs"`           // content in the branch
	Binary bool   `json:"binary,omitempty"` // the contents are left out
	Cut    bool   `json:"cut,omitempty"`    // the contents are shortened
}

// MaxConflicts is the greatest number of conflicts in a report. MaxSide is the greatest length of
// Ours and of Theirs, in bytes.
const (
	MaxConflicts = 20
	MaxSide      = 4000
)

// ForgeReport is a runner's report on a pull request's copy on the forge.
type ForgeReport struct {
	Number int        `json:"number"`
	URL    string     `json:"url"`
	State  string     `json:"state"` // open, merged or closed
	Head   string     `json:"head"`
	Merged string     `json:"merged,omitempty"` // commit of the base after the merge on the forge
	By     string     `json:"by,omitempty"`     // user that merged the copy
	Checks string     `json:"checks,omitempty"`
	Names  []string   `json:"names,omitempty"` // checks that failed or have not ended
	Repo   *RepoFacts `json:"repo,omitempty"`  // only after a merge
}

// These are the limits of Names in a [ForgeReport]. A name has at most 100 characters of at most 4 bytes.
const (
	MaxNames     = 20
	MaxNameBytes = 400
)

// MadeIssues is a runner's report on the issues that it has made.
type MadeIssues struct {
	Issues []MadeIssue `json:"issues"`
}

// MadeIssue is an issue that a runner has made.
type MadeIssue struct {
	Key string `json:"key"`
	N   int    `json:"n"`
	URL string `json:"url"`
}

// TurnEnd is a runner's report on the end of a turn.
type TurnEnd struct {
	State        string         `json:"state"`
	Class        string         `json:"class,omitempty"`
	Reason       string         `json:"reason,omitempty"`
	AgentSession string         `json:"agent_session,omitempty"`
	Fresh        bool           `json:"fresh,omitempty"`
	HeadBefore   string         `json:"head_before,omitempty"`
	HeadAfter    string         `json:"head_after,omitempty"`
	TokensIn     *int64         `json:"tokens_in,omitempty"`
	TokensOut    *int64         `json:"tokens_out,omitempty"`
	Cost         *int64         `json:"cost,omitempty"`
	Currency     string         `json:"currency,omitempty"`
	Tree         *WorktreeFacts `json:"tree,omitempty"` // state after the turn; nil if it could not be read
}
