package work

import (
	"encoding/json"
	"fmt"
	"strings"

	"samepage/store"
	"samepage/store/work/wire"
)

// PullKind is the kind of pull requests in grants and in the journal.
var PullKind = store.DeclareGrantKind("pull")

// Pull is a request to merge the branch of a worktree into its base. [Pull.Head] is its head.
type Pull struct {
	ID         string     `db:"id"`
	OrgID      string     `db:"org_id"`
	StudioID   string     `db:"studio_id"`
	WorktreeID string     `db:"worktree_id"`
	N          int        `db:"n"` // number within the studio, from 1
	Title      string     `db:"title"`
	Text       string     `db:"text"` // markdown
	Draft      bool       `db:"draft"`
	OpenedAt   store.Time `db:"opened_at"`
	MemberID   string     `db:"member_id"`
	AgentID    string     `db:"agent_id"`
	Method     string     `db:"method"`    // of the last attempt to merge, one of [MergeMethods]; empty before
	Override   string     `db:"reason"`    // reason for a merge without an approved review or a passed check
	Tried      string     `db:"tried"`     // head of the branch in the last attempt to merge
	Into       string     `db:"into_base"` // head of the base in the last attempt to merge
	Problem    string     `db:"problem"`   // why the last attempt to merge failed; may be empty
	Clashes    string     `db:"conflicts"` // conflicts in the last attempt to merge, as JSON; may be empty
	Merged     string     `db:"merged"`    // head of the base after the merge
	Place      string     `db:"place"`     // folder of the repository on the runner's machine; may be empty
	EndHead    string     `db:"head"`      // head at the end; empty before
	EndedAt    store.Time `db:"ended_at"`
	// DeletesBranch means that the merge also deletes the branch and archives the worktree.
	DeletesBranch bool       `db:"deletes_branch"`
	Checked       string     `db:"checked"` // commit of the last check; may be empty
	CheckedAt     store.Time `db:"checked_at"`
	Passed        bool       `db:"check_passed"`
	// CheckSaid is a sentence about the last check, an empty line, and the end of the output.
	CheckSaid string `db:"check_said"`
	Outcome   string `db:"state"` // [PullMerged] or [PullClosed]; empty before the end

	Author      string `db:"author"`       // handle
	AuthorAgent string `db:"author_agent"` // label
	// EnderID is the member that closed the pull request or requested the last merge; may be empty.
	EnderID     string `db:"ender_id"`
	Ender       string `db:"ender"`           // handle
	EnderAgent  string `db:"ender_agent"`     // label of the ender's agent
	SessionID   string `db:"session_id"`      // session that did the work; may be empty
	Session     string `db:"session"`         // title of the session
	SessionOver bool   `db:"session_over"`    // the session is archived
	Asks        bool   `db:"asks"`            // the session's agent asks before it acts
	ReviewID    string `db:"review_id"`       // approved review of the head; may be empty
	Reviews     bool   `db:"review_required"` // a merge needs an approved review of the head
	CheckArgv   Lines  `db:"check_argv"`      // program that checks commits, and its arguments
	Protected   Lines  `db:"protected"`       // paths whose changes only people may merge
	Worktree    string `db:"worktree"`        // name
	Branch      string `db:"branch"`
	Base        string `db:"base"`
	WorkHead    string `db:"work_head"` // present head of the worktree
	Ahead       int    `db:"ahead"`
	Behind      int    `db:"behind"`
	Dirty       bool   `db:"dirty"`
	Archived    bool   `db:"archived"` // the worktree is archived
	Another     int    `db:"another"`  // number of the worktree's open pull request, possibly this one; 0 for none
	Repo        string `db:"repo"`     // name
	Source      string `db:"source"`   // of the repository
	Accounts    Lines  `db:"accounts"` // URLs below which the runner has accounts
	Host
	RepoID       string `db:"repo_id"`
	Main         string `db:"main"` // default branch
	StudioHandle string `db:"studio_handle"`

	Published

	Studio *store.Studio
	Job    *Job // latest [MergeJob]; nil for none, and in lists
	// PublishJob is the latest [PublishJob]. It is nil for none, and in lists.
	PublishJob *Job
	// CheckJob is the latest [CheckJob]. It is nil for none, after the end, and in lists.
	CheckJob *Job
	Based    []string // worktrees based on the branch; empty after the end, and in lists
	Turns    int      // number of turns that run or wait in the worktree; 0 after the end, and in lists
	Touched  []string // changed files at protected paths (see touches); empty after the end, and in lists
}

const pullColumns = `q.id, q.org_id, q.studio_id, q.worktree_id, q.n, q.title, q.text, q.draft, q.opened_at, q.member_id, q.agent_id,
	q.method, q.reason, q.tried, q.into_base, q.problem, q.conflicts, q.merged, q.place, q.head, q.ended_at, q.state,
		q.deletes_branch,
	q.checked, q.checked_at, q.check_passed, q.check_said,
	(SELECT x.handle FROM members x WHERE x.id = q.member_id) AS author,
	coalesce((SELECT x.label FROM agents x WHERE x.id = q.agent_id), '') AS author_agent,
	coalesce(q.ended_by, '') AS ender_id,
		coalesce((SELECT x.handle FROM members x WHERE x.id = q.ended_by), '') AS ender,
	coalesce((SELECT x.label FROM agents x WHERE x.id = q.ended_agent), '') AS ender_agent,
	coalesce(e.id, '') AS session_id, coalesce(e.title, '') AS session, e.archived_at IS NOT NULL AS session_over,
	coalesce((SELECT f.asks FROM manifests f WHERE f.id = e.manifest_id), 0) AS asks,
	coalesce((SELECT max(v.id) FROM reviews v JOIN sessions y ON y.id = v.session_id WHERE y.worktree_id = w.id
		AND v.state = 'approved' AND v.commit_hash = CASE q.head WHEN '' THEN w.head ELSE q.head END), '') AS review_id,
	p.review_required, p.protected, p.check_argv, w.name AS worktree, w.branch, w.base, w.head AS work_head, w.ahead,
		w.behind, w.dirty,
	w.archived_at IS NOT NULL AS archived,
	` + openPull + ` AS another, p.name AS repo, p.source, r.forges AS accounts, ` + publishedColumns + `, ` + hostColumns + `,
	p.id AS repo_id, p.main, h.handle AS studio_handle`

// openPull is an SQL expression for the number of the open pull request of a worktree (alias w), or 0.
const openPull = `coalesce((SELECT o.n FROM pulls o WHERE o.worktree_id = w.id AND o.ended_at IS NULL), 0)`

const pullFrom = ` FROM pulls q JOIN worktrees w ON w.id = q.worktree_id JOIN repos p ON p.id = w.repo_id
	JOIN runners r ON r.id = p.runner_id JOIN studios h ON h.id = q.studio_id LEFT JOIN sessions e ON e.id = q.session_id `

// These are the states of a pull request.
const (
	PullDraft  = "draft"
	PullOpen   = "open"
	PullMerged = "merged"
	PullClosed = "closed"
)

// PullStates returns the possible states of a pull request.
func PullStates() []string { return []string{PullDraft, PullOpen, PullMerged, PullClosed} }

// State returns one of [PullStates].
func (q *Pull) State() string {
	switch {
	case q.Outcome != "":
		return q.Outcome
	case q.Draft:
		return PullDraft
	}
	return PullOpen
}

// Head returns the last commit of the branch or, after the end of the pull request, the last commit at that end.
func (q *Pull) Head() string {
	if q.EndHead != "" {
		return q.EndHead
	}
	return q.WorkHead
}

// Merging reports whether a [MergeJob] is open.
func (q *Pull) Merging() bool { return q.Job != nil && q.Job.Open() }

func (q *Pull) studioURL() string {
	return studioURL(q.Studio, q.StudioHandle)
}

// URL returns the path of the pull request's page.
func (q *Pull) URL() string { return PullURL(q.studioURL(), q.N) }

// PullURL returns the path of a pull request's page below the path of its studio.
func PullURL(studio string, n int) string { return fmt.Sprintf("%s/pulls/%d", studio, n) }

// WorktreeURL returns the path of the worktree's page.
func (q *Pull) WorktreeURL() string { return q.studioURL() + "/worktrees/" + q.Worktree }

// tree returns the worktree with only the fields for its files and jobs.
func (q *Pull) tree() *Worktree {
	return &Worktree{ID: q.WorktreeID, OrgID: q.OrgID, RepoID: q.RepoID, Host: q.Host}
}

// Name returns the number and the title.
func (q *Pull) Name() string { return fmt.Sprintf("#%d %s", q.N, q.Title) }

// Ref returns the pull request as the target of a journal entry.
func (q *Pull) Ref() store.Ref {
	return store.Ref{OrgID: q.OrgID, StudioID: q.StudioID, Kind: PullKind, ID: q.ID, URL: q.URL(), Title: q.Title,
		MemberID: q.MemberID}
}

// Record returns the fields that the journal stores about a pull request.
func (q *Pull) Record() any {
	return struct {
		Title    string `json:"title"`
		Text     string `json:"text,omitempty"`
		Worktree string `json:"worktree"`
		Base     string `json:"base"`
		Head     string `json:"head,omitempty"`
		State    string `json:"state"`
		Method   string `json:"method,omitempty"`
		Review   string `json:"review,omitempty"`
		Override string `json:"override,omitempty"`
		Check    string `json:"check,omitempty"`
		Merged   string `json:"merged,omitempty"`
		Problem  string `json:"problem,omitempty"`
		Copy     string `json:"copy,omitempty"`
		Checks   string `json:"checks_there,omitempty"`
	}{q.Title, q.Text, q.Worktree, q.Base, q.Head(), q.State(), q.Method, q.ReviewID, q.Override, q.Check(), q.Merged,
		q.Problem,
		q.Published.URL, q.Checks}
}

// Relation returns the actor's relations to the pull request.
func (q *Pull) Relation(by store.Actor) store.Relation {
	return relationOf(by, q.Studio, q.MemberID)
}

// FindPull finds a pull request of a studio by its number. It returns [store.Missing] if there is none, if the actor
// may not see the studio, or if the actor is neither a member of the organization nor the scheduler.
func FindPull(tx *store.Tx, by store.Actor, studio string, n int) (*Pull, error) {
	h, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	if by.In(h.OrgID).Member == nil && !by.System {
		return nil, store.Missing()
	}
	q := &Pull{Studio: h, Host: Host{asOf: tx.Now}}
	if err := tx.Get(q, `SELECT `+pullColumns+pullFrom+`WHERE q.studio_id = ? AND q.n = ?`, h.ID, n); err != nil {
		return nil, err
	}
	if q.Tried != "" {
		if q.Job, err = q.latestJob(tx, mergeName); err != nil {
			return nil, err
		}
	}
	if err := q.loadPublishing(tx); err != nil || q.Outcome != "" {
		return q, err
	}
	if q.Touched, err = q.touches(tx); err != nil {
		return nil, err
	}
	if err := tx.Select(&q.Based, `SELECT w.name FROM worktrees w WHERE w.repo_id = ? AND w.base = ? AND w.archived_at IS NULL
		ORDER BY w.name`+store.AtMost, q.RepoID, q.Branch, MaxWorktrees); err != nil {
		return nil, err
	}
	tree := q.tree()
	if err := tree.countTurns(tx); err != nil {
		return nil, err
	}
	q.Turns = tree.Turns
	return q, q.loadCheck(tx)
}

// latestJob finds the worktree's latest job of a kind. It returns nil if there is none, or if that job is about another
// pull request.
func (q *Pull) latestJob(tx *store.Tx, kind string) (*Job, error) {
	j, err := latestJob(tx, `j.kind = '`+kind+`' AND j.worktree_id = ?`, q.WorktreeID)
	if err != nil || j == nil {
		return nil, err
	}
	var order struct {
		Pull string `json:"pull"`
	}
	if err := j.order(&order); err != nil || order.Pull != q.ID {
		return nil, err
	}
	return j, nil
}

// pullByID finds a pull request without checking the rights of an actor.
func pullByID(tx *store.Tx, id string) (*Pull, error) {
	var at struct {
		Studio string `db:"studio"`
		N      int    `db:"n"`
	}
	if err := tx.Get(&at, `SELECT h.handle AS studio, q.n FROM pulls q JOIN studios h ON h.id = q.studio_id WHERE q.id = ?`,
		id); err != nil {
		return nil, err
	}
	return FindPull(tx, store.System(), at.Studio, at.N)
}

// Pulls is a list of a studio's pull requests.
type Pulls struct {
	*store.Studio
	List []Pull
	More bool // there are more
}

// ShowPulls lists the pull requests of a studio, open ones first, both parts newest first.
func ShowPulls(tx *store.Tx, _ store.Actor, h *store.Studio) (*Pulls, error) {
	v := &Pulls{Studio: h}
	var err error
	v.List, err = listPulls(tx, `q.studio_id = ? ORDER BY q.ended_at IS NOT NULL, q.n DESC`, h.ID)
	v.List, v.More = listed(v.List)
	return v, err
}

// listPulls lists the pull requests that meet the SQL condition: at most [mostListed], and one more for [listed].
func listPulls(tx *store.Tx, where string, args ...any) ([]Pull, error) {
	return store.All[Pull](tx, `SELECT `+pullColumns+pullFrom+`WHERE `+where+store.AtMost, append(args, mostListed+1)...)
}

// PullPage is a pull request with its changed files, commits and conflicts.
type PullPage struct {
	*Pull
	Files     []wire.ChangedFile // first [mostChanged], without patches; empty after the end
	Commits   []wire.Commit      // commits that the base lacks, newest first; empty after the end
	Conflicts []wire.Conflict    // in the last attempt to merge
}

// ShowPull loads the data of the page of a pull request.
func ShowPull(tx *store.Tx, _ store.Actor, q *Pull) (*PullPage, error) {
	v := &PullPage{Pull: q}
	if q.Clashes != "" {
		if err := json.Unmarshal([]byte(q.Clashes), &v.Conflicts); err != nil {
			return nil, fmt.Errorf("the conflicts of the pull request %s: %w", q.ID, err)
		}
	}
	if q.Outcome != "" {
		return v, nil
	}
	tree := q.tree()
	if err := tx.Get(&tree.Facts, `SELECT w.facts FROM worktrees w WHERE w.id = ?`, tree.ID); err != nil {
		return nil, err
	}
	found, err := tree.Reported()
	if err != nil {
		return nil, err
	}
	v.Commits = found.Commits
	v.Files, err = tree.files(tx, mostChanged)
	return v, err
}

// protectedAmong returns the paths of the files that are or were at or below a protected path.
func protectedAmong(protected []string, files []wire.ChangedFile) (list []string) {
	for i := range files {
		for _, p := range protected {
			below := func(path string) bool {
				return path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
			}
			if below(files[i].Path) || files[i].Was != "" && below(files[i].Was) {
				list = append(list, files[i].Path)
				break
			}
		}
	}
	return list
}
