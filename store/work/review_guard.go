package work

import (
	"fmt"

	"samepage/store"
)

// MustBeReviewableBy returns [store.Conflict] if the session is archived, is a review itself, has an open review, has
// used up its rounds, or has neither a commit nor a turn that runs or waits. It returns [store.Forbidden] to agents
// other than the session's own unless the session's agent asks before it acts, and an error for an actor outside the
// studio.
func (s *Session) MustBeReviewableBy(by store.Actor) error {
	if err := s.mustBeOpen(); err != nil {
		return err
	}
	if by.IsAgent() && !s.Mine && !s.Asks {
		return store.Errorf(store.Forbidden,
			"%s does not ask before it acts, so only people request a review, or %[1]s itself.", s.Agent)
	}
	switch {
	case s.Kin == KinReview:
		return store.Errorf(store.Conflict, "The session reviews another one, and is not reviewed itself.")
	case s.Review != "":
		return store.Errorf(store.Conflict, "A review waits already: %s.", store.Address(s.Studio.URL()+"/reviews/"+
			s.Review))
	case s.Head == "" && !s.Live() && !s.Queued():
		return store.Errorf(store.Conflict, "There is no commit yet.")
	case s.Failed >= MaxFailed:
		return store.Errorf(store.Conflict,
			"%d reviews in a row ended without approval, so the work is given up here. A person decides "+
				"what becomes of the worktree.", s.Failed)
	case s.Failed >= s.Rounds:
		return store.Errorf(store.Conflict,
			"%d reviews in a row ended without approval, the most there may be. A person allows one more "+
				"(extend_reviews), opens a pull request nevertheless (create_pull_request), or archives the session.",
			s.Failed)
	}
	return nil
}

// atLimit is the SQL condition that the reviews of a session (alias s) have used up their rounds, so that a person has
// to decide how the work goes on. Opening a pull request after the last review is such a decision, unless that pull
// request was closed.
var atLimit = fmt.Sprintf(`(s.archived_at IS NULL AND s.failed >= s.rounds AND s.failed < %d AND NOT EXISTS (SELECT 1 FROM pulls o
	WHERE o.worktree_id = s.worktree_id AND o.state <> 'closed'
	AND o.opened_at >= (SELECT max(v.ended_at) FROM reviews v WHERE v.session_id = s.id)))`, MaxFailed)

// The home page of a session's member lists the session while its reviews are at the limit.
var _ = store.DeclareRequests(func(who store.Answerer) (string, []any) {
	return `SELECT 'Decide', s.title, '/sessions/' || s.id, s.moved_at, s.studio_id, s.member_id, f.title,
			s.step, s.step_runs, s.step_at
		FROM sessions s JOIN manifests f ON f.id = s.manifest_id
		WHERE s.member_id IN (` + store.Placeholders(len(who.Members)) + `) AND ` + atLimit, who.Members
})

// MustBeExtendable returns [store.Conflict] if the session is archived, if another review is allowed already, or after
// [MaxFailed] reviews in a row without approval. It returns an error for an actor outside the studio.
func (s *Session) MustBeExtendable() error {
	if err := s.mustBeOpen(); err != nil {
		return err
	}
	switch {
	case s.Failed < s.Rounds:
		return store.Errorf(store.Conflict, "There can be %d more before a person has to allow one.", s.Rounds-s.Failed)
	case s.Failed >= MaxFailed:
		return store.Errorf(store.Conflict, "%d reviews in a row ended without approval. There are no more.", s.Failed)
	}
	return nil
}

// MustBeOpen returns [store.Conflict] if the review has ended or expired, and an error for an actor outside the studio.
func (v *Review) MustBeOpen() error {
	if err := v.Studio.MustBeJoined(); err != nil {
		return err
	}
	if ended := map[string]string{
		ReviewApproved:  "The review is over: the work is approved.",
		ReviewChanges:   "The review is over: changes were asked for.",
		ReviewCancelled: "The review was cancelled.",
		ReviewExpired:   "The review has expired: nobody answered within a day.",
	}[v.State()]; ended != "" {
		return store.Errorf(store.Conflict, "%s Another one is requested on the page of the session (request_review).",
			ended)
	}
	return nil
}

// MustBeAnswerableBy returns the errors of [Review.MustBeOpen], [store.Conflict] before the reviewed commit is known,
// and [store.Forbidden] to agents other than the reviewing agent.
func (v *Review) MustBeAnswerableBy(by store.Actor) error {
	if err := v.MustBeOpen(); err != nil {
		return err
	}
	if v.Commit == "" {
		return store.Errorf(store.Conflict, "There is no commit to review yet: %s has not ended its turn.", v.Agent)
	}
	if by.IsAgent() && !v.Mine {
		return store.Errorf(store.Forbidden, "Only people answer this review, and the agent that was asked for it.")
	}
	return nil
}

// MustTakeComments returns the errors of [Review.MustBeOpen], and [store.Conflict] if there are [MaxComments] comments.
func (v *Review) MustTakeComments() error {
	if err := v.MustBeOpen(); err != nil {
		return err
	}
	if v.Comments >= MaxComments {
		return store.Errorf(store.Conflict, "The review has %d comments, the most there may be.", MaxComments)
	}
	return nil
}

// MustBeOverdue returns [store.Forbidden] unless the actor is the scheduler, and [store.Conflict] if the review has
// ended or is not past its deadline.
func (v *Review) MustBeOverdue(by store.Actor) error {
	switch {
	case !by.System:
		return store.Errorf(store.Forbidden, "Only the scheduler does this.")
	case v.Outcome != "" || v.Deadline().After(v.Now):
		return store.Errorf(store.Conflict, "The review has ended, or is still waited for.")
	}
	return nil
}
