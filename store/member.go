package store

import (
	"net/mail"
	"strings"
)

// Member is a user in one organization. The organization's own fields that every page needs ride along.
type Member struct {
	ID       string `db:"id"`
	OrgID    string `db:"org_id"`
	UserID   string `db:"user_id"`
	Handle   string `db:"handle"`
	Name     string `db:"name"`
	JoinedAt Time   `db:"joined_at"`
	Version  int64  `db:"version"`

	Org     string `db:"org"`      // handle
	OrgName string `db:"org_name"` //
	Zone    string `db:"zone"`     // IANA name of the organization's time zone
	Head    int64  `db:"head"`     // sequence of the organization's last journal entry
	Owner   bool   `db:"owner"`    // owns the organization
	Limited string `db:"limits"`   // the organization's limits, as [Member.Limits] reads them

	Unread int   `db:"unread"`      // notifications
	Own    int64 `db:"own_version"` // grows with every change of what only they see
}

const memberColumns = `m.id, m.org_id, m.user_id, m.handle, m.name, m.joined_at, m.version,
	o.handle AS org, o.name AS org_name, o.zone, o.journal_seq AS head, o.owner_id = m.id AS owner, o.limits, m.unread, m.own_version`

// Limits are how often a minute the member's organization lets itself be asked.
func (m *Member) Limits() Limits { return limitsOf(m.Limited) }

// URL is the member's page.
func (m *Member) URL() string { return "/orgs/" + m.Org + "/members/" + m.Handle }

// Ref names the member for the journal.
func (m *Member) Ref() Ref {
	return Ref{OrgID: m.OrgID, Kind: "member", ID: m.ID, URL: m.URL(), Title: m.Name, Version: m.Version}
}

// Record is what the journal keeps of a member.
func (m *Member) Record() any {
	return struct {
		Handle string `json:"handle"`
		Name   string `json:"name"`
	}{m.Handle, m.Name}
}

// MemberPage is a member with what their page shows.
type MemberPage struct {
	*Member
	Roles   []Role
	Studios []Studio
	Agents  []Agent
	Entries []Entry
}

// FindMember finds a member of an organization the actor is in. Not found: [Missing].
func (tx *Tx) FindMember(by Actor, org, handle string) (*Member, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	return tx.memberByHandle(o.ID, handle)
}

func (tx *Tx) memberByHandle(orgID, handle string) (*Member, error) {
	var m Member
	err := tx.get(&m, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.org_id = ? AND m.handle = ?`, orgID, handle)
	return &m, err
}

func (tx *Tx) member(id string) (*Member, error) {
	var m Member
	err := tx.get(&m, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id WHERE m.id = ?`, id)
	return &m, err
}

// ShowMember loads what a member's page shows to this actor.
func (tx *Tx) ShowMember(by Actor, m *Member) (*MemberPage, error) {
	p := &MemberPage{Member: m}
	var err error
	if p.Roles, err = tx.rolesWhere(by.In(m.OrgID), `r.holder_id = ?`, `s.handle, r.title, r.id`, 50, m.ID); err != nil {
		return nil, err
	}
	if err := tx.all(&p.Studios, `SELECT `+studioColumns+` FROM studio_members x JOIN studios s ON s.id = x.studio_id JOIN organizations o ON o.id = s.org_id
		LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = ?
		WHERE x.member_id = ? AND (s.visibility <> 'members' OR me.member_id IS NOT NULL) ORDER BY s.handle LIMIT 100`,
		by.In(m.OrgID).MemberID(), m.ID); err != nil {
		return nil, err
	}
	if err := tx.all(&p.Agents, `SELECT id AS agent_id, label AS agent FROM agents WHERE member_id = ? ORDER BY created_at, id LIMIT 100`, m.ID); err != nil {
		return nil, err
	}
	p.Entries, err = tx.journal(by, JournalQuery{OrgID: m.OrgID, MemberID: m.ID, Limit: 10})
	return p, err
}

// Members lists the members of an organization in the order of their handles, after the given one.
func (tx *Tx) Members(orgID, after string, limit int) ([]Member, error) {
	var list []Member
	err := tx.all(&list, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.org_id = ? AND m.handle > ? ORDER BY m.handle`+atMost, orgID, after, limit)
	return list, err
}

// CreateMember makes the user with this email, who signs in with this password hash, a member of the organization and of
// its general studio. An existing user keeps their password.
func (tx *Tx) CreateMember(orgID, handle, name, email, passwordHash string) (*Member, error) {
	handle, err := Handle(handle)
	if err != nil {
		return nil, err
	}
	user, err := tx.createUser(email, passwordHash)
	if err != nil {
		return nil, err
	}
	m := &Member{ID: NewID(), OrgID: orgID, UserID: user, Handle: handle, Name: name}
	if err := tx.exec(`INSERT INTO members (id, org_id, user_id, handle, name, joined_at) VALUES (?, ?, ?, ?, ?, ?)`,
		m.ID, orgID, user, handle, name, At(tx.Now)); err != nil {
		if isUnique(err) {
			return nil, Errorf(Conflict, "@%s is taken, or this person is a member already. Choose another handle.", handle)
		}
		return nil, err
	}
	if err := tx.exec(`INSERT INTO studio_members (studio_id, member_id, org_id, joined_at)
		SELECT id, ?, org_id, ? FROM studios WHERE org_id = ? AND general = 1`, m.ID, At(tx.Now), orgID); err != nil {
		return nil, err
	}
	if err := tx.exec(`UPDATE studios SET people = people + 1 WHERE org_id = ? AND general = 1`, orgID); err != nil {
		return nil, err
	}
	tx.index(memberDocument, m.ID, 0)
	return tx.member(m.ID)
}

// RenameMember changes what a member is called. The handle, which links and bylines use, stays.
func (tx *Tx) RenameMember(m *Member, name string) error {
	tx.index(memberDocument, m.ID, 0)
	return tx.exec(`UPDATE members SET name = ?, version = version + 1 WHERE id = ?`, name, m.ID)
}

// Handle checks and normalizes a handle: lower-case letters, digits and hyphens, 2 to 40, beginning with a letter.
func Handle(s string) (string, error) {
	s = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "@"))
	ok := len(s) >= 2 && len(s) <= 40 && s[0] >= 'a' && s[0] <= 'z' && !strings.HasSuffix(s, "-")
	for i := range len(s) {
		c := s[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')
	}
	if s == "actions" { // it would stand where a page's actions are
		return "", Errorf(Invalid, "The handle actions means something else in URLs. Choose another.")
	}
	if !ok {
		return "", Errorf(Invalid, "A handle has 2 to 40 lower-case letters, digits and hyphens and begins with a letter, such as data-team.")
	}
	return s, nil
}

// Email checks and normalizes an address.
func Email(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 {
		return "", Errorf(Invalid, "That is not an email address. Write one such as alice@example.org.")
	}
	return s, nil
}
