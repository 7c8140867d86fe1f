package store

import (
	"samepage/store/db"
	"slices"
)

// CreateMember makes the user with this email address a member of the organization and of its general studio. It
// creates the user if there is none, and otherwise ignores the password hash. It returns the errors of [Email] and
// [Tx.EnterOrganization].
func (tx *Tx) CreateMember(orgID, handle, name, email, passwordHash string) (*Member, error) {
	if _, err := Handle(handle); err != nil {
		return nil, err
	}
	user, err := tx.createUser(email, passwordHash)
	if err != nil {
		return nil, err
	}
	return tx.EnterOrganization(orgID, user, handle, name)
}

// EnterOrganization makes a user a member of the organization and of its general studio. A former member gets the old
// membership back, with the new handle and name. EnterOrganization returns [Conflict] if the handle is taken or the
// user is already a member, and the errors of [Handle], [MustBePersonal] and [Tx.MustNotBeLabel].
func (tx *Tx) EnterOrganization(orgID, userID, handle, name string) (*Member, error) {
	handle, err := Handle(handle)
	if err != nil {
		return nil, err
	}
	if err := MustBePersonal(name); err != nil {
		return nil, err
	}
	if err := tx.MustNotBeLabel(orgID, name); err != nil {
		return nil, err
	}
	m, err := tx.memberOf(orgID, userID)
	switch {
	case CodeOf(err) == NotFound:
		m = &Member{ID: NewID(), OrgID: orgID, UserID: userID}
		if err := tx.freeHandle(m, handle); err != nil {
			return nil, err
		}
		err = tx.Exec(`INSERT INTO members (id, org_id, user_id, handle, name, joined_at) VALUES (?, ?, ?, ?, ?, ?)`,
			m.ID, orgID, userID, handle, name, At(tx.Now))
		if db.IsUnique(err) {
			return nil, Errorf(Conflict, "@%s is taken. Choose another handle.", handle)
		}
	case err == nil && !m.Ended():
		return nil, Errorf(Conflict, "@%s is a member already.", m.Handle)
	case err == nil:
		if err := tx.RenameMember(m, handle, name, m.Contact); err != nil {
			return nil, err
		}
		err = tx.Exec(`UPDATE members SET ended_at = NULL, ended_by = NULL, joined_at = ? WHERE id = ?`,
			At(tx.Now), m.ID)
	}
	if err != nil {
		return nil, err
	}
	var general Studio
	if err := tx.Get(&general, `SELECT id, org_id FROM studios WHERE org_id = ? AND general = 1`, orgID); err != nil {
		return nil, err
	}
	if err := tx.JoinStudio(m, &general); err != nil {
		return nil, err
	}
	tx.index(memberDocument, m.ID, 0)
	return tx.member(m.ID)
}

// memberOf returns the present or former membership of a user in an organization, or [Missing].
func (tx *Tx) memberOf(orgID, userID string) (*Member, error) {
	return One[Member](tx, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.user_id = ? AND m.org_id = ?`, userID, orgID)
}

// RenameMember changes the handle, the name and the contact of a member. The old handle still leads to the member's
// page. RenameMember returns the errors of [Tx.MemberHandleFree].
func (tx *Tx) RenameMember(m *Member, handle, name, contact string) error {
	tx.index(memberDocument, m.ID, 0)
	if handle != m.Handle {
		if err := tx.freeHandle(m, handle); err != nil {
			return err
		}
		if err := tx.Exec(`INSERT INTO former_handles (org_id, handle, member_id, at) VALUES (?, ?, ?, ?)`,
			m.OrgID, m.Handle, m.ID, At(tx.Now)); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE members SET handle = ?, name = ?, contact = ? WHERE id = ?`, handle, name, contact, m.ID); err != nil {
		return err
	}
	return tx.raise(memberVersion, m.ID)
}

// MemberHandleFree returns [Conflict] if another member has or had the handle, because an old byline must never name
// another person. It also returns [Conflict] if the handle looks like the label of an agent.
func (tx *Tx) MemberHandleFree(orgID, memberID, handle string) error {
	for _, find := range []func(string, string) (*Member, error){tx.memberByHandle, tx.memberByFormerHandle} {
		other, err := find(orgID, handle)
		if err == nil && other.ID != memberID {
			return Errorf(Conflict, "@%s is taken. Choose another handle.", handle)
		}
		if err != nil && CodeOf(err) != NotFound {
			return err
		}
	}
	return tx.MustNotBeLabel(orgID, handle)
}

// freeHandle returns the error of [Tx.MemberHandleFree], and deletes the handle from the member's former handles.
func (tx *Tx) freeHandle(m *Member, handle string) error {
	if err := tx.MemberHandleFree(m.OrgID, m.ID, handle); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM former_handles WHERE org_id = ? AND handle = ? AND member_id = ?`,
		m.OrgID, handle, m.ID)
}

// MustBeLeavableBy returns [Conflict] for a former member and for the organization's owner. It returns [Forbidden]
// unless the actor is this member.
func (m *Member) MustBeLeavableBy(by Actor) error {
	switch {
	case m.Ended():
		return Errorf(Conflict, "@%s is no member any more.", m.Handle)
	case !by.Is(m.ID):
		return Errorf(Forbidden, "Only @%s can do this.", m.Handle)
	case m.Owner:
		return Errorf(Conflict, "You own %s. Give it to another member first, on %s.", m.OrgName,
			Address("/orgs/"+m.Org+"/settings"))
	}
	return nil
}

// MustBeRemovableBy returns [Forbidden] unless the actor is the organization's owner, and [Conflict] if the member is
// the owner or a former member.
func (m *Member) MustBeRemovableBy(by Actor) error {
	switch {
	case by.Member == nil || !by.Member.Owner:
		return Errorf(Forbidden, "Only the organization's owner can do this.")
	case m.Ended():
		return Errorf(Conflict, "@%s is no member any more.", m.Handle)
	case m.Owner:
		return Errorf(Conflict, "You own %s. Give it to another member first, on %s.", m.OrgName,
			Address("/orgs/"+m.Org+"/settings"))
	}
	return nil
}

// EndMembership removes a member from the organization and its studios, revokes the member's invitations and the
// tokens of the member's agents, and ends the agents' requests for approval. The owner becomes a member of each studio
// that otherwise nobody could see. EndMembership returns the roles that [Tx.VacateRoles] changed.
func (tx *Tx) EndMembership(by Actor, m *Member) ([]RoleChange, error) {
	given, err := tx.VacateRoles(m)
	if err != nil {
		return nil, err
	}
	if err := tx.endRequests(by, "The member for whom the agent acts is no member any more.", `a.member_id = ?`, m.ID); err != nil {
		return nil, err
	}
	if _, err := tx.endTurnTokens(`member_id = ?`, m.ID); err != nil {
		return nil, err
	}
	if err := tx.Exec(`UPDATE tokens SET revoked_at = ? WHERE member_id = ? AND revoked_at IS NULL`,
		At(tx.Now), m.ID); err != nil {
		return nil, err
	}
	if err := tx.leaveItems(m, ""); err != nil {
		return nil, err
	}
	if err := tx.revokeInvitationsOf(by, m); err != nil {
		return nil, err
	}
	var in, alone []string
	if err := tx.Select(&in, `SELECT studio_id FROM studio_members WHERE member_id = ?`, m.ID); err != nil {
		return nil, err
	}
	if err := tx.Select(&alone, `SELECT s.id FROM studio_members x JOIN studios s ON s.id = x.studio_id
		WHERE x.member_id = ? AND s.people = 1 AND s.visibility = 'members'`, m.ID); err != nil {
		return nil, err
	}
	for _, id := range in {
		if slices.Contains(alone, id) {
			owner, err := tx.ownerOf(m.OrgID)
			if err != nil {
				return nil, err
			}
			if err := tx.JoinStudio(owner, &Studio{ID: id, OrgID: m.OrgID}); err != nil {
				return nil, err
			}
		}
		if err := tx.leaveStudio(m, id); err != nil {
			return nil, err
		}
	}
	tx.index(memberDocument, m.ID, 0)
	if err := tx.Exec(`UPDATE members SET ended_at = ?, ended_by = ? WHERE id = ?`,
		At(tx.Now), by.MemberID(), m.ID); err != nil {
		return nil, err
	}
	if err := tx.raise(memberVersion, m.ID); err != nil {
		return nil, err
	}
	tx.announce(memberRights.of(m.ID))
	return given, tx.raise(ownVersion, m.ID)
}

func (tx *Tx) ownerOf(orgID string) (*Member, error) {
	return One[Member](tx, `SELECT `+memberColumns+` FROM organizations o JOIN members m ON m.id = o.owner_id
		WHERE o.id = ?`, orgID)
}

// leaveItems calls [Kind.Leave] of every kind that has it, for a member that leaves a studio, or all studios if
// studioID is empty.
func (tx *Tx) leaveItems(m *Member, studioID string) error {
	for _, k := range ItemKinds() {
		if k.Leave == nil {
			continue
		}
		changed, err := k.Leave(tx, m, studioID)
		if err != nil {
			return err
		}
		for _, id := range changed {
			tx.IndexItem(id)
			if err := tx.TouchItem(&Item{ID: id, Kind: k.Name}); err != nil {
				return err
			}
		}
	}
	return nil
}
