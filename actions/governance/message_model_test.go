package governance_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	base "samepage/actions"
	"samepage/actions/action"
	actions "samepage/actions/governance"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
	"samepage/web/webtest"
)

// said is a message in the model of a channel.
type said struct {
	id        string
	author    string // handle of the member
	edits     int
	removed   bool
	reactions map[string]map[string]bool // handles of the members who reacted, by emoji
	replies   int
	run       int // length of the latest series of agents' replies, including the message itself
}

// talk is a simple model of a channel. It covers only the messages of one random history.
type talk struct {
	list  []*said
	run   int            // number of messages by agents since the last one by a person
	heard map[string]int // number of messages that a member has read, by handle
}

// mostInARow is the default limit for consecutive messages by agents: InARow in store.DefaultLimits.
const mostInARow = 3

// These are the steps in a channel.
const (
	post = iota
	reply
	reactTo
	unreact
	edit
	remove
	hear
	steps
)

var emoji = []string{"👍", "❤️", "🏳️‍🌈", "1️⃣"}

// may reports whether a step should succeed for this actor. The argument at is the message of the step.
func (m *talk) may(s step, who string, at *said) bool {
	of, agent := member(who), who == machine
	e := emoji[s.N%len(emoji)]
	switch s.Do {
	case post:
		return !agent || m.run < mostInARow
	case reply:
		return !agent || m.run < mostInARow && at.run < mostInARow
	case reactTo:
		return !at.removed && !at.reactions[e][of]
	case unreact:
		return !at.removed && at.reactions[e][of]
	case edit:
		return !at.removed && at.author == of
	case remove:
		return !at.removed && !agent && (at.author == of || of == chair)
	}
	return len(m.list) > m.heard[of]
}

// succeed updates the model after a successful step of this actor. The argument at is the message of the step, and id
// the id of a new message.
func (m *talk) succeed(s step, who, id string, at *said) {
	of, agent := member(who), who == machine
	e := emoji[s.N%len(emoji)]
	count := func(run int) int {
		if agent {
			return run + 1
		}
		return 0
	}
	switch s.Do {
	case post:
		m.run = count(m.run)
		m.list = append(m.list, &said{id: id, author: of, run: count(0), reactions: map[string]map[string]bool{}})
		if !agent {
			m.heard[of] = len(m.list)
		}
	case reply:
		m.run, at.run = count(m.run), count(at.run)
		at.replies++
	case reactTo:
		if at.reactions[e] == nil {
			at.reactions[e] = map[string]bool{}
		}
		at.reactions[e][of] = true
	case unreact:
		delete(at.reactions[e], of)
	case edit:
		at.edits++
	case remove:
		at.removed, at.reactions, at.edits = true, map[string]map[string]bool{}, 0
	case hear:
		m.heard[of] = len(m.list)
	}
}

// attempt takes a step by calling its action. It returns the id of the message if the step posts one.
func (m *talk) attempt(tx *store.Tx, actor store.Actor, s step, at *said) (id string, err error) {
	clock := param.Clock{Now: tx.Now, Zone: time.UTC}
	c, err := governance.FindChannel(tx, actor, "team")
	if err != nil {
		return "", err
	}
	switch s.Do {
	case post:
		done, err := actions.InChannel[0].Do(tx, actor, c, param.Input{"text": fmt.Sprint("Message ", s.N)}, clock, nil)
		if err != nil {
			return "", err
		}
		return done.Made[0].(*governance.Message).ID, nil
	case hear:
		_, err := actions.MarkChannelRead.Do(tx, actor, c, nil, clock, nil)
		return "", err
	}
	now, err := governance.FindMessage(tx, actor, "team", at.id)
	if err != nil {
		return "", err
	}
	var spec *action.Spec[*governance.Message]
	in := param.Input{"reaction": emoji[s.N%len(emoji)]}
	switch s.Do {
	case reply:
		for _, a := range actions.CommonMessage {
			if a.Name == base.Comment {
				spec = a
			}
		}
		in = param.Input{"text": "Indeed."}
	case reactTo:
		spec = actions.AddReaction
	case unreact:
		spec = actions.RemoveReaction
	case edit:
		spec, in = actions.EditMessage, param.Input{"text": now.Body + "x"}
	case remove:
		spec, in = actions.DeleteMessage, nil
	}
	if now.Removed() && s.Do != reply { // tombstoneView in package web refuses all other actions on a deleted message
		return "", store.Errorf(store.Conflict, "It was removed.")
	}
	_, err = spec.Do(tx, actor, now, in, clock, nil)
	return "", err
}

// compare compares the channel, as the given actor sees it, with the model. The parameter before is the number of
// messages that the channel had before the history.
func (m *talk) compare(tx *store.Tx, by store.Actor, before int) error {
	c, err := governance.FindChannel(tx, by, "team")
	if err != nil {
		return err
	}
	if c.Unheard() != len(m.list)-m.heard[by.Member.Handle] || c.Said != before+len(m.list) || c.AgentRun != m.run {
		return fmt.Errorf("%d messages are new of %d, %d by agents in a row; the model has %+v", c.Unheard(),
			c.Said-before, c.AgentRun, m)
	}
	for _, x := range m.list {
		now, err := governance.FindMessage(tx, by, "team", x.id)
		if err != nil {
			return err
		}
		have, want := map[string]int{}, map[string]int{}
		for _, r := range now.Reactions {
			have[r.Emoji] = r.N
			if r.Mine != x.reactions[r.Emoji][by.Member.Handle] {
				return fmt.Errorf("the reaction %s is mine: %t", r.Emoji, r.Mine)
			}
		}
		for e, who := range x.reactions {
			if len(who) > 0 {
				want[e] = len(who)
			}
		}
		versions := x.edits
		if versions > 0 {
			versions++ // the first text also counts as a version
		}
		if fmt.Sprint(have) != fmt.Sprint(want) || now.Removed() != x.removed || now.Comments != x.replies || now.AgentRun != x.run ||
			now.Versions != versions || x.removed != (now.Body == "") {
			return fmt.Errorf("message %+v is %v, removed: %t, with %d replies, %d in a row, %d versions", x, have, now.Removed(),
				now.Comments, now.AgentRun, now.Versions)
		}
	}
	return nil
}

// errEnough ends the transaction of a random history, so that all changes of the history are rolled back.
var errEnough = errors.New("this is enough")

// TestMessageModel lets people and an agent post, reply, react, edit, delete and read in random order. It compares
// every refusal and all counts with a model.
func TestMessageModel(t *testing.T) {
	w := webtest.Of(t, "channel")
	by := map[string]store.Actor{}
	for _, name := range []string{author, chair, referee, "dave"} {
		a, err := w.Site.Person(t.Context(), "acme", name)
		if err != nil {
			t.Fatal(err)
		}
		by[name] = a
	}
	agent := by[chair]
	w.Query(&agent.Agent.ID, `SELECT a.id FROM agents a JOIN members m ON m.id = a.member_id
		WHERE a.label = 'Scribe' AND m.handle = ?`, chair)
	agent.Agent.Label, agent.Token = "Scribe", agent.Agent.ID
	agent.Grant, agent.Rules = &store.Grant{Scopes: store.Scopes(), Public: true}, &store.Rules{}
	by[machine] = agent
	taken, refused, enough := 0, 0, effort.Steps(2_000)
	effort.LeftOut(t, "all but %d steps", enough)
	for taken < enough && !t.Failed() {
		rapid.Check(t, func(rt *rapid.T) {
			list := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
				return step{Do: rapid.IntRange(0, steps-1).Draw(rt, "do"), Who: rapid.IntRange(0, len(people)-1).Draw(rt, "who"),
					N: rapid.IntRange(0, 1000).Draw(rt, "n")}
			}), 1, 40).Draw(rt, "steps")
			err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
				m := &talk{heard: map[string]int{}}
				c, err := governance.FindChannel(tx, by[author], "team")
				if err != nil {
					return err
				}
				m.run = c.AgentRun
				for _, name := range people { // mark the earlier messages as read for everybody
					mine, err := governance.FindChannel(tx, by[name], "team")
					if err != nil {
						return err
					}
					if err := governance.HearChannel(tx, by[name], mine); err != nil {
						return err
					}
				}
				for i, s := range list {
					who := people[s.Who]
					var at *said
					if len(m.list) > 0 {
						at = m.list[s.N%len(m.list)]
					} else if s.Do != hear {
						s.Do = post
					}
					taken++
					should := m.may(s, who, at)
					id, err := m.attempt(tx, by[who], s, at)
					if (err == nil) != should {
						return fmt.Errorf("step %d, %+v by %s: should succeed: %t, got %w", i, s, who, should, err)
					}
					if err != nil {
						refused++
						continue
					}
					m.succeed(s, who, id, at)
					if err := m.compare(tx, by[people[(i+s.N)%4]], c.Said); err != nil {
						return fmt.Errorf("step %d, %+v by %s: %w", i, s, who, err)
					}
				}
				return errEnough
			})
			if !errors.Is(err, errEnough) {
				rt.Fatal(err)
			}
		})
	}
	t.Logf("%d steps, %d of them refused", taken, refused)
}
