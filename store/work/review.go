package work

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"samepage/store"
)

// ReviewKind is the kind of reviews in grants and in the journal.
var ReviewKind = store.DeclareGrantKind("review")

// These are limits of reviews.
const (
	ReviewTime  = 24 * time.Hour // time after which a review without an answer expires
	MaxRounds   = 3              // reviews in a row without approval before a person must allow another
	MaxFailed   = 5              // reviews in a row without approval after which [EndReview] archives the session
	MaxComments = 200            // in one review
)

var reviewVersion = store.NewCounter("review", "reviews")

// Review is a review of a session's work. The reviewer is an agent with its own session, or a member of the studio.
type Review struct {
	ID         string `db:"id"`
	OrgID      string `db:"org_id"`
	StudioID   string `db:"studio_id"`
	SessionID  string `db:"session_id"`  // reviewed session
	ManifestID string `db:"manifest_id"` // of the reviewing agent; empty for people
	ReviewerID string `db:"reviewer_id"` // session of the reviewing agent; empty for people, and while Commit is empty
	N          int    `db:"n"`           // number within the session, from 1
	Round      int    `db:"round"`       // number of reviews since the last approval, without cancelled ones, from 1
	// Commit is the reviewed commit. If a turn ran or waited when the review was requested, it is empty until a turn
	// ends.
	Commit      string     `db:"commit_hash"`
	Text        string     `db:"text"` // request to the reviewer, in markdown; may be empty
	RequestedAt store.Time `db:"requested_at"`
	MemberID    string     `db:"member_id"`
	AgentID     string     `db:"agent_id"`
	ByToken     string     `db:"by_token"` // id of the token that began the chain of agents' prompts; may be empty
	Depth       int        `db:"depth"`    // number of the request in that chain; 0 for a person's request
	EndedAt     store.Time `db:"ended_at"`
	Outcome     string     `db:"state"`    // state at the end
	Feedback    string     `db:"feedback"` // one of [FeedbackTypes], if changes are requested
	Priority    string     `db:"priority"` // one of [Priorities]; may be empty
	Answer      string     `db:"answer"`
	Delivered   bool       `db:"delivered"` // the answer was sent to the reviewed session as a prompt
	Comments    int        `db:"comments"`
	Version     int64      `db:"version"`

	Author       string `db:"author"`       // handle
	AuthorAgent  string `db:"author_agent"` // label
	Ender        string `db:"ender"`        // handle
	EnderAgent   string `db:"ender_agent"`  // label
	Title        string `db:"title"`        // of the reviewed session
	OwnerID      string `db:"owner_id"`     // member of the reviewed session
	Owner        string `db:"owner"`        // handle
	Agent        string `db:"agent"`        // label of the reviewed agent
	Reviewer     string `db:"reviewer"`     // title of the reviewing agent's manifest; empty for people
	Began        bool   `db:"began"`        // a turn of the reviewing agent was claimed or withdrawn
	Rests        bool   `db:"rests"`        // all turns of the reviewing agent have ended
	Worktree     string `db:"worktree"`     // name
	Head         string `db:"head"`         // last commit of the worktree
	StudioHandle string `db:"studio_handle"`
	Rounds       int    `db:"rounds"` // greatest allowed number of the session's reviews without approval
	Failed       int    `db:"failed"` // number of the session's expired reviews and requests for changes since the last approval
	Mine         bool   // the actor is the reviewing agent

	Studio *store.Studio
	// Changed has the paths of at most [mostSuggested] changed files. It is loaded only for people, and only if
	// [Review.MustTakeComments] returns no error.
	Changed []string
	Now     time.Time
}

const reviewColumns = `v.id, v.org_id, v.studio_id, v.session_id, coalesce(v.manifest_id, '') AS manifest_id,
	coalesce(v.reviewer_id, '') AS reviewer_id, v.n, v.round, v.commit_hash, v.text, v.requested_at, v.member_id, v.agent_id,
	v.by_token, v.depth,
	v.ended_at, v.state, v.feedback, v.priority, v.answer, v.delivered, v.comments, v.version,
	(SELECT x.handle FROM members x WHERE x.id = v.member_id) AS author,
	coalesce((SELECT x.label FROM agents x WHERE x.id = v.agent_id), '') AS author_agent,
	coalesce((SELECT x.handle FROM members x WHERE x.id = v.ended_by), '') AS ender,
	coalesce((SELECT x.label FROM agents x WHERE x.id = v.ended_agent), '') AS ender_agent,
	s.title, s.member_id AS owner_id, m.handle AS owner, f.title AS agent, s.rounds, s.failed,
	coalesce(g.title, '') AS reviewer, coalesce(r.current, 0) > 0 AS began,
	r.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = r.id AND t.ended_at IS NULL) AS rests,
	w.name AS worktree, w.head, h.handle AS studio_handle`

const reviewFrom = ` FROM reviews v JOIN sessions s ON s.id = v.session_id JOIN members m ON m.id = s.member_id
	JOIN manifests f ON f.id = s.manifest_id JOIN worktrees w ON w.id = s.worktree_id JOIN studios h ON h.id = v.studio_id
	LEFT JOIN manifests g ON g.id = v.manifest_id LEFT JOIN sessions r ON r.id = v.reviewer_id `

// These are the states of a review.
const (
	ReviewRequested = "requested"
	ReviewRunning   = "running" // see [Review.Began]
	ReviewApproved  = "approved"
	ReviewChanges   = "changes_requested"
	ReviewExpired   = "expired"
	ReviewCancelled = "cancelled"
)

// ReviewStates returns the possible states of a review.
func ReviewStates() []string {
	return []string{ReviewRequested, ReviewRunning, ReviewApproved, ReviewChanges, ReviewExpired, ReviewCancelled}
}

// FeedbackTypes returns the types of an answer that requests changes.
func FeedbackTypes() []string { return []string{"needs_work", "suggestions", "clarification"} }

// Requested returns the type of a request for changes and, if it has one, its priority, such as "needs work, priority
// high".
func (v *Review) Requested() string {
	text := strings.ReplaceAll(v.Feedback, "_", " ")
	if v.Priority != "" {
		text += ", priority " + v.Priority
	}
	return text
}

// Priorities returns the priorities of an answer that requests changes.
func Priorities() []string { return []string{"normal", "high", "low"} }

// State returns one of [ReviewStates] at the time when the review was loaded.
func (v *Review) State() string {
	switch {
	case v.Outcome != "":
		return v.Outcome
	case !v.Deadline().After(v.Now):
		return ReviewExpired
	case v.Began:
		return ReviewRunning
	}
	return ReviewRequested
}

// Open reports whether the review waits for an answer.
func (v *Review) Open() bool { return v.Outcome == "" && v.Deadline().After(v.Now) }

// Deadline returns the time of expiry.
func (v *Review) Deadline() time.Time { return v.RequestedAt.Add(ReviewTime) }

// Stale reports whether the reviewed commit is known, and is not the last commit of the worktree.
func (v *Review) Stale() bool { return v.Commit != "" && v.Head != v.Commit }

// Last reports whether [EndReview] archives the session if this review expires or requests changes.
func (v *Review) Last() bool { return v.Failed+1 >= MaxFailed }

func (v *Review) studioURL() string {
	return studioURL(v.Studio, v.StudioHandle)
}

// URL returns the path of the review's page.
func (v *Review) URL() string { return v.studioURL() + "/reviews/" + v.ID }

// SessionURL returns the path of the reviewed session's page.
func (v *Review) SessionURL() string { return v.studioURL() + "/sessions/" + v.SessionID }

// Name returns the title of the review's page.
func (v *Review) Name() string { return fmt.Sprintf("Review %d of %s", v.N, v.Title) }

// Ref returns the review as the target of a journal entry.
func (v *Review) Ref() store.Ref {
	return store.Ref{OrgID: v.OrgID, StudioID: v.StudioID, Kind: ReviewKind, ID: v.ID, URL: v.URL(), Title: v.Name(),
		Version: v.Version, Topic: reviewVersion.Topic(v.ID), MemberID: v.OwnerID}
}

// Record returns the fields that the journal stores about a review.
func (v *Review) Record() any {
	return struct {
		Session  string `json:"session"`
		Round    int    `json:"round"`
		Commit   string `json:"commit,omitempty"`
		State    string `json:"state"`
		Feedback string `json:"feedback,omitempty"`
		Priority string `json:"priority,omitempty"`
		Comments int    `json:"comments,omitempty"`
	}{v.Title, v.Round, v.Commit, v.State(), v.Feedback, v.Priority, v.Comments}
}

// Relation returns the actor's relations to the review. Its author is the member of the reviewed session.
func (v *Review) Relation(by store.Actor) store.Relation {
	return relationOf(by, v.Studio, v.OwnerID)
}

// FindReview finds a review of a studio. It returns [store.Missing] if there is none, if the actor may not see the
// studio, or if the actor is neither a member of the organization nor the scheduler.
func FindReview(tx *store.Tx, by store.Actor, studio, id string) (*Review, error) {
	h, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	if by.In(h.OrgID).Member == nil && !by.System {
		return nil, store.Missing()
	}
	v := &Review{Studio: h, Now: tx.Now}
	if err := tx.Get(v, `SELECT `+reviewColumns+reviewFrom+`WHERE v.studio_id = ? AND v.id = ?`, h.ID, id); err != nil {
		return nil, err
	}
	if by.IsAgent() && v.ReviewerID != "" {
		v.Mine, err = isAgentOf(tx, by, v.ReviewerID)
	}
	if err == nil && !by.IsAgent() && !by.System && v.MustTakeComments() == nil {
		err = tx.Select(&v.Changed, `SELECT f.path FROM worktree_files f JOIN sessions s ON s.worktree_id = f.worktree_id
			WHERE s.id = ? ORDER BY f.n`+store.AtMost, v.SessionID, mostSuggested)
	}
	return v, err
}

const mostSuggested = 100

// reviewByID finds a review without checking the rights of an actor.
func reviewByID(tx *store.Tx, id string) (*Review, error) {
	var handle string
	if err := tx.Get(&handle, `SELECT h.handle FROM reviews v JOIN studios h ON h.id = v.studio_id WHERE v.id = ?`,
		id); err != nil {
		return nil, err
	}
	return FindReview(tx, store.System(), handle, id)
}

// Reviews is a list of a studio's reviews.
type Reviews struct {
	*store.Studio
	List []Review
	More bool // there are more
}

// ShowReviews lists the reviews of a studio, open ones first, both parts newest first.
func ShowReviews(tx *store.Tx, _ store.Actor, h *store.Studio) (*Reviews, error) {
	v := &Reviews{Studio: h}
	var err error
	v.List, err = listReviews(tx, `v.studio_id = ? ORDER BY v.ended_at IS NOT NULL, v.requested_at DESC, v.id`, h.ID)
	v.List, v.More = listed(v.List)
	return v, err
}

// listReviews lists the reviews that meet the SQL condition: at most [mostListed], and one more for [listed].
func listReviews(tx *store.Tx, where string, args ...any) (list []Review, err error) {
	err = tx.Select(&list, `SELECT `+reviewColumns+reviewFrom+`WHERE `+where+store.AtMost, append(args, mostListed+1)...)
	for i := range list {
		list[i].Now = tx.Now
	}
	return list, err
}

// Comment is a comment in a review on a line of a file, or on the whole file if Line is 0.
type Comment struct {
	N     int        `db:"n" json:"n"`
	Path  string     `db:"path" json:"path"`
	Line  int        `db:"line" json:"line,omitempty"`
	Text  string     `db:"text" json:"text"`
	At    store.Time `db:"at" json:"-"`
	By    string     `db:"author" json:"by"` // handle
	Agent string     `db:"author_agent" json:"agent,omitempty"`
}

// Place returns the path, and ":" and the line number unless it is 0.
func (c *Comment) Place() string {
	if c.Line == 0 {
		return c.Path
	}
	return fmt.Sprintf("%s:%d", c.Path, c.Line)
}

// Byline returns the byline of the author.
func (c *Comment) Byline() string { return store.Byline(c.By, c.Agent) }

// ReviewPage is a review with its comments.
type ReviewPage struct {
	*Review
	List []Comment
}

// ShowReview loads the comments of a review.
func ShowReview(tx *store.Tx, _ store.Actor, v *Review) (*ReviewPage, error) {
	list, err := commentsOf(tx, v)
	return &ReviewPage{Review: v, List: list}, err
}

func commentsOf(tx *store.Tx, v *Review) ([]Comment, error) {
	return store.All[Comment](tx, `SELECT c.n, c.path, c.line, c.text, c.at, m.handle AS author, coalesce(a.label, '') AS author_agent
		FROM review_comments c JOIN members m ON m.id = c.member_id LEFT JOIN agents a ON a.id = c.agent_id
		WHERE c.review_id = ? ORDER BY c.n`, v.ID)
}

// DueReviews lists the paths of up to limit reviews that are past their deadlines and have not ended.
func DueReviews(tx *store.Tx, limit int) ([]string, error) {
	return store.All[string](tx, `SELECT '/studios/' || h.handle || '/reviews/' || v.id
		FROM reviews v JOIN studios h ON h.id = v.studio_id
		WHERE v.ended_at IS NULL AND v.requested_at <= ? ORDER BY v.requested_at`+store.AtMost, store.At(tx.Now.Add(-ReviewTime)), limit)
}

// waitsForPeople is the SQL condition that a review (alias v) waits for a person, or waited when it expired.
const waitsForPeople = `v.ended_at IS NULL AND v.manifest_id IS NULL AND v.commit_hash <> ''`

// The home pages of a studio's members list the open reviews without a reviewing agent. The query reads only the newest
// reviews of each studio. It has a single lower bound on the time, at which the database stops reading the index.
var _ = store.DeclareRequests(func(who store.Answerer) (string, []any) {
	since := store.At(who.Now.Add(-ReviewTime + time.Millisecond))
	return `SELECT 'Review', 'Review ' || v.n || ' of ' || s.title, '/reviews/' || v.id, v.requested_at, v.studio_id,
			v.member_id, coalesce(a.label, ''), ` + store.NoStep + `
		FROM studio_members y CROSS JOIN reviews v CROSS JOIN sessions s LEFT JOIN agents a ON a.id = v.agent_id
		WHERE y.member_id IN (` + store.Placeholders(len(who.Members)) + `) AND v.studio_id = y.studio_id AND ` + waitsForPeople + `
			AND v.requested_at >= coalesce((SELECT v.requested_at FROM reviews v WHERE v.studio_id = y.studio_id
				AND ` + waitsForPeople + ` AND v.requested_at >= ? ORDER BY v.requested_at DESC LIMIT 1 OFFSET ?), ?)
			AND s.id = v.session_id`,
		append(slices.Clone(who.Members), since, who.Most, since)
})
