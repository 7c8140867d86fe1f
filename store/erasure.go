package store

import (
	"slices"
	"strings"
)

const formerMember = "Former member"

// MustBeErasableBy returns [Forbidden] unless the actor is the organization's owner. It returns [Conflict] for a
// present member and for a member who was erased before.
func (m *Member) MustBeErasableBy(by Actor) error {
	switch {
	case by.Member == nil || !by.Member.Owner:
		return Errorf(Forbidden, "Only the organization's owner can do this.")
	case !m.Ended():
		return Errorf(Conflict, "@%s is a member. Remove them first.", m.Handle)
	case !m.ErasedAt.IsZero():
		return Errorf(Conflict, "This name was erased already.")
	}
	return nil
}

// EraseMember removes the name, the handles and the addresses of a former member from the organization and its journal.
// The chain of hashes of the journal stays valid. Texts of items and comments stay, even if they name the member; the
// member's direct messages do not. EraseMember also deletes the user, unless the user is or was a member of another
// organization.
func (tx *Tx) EraseMember(m *Member) error {
	email, err := tx.UserEmail(m.UserID)
	if err != nil {
		return err
	}
	nobody := NewID()
	if err := tx.Exec(`INSERT INTO users (id, email, password, created_at) VALUES (?, ?, '', ?)`,
		nobody, nobody+"@erased.invalid", At(tx.Now)); err != nil {
		return err
	}
	user, old, page := m.UserID, m.Handle, m.URL()
	m.UserID, m.Handle, m.Name, m.Contact = nobody, "former-member-"+NewID(), formerMember, ""
	if err := tx.Exec(`UPDATE members SET user_id = ?, handle = ?, name = ?, contact = '', erased_at = ?, unread = 0,
		quiet_unread = 0 WHERE id = ?`, m.UserID, m.Handle, m.Name, At(tx.Now), m.ID); err != nil {
		return err
	}
	if err := tx.raise(memberVersion, m.ID); err != nil {
		return err
	}
	tx.index(memberDocument, m.ID, 0)
	if err := tx.Exec(`UPDATE approvals SET url = ?, target = ? WHERE url IN (SELECT ? UNION ALL SELECT ? || handle
		FROM former_handles WHERE member_id = ?)`,
		m.URL(), m.Name, page, strings.TrimSuffix(page, old), m.ID); err != nil {
		return err
	}
	var handles []string
	if err := tx.Select(&handles, `SELECT handle FROM former_handles WHERE member_id = ?`, m.ID); err != nil {
		return err
	}
	handles = append(handles, old)
	if err := tx.eraseRecords(m, handles); err != nil {
		return err
	}
	if err := tx.Each([]string{`DELETE FROM former_handles WHERE member_id = ?`,
		`DELETE FROM notifications WHERE member_id = ?`, `DELETE FROM own_deliveries WHERE member_id = ?`,
		`UPDATE tokens SET used_from = '', used_with = '' WHERE member_id = ?`}, m.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE direct_messages SET text = '', removed_at = coalesce(removed_at, ?) WHERE member_id = ?`,
		At(tx.Now), m.ID); err != nil {
		return err
	}
	if err := tx.Exec(`DELETE FROM mails WHERE address = ?`, email); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE invitations SET email = ?, revoked_at = CASE WHEN`+invitationPending+`THEN ?
		ELSE revoked_at END WHERE org_id = ? AND email = ?`,
		nobody+"@erased.invalid", At(tx.Now), m.OrgID, email); err != nil {
		return err
	}
	if err := tx.eraseFromJournal(m, handles); err != nil {
		return err
	}
	return tx.forgetUser(user)
}

// eraseFromJournal removes the member's handle from the entries about the member's actions, and all these handles from
// the notifications of these. It also removes the texts of the entries about the member.
func (tx *Tx) eraseFromJournal(m *Member, handles []string) error {
	const told = ` WHERE org_id = ? AND seq IN (SELECT seq FROM journal WHERE org_id = ? AND `
	// The longest comes first, because another may be its beginning.
	slices.SortFunc(handles, func(a, b string) int { return len(b) - len(a) })
	for _, h := range handles {
		if err := tx.Exec(`UPDATE notifications SET actor = replace(actor, ?, 'a former member')`+told+`member_id = ?)`,
			"@"+h, m.OrgID, m.OrgID, m.ID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE notifications SET title = ?, url = ?`+told+`target_id = ?)`,
		m.Name, m.URL(), m.OrgID, m.OrgID, m.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE journal SET member = '', role = '' WHERE org_id = ? AND member_id = ?
		AND length(member_digest) > 0`, m.OrgID, m.ID); err != nil {
		return err
	}
	return tx.Exec(`UPDATE journal SET before = NULL, after = NULL,
		title = CASE WHEN length(title_digest) = 0 THEN title ELSE '' END,
		url = CASE WHEN length(url_digest) = 0 THEN url ELSE '' END WHERE org_id = ? AND target_id = ?`, m.OrgID, m.ID)
}

// handleFields are the fields of the journal's records that have the handle of a member, such as the holder of a role.
var handleFields = []string{"candidate", "caster", "holder", "member", "nominee", "owner"}

// eraseRecords removes the records Before and After from each journal entry in which one of them has one of these
// handles of the member. The digests of the records stay. The statement reads the whole journal of the organization.
func (tx *Tx) eraseRecords(m *Member, handles []string) error {
	var like []string
	args := []any{m.OrgID}
	for _, h := range handles {
		named := []string{`"asked_by":"@` + h, `"asked_by":"%, agent of @` + h}
		for _, f := range handleFields {
			named = append(named, `"`+f+`":"`+h)
		}
		for _, n := range named {
			pattern := `%` + strings.ReplaceAll(n, "_", `\_`) + `"%`
			like = append(like, `before LIKE ? ESCAPE '\' OR after LIKE ? ESCAPE '\'`)
			args = append(args, pattern, pattern)
		}
	}
	return tx.Exec(`UPDATE journal SET before = NULL, after = NULL WHERE org_id = ? AND (`+strings.Join(like, ` OR `)+`)`,
		args...)
}

// forgetUser deletes a user, unless the user is or was a member of an organization.
func (tx *Tx) forgetUser(id string) error {
	var places int
	if err := tx.Get(&places, `SELECT count(*) FROM members WHERE user_id = ?`, id); err != nil || places > 0 {
		return err
	}
	return tx.Each([]string{`DELETE FROM logins WHERE user_id = ?`, `DELETE FROM passkeys WHERE user_id = ?`,
		`DELETE FROM identities WHERE user_id = ?`, `DELETE FROM resets WHERE user_id = ?`,
		`DELETE FROM mails WHERE address IN (SELECT email FROM address_changes WHERE user_id = ?)`,
		`DELETE FROM address_changes WHERE user_id = ?`, `DELETE FROM mails WHERE subject_id = ?`,
		`DELETE FROM notification_ways WHERE user_id = ?`, `DELETE FROM notification_settings WHERE user_id = ?`,
		`DELETE FROM own_deliveries WHERE webhook_id IN (SELECT id FROM own_webhooks WHERE user_id = ?)`,
		`DELETE FROM own_webhooks WHERE user_id = ?`,
		`DELETE FROM users WHERE id = ?`}, id)
}
