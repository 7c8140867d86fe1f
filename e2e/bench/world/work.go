package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	"samepage/web"
)

// This file makes the world of agents at work. Even the smallest world has more turns, sessions and open reviews than a
// page shows, so that only the length of the history changes the cost of a page.
const (
	SessionsAtWork = 1000
	TurnsEach      = 50
	EventsEach     = 100

	// LiveTurns is the number of turns that wait for a runner.
	LiveTurns = 20

	fewestSessions = 120
	fewestTurns    = 6
	sessionsEach   = 12 // most sessions of the measured studio in a worktree
	boardCards     = 24

	workNote  = "work.json"
	workShape = 2

	// reviewsWait is the greatest age of a world that is reused, so that its open reviews do not expire during a
	// measurement.
	reviewsWait = work.ReviewTime - 2*time.Hour
)

// Work describes a data folder and its contents. The addresses in it are paths that begin with a slash.
type Work struct {
	Folder   string `json:"-"`
	Sessions int    `json:"sessions"`
	Turns    int    `json:"turns"` // number of turns of each session
	Shape    int    `json:"shape"`

	Made time.Time `json:"made"`

	Token  string   `json:"token"`  // token of Alice's agent, with all scopes
	Runner string   `json:"runner"` // page of the runner
	Secret string   `json:"secret"` // token of the runner
	Pages  []string `json:"pages"`  // pages of sessions
	Trees  []string `json:"trees"`  // pages of worktrees
	Board  string   `json:"board"`
	Live   []Live   `json:"live"`
}

// Live is a turn that waits for the runner. Its session has no other turn.
type Live struct {
	Turn string `json:"turn"` // id of the turn
	Page string `json:"page"` // page of the session
}

// MakeWork makes a world with at least the given numbers of sessions and of turns in each session, or reuses the world
// in the folder. It returns an error if the folder has a different world, or one with open reviews that expire soon.
func MakeWork(ctx context.Context, folder string, sessions, turns int) (*Work, error) {
	v := &Work{Folder: folder, Sessions: max(sessions, fewestSessions), Turns: max(turns, fewestTurns), Shape: workShape,
		Made: time.Now().UTC()}
	text, err := os.ReadFile(filepath.Join(folder, workNote))
	if err == nil {
		had := Work{Folder: folder}
		if err := json.Unmarshal(text, &had); err != nil {
			return nil, err
		}
		if had.Sessions != v.Sessions || had.Turns != v.Turns || had.Shape != workShape {
			return nil, fmt.Errorf("%s has another world: remove it, or name another folder", folder)
		}
		if time.Since(had.Made) > reviewsWait {
			return nil, fmt.Errorf("the reviews of %s expire: remove it, or name another folder", folder)
		}
		return &had, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m := &maker{ctx: ctx, World: &World{Folder: folder}}
	m.start = time.Now().UTC().Add(-40 * 24 * time.Hour).Truncate(time.Second)
	if err := m.open(func() time.Time { return m.start }, func() error { return m.foundWork(v) }); err != nil {
		return nil, fmt.Errorf("found the world: %w", err)
	}
	if err := m.fillWork(v); err != nil {
		return nil, fmt.Errorf("fill the world: %w", err)
	}
	if err := m.open(nil, func() error { return m.finishWork(v) }); err != nil {
		return nil, fmt.Errorf("finish the world: %w", err)
	}
	if text, err = json.Marshal(v); err != nil {
		return nil, err
	}
	return v, os.WriteFile(filepath.Join(folder, workNote), text, 0o600)
}

func (m *maker) foundWork(v *Work) error {
	if err := m.found(); err != nil {
		return err
	}
	out, err := m.do(m.owner, "/orgs/"+Org+"/runners", actions.CreateRunner.Name,
		param.Input{"name": "Mill", "roots": []any{"/srv/git"}})
	if err != nil {
		return err
	}
	v.Runner, v.Secret = out.URL, out.Secret
	if _, err := m.do(m.owner, v.Runner, actions.AddRepo.Name,
		param.Input{"studio": Studio, "name": "garden", "source": "/srv/git/garden"}); err != nil {
		return err
	}
	_, err = m.do(m.owner, "/orgs/"+Org+"/manifests", actions.AddManifest.Name, param.Input{"key": "mason", "title": "Mason",
		"role": "coding", "mode": "ask", "asks": "true", "argv": []any{"mason"}})
	return err
}

func (m *maker) fillWork(v *Work) error {
	return m.raw([]string{"turns"}, func(f *filler) error {
		at := m.start.UnixMilli()
		f.exec("UPDATE runners SET starts = 1")
		f.exec("UPDATE jobs SET ended_at = ?, claim = 1, claimed_to = ?", at, at)
		f.exec("UPDATE repos SET fetched_at = ?, main = 'main', head = ?", at, hash)
		n := (v.Sessions + sessionsEach - 1) / sessionsEach
		for i := range n {
			tree := m.worktree(f, fmt.Sprintf("tree-%d", i))
			v.Trees = append(v.Trees, "/studios/"+Studio+"/worktrees/"+fmt.Sprintf("tree-%d", i))
			f.exec(`INSERT INTO pulls (id, org_id, studio_id, worktree_id, n, title, text, opened_at, member_id)
				VALUES (?, ?, ?, ?, ?, ?, '', ?, ?)`, store.NewID(), m.org.ID, m.studios[0].ID, tree, 1+i,
				fmt.Sprintf("Merge tree %d", i),
				v.Made.Add(-time.Duration(n-i)*time.Minute).UnixMilli(), m.people[0].ID)
			for k := i; k < v.Sessions && f.err == nil; k += n {
				v.Pages = append(v.Pages, m.session(f, v, tree, k))
				m.elsewhere(f, v, tree, k)
			}
		}
		for i := range LiveTurns {
			tree := m.worktree(f, fmt.Sprintf("live-%d", i))
			id, turn := store.NewID(), store.NewID()
			f.sessionRow(m, 0, id, tree, fmt.Sprintf("Live %d", i), 1, 0, at)
			f.rows("turns", turnFields, 1, f.turnRow(m, turn, id, tree, 1, at, 0, nil, "")...)
			v.Live = append(v.Live, Live{turn, "/studios/" + Studio + "/sessions/" + id})
		}
		return f.err
	})
}

// hash is the last commit of every worktree and branch.
const hash = "0123456789abcdef0123456789abcdef01234567"

func (m *maker) worktree(f *filler, name string) string {
	id, at := store.NewID(), m.start.UnixMilli()
	f.exec(`INSERT INTO worktrees (id, org_id, studio_id, repo_id, name, branch, base, head, created_at,
		created_by, made_at, facts_at, facts, ahead)
		SELECT ?, org_id, studio_id, id, ?, ?, 'main', ?, ?, ?, ?, ?, '{}', 1 FROM repos`,
		id, name, name, hash, at, m.people[0].ID, at, at)
	return id
}

const turnFields = "id, org_id, session_id, n, worktree_id, runner_id, prompt, origin, member_id, queued_at, claim, " +
	"claimed_to, began_at, ended_at, state, head_before, head_after, events"

func (f *filler) sessionRow(m *maker, studio int, id, tree, title string, turns, current int, at int64) {
	f.exec(`INSERT INTO sessions (id, org_id, studio_id, worktree_id, manifest_id, member_id, title, agent_session, turns,
		current, created_at, moved_at)
		SELECT ?, ?, ?, ?, id, ?, ?, '', ?, ?, ?, ? FROM manifests WHERE key = 'mason'`,
		id, m.org.ID, m.studios[studio].ID, tree, m.founder(studio).ID, title, turns, current, at, at)
}

func (f *filler) turnRow(m *maker, id, session, tree string, n int, at int64, events int, ended any,
	state string) []any {
	if f.runner == "" && f.err == nil {
		f.err = f.tx.QueryRow("SELECT id FROM runners").Scan(&f.runner)
	}
	claim := 0
	if ended != nil {
		claim = 1
	}
	prompt := fmt.Sprintf("Do part %d of the work, and say what is left.", n)
	return []any{id, m.org.ID, session, n, tree, f.runner, prompt, "person", m.people[0].ID, at, claim, ended, ended,
		ended, state, hash, hash, events}
}

// session writes session k with its turns and their events, and returns the path of its page.
func (m *maker) session(f *filler, v *Work, tree string, k int) string {
	id := store.NewID()
	at := m.start.Add(time.Duration(k) * time.Minute)
	f.sessionRow(m, 0, id, tree, fmt.Sprintf("Part %d of the work", k), v.Turns, v.Turns, at.UnixMilli())
	for n := 1; n <= v.Turns; n++ {
		turn, ended := store.NewID(), at.Add(time.Duration(n)*time.Second).UnixMilli()
		f.rows("turns", turnFields, 1, f.turnRow(m, turn, id, tree, n, at.UnixMilli(), EventsEach, ended, "succeeded")...)
		events := make([]any, 0, 7*EventsEach)
		for e := 1; e <= EventsEach; e++ {
			kind, text, data := "text", fmt.Sprintf("I have looked at bed %d of %d, and its soil is dry. ", e, n), ""
			if e%5 == 0 {
				kind, text = "call", ""
				data = fmt.Sprintf(`{"id":"c%d","title":"Read beds/%[1]d.txt","kind":"read","status":"completed"}`, e)
			}
			events = append(events, turn, e, m.org.ID, ended, kind, text, data)
		}
		f.rows("turn_events", "turn_id, n, org_id, at, kind, text, data", EventsEach, events...)
	}
	ended := at.Add(time.Duration(v.Turns) * time.Second).UnixMilli()
	f.rows("reviews", reviewFields, 1, f.reviewRow(m, 0, id, 1, ended, ended, "approved")...)
	f.rows("reviews", reviewFields, 1, f.reviewRow(m, 0, id, 2, v.asked(k), nil, "")...)
	return "/studios/" + Studio + "/sessions/" + id
}

// elsewhere writes session k, with an open review and no turns, in a studio to which the owner does not belong.
func (m *maker) elsewhere(f *filler, v *Work, tree string, k int) {
	id, studio := store.NewID(), 1+k%(len(m.studios)-1)
	f.sessionRow(m, studio, id, tree, fmt.Sprintf("Elsewhere %d", k), 0, 0, m.start.UnixMilli())
	f.rows("reviews", reviewFields, 1, f.reviewRow(m, studio, id, 1, v.asked(k), nil, "")...)
}

// asked returns the time at which the open review of session k was requested.
func (v *Work) asked(k int) int64 {
	return v.Made.Add(time.Duration(k-v.Sessions) * time.Second).UnixMilli()
}

const reviewFields = "id, org_id, studio_id, session_id, n, round, commit_hash, text, requested_at, member_id, " +
	"ended_at, state"

// reviewRow returns the values of [reviewFields] for review n of a session, with a person as the reviewer.
func (f *filler) reviewRow(m *maker, studio int, session string, n int, at int64, ended any, state string) []any {
	return []any{store.NewID(), m.org.ID, m.studios[studio].ID, session, n, 1, hash, "Look at the beds.", at,
		m.founder(studio).ID, ended, state}
}

func (m *maker) finishWork(v *Work) (err error) {
	out, err := m.do(m.owner, "/studios/"+Studio, actions.CreateBoard.Name,
		param.Input{"title": "Workshop", "zones": "Ideas\nDoing\nDone"})
	if err != nil {
		return err
	}
	v.Board = out.URL
	for i := range boardCards {
		if _, err := m.do(m.owner, v.Board, actions.AddCard.Name, param.Input{"zone": fmt.Sprint(1 + i%3),
			"title": fmt.Sprintf("Card %d", i), "page": v.Pages[i]}); err != nil {
			return err
		}
	}
	v.Token, err = m.site.IssueToken(m.ctx, m.owner,
		web.Issue{Label: "Scribe", Scopes: "read,write,governance", Expires: "30d"})
	return err
}

// Events returns the number of events of the live turns in the database, which no process may have open.
func (v *Work) Events(ctx context.Context) (n int, err error) {
	st, err := store.Open(ctx, v.Folder, store.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	err = st.Read(ctx, func(tx *store.Tx) error {
		for _, l := range v.Live {
			var k int
			if err := tx.Get(&k, `SELECT count(*) FROM turn_events WHERE turn_id = ?`, l.Turn); err != nil {
				return err
			}
			n += k
		}
		return nil
	})
	return n, err
}
