package store

import (
	"time"

	"samepage/store/db"
)

// NewRole has the kind and the text of a role. If Source is not nil, the role mirrors that role of the parent studio
// and has its text.
type NewRole struct {
	Kind, Title, Mission, Duties string
	Source                       *Role
}

// Seat describes how a role is held. The zero Seat stands for a vacant role.
type Seat struct {
	MemberID string
	Until    time.Time // end of the term; zero if there is none
	Acting   bool      // the member is an acting holder until the next assignment
	By       string    // id of the member that assigns the role; empty for none
	Election string    // id of the item that fills the role, such as an election; empty for none
}

// seat returns the role's present holder and term, without By and Election.
func (r *Role) seat() Seat {
	return Seat{MemberID: r.HolderID, Until: r.EndsAt.Time, Acting: !r.ActingSince.IsZero()}
}

// RoleChange is a role that changed as the result of another change, with its journal record before the change.
type RoleChange struct {
	*Role
	Before any
}

// CreateRole adds a role to a studio. It returns [Conflict] if the studio has [MaxRoles] roles already, or if the new
// role would be a second leader. It also returns the errors of [Tx.MustNotBeLabel].
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
	if err := tx.MustNotBeLabel(s.OrgID, n.Title); err != nil {
		return nil, err
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
	if err := tx.setHolder(&Role{ID: id, OrgID: s.OrgID, Studio: s}, seat); err != nil {
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

// UpdateRole changes the kind, the text and the source of a role, and returns the mirroring roles that have changed
// with it. It returns [Conflict] if the role would be a second leader, and the errors of [Tx.MustNotBeLabel].
func (tx *Tx) UpdateRole(r *Role, n NewRole) ([]RoleChange, error) {
	seat := r.seat()
	if n.Source != nil {
		n.Title, n.Mission, n.Duties, seat = n.Source.Title, n.Source.Mission, n.Source.Duties, n.Source.seat()
	}
	if n.Title != r.Title {
		if err := tx.MustNotBeLabel(r.OrgID, n.Title); err != nil {
			return nil, err
		}
	}
	err := tx.Exec(`UPDATE roles SET kind = ?, source_id = ? WHERE id = ?`, n.Kind, n.sourceID(), r.ID)
	if db.IsUnique(err) {
		return nil, Errorf(Conflict, "%s has a leader already. Change that role instead.", r.Studio.Name)
	}
	if err != nil {
		return nil, err
	}
	return tx.changeMirrors(r, func(x *Role) error {
		if err := tx.Exec(`UPDATE roles SET title = ?, mission = ?, duties = ? WHERE id = ?`,
			n.Title, n.Mission, n.Duties, x.ID); err != nil {
			return err
		}
		if seat != x.seat() {
			return tx.setHolder(x, seat)
		}
		return tx.touchRole(x)
	})
}

// AssignRole sets the holder of a role and of all roles that mirror it, and returns the mirroring roles.
func (tx *Tx) AssignRole(r *Role, seat Seat) ([]RoleChange, error) {
	return tx.changeMirrors(r, func(x *Role) error { return tx.setHolder(x, seat) })
}

// DeleteRole deletes a role. It returns the roles that mirrored it, which keep their text and holder, and the items
// that the role owned. The leader's role of the studio, or of the nearest studio above with such a role, gets these
// items. If there is no such role, they stay with the deleted role.
func (tx *Tx) DeleteRole(by Actor, r *Role) ([]RoleChange, []Handed, error) {
	cut, err := tx.removeSources(`source_id = ?`, r.ID)
	if err != nil {
		return nil, nil, err
	}
	if err := tx.setHolder(r, Seat{}); err != nil {
		return nil, nil, err
	}
	if err := tx.Exec(`UPDATE roles SET deleted_at = ?, deleted_by = ?, source_id = NULL WHERE id = ?`,
		At(tx.Now), by.MemberID(), r.ID); err != nil {
		return nil, nil, err
	}
	heir, err := tx.heir(r.Studio)
	if err != nil {
		return nil, nil, err
	}
	var handed []Handed
	for _, k := range ItemKinds() {
		if k.HandOver == nil {
			continue
		}
		some, err := k.HandOver(tx, r, heir)
		if err != nil {
			return nil, nil, err
		}
		handed = append(handed, some...)
	}
	if heir == nil && len(handed) > 0 {
		var owner string
		if err := tx.Get(&owner, `SELECT owner_id FROM organizations WHERE id = ?`, r.OrgID); err != nil {
			return nil, nil, err
		}
		for i := range handed {
			handed[i].OwnerID = owner
		}
	}
	return cut, handed, nil
}

// Handed is an item that a deleted role owned, in its present state.
type Handed struct {
	Item interface {
		Ref() Ref
		Record() any
		Relation(Actor) Relation
	}
	Before any   // the item's journal record before the role was deleted
	To     *Role // the role that owns the item now; nil if the item stays with the deleted role
	// OwnerID is the id of the organization's owner if To is nil, and otherwise empty.
	OwnerID string
}

// heir returns the leader's role of the studio, or of the nearest studio above with such a role. It skips archived
// studios, and returns nil if there is no such role.
func (tx *Tx) heir(s *Studio) (*Role, error) {
	var id string
	err := tx.Get(&id, `WITH RECURSIVE up (id, n) AS (SELECT s.id, 0 FROM studios s WHERE s.id = ?
		UNION SELECT s.parent_id, up.n + 1 FROM studios s JOIN up ON s.id = up.id WHERE s.parent_id IS NOT NULL)
		SELECT r.id FROM up JOIN studios s ON s.id = up.id AND s.archived_at IS NULL
		JOIN roles r ON r.studio_id = up.id AND r.kind = 'leader' AND r.deleted_at IS NULL ORDER BY up.n LIMIT 1`, s.ID)
	if CodeOf(err) == NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return tx.roleByID(System(), id)
}

// StopMirroring removes the source of a role, but keeps the text and the holder of the role.
func (tx *Tx) StopMirroring(r *Role) error {
	_, err := tx.removeSources(`id = ?`, r.ID)
	return err
}

// TellTermOver records that a studio was notified of the end of the role's term.
func (tx *Tx) TellTermOver(r *Role) error {
	return tx.Exec(`UPDATE roles SET told_at = ? WHERE id = ?`, At(tx.Now), r.ID)
}

// TellTermEnds records that the reminder before the end of the role's term was sent.
func (tx *Tx) TellTermEnds(r *Role) error {
	return tx.Exec(`UPDATE roles SET warned_at = ? WHERE id = ?`, At(tx.Now), r.ID)
}

// KeeperIDs returns the ids of the leader and the secretaries of a studio.
func (tx *Tx) KeeperIDs(s *Studio) ([]string, error) {
	return All[string](tx, `SELECT DISTINCT holder_id FROM roles WHERE studio_id = ? AND deleted_at IS NULL
		AND kind IN ('leader', 'secretary') AND holder_id IS NOT NULL ORDER BY holder_id`+AtMost, s.ID, MaxRoles)
}

// VacateRoles removes a member that leaves the organization from all roles, and returns the changed roles.
func (tx *Tx) VacateRoles(m *Member) ([]RoleChange, error) { return tx.vacate(m, "") }

// vacate removes a member from the member's roles in one studio, or in all studios if studioID is empty. If the studio
// of a role is active, the leader that leaderAbove finds, if any, becomes the role's acting holder. Otherwise, the role
// becomes vacant.
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

// leaderAbove returns the id of the leader of the nearest active studio above s with a leader other than except. It
// returns "" if there is none.
func (tx *Tx) leaderAbove(s *Studio, except string) (string, error) {
	var id string
	err := tx.Get(&id, `WITH RECURSIVE up (id, n) AS (SELECT parent_id, 1 FROM studios
		WHERE id = ? AND parent_id IS NOT NULL
			UNION SELECT s.parent_id, up.n + 1 FROM studios s JOIN up ON s.id = up.id WHERE s.parent_id IS NOT NULL)
		SELECT r.holder_id FROM up JOIN studios s ON s.id = up.id AND s.archived_at IS NULL
		JOIN roles r ON r.studio_id = up.id WHERE r.kind = 'leader' AND r.deleted_at IS NULL
		AND r.holder_id IS NOT NULL AND r.holder_id <> ? ORDER BY up.n LIMIT 1`, s.ID, except)
	if CodeOf(err) == NotFound {
		return "", nil
	}
	return id, err
}

// setHolder sets the holder of one role, and makes the holder a member of the role's studio.
func (tx *Tx) setHolder(r *Role, seat Seat) error {
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
		if err := tx.Exec(`INSERT INTO terms (role_id, n, org_id, member_id, acting, started_at, ends_at, item_id,
			assigned_by) VALUES (?, (SELECT coalesce(max(n), 0) + 1 FROM terms WHERE role_id = ?), ?, ?, ?, ?, ?, ?, ?)`,
			r.ID, r.ID, r.OrgID, seat.MemberID, seat.Acting, now, At(seat.Until), Null(seat.Election),
			Null(seat.By)); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE roles SET holder_id = ?, held_since = ?, acting_since = ?, ends_at = ?, told_at = NULL,
		warned_at = NULL WHERE id = ?`,
		Null(seat.MemberID), since, acting, At(seat.Until), r.ID); err != nil {
		return err
	}
	return tx.touchRole(r)
}

func (tx *Tx) touchRole(r *Role) error {
	tx.index(roleDocument, r.ID, roleSeq)
	if err := tx.raise(roleVersion, r.ID); err != nil {
		return err
	}
	return tx.TouchStudio(r.Studio.ID)
}

// changeMirrors calls change for a role and for all roles that mirror it, directly or through other roles. It returns
// the mirroring roles.
func (tx *Tx) changeMirrors(r *Role, change func(*Role) error) ([]RoleChange, error) {
	if err := change(r); err != nil {
		return nil, err
	}
	return tx.changeRoles(`SELECT id FROM (WITH RECURSIVE down (id) AS (SELECT id FROM roles WHERE source_id = ?
		UNION SELECT x.id FROM roles x JOIN down ON x.source_id = down.id) SELECT id FROM down) sub
		ORDER BY id`, r.ID, change)
}

// removeSources removes the source of the mirroring roles that meet the SQL condition, and returns these roles.
func (tx *Tx) removeSources(condition, arg string) ([]RoleChange, error) {
	return tx.changeRoles(`SELECT id FROM roles WHERE source_id IS NOT NULL AND kind = 'leader'
		AND deleted_at IS NULL AND `+condition+` ORDER BY created_at, id`, arg, func(r *Role) error {
		if err := tx.Exec(`UPDATE roles SET source_id = NULL WHERE id = ?`, r.ID); err != nil {
			return err
		}
		return tx.touchRole(r)
	})
}

// changeRoles calls the function change for each role that the query selects. It checks no rights.
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
