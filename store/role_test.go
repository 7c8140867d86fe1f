package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// everyRole is the part of [world.everything] about roles.
func (w *world) everyRole(must func(...error) error) {
	under := w.studio("under", "members", w.alice, w.bob)
	w.write(func(tx *store.Tx) error {
		_, uerr := tx.UpdateStudio(under, store.NewStudio{Name: "Under", ParentID: w.team.ID, Tempo: "daily"})
		r, err := tx.CreateRole(w.alice, w.team, store.NewRole{Kind: store.PlainRole, Title: "Keeper"},
			store.Seat{MemberID: w.bob.MemberID(), Until: tx.Now.Add(time.Hour)})
		if err := must(uerr, err); err != nil {
			return err
		}
		mirror, lerr := tx.LeaderOf(under)
		_, merr := tx.UpdateRole(mirror, store.NewRole{Kind: store.Leader, Source: r})
		_, terr := tx.UpdateRole(r, store.NewRole{Kind: store.PlainRole, Title: "Keeper of keys"})
		_, aerr := tx.AssignRole(r, store.Seat{MemberID: w.alice.MemberID()})
		_, serr := tx.ShowRole(w.bob, r)
		_, oerr := tx.ShowRoles(w.bob, w.acme, "")
		_, nerr := tx.ShowRoles(w.bob, w.acme, r.ID)
		_, derr := tx.DueRoles(10)
		_, cerr := tx.CreateRole(w.alice, under, store.NewRole{Kind: store.Secretary, Title: "Secretary"},
			store.Seat{MemberID: w.bob.MemberID()})
		_, verr := tx.VacateRoles(w.bob.Member)
		if err := must(lerr, merr, terr, aerr, serr, oerr, nerr, derr, cerr, verr,
			tx.MustBeFree(under, w.bob.MemberID()), tx.StopMirroring(mirror), tx.TellTermOver(r)); err != nil {
			return err
		}
		_, leave := tx.LeaveStudio(w.bob.Member, under)
		_, _, gone := tx.DeleteRole(w.alice, r)
		d, ferr := governance.FindDecision(tx, w.alice, "team", w.standups.ID)
		_, rerr := tx.FindRole(w.alice, "team", r.ID)
		return must(leave, gone, ferr, rerr, governance.SetCaster(tx, d.OrgID, d.ID, governance.Caster{RoleID: r.ID}))
	})
}

// TestVacatedBelowAnArchivedStudio lets the holder of a role leave. The studio above is archived, so the leader of the
// next one above becomes the acting holder.
func TestVacatedBelowAnArchivedStudio(t *testing.T) {
	w := newWorld(t)
	carol := w.member(w.acme, "carol")
	top := w.studio("top", "organization", w.alice)
	middle := w.studio("middle", "organization", carol)
	low := w.studio("low", "organization", w.bob)
	w.write(func(tx *store.Tx) error {
		for s, parent := range map[*store.Studio]*store.Studio{middle: top, low: middle} {
			if _, err := tx.UpdateStudio(s, store.NewStudio{Name: s.Name, Tempo: s.Tempo, ParentID: parent.ID}); err != nil {
				return err
			}
		}
		for s, by := range map[*store.Studio]store.Actor{top: w.alice, middle: carol, low: w.bob} {
			r, err := tx.LeaderOf(s)
			if err != nil {
				return err
			}
			if _, err := tx.AssignRole(r, store.Seat{MemberID: by.MemberID()}); err != nil {
				return err
			}
		}
		return tx.ArchiveStudio(carol, middle)
	})
	w.write(func(tx *store.Tx) error {
		if _, err := tx.VacateRoles(w.bob.Member); err != nil {
			return err
		}
		r, err := tx.LeaderOf(low)
		if err == nil && (r.HolderID != w.alice.MemberID() || r.ActingSince.IsZero()) {
			t.Errorf("@%s holds the role, acting since %v", r.Holder, r.ActingSince)
		}
		return err
	})
}

// TestTreeStaysATree moves two studios under each other concurrently. One of the moves must be refused.
func TestTreeStaysATree(t *testing.T) {
	w := newWorld(t)
	w.studio("left", "organization", w.alice)
	w.studio("right", "organization", w.alice)
	for range 20 {
		move := func(handle, parent string) error {
			return w.Write(context.Background(), func(tx *store.Tx) error {
				s, err := tx.FindStudio(w.alice, handle)
				if err != nil {
					return err
				}
				n := store.NewStudio{Name: s.Name, Tempo: s.Tempo}
				if parent != "" {
					p, err := tx.FindStudio(w.alice, parent)
					if err != nil {
						return err
					}
					n.ParentID = p.ID
				}
				_, err = tx.UpdateStudio(s, n)
				return err
			})
		}
		var wait sync.WaitGroup
		var errs [2]error
		wait.Go(func() { errs[0] = move("left", "right") })
		wait.Go(func() { errs[1] = move("right", "left") })
		wait.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || store.CodeOf(errs[0]) != store.Conflict && store.CodeOf(errs[1]) != store.Conflict {
			t.Fatalf("of two moves that exclude each other: %v, %v", errs[0], errs[1])
		}
		for _, handle := range []string{"left", "right"} {
			if err := move(handle, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRolesOfAToken checks that a token has the roles of its member that its grant names, or all roles if the grant
// names none. A token must not have a role that the member has lost.
func TestRolesOfAToken(t *testing.T) {
	w := newWorld(t)
	carol := w.member(w.acme, "carol")
	w.write(func(tx *store.Tx) error { return tx.JoinStudio(carol.Member, w.team) })
	var secretary, treasurer *store.Role
	w.write(func(tx *store.Tx) (err error) {
		if secretary, err = tx.CreateRole(w.alice, w.team, store.NewRole{Kind: store.Secretary, Title: "Secretary"},
			store.Seat{MemberID: carol.MemberID()}); err != nil {
			return err
		}
		treasurer, err = tx.CreateRole(w.alice, w.team, store.NewRole{Kind: store.PlainRole, Title: "Treasurer"},
			store.Seat{MemberID: carol.MemberID()})
		return err
	})
	token := func(roles ...string) (secret string) {
		w.write(func(tx *store.Tx) (err error) {
			g := store.Grant{Label: "Helper", Scopes: store.Scopes()}
			if roles != nil {
				g.Roles = roles
			}
			_, secret, err = tx.CreateToken(carol.Member, g)
			return err
		})
		return secret
	}
	leads := func(secret string) (led bool) {
		w.read(func(tx *store.Tx) error {
			by, err := tx.ActorByToken(secret)
			if err != nil {
				return err
			}
			s, err := tx.FindStudio(by, "team")
			led = s.KeptBy(by)
			return err
		})
		return led
	}
	all, named, other := token(), token(secretary.ID), token(treasurer.ID)
	for _, c := range []struct {
		what, secret string
		want         bool
	}{{"all", all, true}, {"the secretary's", named, true}, {"another", other, false}} {
		if got := leads(c.secret); got != c.want {
			t.Errorf("a token with %s role leads: %v", c.what, got)
		}
	}
	w.write(func(tx *store.Tx) error { _, err := tx.AssignRole(secretary, store.Seat{}); return err })
	for _, secret := range []string{all, named} {
		if leads(secret) {
			t.Error("a token leads by a role that was lost")
		}
	}
}
