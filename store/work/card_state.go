package work

import (
	"slices"
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
	var trees []Worktree
	if err := tx.Select(&trees, `SELECT `+worktreeColumns+worktreeFrom+`WHERE w.studio_id = ?
		AND w.name IN (`+store.Placeholders(len(names))+`)`, append([]any{store.At(tx.Now), b.StudioID}, names...)...); err != nil {
		return nil, err
	}
	byTree, args := map[string][]int{}, slices.Clone(ids)
	for i := range trees {
		cards := places[trees[i].URL()]
		byTree[trees[i].ID] = cards
		args = append(args, trees[i].ID)
		for _, n := range cards {
			states[n] = CardState{Worktree: &trees[i]}
		}
	}
	// A condition for the studio would make SQLite read all sessions of the studio, so the loop below skips the
	// sessions of other studios.
	var sessions []Session
	if err := tx.Select(&sessions, `SELECT `+sessionColumns+sessionFrom+`WHERE s.id IN (`+store.Placeholders(len(ids))+`)
		OR s.id IN (SELECT `+shownFor(`y.id`)+`
			FROM worktrees y WHERE y.id IN (`+store.Placeholders(len(trees))+`))`,
		args...); err != nil {
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
		for _, n := range byTree[s.WorktreeID] {
			if of := states[n]; of.Session == nil || s.MovedAt.After(of.Session.MovedAt.Time) {
				of.Session = s
				states[n] = of
			}
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
