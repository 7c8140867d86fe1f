package store

import (
	"samepage/store/db"
	"time"
)

// NewRole is a role to be made, or what one is to say. A Source is a role of the parent studio that it mirrors: then that says
// the rest.
type NewRole struct {
	Kind, Title, Mission, Duties string
	Source                       *Role
}

// Seat is who holds a role, and until when. The zero Seat is a vacancy.
type Seat struct {
	MemberID string
	Until    time.Time // the end of the term; zero for no term
	Acting   bool      // only until somebody is assigned
}

// seat is who holds the role now.
func (r *Role) seat() Seat {
	return Seat{MemberID: r.HolderID, Until: r.EndsAt.Time, Acting: !r.ActingSince.IsZero()}
}

// RoleChange is a role that changed because something else did, with what the journal keeps of how it was.
type RoleChange struct {
	*Role
	Before any
}

// CreateRole makes a role of a studio. A second leader, or more than [MaxRoles]: [Conflict].
func (tx *Tx) CreateRole(by Actor, s *Studio, n NewRole, seat Seat) (*Role, error) {
	var count int
	if err := tx.Get(&count, `SELECT count(*) FROM roles WHERE studio_id = ? AND deleted_at IS NULL`,
		s.ID); err != nil {
		return nil, err
	}
	if count >= MaxRoles {
		return nil, Errorf(Conflict, "%s has %d roles, the most there may be. Delete one first.", s.Name, count)
	}
	if n.Source != nil {
		n.Title, n.Mission, n.Duties, seat = n.Source.Title, n.Source.Mission, n.Source.Duties, n.Source.seat()
	}
	id := NewID()
	err := tx.Exec(`INSERT INTO roles (id, org_id, studio_id, kind, title, mission, duties, source_id, created_by,
		created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n.Kind, n.Title, n.Mission, n.Duties, n.sourceID(), by.MemberID(), At(tx.Now))
	if db.IsUnique(err) {
		return nil, Errorf(Conflict, "%s has a leader already. Change that role instead.", s.Name)
	}
	if err != nil {
		return nil, err
	}
	if err := tx.fill(&Role{ID: id, OrgID: s.OrgID, Studio: s}, seat); err != nil {
		return nil, err
	}
	return tx.roleIn(s, id)
}

func (n NewRole) sourceID() any {
	if n.Source == nil {
		return nil
	}
	return n.Source.ID
}

// UpdateRole changes what a role says and whether it mirrors another, and returns the roles that mirror it. A second leader:
// [Conflict].
func (tx *Tx) UpdateRole(r *Role, n NewRole) ([]RoleChange, error) {
	seat := r.seat()
	if n.Source != nil {
		n.Title, n.Mission, n.Duties, seat = n.Source.Title, n.Source.Mission, n.Source.Duties, n.Source.seat()
	}
	err := tx.Exec(`UPDATE roles SET kind = ?, source_id = ? WHERE id = ?`, n.Kind, n.sourceID(), r.ID)
	if db.IsUnique(err) {
		return nil, Errorf(Conflict, "%s has a leader already. Change that role instead.", r.Studio.Name)
	}
	if err != nil {
		return nil, err
	}
	return tx.throughout(r, func(x *Role) error {
		if err := tx.Exec(`UPDATE roles SET title = ?, mission = ?, duties = ? WHERE id = ?`,
			n.Title, n.Mission, n.Duties, x.ID); err != nil {
			return err
		}
		if seat != x.seat() {
			return tx.fill(x, seat)
		}
		return tx.touchRole(x)
	})
}

// AssignRole gives a role to somebody, or to nobody, from now on, and with it every role that mirrors it, which it returns.
func (tx *Tx) AssignRole(r *Role, seat Seat) ([]RoleChange, error) {
	return tx.throughout(r, func(x *Role) error { return tx.fill(x, seat) })
}

// DeleteRole ends a role. Those that mirror it, which it returns, stay as they are and stand on their own.
func (tx *Tx) DeleteRole(by Actor, r *Role) ([]RoleChange, error) {
	cut, err := tx.cutLoose(`source_id = ?`, r.ID)
	if err != nil {
		return nil, err
	}
	if err := tx.fill(r, Seat{}); err != nil {
		return nil, err
	}
	return cut, tx.Exec(`UPDATE roles SET deleted_at = ?, deleted_by = ?, source_id = NULL WHERE id = ?`,
		At(tx.Now), by.MemberID(), r.ID)
}

// StopMirroring lets a role stand on its own, as it is.
func (tx *Tx) StopMirroring(r *Role) error {
	_, err := tx.cutLoose(`id = ?`, r.ID)
	return err
}

// TellTermOver notes that a studio was told that a role's term is over.
func (tx *Tx) TellTermOver(r *Role) error {
	return tx.Exec(`UPDATE roles SET told_at = ? WHERE id = ?`, At(tx.Now), r.ID)
}

// VacateAll takes all roles in the organization from a member who goes, as [Tx.LeaveStudio] does with those in one studio.
func (tx *Tx) VacateAll(m *Member) ([]RoleChange, error) { return tx.vacate(m, "") }

// vacate takes their roles from a member, those in one studio or all. Each goes to the nearest leader above its studio who is
// somebody else: they stand in until somebody is assigned. Where there is none, it is vacant.
func (tx *Tx) vacate(m *Member, studioID string) ([]RoleChange, error) {
	var ids []string
	if err := tx.Select(&ids, `SELECT id FROM roles WHERE holder_id = ? AND source_id IS NULL
		AND (? = '' OR studio_id = ?) ORDER BY created_at, id`,
		m.ID, studioID, studioID); err != nil {
		return nil, err
	}
	var changes []RoleChange
	for _, id := range ids {
		r, err := tx.roleByID(System(), id)
		if err != nil {
			return nil, err
		}
		seat, before := Seat{}, r.Record()
		if r.Studio.State() == "active" {
			if seat.MemberID, err = tx.leaderAbove(r.Studio, m.ID); err != nil {
				return nil, err
			}
			seat.Acting = seat.MemberID != ""
		}
		mirrors, err := tx.AssignRole(r, seat)
		if err != nil {
			return nil, err
		}
		if r, err = tx.roleIn(r.Studio, id); err != nil {
			return nil, err
		}
		changes = append(append(changes, RoleChange{r, before}), mirrors...)
	}
	return changes, nil
}

// leaderAbove is the nearest leader above a studio who is not this member; empty for none.
func (tx *Tx) leaderAbove(s *Studio, not string) (string, error) {
	var id string
	err := tx.Get(&id, `WITH RECURSIVE up (id, n) AS (SELECT parent_id, 1 FROM studios
		WHERE id = ? AND parent_id IS NOT NULL
			UNION SELECT s.parent_id, up.n + 1 FROM studios s JOIN up ON s.id = up.id WHERE s.parent_id IS NOT NULL)
		SELECT r.holder_id FROM up JOIN roles r ON r.studio_id = up.id
		WHERE r.kind = 'leader' AND r.deleted_at IS NULL AND r.holder_id IS NOT NULL AND r.holder_id <> ?
		ORDER BY up.n LIMIT 1`, s.ID, not)
	if CodeOf(err) == NotFound {
		return "", nil
	}
	return id, err
}

// fill gives one role to who is to hold it from now on. The holder is in its studio from then on.
func (tx *Tx) fill(r *Role, seat Seat) error {
	now, since, acting := At(tx.Now), Time{}, Time{}
	if err := tx.Exec(`UPDATE terms SET ended_at = ? WHERE role_id = ? AND ended_at IS NULL`, now, r.ID); err != nil {
		return err
	}
	if seat.MemberID != "" {
		since = now
		if seat.Acting {
			acting = now
		}
		if err := tx.JoinStudio(&Member{ID: seat.MemberID}, r.Studio); err != nil {
			return err
		}
		if err := tx.Exec(`INSERT INTO terms (role_id, n, org_id, member_id, acting, started_at, ends_at)
			VALUES (?, (SELECT coalesce(max(n), 0) + 1 FROM terms WHERE role_id = ?), ?, ?, ?, ?, ?)`,
			r.ID, r.ID, r.OrgID, seat.MemberID, seat.Acting, now, At(seat.Until)); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE roles SET holder_id = ?, held_since = ?, acting_since = ?, ends_at = ?, told_at = NULL
		WHERE id = ?`,
		null(seat.MemberID), since, acting, At(seat.Until), r.ID); err != nil {
		return err
	}
	return tx.touchRole(r)
}

// touchRole raises the version of a role, and of the studio whose page shows it.
func (tx *Tx) touchRole(r *Role) error {
	tx.index(roleDocument, r.ID, roleSeq)
	if err := tx.raise(roleVersion, r.ID); err != nil {
		return err
	}
	return tx.touchStudio(r.Studio.ID)
}

// throughout changes a role and every role that mirrors it, directly or through another, and returns those.
func (tx *Tx) throughout(r *Role, change func(*Role) error) ([]RoleChange, error) {
	if err := change(r); err != nil {
		return nil, err
	}
	return tx.changeRoles(`SELECT id FROM (WITH RECURSIVE down (id) AS (SELECT id FROM roles WHERE source_id = ?
		UNION SELECT x.id FROM roles x JOIN down ON x.source_id = down.id) SELECT id FROM down) sub
		ORDER BY id`, r.ID, change)
}

// cutLoose lets mirrors stand on their own, as they are: those that which chooses.
func (tx *Tx) cutLoose(which, arg string) ([]RoleChange, error) {
	return tx.changeRoles(`SELECT id FROM roles WHERE source_id IS NOT NULL AND kind = 'leader'
		AND deleted_at IS NULL AND `+which+` ORDER BY created_at, id`, arg, func(r *Role) error {
		if err := tx.Exec(`UPDATE roles SET source_id = NULL WHERE id = ?`, r.ID); err != nil {
			return err
		}
		return tx.touchRole(r)
	})
}

// changeRoles changes the roles that a query finds, whoever may see them.
func (tx *Tx) changeRoles(query, arg string, change func(*Role) error) ([]RoleChange, error) {
	var ids []string
	if err := tx.Select(&ids, query, arg); err != nil {
		return nil, err
	}
	var changes []RoleChange
	for _, id := range ids {
		r, err := tx.roleByID(System(), id)
		if err != nil {
			return nil, err
		}
		before := r.Record()
		if err := change(r); err != nil {
			return nil, err
		}
		if r, err = tx.roleIn(r.Studio, id); err != nil {
			return nil, err
		}
		changes = append(changes, RoleChange{r, before})
	}
	return changes, nil
}
