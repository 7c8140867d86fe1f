package work

import (
	"samepage/store"
)

// StopSession withdraws all waiting prompts, and asks the runner to stop the running turn.
func StopSession(tx *store.Tx, s *Session) error {
	if s.lost() {
		if _, err := LoseRunner(tx, s); err != nil {
			return err
		}
		again, err := SessionByID(tx, s.ID)
		if err != nil {
			return err
		}
		again.Studio, again.Mine = s.Studio, s.Mine
		*s = *again
	}
	now, last := store.At(tx.Now), 0
	const waits = `session_id = ? AND ended_at IS NULL AND began_at IS NULL AND (claimed_to IS NULL OR claimed_to <= ?)`
	if err := tx.Get(&last, `SELECT coalesce(max(n), 0) FROM turns WHERE `+waits, s.ID, now); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE turns SET ended_at = ?, state = ? WHERE `+waits, now, TurnStopped, s.ID, now); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE turns SET stop_at = ? WHERE session_id = ? AND ended_at IS NULL AND claimed_to > ? AND stop_at IS NULL`,
		now, s.ID, now); err != nil {
		return err
	}
	if !s.Live() {
		s.Current, s.After = s.Turns, 0
		if err := tx.Exec(`UPDATE sessions SET current = turns WHERE id = ?`, s.ID); err != nil {
			return err
		}
		if err := beginReviews(tx, s, s.Head); err != nil {
			return err
		}
		if err := tellOfWithdrawal(tx, s, last); err != nil {
			return err
		}
	}
	return raiseSession(tx, s.ID)
}

// tellOfWithdrawal prompts the parent session after prompts were withdrawn. The parameter n is the last withdrawn
// turn's number, or 0 for none.
func tellOfWithdrawal(tx *store.Tx, s *Session, n int) error {
	if n == 0 {
		return nil
	}
	t, err := FindTurn(tx, s, n)
	if err != nil {
		return err
	}
	return tellParent(tx, t, s, TurnStopped)
}

// DueSessions lists the paths of up to limit sessions with a turn whose claim has expired.
func DueSessions(tx *store.Tx, limit int) ([]string, error) {
	return store.All[string](tx, `SELECT '/studios/' || h.handle || '/sessions/' || s.id
		FROM turns t JOIN sessions s ON s.id = t.session_id JOIN studios h ON h.id = s.studio_id
		WHERE t.ended_at IS NULL AND t.claimed_to IS NOT NULL AND t.claimed_to <= ?
		ORDER BY t.claimed_to`+store.AtMost, store.At(tx.Now), limit)
}

// MustHaveLostRunner returns [store.Forbidden] unless the actor is the scheduler, and [store.Conflict] unless the
// current turn's claim has expired.
func (s *Session) MustHaveLostRunner(by store.Actor) error {
	switch {
	case !by.System:
		return store.Errorf(store.Forbidden, "Only the scheduler does this.")
	case !s.lost():
		return store.Errorf(store.Conflict, "No runner was lost.")
	}
	return nil
}

// lost reports whether the current turn's claim has expired, and [LoseRunner] has not handled that yet.
func (s *Session) lost() bool {
	return s.Current > 0 && s.EndedAt.IsZero() && !s.ClaimedTo.IsZero() && !s.ClaimedTo.After(s.Now)
}

// LoseRunner handles the loss of a runner. The current turn ends as interrupted if it has begun. Otherwise it ends as
// stopped if a stop was requested, fails after [MaxStarts] claims, or waits for a new claim. A review keeps waiting
// after an interrupted turn, because the turn can be resumed. The returned outcome is "" if the turn waits for a new
// claim.
func LoseRunner(tx *store.Tx, s *Session) (outcome string, err error) {
	t, err := FindTurn(tx, s, s.Current)
	if err != nil {
		return "", err
	}
	switch {
	case !t.BeganAt.IsZero():
		t.Outcome, t.Class, t.Reason = TurnInterrupted, "lost", ""
	case !t.StopAt.IsZero():
		t.Outcome, t.Class, t.Reason = TurnStopped, "", ""
	case t.Claim >= MaxStarts:
		t.Outcome, t.Class, t.Reason = TurnFailed, "lost", "The runner went away each time before it could start."
	default:
		if err := tx.Exec(`UPDATE turns SET claimed_to = NULL WHERE id = ?`, t.ID); err != nil {
			return "", err
		}
		return "", raiseSession(tx, s.ID)
	}
	if err := tx.Exec(`UPDATE turns SET ended_at = ?, state = ?, class = ?, reason = ? WHERE id = ?`, store.At(tx.Now), t.Outcome, t.Class,
		t.Reason, t.ID); err != nil {
		return "", err
	}
	if err := endTurn(tx, t, s, t.Outcome); err != nil || !t.BeganAt.IsZero() {
		return t.Outcome, err
	}
	return t.Outcome, beginReviews(tx, s, s.Head)
}

// extendToken extends the life of a turn's token. If the token has lapsed ([store.Tx.HasLapsed]), it asks the runner to
// stop the turn instead.
func extendToken(tx *store.Tx, t *Turn, s *Session, until store.Time) error {
	lapsed, err := tx.HasLapsed(t.TokenID)
	switch {
	case err != nil:
		return err
	case !lapsed:
		return tx.ExtendToken(t.TokenID, until)
	case !t.StopAt.IsZero():
		return nil
	}
	if err := tx.Exec(`UPDATE turns SET stop_at = ? WHERE id = ?`, store.At(tx.Now), t.ID); err != nil {
		return err
	}
	return raiseSession(tx, s.ID)
}
