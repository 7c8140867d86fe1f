package governance_test

import (
	"fmt"
	"path"
	"strings"

	"pgregory.net/rapid"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// These are further steps of a topic's model: the changes that a topic carries, and its relation to the parent studio.
const (
	addChange = 100 + iota
	removeChange
	escalate
	found // a member creates an annex without a topic, so that no topic can create the annex any more
)

// cargo is the part of a topic's model that concerns its changes and the parent studio.
type cargo struct {
	changes []load
	founded map[int]bool    // numbers of the annexes that a member created without a topic
	above   map[string]bool // handles of the members of the parent studio; nil if there is no parent
	up      string          // URL of the topic in the parent studio
	calls   governance.PageCalls
	owner   store.Actor
}

// load is a change that a topic carries. If annex is 0, the change creates a role. Otherwise it creates the annex of
// that number. An annex is a studio. Handles of studios are unique, so the second of two equal annexes cannot be
// created. A topic of the parent studio can create an annex, but no role in the child studio.
type load struct{ annex int }

const annexes = 3

func annexHandle(n int) string { return fmt.Sprint("annex-", n) }

// drawn returns the change that a step adds.
func drawn(s step) load {
	if s.N%2 == 0 {
		return load{}
	}
	return load{s.N/2%annexes + 1}
}

func (l load) params() param.Input {
	if l.annex == 0 {
		return param.Input{"page": "/studios/team/roles", "change": actions.CreateRole.Name, "values": "title: Keeper"}
	}
	return param.Input{"page": "/orgs/acme", "change": actions.CreateStudio.Name,
		"values": "name: Annex\nhandle: " + annexHandle(l.annex)}
}

// newCargo decides at random whether there is a parent studio, and whether the chair is in that studio. The author is
// always in it.
func newCargo(rt *rapid.T, calls governance.PageCalls) cargo {
	c := cargo{founded: map[int]bool{}, calls: calls}
	if rapid.Bool().Draw(rt, "parent") {
		c.above = map[string]bool{author: true, chair: rapid.Bool().Draw(rt, "chair is above")}
	}
	return c
}

// putAbove creates the parent studio.
func (c *cargo) putAbove(tx *store.Tx, by map[string]store.Actor) error {
	team, err := tx.FindStudio(by[author], "team")
	if err != nil {
		return err
	}
	c.owner = by[author].In(team.OrgID)
	if c.above == nil {
		return nil
	}
	hall, err := tx.CreateStudio(c.owner, store.NewStudio{OrgID: team.OrgID, Handle: "hall", Name: "Hall",
		Visibility: "organization", Tempo: team.Tempo})
	if err != nil {
		return err
	}
	if c.above[chair] {
		if err := tx.JoinStudio(by[chair].In(team.OrgID).Member, hall); err != nil {
			return err
		}
	}
	_, err = tx.UpdateStudio(team, store.NewStudio{Name: team.Name, Description: team.Description, ParentID: hall.ID,
		Tempo: team.Tempo})
	return err
}

// works reports whether acceptance can make all changes of the topic.
func (c *cargo) works() bool {
	seen := map[int]bool{}
	for _, l := range c.changes {
		if l.annex != 0 && (seen[l.annex] || c.founded[l.annex]) {
			return false
		}
		seen[l.annex] = true
	}
	return true
}

// foundable reports whether a member can create the annex of a step. Neither a member nor an accepted topic may have
// created it before.
func (m *model) foundable(s step) bool {
	for _, l := range m.changes {
		if m.outcome == governance.TopicAccepted && l.annex == s.N%annexes+1 {
			return false
		}
	}
	return !m.founded[s.N%annexes+1]
}

// change updates the phase after a change was added or removed: an open topic returns to clarification.
func (m *model) change() {
	if m.opened {
		m.enter(governance.TopicClarification)
	}
}

func (c *cargo) build(tx *store.Tx, by store.Actor, s *store.Studio, annex int) error {
	_, err := tx.CreateStudio(by, store.NewStudio{OrgID: s.OrgID, Handle: annexHandle(annex), Name: "Annex",
		Visibility: "members", Tempo: s.Tempo})
	return err
}

// inspect checks that all changes were made if the topic is accepted, and otherwise none. It also checks that an
// escalated topic has a successor in the parent studio, with the changes that a topic there can carry.
func (m *model) inspect(tx *store.Tx, by store.Actor, t *governance.Topic) error {
	roles, studios := 0, len(m.founded)
	accepted := m.outcome == governance.TopicAccepted
	for _, l := range m.changes {
		switch {
		case accepted && l.annex == 0:
			roles++
		case accepted && !m.founded[l.annex]:
			studios++
		}
	}
	var have struct {
		Roles   int `db:"roles"`
		Studios int `db:"studios"`
	}
	if err := tx.Get(&have, `SELECT (SELECT count(*) FROM roles WHERE studio_id = ? AND title = 'Keeper') AS roles,
		(SELECT count(*) FROM studios WHERE handle LIKE 'annex-%') AS studios`, t.StudioID); err != nil {
		return err
	}
	if have.Roles != roles || have.Studios != studios {
		return fmt.Errorf("%d roles and %d studios were created, not %d and %d", have.Roles, have.Studios, roles,
			studios)
	}
	if m.outcome != governance.TopicEscalated {
		return nil
	}
	up, err := governance.FindTopic(tx, by, "hall", path.Base(m.up))
	if err != nil {
		return err
	}
	passed := 0
	for _, l := range m.changes {
		if l.annex != 0 {
			passed++
		}
	}
	if left := strings.Count(up.Body, "Without change"); up.State() != governance.TopicClarification ||
		up.Title != t.Title ||
		!strings.HasPrefix(up.Body, t.Body+"\n\nPassed on from "+t.URL()) || up.Changes+left != len(m.changes) ||
		up.Changes > passed || len(m.founded) == 0 && up.Changes != passed {
		return fmt.Errorf("the topic that was passed on is %s with %d changes and %d left out, of %d that founded studios",
			up.State(), up.Changes, left, passed)
	}
	return nil
}
