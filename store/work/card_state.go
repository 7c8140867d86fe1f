package work

import (
	"strings"

	"samepage/store"
)

// CardState is the state of the worktree or the session that a card represents.
type CardState struct {
	Worktree *Worktree
	Session  *Session // the card's session, or one of the worktree ([shownFor]); nil for none
}

// raiseSession raises the version of a session, and of the boards with a card for it or for its worktree. Events of a
// turn that change nothing on a card need only raise the session's version.
func raiseSession(tx *store.Tx, id string) error {
	if err := tx.Raise(sessionVersion, id); err != nil {
		return err
	}
	return tx.RaiseItems(`SELECT c.board_id FROM sessions s CROSS JOIN studios h CROSS JOIN cards c
		WHERE s.id = ? AND h.id = s.studio_id AND c.page = '/studios/' || h.handle || '/sessions/' || s.id
		UNION SELECT c.board_id FROM sessions s CROSS JOIN worktrees w CROSS JOIN studios h CROSS JOIN cards c
		WHERE s.id = ? AND w.id = s.worktree_id AND h.id = w.studio_id
			AND c.page = '/studios/' || h.handle || '/worktrees/' || w.name`,
		id, id)
}

func raiseBoardsOf(tx *store.Tx, worktree string) error {
	return tx.RaiseItems(`SELECT c.board_id FROM worktrees w CROSS JOIN studios h CROSS JOIN cards c
		WHERE w.id = ? AND h.id = w.studio_id AND c.page = '/studios/' || h.handle || '/worktrees/' || w.name
		UNION SELECT c.board_id FROM sessions s CROSS JOIN studios h CROSS JOIN cards c
		WHERE s.worktree_id = ? AND h.id = s.studio_id AND c.page = '/studios/' || h.handle || '/sessions/' || s.id`,
		worktree, worktree)
}

// showCards loads the states of the worktrees and sessions of the studio that the board's cards represent, by card
// number.
func showCards(tx *store.Tx, b *Board) (map[int]CardState, error) {
	places := map[string][]int{} // card numbers by represented page
	var names, ids []any
	for i := range b.Zones {
		for k := range b.Zones[i].Cards {
			c := &b.Zones[i].Cards[k]
			places[c.Page] = append(places[c.Page], c.N)
			if name, ok := strings.CutPrefix(c.Page, b.Studio.URL()+"/worktrees/"); ok {
				names = append(names, name)
			} else if id, ok := strings.CutPrefix(c.Page, b.Studio.URL()+"/sessions/"); ok {
				ids = append(ids, id)
			}
		}
	}
	states := map[int]CardState{}
	if len(names)+len(ids) == 0 {
		return states, nil
	}
	var trees []struct {
		Worktree
		Shown string `db:"shown"` // id of the session that stands for the worktree; empty for none
	}
	if err := tx.Select(&trees, `SELECT `+worktreeColumns+`, coalesce(`+shownFor(`w.id`)+`, '') AS shown`+worktreeFrom+
		`WHERE w.studio_id = ? AND w.name IN (`+store.Placeholders(len(names))+`)`,
		append([]any{store.At(tx.Now), b.StudioID}, names...)...); err != nil {
		return nil, err
	}
	shownOn := map[string][]int{} // numbers of the worktrees' cards by the id of the session
	for i := range trees {
		w := &trees[i]
		for _, n := range places[w.URL()] {
			states[n] = CardState{Worktree: &w.Worktree}
			shownOn[w.Shown] = append(shownOn[w.Shown], n)
		}
		ids = append(ids, w.Shown)
	}
	// A condition for the studio would make SQLite read all sessions of the studio, so the loop below skips the
	// sessions of other studios.
	var sessions []Session
	if err := tx.Select(&sessions, `SELECT `+sessionColumns+sessionFrom+`WHERE s.id IN (`+store.Placeholders(len(ids))+`)`,
		ids...); err != nil {
		return nil, err
	}
	for i := range sessions {
		s := &sessions[i]
		if s.StudioID != b.StudioID {
			continue
		}
		s.Now = tx.Now
		for _, n := range places[s.URL()] {
			states[n] = CardState{Session: s}
		}
		for _, n := range shownOn[s.ID] {
			states[n] = CardState{Worktree: states[n].Worktree, Session: s}
		}
	}
	return states, nil
}

// Places are the repositories and worktrees of a studio in which work can begin. Each list has at most two names,
// enough to tell one place from several.
type Places struct {
	Repos     []string // with commits
	Worktrees []string // with a folder in which the runner starts agents
}

func placesIn(tx *store.Tx, s *store.Studio) (p Places, err error) {
	if err := tx.Select(&p.Repos, `SELECT name FROM repos WHERE studio_id = ? AND fetched_at IS NOT NULL ORDER BY name LIMIT 2`,
		s.ID); err != nil {
		return p, err
	}
	err = tx.Select(&p.Worktrees, `SELECT w.name FROM worktrees w JOIN repos p ON p.id = w.repo_id
		JOIN runners r ON r.id = p.runner_id
		WHERE w.studio_id = ? AND w.made_at IS NOT NULL AND w.archived_at IS NULL AND r.starts = 1 ORDER BY w.name LIMIT 2`, s.ID)
	return p, err
}
