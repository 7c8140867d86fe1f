package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
)

// TestRoleModel calls random actions on the tree of studios and their roles, and checks invariants. No studio is above
// itself or has two leaders. The holder of a role is in the studio and has an open term. A mirror has the text and the
// holder of its source. With -rapid.checks=3000 the test takes minutes.
func TestRoleModel(t *testing.T) {
	w := newWorld(t)
	carol, dave := w.member(w.acme, "carol"), w.member(w.acme, "dave")
	people := []store.Actor{w.alice, w.bob, carol, dave}
	above := ""
	for _, handle := range []string{"aa", "bb", "cc", "dd"} {
		s := w.studio(handle, "organization", w.alice)
		w.write(func(tx *store.Tx) error {
			_, err := tx.UpdateStudio(s, store.NewStudio{Name: s.Name, Tempo: s.Tempo, ParentID: above})
			return err
		})
		above = s.ID
	}
	fewerHistories(t, 20)
	steps := 0
	rapid.Check(t, func(t *rapid.T) {
		w.undone(t, func(tx *store.Tx) error {
			x := &roleRun{w: w, tx: tx, people: people}
			actions := x.actions()
			actions[""] = func(t *rapid.T) { checkInvariants(tx, t, w.acme.ID); steps++ }
			t.Repeat(actions)
			return nil
		})
	})
	t.Logf("%d steps", steps)
}

// roleRun is one run of random actions in a transaction.
type roleRun struct {
	w      *world
	tx     *store.Tx
	people []store.Actor
	made   int // number of roles made or changed, for their titles
}

func (x *roleRun) studio(t *rapid.T, name string) *store.Studio {
	s, err := x.tx.FindStudio(x.w.alice, rapid.SampledFrom([]string{"aa", "bb", "cc", "dd"}).Draw(t, name))
	return must(t, s, err)
}

func (x *roleRun) role(t *rapid.T, s *store.Studio, name string) *store.Role {
	list, err := x.tx.Roles(s)
	if list = must(t, list, err); len(list) == 0 {
		return nil
	}
	id := rapid.SampledFrom(list).Draw(t, name).ID
	r, err := x.tx.FindRole(x.w.alice, s.Handle, id)
	return must(t, r, err)
}

func (x *roleRun) seat(t *rapid.T) store.Seat {
	who := rapid.SampledFrom(append(x.people, store.Actor{})).Draw(t, "holder")
	if who.Member == nil {
		return store.Seat{}
	}
	return store.Seat{MemberID: who.MemberID(),
		Until: x.tx.Now.Add(time.Duration(rapid.IntRange(1, 3).Draw(t, "hours")) * time.Hour)}
}

func (x *roleRun) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"wait": func(t *rapid.T) {
			x.tx.Now = x.tx.Now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute)
		},
		"move": func(t *rapid.T) {
			s, parent := x.studio(t, "studio"), x.studio(t, "parent")
			n := store.NewStudio{Name: s.Name, Tempo: s.Tempo, ParentID: parent.ID}
			if rapid.Bool().Draw(t, "to the top") {
				n.ParentID = ""
			}
			if _, err := x.tx.UpdateStudio(s, n); err != nil && store.CodeOf(err) != store.Conflict {
				t.Fatal(err)
			}
		},
		"create": func(t *rapid.T) {
			s := x.studio(t, "studio")
			kind := rapid.SampledFrom([]string{store.Leader, store.Secretary, store.Referee,
				store.PlainRole}).Draw(t, "kind")
			if _, err := x.tx.LeaderOf(s); kind == store.Leader && err == nil {
				// A second leader would be an error of the database, which on a server would end the transaction.
				return
			}
			x.made++
			_, err := x.tx.CreateRole(x.w.alice, s, store.NewRole{Kind: kind, Title: fmt.Sprint("Role ", x.made)},
				x.seat(t))
			must(t, true, err)
		},
		"assign": func(t *rapid.T) {
			if r := x.role(t, x.studio(t, "studio"), "role"); r != nil && r.MustBeAssignableBy(x.w.alice) == nil {
				_, err := x.tx.AssignRole(r, x.seat(t))
				must(t, true, err)
			}
		},
		"change": func(t *rapid.T) {
			if r := x.role(t, x.studio(t, "studio"), "role"); r != nil && r.MustStandAlone() == nil {
				x.made++
				_, err := x.tx.UpdateRole(r,
					store.NewRole{Kind: r.Kind, Title: fmt.Sprint("Role ", x.made),
						Mission: fmt.Sprint("Mission ", x.made)})
				must(t, true, err)
			}
		},
		"mirror": func(t *rapid.T) {
			r, err := x.tx.LeaderOf(x.studio(t, "studio"))
			if err == nil {
				r, err = x.tx.FindRole(x.w.alice, r.Studio.Handle, r.ID)
			}
			if err == nil && r.MustMirror() == nil {
				source := rapid.SampledFrom(r.Above).Draw(t, "source")
				_, err = x.tx.UpdateRole(r, store.NewRole{Kind: r.Kind, Source: &source})
				must(t, true, err)
			}
		},
		"stop mirroring": func(t *rapid.T) {
			if r := x.role(t, x.studio(t, "studio"), "role"); r != nil {
				must(t, true, x.tx.StopMirroring(r))
			}
		},
		"delete": func(t *rapid.T) {
			if r := x.role(t, x.studio(t, "studio"), "role"); r != nil {
				_, _, err := x.tx.DeleteRole(x.w.alice, r)
				must(t, true, err)
			}
		},
		"leave": func(t *rapid.T) {
			who := rapid.SampledFrom(x.people[1:]).Draw(t, "who")
			s, err := x.tx.FindStudio(who, x.studio(t, "studio").Handle)
			if must(t, s, err); s.MustLetGo(who) == nil {
				_, err := x.tx.LeaveStudio(who.Member, s)
				must(t, true, err)
			}
		},
		"go": x.vacate,
	}
}

// vacate removes a member from all roles.
func (x *roleRun) vacate(t *rapid.T) {
	who := rapid.SampledFrom(x.people[1:]).Draw(t, "who")
	changes, err := x.tx.VacateRoles(who.Member)
	for _, c := range must(t, changes, err) {
		if c.HolderID == who.MemberID() {
			t.Fatalf("%s still holds %s", who.Name(), c.Title)
		}
	}
	var n int
	if err := x.tx.Get(&n, `SELECT count(*) FROM roles WHERE holder_id = ?`,
		who.MemberID()); err != nil || n > 0 {
		t.Fatalf("%s still holds %d roles: %v", who.Name(), n, err)
	}
}

func must[T any](t *rapid.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkInvariants fails if an invariant of roles is violated.
func checkInvariants(tx *store.Tx, t *rapid.T, org string) {
	t.Helper()
	for _, never := range []struct{ what, query string }{
		{"studios have two leaders", `SELECT studio_id FROM roles WHERE org_id = ? AND kind = 'leader'
			AND deleted_at IS NULL GROUP BY studio_id HAVING count(*) > 1`},
		{"holders are not in the studio", `SELECT id FROM roles r WHERE org_id = ? AND holder_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM studio_members x WHERE x.studio_id = r.studio_id
			AND x.member_id = r.holder_id)`},
		{"mirrors are not as their sources", `SELECT r.id FROM roles r JOIN roles s ON s.id = r.source_id
			WHERE r.org_id = ? AND (r.title <> s.title OR r.mission <> s.mission OR r.duties <> s.duties
			OR coalesce(r.holder_id, '') <> coalesce(s.holder_id, '')
			OR coalesce(r.ends_at, 0) <> coalesce(s.ends_at, 0)
			OR (r.acting_since IS NULL) <> (s.acting_since IS NULL))`},
		{"mirrors are not of a role of the parent", `SELECT r.id FROM roles r JOIN roles s ON s.id = r.source_id
			JOIN studios c ON c.id = r.studio_id
			WHERE r.org_id = ? AND (c.parent_id IS NULL OR s.studio_id <> c.parent_id OR s.deleted_at IS NOT NULL)`},
		{"holders have no term, or others have", `SELECT r.id FROM roles r LEFT JOIN terms t ON t.role_id = r.id
			AND t.ended_at IS NULL WHERE r.org_id = ? AND coalesce(t.member_id, '') <> coalesce(r.holder_id, '')`},
		{"counts of people are wrong", `SELECT id FROM studios s
			WHERE org_id = ? AND people <> (SELECT count(*) FROM studio_members x WHERE x.studio_id = s.id)`},
	} {
		var list []string
		if err := tx.Select(&list, never.query, org); err != nil || len(list) > 0 {
			t.Fatalf("%s: %q, %v", never.what, list, err)
		}
	}
	var all []store.Studio
	if err := tx.Select(&all, `SELECT id, coalesce(parent_id, '') AS parent_id FROM studios WHERE org_id = ?`,
		org); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		for n := 0; s.ParentID != ""; n++ {
			if n > len(all) {
				t.Fatalf("studio %s is above itself", s.ID)
			}
			s = all[slices.IndexFunc(all, func(x store.Studio) bool { return x.ID == s.ParentID })]
		}
	}
}
