package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
)

// allOpen returns the open items of Acme that the actor may see, from all pages.
func (w *world) allOpen(by store.Actor) (list []store.Item) {
	w.t.Helper()
	w.read(func(tx *store.Tx) error {
		first, err := tx.ShowOpen(by, w.acme, "", "")
		if err != nil {
			return err
		}
		counted := map[string]int{}
		for _, g := range first.Groups {
			if counted[g.For] = g.Count; g.For != store.AwaitsApproval && len(g.List) != min(g.Count, first.Few) {
				w.t.Errorf("%d of %d that wait for %s are shown first", len(g.List), g.Count, g.For)
			}
		}
		for _, what := range store.Awaited() {
			n := 0
			for after := ""; what != store.AwaitsApproval; {
				p, err := tx.ShowOpen(by, w.acme, what, after)
				if err != nil {
					return err
				}
				g := p.Groups[slices.IndexFunc(p.Groups, func(g store.OpenGroup) bool { return g.For == what })]
				list, n = append(list, g.List...), n+len(g.List)
				if g.Count != counted[what] {
					w.t.Errorf("%d wait for %s, and %d on the first page", g.Count, what, counted[what])
				}
				if len(g.List) < p.Limit {
					break
				}
				after = list[len(list)-1].OpenCursor()
			}
			if what != store.AwaitsApproval && n != counted[what] {
				w.t.Errorf("%d wait for %s, and %d are listed", counted[what], what, n)
			}
		}
		return nil
	})
	return list
}

// TestShowOpen lists the open items of an organization for several actors, on all pages. Each item that the actor may
// see must be listed once: the tied ones first, the others in the order of deadlines.
func TestShowOpen(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	secret, attic := w.studio("secret", "members", w.bob), w.studio("attic", "organization", w.alice)
	open := func(by store.Actor, s *store.Studio, title string, due time.Time) *governance.Decision {
		d := w.draft(by, s, title, "Yes", "No")
		w.write(func(tx *store.Tx) error {
			if err := tx.Exec(`UPDATE items SET due_at = ? WHERE id = ?`, store.At(due), d.ID); err != nil {
				return err
			}
			return governance.OpenDecision(tx, d)
		})
		w.clock.advance(time.Second)
		return d
	}
	hidden := open(w.bob, secret, "Hidden?", time.Time{})
	open(w.alice, attic, "Stored?", friday.Add(time.Hour))
	w.write(func(tx *store.Tx) error { return tx.ArchiveStudio(w.alice, attic) })
	// Three decisions at a time have the same deadline, and some of these groups go over the end of a page.
	for i := range 60 {
		open(w.alice, w.team, fmt.Sprintf("Due %d?", i), friday.Add(time.Duration(i/3+1)*time.Hour))
	}
	for i := range 60 {
		open(w.bob, w.team, fmt.Sprintf("Whenever %d?", i), time.Time{})
	}
	open(w.alice, w.team, "Over?", w.clock.Now().Add(time.Minute))
	w.clock.advance(2 * time.Minute)
	ties := w.ties(open)
	for _, c := range []struct {
		by   store.Actor
		sees int // the decision about stand-ups counts too; only Bob is in the secret studio
	}{{w.alice, 137}, {w.scribe, 137}, {w.bob, 138}, {store.System(), 138}} {
		list := w.allOpen(c.by)
		seen := map[string]bool{}
		for i := range list {
			it := &list[i]
			if seen[it.ID] || it.Title == "Stored?" || it.Title == "Over?" || (it.ID == hidden.ID) && c.sees == 137 ||
				it.Studio.Handle == "" {
				t.Errorf("%s sees %q", c.by.Name(), it.Title)
			}
			seen[it.ID] = true
		}
		ordered := slices.IsSortedFunc(list, func(a, b store.Item) int {
			switch {
			case !a.ClosedAt.IsZero() && !b.ClosedAt.IsZero():
				return b.ClosedAt.Compare(a.ClosedAt.Time)
			case !a.ClosedAt.IsZero():
				return -1
			case !b.ClosedAt.IsZero():
				return 1
			case a.DueAt.IsZero() && b.DueAt.IsZero():
				return b.CreatedAt.Compare(a.CreatedAt.Time)
			case a.DueAt.IsZero():
				return 1
			case b.DueAt.IsZero():
				return -1
			}
			return a.DueAt.Compare(b.DueAt.Time)
		})
		if len(list) != c.sees || !ordered {
			t.Errorf("%s sees %d, in order: %v; want %d", c.by.Name(), len(list), ordered, c.sees)
		}
	}
	w.breakTies(ties)
	w.read(func(tx *store.Tx) error {
		p, err := tx.ShowOpen(w.alice, w.acme, store.AwaitsCasting, "")
		if tied := func(g store.OpenGroup) bool { return g.For == store.AwaitsCasting && g.Count > 0 }; err == nil &&
			slices.ContainsFunc(p.Groups, tied) {
			t.Error("a tie that was broken is still undecided")
		}
		for _, wrong := range [][2]string{{store.AwaitsAnswers, "due-soon"}, {"nothing", ""},
			{"", "7-d"}, {store.AwaitsApproval, "7-d"}} {
			if _, err = tx.ShowOpen(w.alice, w.acme, wrong[0], wrong[1]); store.CodeOf(err) != store.Invalid {
				t.Errorf("%q is taken: %v", wrong, err)
			}
		}
		return nil
	})
}

// ties creates 16 tied decisions in the Team studio. They need a casting vote. Two at a time end at the same time, and
// one of these pairs goes over the end of a page. The parameter open creates an open decision.
func (w *world) ties(open func(store.Actor, *store.Studio, string, time.Time) *governance.Decision) (
	list []*governance.Decision) {
	for i := range 16 {
		tied := open(w.alice, w.team, fmt.Sprintf("Tied %d?", i), time.Time{})
		w.clock.advance(time.Duration(i%2-1) * time.Second)
		w.write(func(tx *store.Tx) error {
			return governance.CloseDecision(tx, w.alice, tied, "", governance.DecisionTie, "", "")
		})
		list = append(list, tied)
	}
	return list
}

// breakTies chooses the first option of each decision.
func (w *world) breakTies(ties []*governance.Decision) {
	w.write(func(tx *store.Tx) error {
		for _, tied := range ties {
			tied, err := governance.FindDecision(tx, w.alice, "team", tied.ID)
			if err == nil {
				err = governance.DecideTie(tx, w.alice, tied, 1, "")
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// TestShowTokens lists active and paused tokens on all pages, those with the latest expiry first. The owner sees all
// tokens, a member the member's own, and an agent its own.
func TestShowTokens(t *testing.T) {
	w := newWorld(t)
	role := ""
	w.write(func(tx *store.Tx) error {
		leader, err := tx.LeaderOf(w.team)
		if err != nil {
			return err
		}
		role = leader.ID
		for i := range 60 {
			token, _, err := tx.CreateToken(w.bob.Member,
				store.Grant{Label: fmt.Sprint("Helper ", i), Scopes: store.Scopes(),
					Expires: store.At(tx.Now.Add(time.Duration(i/3) * time.Hour))})
			if err != nil {
				return err
			}
			if i == 58 {
				if _, err := tx.RevokeToken(w.bob, token.ID); err != nil {
					return err
				}
			}
			if i == 59 {
				if _, err := tx.PauseToken(w.bob, token.ID); err != nil {
					return err
				}
			}
		}
		_, _, err = tx.CreateToken(w.alice.Member,
			store.Grant{Label: "Leads", Scopes: store.Scopes(), Roles: store.Set[string]{role},
				Expires: store.At(tx.Now.Add(time.Minute))})
		return err
	})
	walk := func(by store.Actor) (list []store.Token) {
		t.Helper()
		w.read(func(tx *store.Tx) error {
			for after := ""; ; after = list[len(list)-1].Cursor().String() {
				p, err := tx.ShowTokens(by, w.acme, after)
				if err != nil {
					return err
				}
				if list = append(list, p.List...); len(p.List) < p.Limit {
					return nil
				}
			}
		})
		return list
	}
	for _, c := range []struct {
		by  store.Actor
		has int
	}{{w.alice, 58}, {w.bob, 56}, {w.scribe, 1}} { // the first three have expired, one is revoked; Scribe's never expires
		list := walk(c.by)
		seen := map[string]bool{}
		for _, x := range list {
			if seen[x.ID] || x.State() != "active" && x.State() != "paused" {
				t.Errorf("%s sees %s, which is %s", c.by.Name(), x.Label, x.State())
			}
			seen[x.ID] = true
		}
		if len(list) != c.has || !slices.IsSortedFunc(list,
			func(a, b store.Token) int { return int(b.Cursor().At/1000 - a.Cursor().At/1000) }) {
			t.Errorf("%s sees %d, want %d", c.by.Name(), len(list), c.has)
		}
	}
	if all := walk(w.alice); !all[0].Expires.IsZero() || all[0].Label != "Scribe" ||
		!slices.Equal(all[len(all)-1].RoleNames, []string{"Leader of team"}) {
		t.Errorf("first is %s, last uses %q", all[0].Label, all[len(all)-1].RoleNames)
	}
}

// TestShowActivity lists refused calls. The owner sees those of all agents, a member those of the member's agents, and
// an agent its own. The owner, who is not in a studio for members only, does not see the addresses of its pages.
func TestShowActivity(t *testing.T) {
	w := newWorld(t)
	var robot store.Actor
	w.write(func(tx *store.Tx) error {
		_, secret, err := tx.CreateToken(w.bob.Member, store.Grant{Label: "Robot", Scopes: store.Scopes()})
		if err != nil {
			return err
		}
		if robot, err = tx.ActorByToken(secret); err != nil {
			return err
		}
		for _, by := range []store.Actor{robot, w.scribe} {
			for range 2 {
				if err := tx.LogRefusal(by, store.Refusal{URL: "/", Action: "a", Code: "forbidden"}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	carol := w.member(w.acme, "carol")
	hidden := w.studio("attic", "members", w.bob).URL() + "/notes"
	w.write(func(tx *store.Tx) error {
		return tx.LogRefusal(robot, store.Refusal{URL: hidden, Action: "a", Code: "forbidden"})
	})
	for _, c := range []struct {
		by    store.Actor
		sees  int
		whose string
	}{{w.alice, 5, ""}, {w.bob, 3, "bob"}, {robot, 3, "bob"}, {w.scribe, 2, "alice"}, {carol, 0, ""}} {
		w.read(func(tx *store.Tx) error {
			p, err := tx.ShowActivity(c.by, w.acme, "")
			if err != nil {
				return err
			}
			for i, r := range p.Refusals {
				if url := map[bool]string{true: hidden}[c.whose == "bob"]; i == 0 && c.sees > 2 && r.URL != url {
					t.Errorf("%s sees a refusal at %q, want %q", c.by.Name(), r.URL, url)
				}
				if c.whose != "" && r.Member != c.whose {
					t.Errorf("%s sees what was refused to an agent of @%s", c.by.Name(), r.Member)
				}
			}
			if len(p.Refusals) != c.sees || p.All != (c.sees == 5) {
				t.Errorf("%s sees %d, want %d", c.by.Name(), len(p.Refusals), c.sees)
			}
			return nil
		})
	}
}
