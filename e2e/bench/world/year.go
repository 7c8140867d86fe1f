package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
)

// This file makes the world of a team's year, or of a shorter time. Each unit of time has the same number of rows, so
// that only the length of the history changes the cost of a page.
const (
	UnitsOfAYear = 2500
	fewestUnits  = 100 // enough to make every list full

	unitPace       = 365 * 24 * time.Hour / UnitsOfAYear
	unitMessages   = 20
	unitEntries    = 200
	unitReplies    = 5 // number of replies to the first message of a unit
	unitResponses  = 10
	yearPeople     = 200
	yearPolicies   = 40
	yearOpenTopics = 8

	yearNote  = "year.json"
	yearShape = 1
)

// Year describes a data folder and its contents. The addresses in it are paths that begin with a slash.
type Year struct {
	Folder string `json:"-"`
	Units  int    `json:"units"`
	Shape  int    `json:"shape"`

	Token   string   `json:"token"`   // token of Alice's agent, with all scopes
	Tokens  []string `json:"tokens"`  // a token of each member of the measured studio
	Threads []string `json:"threads"` // messages that have replies
	Topics  []string `json:"topics"`  // accepted topics
	Open    string   `json:"open"`    // a topic in its round of consent

	Election string `json:"election"` // an election with nominations that are still secret
	Policy   string `json:"policy"`
}

// MakeYear makes a world with a history of at least the given number of units, or reuses the world in the folder. It
// returns an error if the folder has a different world.
func MakeYear(ctx context.Context, folder string, units int) (*Year, error) {
	y := &Year{Folder: folder, Units: max(units, fewestUnits), Shape: yearShape}
	text, err := os.ReadFile(filepath.Join(folder, yearNote))
	if err == nil {
		had := Year{Folder: folder}
		if err := json.Unmarshal(text, &had); err != nil {
			return nil, err
		}
		if had.Units != y.Units || had.Shape != yearShape {
			return nil, fmt.Errorf("%s has another world: remove it, or name another folder", folder)
		}
		return &had, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m := &maker{ctx: ctx, World: &World{Folder: folder, Rows: yearPeople * 1000}, decisions: y.Units}
	m.start = time.Now().UTC().Add(-time.Duration(y.Units)*unitPace - 3*24*time.Hour).Truncate(time.Second)
	if err := m.open(func() time.Time { return m.start }, m.found); err != nil {
		return nil, fmt.Errorf("found the world: %w", err)
	}
	if err := m.fillYear(y); err != nil {
		return nil, fmt.Errorf("fill the world: %w", err)
	}
	if err := m.open(nil, func() error { return m.finishYear(y) }); err != nil {
		return nil, fmt.Errorf("finish the world: %w", err)
	}
	if err := m.index(); err != nil {
		return nil, fmt.Errorf("index the world: %w", err)
	}
	if err := m.open(nil, func() error { return m.store.TidySearch(ctx) }); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(y); err != nil {
		return nil, err
	}
	return y, os.WriteFile(filepath.Join(folder, yearNote), text, 0o600)
}

// fillYear writes the history, half of it in the measured studio.
func (m *maker) fillYear(y *Year) error {
	return m.raw([]string{"items", "journal"}, func(f *filler) error {
		chain, err := m.chain(f)
		if err != nil {
			return err
		}
		said := map[string]int{}
		for i := range y.Units {
			s := m.studios[0]
			if i%2 == 1 {
				s = m.studios[1+i/2%(len(m.studios)-1)]
			}
			d := filling{id: store.NewID(), studio: s, at: m.start.Add(unitPace * time.Duration(i+1)), n: i}
			m.decision(f, &d)
			for range unitEntries {
				chain.vote(f, &d)
			}
			topic := m.topic(f, &d)
			for k := range unitMessages {
				said[s.ID]++
				thread := m.message(f, &d, k, said[s.ID])
				if k == 0 && i%2 == 0 && len(y.Threads) < 4096 {
					y.Threads = append(y.Threads, "/studios/"+s.Handle+"/m/"+thread)
				}
			}
			if i%2 == 0 {
				y.Topics = append(y.Topics, "/studios/"+s.Handle+"/t/"+topic)
			}
			if f.err != nil {
				return f.err
			}
		}
		for id, n := range said {
			f.exec("UPDATE studios SET said = ? WHERE id = ?", n, id)
			f.exec("UPDATE studio_members SET heard = ? WHERE studio_id = ?", n, id)
		}
		f.exec("UPDATE organizations SET journal_seq = ?, journal_hash = ? WHERE id = ?", chain.seq, chain.hash,
			m.org.ID)
		return nil
	})
}

func (m *maker) topic(f *filler, d *filling) string {
	id, by, at, end := store.NewID(), &m.people[1+d.n%60], d.at.UnixMilli(), d.at.Add(48*time.Hour).UnixMilli()
	f.rows("items",
		"id, org_id, studio_id, kind, title, body, member_id, created_at, opened_at, due_at, closed_at, version, "+
			"state, answered, asked, headline", 1, id, m.org.ID, d.studio.ID, "topic",
		fmt.Sprintf("Proposal number %d", d.n), letter(d.n),
		by.ID, at, at, end, end, 14, "accepted", unitResponses, unitResponses, "nobody objects")
	f.rows("consents",
		"id, org_id, studio_id, period, quorum, asking, round, consent_at, electorate, answered, passed", 1, id,
		m.org.ID, d.studio.ID, (48 * time.Hour).Milliseconds(), 50, 1, 1, at, unitResponses, unitResponses, 1)
	f.rows("topics", "id, org_id, phase, outcome", 1, id, m.org.ID, "consent", "accepted")
	var responses []any
	for i := range unitResponses {
		responses = append(responses, id, 1, m.people[1+(d.n+i)%60].ID, m.org.ID, "consent", "", at)
	}
	f.rows("responses", "item_id, round, member_id, org_id, position, reason, at", unitResponses, responses...)
	return id
}

// message writes the n-th message of a studio, the k-th of its unit, and returns its id. The message has replies if k
// is 0.
func (m *maker) message(f *filler, d *filling, k, n int) string {
	id, by, at := store.NewID(), &m.people[1+(d.n+k)%60], d.at.Add(time.Duration(k)*time.Minute)
	replies, replied := 0, any(nil)
	if k == 0 {
		replies, replied = unitReplies, at.Add(unitReplies*time.Minute).UnixMilli()
	}
	f.rows("items",
		"id, org_id, studio_id, kind, title, body, member_id, created_at, opened_at, closed_at, comments, remarks, "+
			"spoken, version, state, replied_at", 1, id, m.org.ID, d.studio.ID, "message", remark(n), remark(n),
		by.ID, at.UnixMilli(),
		at.UnixMilli(), at.UnixMilli(), replies, replies, 1, 1+replies, "posted", replied)
	f.rows("messages", "id, org_id, studio_id, n", 1, id, m.org.ID, d.studio.ID, n)
	for i := range replies {
		f.rows("comments", "item_id, seq, org_id, member_id, text, at", 1, id, i+1, m.org.ID, m.people[1+(d.n+i)%60].ID,
			remark(n+i), at.Add(time.Duration(i+1)*time.Minute).UnixMilli())
	}
	return id
}

// finishYear makes the tokens, and the pages that are measured one by one.
func (m *maker) finishYear(y *Year) error {
	const team = "/studios/" + Studio
	var leader string
	if err := m.store.Read(m.ctx, func(tx *store.Tx) error {
		s, err := tx.FindStudio(m.owner, Studio)
		if err != nil {
			return err
		}
		r, err := tx.LeaderOf(s)
		leader = r.ID
		return err
	}); err != nil {
		return err
	}
	do := func(url, action string, in param.Input) (string, error) {
		out, err := m.do(m.owner, url, action, in)
		if len(out.Made) > 0 {
			return out.Made[0], err
		}
		return out.URL, err
	}
	var err error
	for i := range yearPolicies {
		if y.Policy, err = do(team+"/policies", governance.CreatePolicy.Name,
			param.Input{"role": leader, "title": fmt.Sprintf("Policy about case %d", i),
				"text": letter(i)}); err != nil {
			return err
		}
	}
	for i := range yearOpenTopics {
		if y.Open, err = do(team, governance.CreateTopic.Name,
			param.Input{"title": fmt.Sprintf("Open proposal %d", i), "text": letter(i)}); err != nil {
			return err
		}
		if _, err = do(y.Open, governance.Advance.Name, nil); err != nil {
			return err
		}
	}
	if _, err = do(team+"/roles", actions.CreateRole.Name, param.Input{"title": "Night watch"}); err != nil {
		return err
	}
	if y.Election, err = do(team, governance.CreateElection.Name, param.Input{"role": "Night watch"}); err != nil {
		return err
	}
	for i := range smallBallots {
		if _, err := m.do(person(&m.people[1+i]), y.Election, governance.Nominate.Name,
			param.Input{"nominee": "@" + m.people[2+i].Handle, "reason": remark(i)}); err != nil {
			return err
		}
	}
	for i := range 1 + Writers + smallBallots {
		token, err := m.site.IssueToken(m.ctx, person(&m.people[i]), web.Issue{Label: "Reader",
			Scopes:  "read,write,governance",
			Expires: "30d"})
		if err != nil {
			return err
		}
		y.Tokens = append(y.Tokens, token)
	}
	y.Token = y.Tokens[0]
	if !strings.HasPrefix(y.Policy, "/orgs/") {
		return fmt.Errorf("a policy is at %s", y.Policy)
	}
	return nil
}
