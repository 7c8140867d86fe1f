// Package world makes data folders of any size for measurements, called worlds. People and some pages are made with the
// product's own functions. The other rows are written directly into the tables, because a million separate votes would
// take too long.
package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/keyfile"
	"samepage/web"
	"samepage/web/account"
	_ "samepage/web/governance" // registers the pages of topics
	_ "samepage/web/work"       // registers the pages of runners and repositories
)

// These constants are the shape of a world. Every decision that is written directly has the same number of rows, so
// that only the size of the world changes the cost of a page.
const (
	rowsEach     = 100 // about the number of rows in all tables for each decision
	ballotsEach  = 50
	entriesEach  = 30 // journal entries
	notesEach    = 10 // notes beside each decision
	commentsEach = 9
	optionsEach  = 3

	// fewestDecisions is the minimum number of closed decisions, and pace is the time from one to the next. Even in a
	// small world every list is full, and every day has about the same number of decisions.
	fewestDecisions = 130
	pace            = 105 * time.Minute

	smallBallots  = 8 // number of ballots of the decision that is measured alone
	smallComments = 10

	studios     = 60
	studioCrowd = 16 // members of each studio except the measured one

	largeBallots  = 80_101 // as many ballots as in the mayoral election in Minneapolis in 2013
	largeComments = 10_000

	// Writers is the number of members with an agent that votes.
	Writers = 64
)

// Org and Studio are the handles of the organization and of the measured studio. The organization's owner signs in with
// Email and Password.
const (
	Org      = "acme"
	Studio   = "team"
	Email    = "alice@acme.example"
	Password = "bench-password"
)

// World describes a data folder and its contents. The addresses in it are paths that begin with a slash.
type World struct {
	Folder string `json:"-"`
	// Rows is the number of rows that was requested from [Make].
	Rows  int `json:"rows"`
	Shape int `json:"shape"`

	Token  string   `json:"token"`  // token of Alice's agent, with all scopes
	Tokens []string `json:"tokens"` // tokens of the writers' agents

	// Small is an open decision with 8 ballots and 10 long comments.
	Small  string   `json:"small"`
	Large  string   `json:"large,omitempty"` // a decision with 80,101 ballots and 10,000 comments
	Open   []string `json:"open"`            // open decisions without ballots, on which the writers vote
	Closed []string `json:"closed"`          // a random selection of the measured studio's closed decisions
	Notes  []string `json:"notes"`           // notes of the measured studio
	Cycle  string   `json:"cycle"`           // a cycle in the middle of the world's history

	LastDecisions string `json:"last_decisions"` // last full page of the decisions
	LastJournal   string `json:"last_journal"`
	LastComments  string `json:"last_comments,omitempty"`

	Searchable bool `json:"searchable"`
	Documents  int  `json:"documents"`
}

// note is the name of the file that describes a world. The number shape must be increased with every change of the
// worlds that [Make] makes, so that old worlds are not reused.
const (
	note  = "world.json"
	shape = 8
)

// Make makes a world with about the given number of rows, but at least fewestDecisions closed decisions, or reuses the
// world in the folder. It returns an error if the folder has a different world. If large is true, the world also has
// the decision [World.Large].
func Make(ctx context.Context, folder string, rows int, large bool) (*World, error) {
	w := &World{Folder: folder, Rows: rows, Shape: shape}
	text, err := os.ReadFile(filepath.Join(folder, note))
	if err == nil {
		if err := json.Unmarshal(text, w); err != nil {
			return nil, err
		}
		if w.Rows != rows || w.Shape != shape || (w.Large != "") != large {
			return nil, fmt.Errorf("%s has another world: remove it, or name another folder", folder)
		}
		return w, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m := &maker{ctx: ctx, World: w, decisions: max(rows/rowsEach, fewestDecisions)}
	m.start = time.Now().UTC().Add(-time.Duration(m.decisions)*pace - 5*24*time.Hour).Truncate(time.Second)
	if err := m.open(func() time.Time { return m.start }, m.found); err != nil {
		return nil, fmt.Errorf("found the world: %w", err)
	}
	if err := m.fill(); err != nil {
		return nil, fmt.Errorf("fill the world: %w", err)
	}
	if err := m.open(nil, func() error { return m.finish(large) }); err != nil {
		return nil, fmt.Errorf("finish the world: %w", err)
	}
	if large {
		if err := m.enlarge(); err != nil {
			return nil, fmt.Errorf("enlarge a decision: %w", err)
		}
	}
	if err := m.index(); err != nil {
		return nil, fmt.Errorf("index the world: %w", err)
	}
	// TidySearch merges the parts of the index, as the product does from time to time.
	if err := m.open(nil, func() error { return m.store.TidySearch(ctx) }); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(w); err != nil {
		return nil, err
	}
	return w, os.WriteFile(filepath.Join(folder, note), text, 0o600)
}

// Copy copies a world to another folder. It returns an error if a process has the world open.
func (w *World) Copy(folder string) (*World, error) {
	if _, err := os.Stat(filepath.Join(w.Folder, store.FileName+"-wal")); err == nil {
		return nil, fmt.Errorf("somebody has %s open", w.Folder)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	in, err := os.Open(filepath.Join(w.Folder, store.FileName))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(folder, store.FileName))
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return nil, err
	}
	keys, err := keyfile.Read(filepath.Join(w.Folder, keyfile.Name))
	if err != nil {
		return nil, err
	}
	copied := *w
	copied.Folder = folder
	return &copied, keys.Install(filepath.Join(folder, keyfile.Name))
}

type maker struct {
	*World
	ctx   context.Context
	start time.Time // time at which the organization was founded

	decisions int // closed decisions

	store *store.Store
	site  *web.Site
	owner store.Actor

	org     *store.Organization
	people  []store.Member // the owner is the first
	studios []*store.Studio
}

func (m *maker) open(clock func() time.Time, fn func() error) (err error) {
	if m.store, err = store.Open(m.ctx, m.Folder, store.Options{Clock: clock}); err != nil {
		return err
	}
	defer func() {
		if cerr := m.store.Close(); err == nil {
			err = cerr
		}
	}()
	if m.site, err = web.New(m.ctx, m.store, web.Config{Version: "bench"}); err != nil {
		return err
	}
	return fn()
}

func (m *maker) do(by store.Actor, url, action string, in param.Input) (web.Outcome, error) {
	out, err := m.site.Do(m.ctx, web.As(by), web.Call{URL: url, Action: action, Params: in})
	if err != nil {
		err = fmt.Errorf("%s on %s: %w", action, url, err)
	}
	return out, err
}

// person returns the actor for a member in person, without an agent.
func person(m *store.Member) store.Actor {
	by := store.Actor{UserID: m.UserID, Members: []store.Member{*m}}
	by.Member = &by.Members[0]
	return by
}

// found makes the organization, its members and its studios, with the product's own functions.
func (m *maker) found() error {
	err := m.store.Write(m.ctx, func(tx *store.Tx) error {
		o, owner, err := account.Found(tx, account.Founding{
			Organization: "Acme",
			Handle:       Org,
			Zone:         "Europe/Berlin",
			Name:         "Alice Anders",
			Member:       "alice",
			Email:        Email,
			Password:     Password,
		})
		if err != nil {
			return err
		}
		m.org, m.owner, m.people = o, person(owner), []store.Member{*owner}
		for i := range min(max(m.Rows/1000, 130), 1000) {
			handle := fmt.Sprintf("m%04d", i)
			// Nobody signs in as these members, so no password is hashed.
			p, err := tx.CreateMember(o.ID, handle, fmt.Sprintf("Member Number %d", i), handle+"@acme.example", "-")
			if err != nil {
				return err
			}
			if _, err := tx.Journal(m.owner,
				store.Change{Action: "join_organization", Target: p.Ref(), After: p.Record()}); err != nil {
				return err
			}
			m.people = append(m.people, *p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range studios {
		if err := m.foundStudio(i); err != nil {
			return err
		}
	}
	return nil
}

// foundStudio makes studio i. Studio 0 is the measured one, with the owner and all writers. The owner is in none of the
// others.
func (m *maker) foundStudio(i int) error {
	handle, crowd := fmt.Sprintf("studio-%02d", i), m.people[1+i%40:][:studioCrowd]
	if i == 0 {
		handle, crowd = Studio, m.people[:1+Writers+smallBallots]
	}
	_, err := m.do(person(m.founder(i)), "/orgs/"+Org, actions.CreateStudio.Name, param.Input{
		"handle":      handle,
		"name":        "Studio " + handle,
		"visibility":  "organization",
		"description": "How we work together: meetings, tools, who does what.",
	})
	if err != nil {
		return err
	}
	for j := range crowd[1:] {
		if _, err := m.do(person(&crowd[1+j]), "/studios/"+handle, actions.Join.Name, nil); err != nil {
			return err
		}
	}
	return m.store.Read(m.ctx, func(tx *store.Tx) error {
		s, err := tx.FindStudio(m.owner, handle)
		m.studios = append(m.studios, s)
		return err
	})
}

// founder returns the first member of studio i.
func (m *maker) founder(i int) *store.Member {
	if i == 0 {
		return &m.people[0]
	}
	return &m.people[1+i%40]
}

// finish makes the tokens, and the pages that are measured one by one, with the product's own actions and the current
// time.
func (m *maker) finish(large bool) error {
	team := "/studios/" + Studio
	ask := func(question string) (string, error) {
		out, err := m.do(m.owner, team, actions.CreateDecision.Name, param.Input{
			"question":  question,
			"results":   "shown",
			"closes_at": "30d",
			"text":      body(0),
			"options":   []any{option(0), option(1), option(2)},
		})
		return out.URL, err
	}
	for i := range 16 {
		url, err := ask(fmt.Sprintf("Open question number %d?", i))
		if err != nil {
			return err
		}
		m.Open = append(m.Open, url)
	}
	mayor, err := ask("Who becomes mayor of the largest city?")
	if err != nil {
		return err
	}
	if large {
		m.Large = mayor
	}
	if m.Small, err = ask("Should we adopt weekly stand-ups?"); err != nil {
		return err
	}
	for i := range smallBallots {
		in := param.Input{"accept": []any{"1", "2"}[:1+i%2], "prefer": []any{"1"}}
		if _, err := m.do(person(&m.people[1+Writers+i]), m.Small, actions.CastVote.Name, in); err != nil {
			return err
		}
	}
	for i := range smallComments {
		if _, err := m.do(person(&m.people[1+i]), m.Small, actions.Comment,
			param.Input{"text": letter(i)}); err != nil {
			return err
		}
	}
	if m.Token, err = m.site.IssueToken(m.ctx, m.owner,
		web.Issue{Label: "Scribe", Scopes: "read,write,governance", Expires: "30d"}); err != nil {
		return err
	}
	for i := range Writers {
		token, err := m.site.IssueToken(m.ctx, person(&m.people[1+i]),
			web.Issue{Label: "Writer", Scopes: "read,write", Expires: "30d"})
		if err != nil {
			return err
		}
		m.Tokens = append(m.Tokens, token)
	}
	return nil
}
