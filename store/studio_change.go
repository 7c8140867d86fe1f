package store

import (
	"strings"

	"samepage/store/db"
)

// NewStudio has the fields of a studio that is created or changed.
type NewStudio struct {
	OrgID, Handle, Name, Description, ParentID, Visibility, Tempo string
	General                                                       bool
}

// StudioHandleFree returns [Conflict] if a studio of any organization has the handle.
func (tx *Tx) StudioHandleFree(handle string) error {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM studios WHERE handle = ?`, handle)
	if err == nil && n > 0 {
		err = takenStudio(handle)
	}
	return err
}

// handleGone is the error text for a handle that is reserved or in use. The text is the same in all cases, so that it
// does not reveal which handles exist.
const handleGone = "The handle %s" + handleGoneEnd

const handleGoneEnd = " cannot be had: it is in use or means something in URLs. Choose another."

// IsHandleGone reports whether an error text says that a handle is reserved or in use.
func IsHandleGone(sentence string) bool { return strings.HasSuffix(sentence, handleGoneEnd) }

func takenStudio(handle string) error {
	return Errorf(Conflict, handleGone, handle)
}

// CreateStudio adds a studio, with the actor as its first member and its leader. It returns [Conflict] if the handle is
// taken, and the errors of [Handle] and [Tx.CreateRole].
func (tx *Tx) CreateStudio(by Actor, n NewStudio) (*Studio, error) {
	handle, err := Handle(n.Handle)
	if err != nil {
		return nil, err
	}
	id := NewID()
	tx.index(studioDocument, id, 0)
	err = tx.Exec(`INSERT INTO studios (id, org_id, handle, name, description, parent_id, visibility, tempo, general,
		created_by, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, n.OrgID, handle, n.Name, n.Description, Null(n.ParentID),
		n.Visibility, n.Tempo, n.General, by.MemberID(), At(tx.Now))
	if db.IsUnique(err) {
		return nil, takenStudio(handle)
	}
	if err != nil {
		return nil, err
	}
	s := &Studio{ID: id, OrgID: n.OrgID}
	if err := tx.JoinStudio(by.Member, s); err != nil {
		return nil, err
	}
	if _, err := tx.CreateRole(by, s, NewRole{Kind: Leader, Title: "Leader"},
		Seat{MemberID: by.MemberID()}); err != nil {
		return nil, err
	}
	return tx.studioByID(by, id)
}

// UpdateStudio changes the name, the description, the tempo and the parent of a studio. If the parent changes, the
// leader's role loses its source, and UpdateStudio returns the changed role. UpdateStudio returns [Conflict] if the new
// parent is the studio itself or a studio below it.
func (tx *Tx) UpdateStudio(s *Studio, n NewStudio) ([]RoleChange, error) {
	tx.index(studioDocument, s.ID, 0)
	var cut []RoleChange
	if n.ParentID != s.ParentID {
		if err := tx.mustBeAbove(n.ParentID, s); err != nil {
			return nil, err
		}
		var err error
		if cut, err = tx.removeSources(`studio_id = ?`, s.ID); err != nil {
			return nil, err
		}
	}
	if err := tx.Exec(`UPDATE studios SET name = ?, description = ?, parent_id = ?, tempo = ? WHERE id = ?`,
		n.Name, n.Description, Null(n.ParentID), n.Tempo, s.ID); err != nil {
		return nil, err
	}
	return cut, tx.TouchStudio(s.ID)
}

// mustBeAbove returns [Conflict] if the new parent is the studio itself or a studio below it. No other transaction can
// change the result, because writes to one organization run one after another.
func (tx *Tx) mustBeAbove(parentID string, s *Studio) error {
	var loop int
	if err := tx.Get(&loop, `WITH RECURSIVE up (id) AS (SELECT id FROM studios WHERE id = ? UNION SELECT s.parent_id
		FROM studios s JOIN up ON s.id = up.id WHERE s.parent_id IS NOT NULL)
		SELECT count(*) FROM up WHERE id = ?`, parentID, s.ID); err != nil {
		return err
	}
	if loop > 0 {
		return Errorf(Conflict, "%s is above that studio already. Choose a parent that is not below it.", s.Name)
	}
	return nil
}

// SetVisibility sets the visibility of a studio: "public", "organization" or "members".
func (tx *Tx) SetVisibility(s *Studio, visibility string) error {
	tx.index(studioDocument, s.ID, 0)
	if err := tx.Exec(`UPDATE studios SET visibility = ? WHERE id = ?`, visibility, s.ID); err != nil {
		return err
	}
	tx.announce(studioReaders.of(s.ID))
	return tx.TouchStudio(s.ID)
}

// JoinStudio adds a member of the organization to the studio. The conversation up to now counts as read. JoinStudio
// does nothing if the member is already in the studio.
func (tx *Tx) JoinStudio(m *Member, s *Studio) error {
	ok, err := tx.Changed(`INSERT INTO studio_members (studio_id, member_id, org_id, joined_at, heard)
		VALUES (?, ?, ?, ?, coalesce((SELECT said FROM studios WHERE id = ?), 0)) ON CONFLICT DO NOTHING`,
		s.ID, m.ID, s.OrgID, At(tx.Now), s.ID)
	if err != nil || !ok {
		return err
	}
	return tx.countStudio(s.ID, m.ID, 1)
}

// LeaveStudio removes a member from the studio, from the member's roles there, and from the items there in which the
// member takes part. It returns the changed roles.
func (tx *Tx) LeaveStudio(m *Member, s *Studio) ([]RoleChange, error) {
	given, err := tx.vacate(m, s.ID)
	if err != nil {
		return nil, err
	}
	if err := tx.leaveItems(m, s.ID); err != nil {
		return nil, err
	}
	return given, tx.leaveStudio(m, s.ID)
}

func (tx *Tx) leaveStudio(m *Member, id string) error {
	ok, err := tx.Changed(`DELETE FROM studio_members WHERE studio_id = ? AND member_id = ?`, id, m.ID)
	if err != nil || !ok {
		return err
	}
	return tx.countStudio(id, m.ID, -1)
}

// MustBeFree returns [Conflict] if the member cannot leave the studio because of a role that mirrors a role of the
// parent studio.
func (tx *Tx) MustBeFree(s *Studio, memberID string) error {
	var n int
	if err := tx.Get(&n, `SELECT count(*) FROM roles WHERE holder_id = ? AND studio_id = ? AND source_id IS NOT NULL`,
		memberID, s.ID); err != nil {
		return err
	}
	if n > 0 {
		return Errorf(Conflict,
			"They lead %s through a role of the studio above it. Change the holder of that role first.", s.Name)
	}
	return nil
}

// TouchStudio raises the version of a studio.
func (tx *Tx) TouchStudio(id string) error { return tx.raise(studioVersion, id) }

// countStudio updates the stored numbers of people and agents in the studio after a member has joined (sign is 1) or
// left (sign is -1).
func (tx *Tx) countStudio(studioID, memberID string, sign int) error {
	tx.announce(memberRights.of(memberID))
	if err := tx.Exec(`UPDATE studios SET people = people + ?, agents = agents + ? * (SELECT count(*) FROM agents
		WHERE member_id = ? AND runs = 0) WHERE id = ?`,
		sign, sign, memberID, studioID); err != nil {
		return err
	}
	return tx.TouchStudio(studioID)
}

// ArchiveStudio archives a studio, which can then be read but not changed.
func (tx *Tx) ArchiveStudio(by Actor, s *Studio) error {
	if err := tx.Exec(`UPDATE studios SET archived_at = ?, archived_by = ? WHERE id = ?`,
		At(tx.Now), by.MemberID(), s.ID); err != nil {
		return err
	}
	if err := tx.TouchTalk(s.ID); err != nil {
		return err
	}
	return tx.TouchStudio(s.ID)
}
