package store

import (
	"strings"
	"time"
)

// How long an invitation can be accepted, and one that somebody asked for with their address.
const (
	InvitationLife = 30 * 24 * time.Hour
	JoiningLife    = 24 * time.Hour
)

// Invitation lets one person into an organization, once.
type Invitation struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	Org       string `db:"org"`      // handle
	OrgName   string `db:"org_name"` //
	Email     string `db:"email"`    // of whom alone it is for; empty for whoever has the link
	InvitedBy string `db:"invited_by"`
	// handle; empty if somebody asked for it with an address of one of the organization's domains
	Inviter    string `db:"inviter"`
	CreatedAt  Time   `db:"created_at"`
	ExpiresAt  Time   `db:"expires_at"`
	AcceptedAt Time   `db:"accepted_at"`
	Member     string `db:"member"` // handle of who accepted
	DeclinedAt Time   `db:"declined_at"`
	RevokedAt  Time   `db:"revoked_at"`
	RevokedBy  string `db:"revoked_by"` // handle

	Mailed Mail `db:"mail"` // the zero value if it was not to be mailed
	Now    time.Time
}

const (
	invitationColumns = `i.id, i.org_id, o.handle AS org, o.name AS org_name, i.email, i.invited_by,
		b.handle AS inviter,
	i.created_at, i.expires_at, i.accepted_at, a.handle AS member, i.declined_at, i.revoked_at, r.handle AS revoked_by,
	m.id AS "mail.id", coalesce(m.attempts, 0) AS "mail.attempts", m.sent_at AS "mail.sent_at",
	m.failed_at AS "mail.failed_at", m.problem AS "mail.problem"`
	invitationFrom = ` invitations i JOIN organizations o ON o.id = i.org_id
		LEFT JOIN members b ON b.id = i.invited_by LEFT JOIN members a ON a.id = i.member_id
	LEFT JOIN members r ON r.id = i.revoked_by LEFT JOIN mails m ON m.subject_id = i.id `
	invitationPending = ` accepted_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL `
)

// InvitationStates are the states of an invitation.
func InvitationStates() []string {
	return []string{"pending", "accepted", "declined", "revoked", "expired"}
}

// State is one of [InvitationStates].
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

// Ref names the invitation for the journal, which everyone in the organization can read.
func (i *Invitation) Ref() Ref {
	return Ref{OrgID: i.OrgID, Kind: "invitation", ID: i.ID, URL: "/orgs/" + i.Org + "/members", Title: "Invitation"}
}

// Record is what the journal keeps of an invitation. The address is not in it.
func (i *Invitation) Record() any {
	whom := "whoever has the link"
	if i.Email != "" {
		whom = "one address"
	}
	return struct {
		For     string `json:"for"`
		Expires Time   `json:"expires"`
		State   string `json:"state"`
	}{whom, i.ExpiresAt, i.State()}
}

// Cursor is where a list of invitations goes on after this one.
func (i *Invitation) Cursor() Cursor { return Cursor{At: i.CreatedAt.UnixMilli(), ID: i.ID} }

// Invitations is a stretch of an organization's invitations, newest first.
type Invitations struct {
	*Organization
	Mails bool // this installation sends mail
	List  []Invitation
	Limit int
}

// Ref names the list; what changes is an invitation.
func (v *Invitations) Ref() Ref {
	r := v.Organization.Ref()
	r.URL += "/invitations"
	return r
}

// Record is empty: an invitation has a record of its own.
func (v *Invitations) Record() any { return nil }

// Invites reports whether the actor may invite people to an organization of theirs.
func (o *Organization) Invites(by Actor) bool {
	return by.Member != nil && (by.Is(o.OwnerID) || o.Inviters == "members")
}

// FindInvitations loads a stretch of an organization's invitations, of which they see each other's who may invite; after is empty or a
// [Cursor]. For tokens there are no addresses in it. For anybody else: [Missing].
func (tx *Tx) FindInvitations(by Actor, org, after string) (*Invitations, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	if !o.Invites(by.In(o.ID)) {
		return nil, Missing()
	}
	v := &Invitations{Organization: o, Limit: 50}
	c, err := ReadCursor(after, v.Ref().URL)
	if err != nil {
		return nil, err
	}
	err = tx.Select(&v.List, `SELECT `+invitationColumns+` FROM`+invitationFrom+`WHERE i.org_id = ?
		AND i.created_at <= ? AND (i.created_at < ? OR i.id > ?)
		ORDER BY i.created_at DESC, i.id`+atMost, append(c.args(o.ID), v.Limit)...)
	for i := range v.List {
		v.List[i].Now = tx.Now
		if by.IsAgent() && v.List[i].Email != "" {
			v.List[i].Email, v.List[i].Mailed.Problem = "one address", "a problem" // which may name it
		}
	}
	return v, err
}

func (tx *Tx) invitation(where string, args ...any) (*Invitation, error) {
	i := Invitation{Now: tx.Now}
	err := tx.Get(&i, `SELECT `+invitationColumns+` FROM`+invitationFrom+where, args...)
	return &i, err
}

// InvitationBySecret is the invitation that a secret opens, if it can still be accepted. Any other: [Missing].
func (tx *Tx) InvitationBySecret(secret string) (*Invitation, error) {
	i, err := tx.invitation(`JOIN invitation_keys k ON k.invitation_id = i.id WHERE k.hash = ?`, SecretHash(secret))
	if err == nil && i.State() != "pending" {
		return nil, Missing()
	}
	return i, err
}

// PendingFor reports whether this address has an invitation that can still be accepted, made within this time.
func (tx *Tx) PendingFor(o *Organization, email string, within time.Duration) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM invitations
		WHERE org_id = ? AND email = ? AND`+invitationPending+`AND expires_at > ?
			AND created_at > ?`, o.ID, email, At(tx.Now), At(tx.Now.Add(-within)))
	return n > 0, err
}

// IsMember reports whether the user with this address is a member.
func (tx *Tx) IsMember(o *Organization, email string) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM users u JOIN members m ON m.user_id = u.id AND m.org_id = ?
		AND m.ended_at IS NULL WHERE u.email = ?`, o.ID, email)
	return n > 0, err
}

// CreateInvitation makes an invitation by the actor, or by nobody, that can be accepted for so long. An empty email is for whoever has
// its link.
func (tx *Tx) CreateInvitation(by Actor, o *Organization, email string, life time.Duration) (*Invitation, error) {
	id := NewID()
	// what the clock changes, it changes by the minute
	expires := tx.Now.Add(life + time.Minute - 1).Truncate(time.Minute)
	if err := tx.Exec(`INSERT INTO invitations (id, org_id, email, invited_by, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?)`,
		id, o.ID, email, null(by.MemberID()), At(tx.Now), At(expires)); err != nil {
		return nil, err
	}
	return tx.invitation(`WHERE i.id = ?`, id)
}

// OpenInvitation makes a secret that opens the invitation. It is kept nowhere, and cannot be found out again.
func (tx *Tx) OpenInvitation(i *Invitation) (secret string, err error) {
	secret = randomText(32) // 160 bits, in characters that any path keeps
	return secret, tx.Exec(`INSERT INTO invitation_keys (hash, org_id, invitation_id) VALUES (?, ?, ?)`,
		SecretHash(secret), i.OrgID, i.ID)
}

// InvitationPath is where a secret opens its invitation.
func InvitationPath(secret string) string { return "/invitations/" + secret }

// AcceptInvitation makes the user a member. Who was faster leaves nothing to accept: [Missing].
func (tx *Tx) AcceptInvitation(i *Invitation, userID, handle, name string) (*Member, error) {
	m, err := tx.Enter(i.OrgID, userID, handle, name)
	if err != nil {
		return nil, err
	}
	return m, tx.settleInvitation(i, `accepted_at = ?, member_id = ?`, At(tx.Now), m.ID)
}

// DeclineInvitation ends an invitation in the name of who was invited.
func (tx *Tx) DeclineInvitation(i *Invitation) error {
	return tx.settleInvitation(i, `declined_at = ?`, At(tx.Now))
}

// RevokeInvitation takes an invitation back.
func (tx *Tx) RevokeInvitation(by Actor, i *Invitation) error {
	return tx.settleInvitation(i, `revoked_at = ?, revoked_by = ?`, At(tx.Now), by.MemberID())
}

// settleInvitation ends an invitation that is pending.
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

// revokeInvitationsOf takes back what a member who leaves has invited to.
func (tx *Tx) revokeInvitationsOf(by Actor, m *Member) error {
	return tx.Exec(`UPDATE invitations SET revoked_at = ?, revoked_by = ?
		WHERE org_id = ? AND invited_by = ? AND`+invitationPending+`AND expires_at > ?`,
		At(tx.Now), null(by.MemberID()), m.OrgID, m.ID, At(tx.Now))
}

// OrganizationsOfDomain are those that let people with this address join by themselves, at most 5.
func (tx *Tx) OrganizationsOfDomain(email string) ([]Organization, error) {
	var list []Organization
	err := tx.Select(&list, `SELECT `+organizationColumns+` FROM email_domains d
		JOIN organizations o ON o.id = d.org_id JOIN members w ON w.id = o.owner_id
		WHERE d.domain = ? ORDER BY o.created_at, o.id LIMIT 5`, email[strings.LastIndexByte(email, '@')+1:])
	return list, err
}
