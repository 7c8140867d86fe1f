package store

import (
	"strings"
	"time"
)

// InvitationLife is the time for which an invitation by a member is valid. JoiningLife is the same for an invitation
// that a person has requested for an address in one of the organization's email domains.
const (
	InvitationLife = 30 * 24 * time.Hour
	JoiningLife    = 24 * time.Hour
)

// Invitation lets one person join an organization once.
type Invitation struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	Org       string `db:"org"` // handle of the organization
	OrgName   string `db:"org_name"`
	Email     string `db:"email"` // address of the invited person; empty if anyone with the link can join
	InvitedBy string `db:"invited_by"`
	// Inviter is the handle of the inviting member. It is empty if the person requested the invitation.
	Inviter    string `db:"inviter"`
	CreatedAt  Time   `db:"created_at"`
	ExpiresAt  Time   `db:"expires_at"`
	AcceptedAt Time   `db:"accepted_at"`
	Member     string `db:"member"` // handle of the member who accepted the invitation
	DeclinedAt Time   `db:"declined_at"`
	RevokedAt  Time   `db:"revoked_at"`
	RevokedBy  string `db:"revoked_by"` // handle of the member who revoked the invitation

	Mailed Mail `db:"mail"` // the mail with the link; zero if there is none
	Now    time.Time
}

const (
	invitationColumns = `i.id, i.org_id, o.handle AS org, o.name AS org_name, i.email, i.invited_by,
		b.handle AS inviter, i.created_at, i.expires_at, i.accepted_at, a.handle AS member, i.declined_at,
	i.revoked_at, r.handle AS revoked_by,
	m.id AS "mail.id", coalesce(m.attempts, 0) AS "mail.attempts", m.sent_at AS "mail.sent_at",
	m.failed_at AS "mail.failed_at", m.problem AS "mail.problem"`
	invitationFrom = ` invitations i JOIN organizations o ON o.id = i.org_id
		LEFT JOIN members b ON b.id = i.invited_by LEFT JOIN members a ON a.id = i.member_id
	LEFT JOIN members r ON r.id = i.revoked_by LEFT JOIN mails m ON m.subject_id = i.id `
	invitationPending = ` accepted_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL `
)

// InvitationStates returns the possible states of an invitation.
func InvitationStates() []string {
	return []string{"pending", "accepted", "declined", "revoked", "expired"}
}

// State returns one of [InvitationStates].
func (i *Invitation) State() string {
	switch {
	case !i.AcceptedAt.IsZero():
		return "accepted"
	case !i.DeclinedAt.IsZero():
		return "declined"
	case !i.RevokedAt.IsZero():
		return "revoked"
	case !i.Now.Before(i.ExpiresAt.Time):
		return "expired"
	}
	return "pending"
}

// Ref returns the invitation as the target of a journal entry.
func (i *Invitation) Ref() Ref {
	return Ref{OrgID: i.OrgID, Kind: "invitation", ID: i.ID, URL: "/orgs/" + i.Org + "/members", Title: "Invitation"}
}

// Record returns the fields that the journal stores about an invitation, without the address.
func (i *Invitation) Record() any {
	invited := "whoever has the link"
	if i.Email != "" {
		invited = "one address"
	}
	return struct {
		For     string `json:"for"`
		Expires Time   `json:"expires"`
		State   string `json:"state"`
	}{invited, i.ExpiresAt, i.State()}
}

// Cursor returns the position after this invitation in the list.
func (i *Invitation) Cursor() Cursor { return Cursor{At: i.CreatedAt.UnixMilli(), ID: i.ID} }

// Invitations is one page of the list of an organization's invitations, newest first.
type Invitations struct {
	*Organization
	Mails bool // this server can send mail
	Listing[Invitation]
}

// Ref returns the list as the target of an action.
func (v *Invitations) Ref() Ref {
	r := v.Organization.Ref()
	r.URL += "/invitations"
	return r
}

// Record returns nil, since the list has no fields of its own.
func (v *Invitations) Record() any { return nil }

// Invites reports whether the actor may invite people to the organization.
func (o *Organization) Invites(by Actor) bool {
	return by.Member != nil && (by.Is(o.OwnerID) || o.Inviters == "members")
}

// FindInvitations loads one page of an organization's invitations. The parameter after is empty or a [Cursor]. An
// invited address is shown only to the inviter and to the owner, in person, and only until the invitation is accepted.
// FindInvitations returns [Missing] to an actor who may not invite.
func (tx *Tx) FindInvitations(by Actor, org, after string) (*Invitations, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	if !o.Invites(by.In(o.ID)) {
		return nil, Missing()
	}
	v := &Invitations{Organization: o, Listing: Listing[Invitation]{Limit: usual}}
	c, err := ReadCursor(after, v.Ref().URL)
	if err != nil {
		return nil, err
	}
	err = tx.Select(&v.List, `SELECT `+invitationColumns+` FROM`+invitationFrom+`WHERE i.org_id = ?
		AND i.created_at <= ? AND (i.created_at < ? OR i.id > ?)
		ORDER BY i.created_at DESC, i.id`+AtMost, append(c.args(o.ID), v.Limit)...)
	for i := range v.List {
		v.List[i].Now = tx.Now
		if !v.List[i].shows(by.In(o.ID)) {
			v.List[i].Email, v.List[i].Mailed.Problem = "one address", "a problem" // the problem may quote the address
		}
	}
	return v, err
}

// shows reports whether the actor may see the invited address. The address of an accepted invitation is not shown,
// because a member signs in with it.
func (i *Invitation) shows(by Actor) bool {
	if i.Email == "" {
		return true
	}
	return !by.IsAgent() && i.AcceptedAt.IsZero() && (by.Member.Owner || by.Is(i.InvitedBy))
}

func (tx *Tx) invitation(where string, args ...any) (*Invitation, error) {
	i := Invitation{Now: tx.Now}
	err := tx.Get(&i, `SELECT `+invitationColumns+` FROM`+invitationFrom+where, args...)
	return &i, err
}

// InvitationBySecret returns the invitation with this secret. It returns [Missing] if there is none or if it is
// no longer pending.
func (tx *Tx) InvitationBySecret(secret string) (*Invitation, error) {
	i, err := tx.invitation(`JOIN invitation_keys k ON k.invitation_id = i.id WHERE k.hash = ?`, SecretHash(secret))
	if err == nil && i.State() != "pending" {
		return nil, Missing()
	}
	return i, err
}

// PendingFor reports whether the organization has a pending invitation for the address. Only invitations that are
// younger than the duration within count.
func (tx *Tx) PendingFor(o *Organization, email string, within time.Duration) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM invitations
		WHERE org_id = ? AND email = ? AND`+invitationPending+`AND expires_at > ?
			AND created_at > ?`, o.ID, email, At(tx.Now), At(tx.Now.Add(-within)))
	return n > 0, err
}

// IsMember reports whether the user with this address is a member of the organization.
func (tx *Tx) IsMember(o *Organization, email string) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = ?
		AND m.ended_at IS NULL WHERE u.email = ?`, o.ID, email)
	return n > 0, err
}

// CreateInvitation adds an invitation that is valid for the duration life, rounded up to a full minute. If email is
// empty, anyone with the link can join.
func (tx *Tx) CreateInvitation(by Actor, o *Organization, email string, life time.Duration) (*Invitation, error) {
	id := NewID()
	expires := tx.Now.Add(life + time.Minute - 1).Truncate(time.Minute)
	if err := tx.Exec(`INSERT INTO invitations (id, org_id, email, invited_by, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?)`,
		id, o.ID, email, Null(by.MemberID()), At(tx.Now), At(expires)); err != nil {
		return nil, err
	}
	return tx.invitation(`WHERE i.id = ?`, id)
}

// OpenInvitation creates and returns a secret for the invitation. The database stores only its hash.
func (tx *Tx) OpenInvitation(i *Invitation) (secret string, err error) {
	secret = RandomText(32) // 160 bits, in characters that need no escaping in a path
	return secret, tx.Exec(`INSERT INTO invitation_keys (hash, org_id, invitation_id) VALUES (?, ?, ?)`,
		SecretHash(secret), i.OrgID, i.ID)
}

// InvitationPath returns the path of the link of an invitation with this secret.
func InvitationPath(secret string) string { return "/invitations/" + secret }

// AcceptInvitation makes the user a member of the organization and settles the invitation. It returns the errors of
// [Tx.EnterOrganization], and [Missing] if the invitation is no longer pending.
func (tx *Tx) AcceptInvitation(i *Invitation, userID, handle, name string) (*Member, error) {
	m, err := tx.EnterOrganization(i.OrgID, userID, handle, name)
	if err != nil {
		return nil, err
	}
	if err := tx.settleInvitation(i, `accepted_at = ?, member_id = ?`, At(tx.Now), m.ID); err != nil {
		return nil, err
	}
	return m, nil
}

// DeclineInvitation ends a pending invitation because the invited person declined it. It returns [Missing] if the
// invitation is no longer pending.
func (tx *Tx) DeclineInvitation(i *Invitation) error {
	return tx.settleInvitation(i, `declined_at = ?`, At(tx.Now))
}

// RevocableBy reports whether the actor may revoke the invitation. The inviting member and the organization's owner
// may, while the invitation is pending.
func (i *Invitation) RevocableBy(by Actor) bool {
	return i.State() == "pending" && (by.Wrote(i.InvitedBy) || by.Owns())
}

// MustBeRevocableBy returns [Conflict] if no invitation on the page is pending, and [Forbidden] if the actor may revoke
// none of the pending ones.
func (v *Invitations) MustBeRevocableBy(by Actor) error {
	pending := false
	for i := range v.List {
		if v.List[i].RevocableBy(by) {
			return nil
		}
		pending = pending || v.List[i].State() == "pending"
	}
	if !pending {
		return Errorf(Conflict, "No invitation is pending.")
	}
	return Errorf(Forbidden, "Only the owner, @%s, and the member who made an invitation can revoke it. You made none of those "+
		"that are pending here.", v.Owner)
}

// RevokeInvitation ends a pending invitation on behalf of the organization. It returns [Missing] if the invitation is
// no longer pending.
func (tx *Tx) RevokeInvitation(by Actor, i *Invitation) error {
	return tx.settleInvitation(i, `revoked_at = ?, revoked_by = ?`, At(tx.Now), by.MemberID())
}

// settleInvitation ends a pending invitation. The parameter set has SQL assignments that record the outcome. The error
// is [Missing] if the invitation is no longer pending.
func (tx *Tx) settleInvitation(i *Invitation, set string, args ...any) error {
	ok, err := tx.Changed(`UPDATE invitations SET `+set+` WHERE id = ? AND`+invitationPending+`AND expires_at > ?`,
		append(args, i.ID, At(tx.Now))...)
	if err == nil && !ok {
		return Missing()
	}
	if err != nil {
		return err
	}
	fresh, err := tx.invitation(`WHERE i.id = ?`, i.ID)
	if err == nil {
		*i = *fresh
	}
	return err
}

func (tx *Tx) revokeInvitationsOf(by Actor, m *Member) error {
	return tx.Exec(`UPDATE invitations SET revoked_at = ?, revoked_by = ?
		WHERE org_id = ? AND invited_by = ? AND`+invitationPending+`AND expires_at > ?`,
		At(tx.Now), Null(by.MemberID()), m.OrgID, m.ID, At(tx.Now))
}

// OrganizationsOfDomain returns up to 5 organizations that a person with this address may join without an invitation
// by a member, because of the domain of the address.
func (tx *Tx) OrganizationsOfDomain(email string) ([]Organization, error) {
	return All[Organization](tx, `SELECT `+organizationColumns+` FROM email_domains d
		JOIN organizations o ON o.id = d.org_id JOIN members w ON w.id = o.owner_id
		WHERE d.domain = ? ORDER BY o.created_at, o.id LIMIT 5`, email[strings.LastIndexByte(email, '@')+1:])
}
