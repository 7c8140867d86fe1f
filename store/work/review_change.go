package work

import (
	"fmt"
	"strings"

	"samepage/store"
)

// RequestReview requests a review of a session's work by the agent of the manifest, or by people if the manifest is
// nil. If a turn runs or waits, the review begins at the end of the turn. RequestReview returns [store.Conflict] to an
// agent after [MaxDepth] prompts of agents in a row.
func RequestReview(tx *store.Tx, by store.Actor, s *Session, reviewer *Manifest, text string) (*Review, error) {
	chain, err := chainOf(tx, by)
	if err != nil {
		return nil, err
	}
	id, commit, manifest := store.NewID(), s.Head, ""
	if s.Live() || s.Queued() {
		commit = ""
	}
	if reviewer != nil {
		manifest = reviewer.ID
	}
	if err := tx.Exec(`INSERT INTO reviews (id, org_id, studio_id, session_id, n, manifest_id, round, commit_hash, text, requested_at,
		member_id, agent_id, by_token, depth) VALUES (?, ?, ?, ?, (SELECT count(*) + 1 FROM reviews WHERE session_id = ?), ?, ?, ?, ?, ?, ?,
		?, ?, ?)`,
		id, s.OrgID, s.StudioID, s.ID, s.ID,
		store.Null(manifest), s.Failed+1, commit, text, store.At(tx.Now), by.In(s.OrgID).MemberID(),
		store.Null(by.Agent.ID), store.Null(chain.token), chain.depth); err != nil {
		return nil, err
	}
	if err := raiseSession(tx, s.ID); err != nil {
		return nil, err
	}
	if commit != "" {
		if err := beginReview(tx, id, commit); err != nil {
			return nil, err
		}
	}
	return FindReview(tx, by, s.Studio.Handle, id)
}

func beginReview(tx *store.Tx, id, commit string) error {
	if err := tx.Exec(`UPDATE reviews SET commit_hash = ? WHERE id = ?`, commit, id); err != nil {
		return err
	}
	v, err := reviewByID(tx, id)
	if err != nil || v.ManifestID == "" {
		return err
	}
	w, err := FindWorktree(tx, store.System(), v.Studio.Handle, v.Worktree)
	if err != nil {
		return err
	}
	reviewer, err := insertSession(tx, v.OwnerID, NewSession{Title: v.Name(), Manifest: &Manifest{ID: v.ManifestID},
		Worktree: w, Parent: &Session{ID: v.SessionID}, Kin: KinReview})
	if err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE reviews SET reviewer_id = ? WHERE id = ?`, reviewer.ID, id); err != nil {
		return err
	}
	reviewer, err = SessionByID(tx, reviewer.ID)
	if err != nil {
		return err
	}
	return addPrompt(tx, reviewer, prompt{text: reviewPrompt(v), origin: originOf(v.AgentID), member: v.MemberID,
		agent: v.AgentID, chain: chain{v.ByToken, v.Depth}})
}

func reviewPrompt(v *Review) string {
	text := fmt.Sprintf("Review the commit %s of the branch of the worktree %s. The files are in your folder; "+
		"what you change there is "+
		"not kept. The difference is at %s/worktrees/%s/diff. Answer on %s: approve_review if the work is right, "+
		"or send_feedback with what is to change, and with one line for each place.", v.Commit, v.Worktree, v.studioURL(),
		v.Worktree, v.URL())
	if v.Text != "" {
		text += "\n\n" + store.Byline(v.Author, v.AuthorAgent) + " asks:\n\n" + quoted(v.Text)
	}
	return text
}

func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

// beginReviews begins the session's review that has waited for the end of a turn, or cancels it if the commit is empty.
// It leaves an expired review to the scheduler.
func beginReviews(tx *store.Tx, s *Session, commit string) error {
	var ids []string
	if err := tx.Select(&ids, `SELECT id FROM reviews WHERE session_id = ? AND ended_at IS NULL AND commit_hash = ''
		AND requested_at > ?`, s.ID, store.At(tx.Now.Add(-ReviewTime))); err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.Raise(reviewVersion, id); err != nil {
			return err
		}
		if commit != "" {
			if err := beginReview(tx, id, commit); err != nil {
				return err
			}
			continue
		}
		if err := tx.Exec(`UPDATE reviews SET state = ?, ended_at = ?, answer = ? WHERE id = ?`, ReviewCancelled, store.At(tx.Now),
			"There is no commit to review.", id); err != nil {
			return err
		}
	}
	return nil
}

// Verdict describes the end of a review.
type Verdict struct {
	State    string // [ReviewApproved], [ReviewChanges], [ReviewExpired] or [ReviewCancelled]
	Feedback string
	Priority string
	Answer   string
	Comments []Comment
}

// EndReview ends a review, and stops the reviewing agent unless that is the actor. After [MaxFailed] reviews in a row
// without approval, it archives the session. Requested changes become a prompt of the session unless it is archived.
// EndReview returns [store.Conflict] if the review has ended before, and may return it to an agent after [MaxDepth]
// prompts of agents in a row.
func EndReview(tx *store.Tx, by store.Actor, v *Review, a Verdict) error {
	for i := range a.Comments {
		if err := AddComment(tx, by, v, a.Comments[i]); err != nil {
			return err
		}
	}
	ok, err := tx.Changed(`UPDATE reviews SET state = ?, ended_at = ?, feedback = ?, priority = ?, answer = ?, ended_by = ?,
		ended_agent = ? WHERE id = ? AND ended_at IS NULL`, a.State, store.At(tx.Now), a.Feedback, a.Priority, a.Answer,
		store.Null(by.In(v.OrgID).MemberID()), store.Null(by.Agent.ID), v.ID)
	if err != nil {
		return err
	}
	if !ok {
		return store.Errorf(store.Conflict, "Somebody has just answered it.")
	}
	last := v.Last()
	switch a.State {
	case ReviewApproved:
		err = tx.Exec(`UPDATE sessions SET failed = 0, rounds = ? WHERE id = ?`, MaxRounds, v.SessionID)
	case ReviewChanges, ReviewExpired:
		err = tx.Exec(`UPDATE sessions SET failed = failed + 1 WHERE id = ?`, v.SessionID)
	}
	if err != nil {
		return err
	}
	s, err := SessionByID(tx, v.SessionID)
	if err != nil {
		return err
	}
	if last && (a.State == ReviewChanges || a.State == ReviewExpired) && s.ArchivedAt.IsZero() {
		if err := abandonSession(tx, s); err != nil {
			return err
		}
	}
	if err := stopReviewer(tx, v); err != nil {
		return err
	}
	if err := v.reload(tx, by); err != nil {
		return err
	}
	if a.State == ReviewChanges && s.ArchivedAt.IsZero() {
		if err := deliver(tx, by, v, s); err != nil {
			return err
		}
	}
	if err := raiseSession(tx, v.SessionID); err != nil {
		return err
	}
	return tx.Raise(reviewVersion, v.ID)
}

// abandonSession stops the turns of a session, and archives the session. Nobody can stop turns of an archived
// session.
func abandonSession(tx *store.Tx, s *Session) error {
	if s.Live() || s.Queued() {
		if err := StopSession(tx, s); err != nil {
			return err
		}
	}
	return ArchiveSession(tx, s, true)
}

// stopReviewer stops the reviewing agent, unless the agent is the actor.
func stopReviewer(tx *store.Tx, v *Review) error {
	if v.ReviewerID == "" || v.Mine {
		return nil
	}
	s, err := SessionByID(tx, v.ReviewerID)
	if err != nil || !s.Live() && !s.Queued() {
		return err
	}
	return StopSession(tx, s)
}

func (v *Review) reload(tx *store.Tx, by store.Actor) error {
	again, err := FindReview(tx, by, v.Studio.Handle, v.ID)
	if err == nil {
		*v = *again
	}
	return err
}

func deliver(tx *store.Tx, by store.Actor, v *Review, s *Session) error {
	text, err := feedback(tx, v)
	if err != nil {
		return err
	}
	if err := ContinueSession(tx, by, s, text, "feedback"); err != nil {
		return err
	}
	v.Delivered = true
	return tx.Exec(`UPDATE reviews SET delivered = 1 WHERE id = ?`, v.ID)
}

func feedback(tx *store.Tx, v *Review) (string, error) {
	list, err := commentsOf(tx, v)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Your work at %s was reviewed: %s, in round %d of %d. Here is [the review](%s).\n\n",
		Short(v.Commit), v.Requested(), v.Round, v.Rounds, v.URL())
	fmt.Fprintf(&text, "%s says:\n\n%s\n", store.Byline(v.Ender, v.EnderAgent), quoted(v.Answer))
	for i := range list {
		c := &list[i]
		fmt.Fprintf(&text, "\n`%s`, %s:\n\n%s\n", c.Place(), c.Byline(), quoted(c.Text))
	}
	fmt.Fprintf(&text, "\nRequest a review again when that is done.")
	return text.String(), nil
}

// AddComment adds a comment to a review.
func AddComment(tx *store.Tx, by store.Actor, v *Review, c Comment) error {
	v.Comments++
	if err := tx.Exec(`INSERT INTO review_comments (review_id, n, org_id, path, line, text, at, member_id, agent_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, v.ID, v.Comments, v.OrgID, c.Path, c.Line, c.Text, store.At(tx.Now),
		by.In(v.OrgID).MemberID(), store.Null(by.Agent.ID)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE reviews SET comments = ? WHERE id = ?`, v.Comments, v.ID); err != nil {
		return err
	}
	return tx.Raise(reviewVersion, v.ID)
}

// ExtendReviews allows a session one more review without approval.
func ExtendReviews(tx *store.Tx, s *Session) error {
	s.Rounds++
	if err := tx.Exec(`UPDATE sessions SET rounds = rounds + 1 WHERE id = ?`, s.ID); err != nil {
		return err
	}
	return raiseSession(tx, s.ID)
}

// raiseReviews raises the versions of the reviews that become stale, or no longer are, when a worktree's last commit
// changes.
func raiseReviews(tx *store.Tx, worktree, from, to string) error {
	if from == to {
		return nil
	}
	var ids []string
	if err := tx.Select(&ids, `SELECT v.id FROM sessions s JOIN reviews v ON v.session_id = s.id
		WHERE s.worktree_id = ? AND v.commit_hash IN (?, ?)`, worktree, from, to); err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.Raise(reviewVersion, id); err != nil {
			return err
		}
	}
	return nil
}

func raiseReviewOf(tx *store.Tx, reviewer *Session) error {
	var id string
	if err := tx.Get(&id, `SELECT id FROM reviews WHERE reviewer_id = ?`, reviewer.ID); err != nil {
		return err
	}
	return tx.Raise(reviewVersion, id)
}
