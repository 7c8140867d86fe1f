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
	EndedAt  Time   `db:"ended_at"` // when they left or were removed; zero while they are a member
	ErasedAt Time   `db:"erased_at"`
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

// actingColumns are what is needed of a member who acts, and so has not left.
const (
	actingColumns = `m.id, m.org_id, m.user_id, m.handle, m.name, m.version,
	o.handle AS org, o.name AS org_name, o.zone, o.journal_seq AS head, o.owner_id = m.id AS owner, o.limits,
	m.unread, m.own_version`
	memberColumns = actingColumns + `, m.joined_at, m.ended_at, m.erased_at`
)

// Limits are how often a minute the member's organization lets itself be asked.
func (m *Member) Limits() Limits { return limitsOf(m.Limited) }

// URL is the member's page.
func (m *Member) URL() string { return MemberURL(m.Org, m.Handle) }

// MemberURL is the page of a member of an organization.
func MemberURL(org, handle string) string { return "/orgs/" + org + "/members/" + handle }

// Ref names the member for the journal.
func (m *Member) Ref() Ref {
	return Ref{OrgID: m.OrgID, Kind: "member", ID: m.ID, URL: m.URL(), Title: m.Name, Version: m.Version,
		Topic: memberVersion.of(m.ID)}
}

// Record is what the journal keeps of a member.
func (m *Member) Record() any {
	return struct {
		Handle string `json:"handle"`
		Name   string `json:"name"`
		Ended  Time   `json:"ended,omitzero"`
	}{m.Handle, m.Name, m.EndedAt}
}

// MemberPage is a member with what their page shows.
type MemberPage struct {
	*Member
	EndedBy string // handle of who removed them, or their own
	Email   string // shown to people only
	Roles   []Role
	Studios []Studio
	Agents  []Agent
	Open    []Item // what they made that is not over
	Entries []Entry
}

// Ended reports that they are no member any more. Their words keep their name.
func (m *Member) Ended() bool { return !m.EndedAt.IsZero() }

// FindMember finds who is or was a member of an organization the actor is in, also by a handle they had before. Not found: [Missing].
func (tx *Tx) FindMember(by Actor, org, handle string) (*Member, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	m, err := tx.memberByHandle(o.ID, handle)
	if CodeOf(err) == NotFound {
		return tx.memberByFormerHandle(o.ID, handle)
	}
	return m, err
}

func (tx *Tx) memberByHandle(orgID, handle string) (*Member, error) {
	var m Member
	err := tx.Get(&m, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.org_id = ? AND m.handle = ?`, orgID, handle)
	return &m, err
}

func (tx *Tx) memberByFormerHandle(orgID, handle string) (*Member, error) {
	var m Member
	err := tx.Get(&m, `SELECT `+memberColumns+` FROM former_handles f JOIN members m ON m.id = f.member_id
		JOIN organizations o ON o.id = m.org_id
		WHERE f.org_id = ? AND f.handle = ?`, orgID, handle)
	return &m, err
}

func (tx *Tx) member(id string) (*Member, error) {
	var m Member
	err := tx.Get(&m, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.id = ?`, id)
	return &m, err
}

// ShowMember loads what a member's page shows to this actor.
func (tx *Tx) ShowMember(by Actor, m *Member) (*MemberPage, error) {
	p := &MemberPage{Member: m}
	var err error
	if p.Roles, err = tx.rolesWhere(by.In(m.OrgID), `r.holder_id = ?`, `s.handle, r.title, r.id`,
		50, m.ID); err != nil {
		return nil, err
	}
	if err := tx.Select(&p.Studios, `SELECT `+studioColumns+` FROM studio_members x
		JOIN studios s ON s.id = x.studio_id JOIN organizations o ON o.id = s.org_id
		LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = ?
		WHERE x.member_id = ? AND (s.visibility <> 'members' OR me.member_id IS NOT NULL) ORDER BY s.handle LIMIT 100`,
		by.In(m.OrgID).MemberID(), m.ID); err != nil {
		return nil, err
	}
	if err := tx.Select(&p.Agents, `SELECT id AS agent_id, label AS agent FROM agents WHERE member_id = ?
		ORDER BY created_at, id LIMIT 100`, m.ID); err != nil {
		return nil, err
	}
	var rest struct {
		EndedBy string `db:"ended_by"`
		Email   string `db:"email"`
	}
	err = tx.Get(&rest, `SELECT e.handle AS ended_by, u.email FROM members m JOIN users u ON u.id = m.user_id
		LEFT JOIN members e ON e.id = m.ended_by WHERE m.id = ?`, m.ID)
	if err != nil {
		return nil, err
	}
	p.EndedBy = rest.EndedBy
	if !by.IsAgent() && !m.Ended() {
		p.Email = rest.Email
	}
	if p.Open, err = tx.openItemsOf(by, m, 20); err != nil {
		return nil, err
	}
	p.Entries, err = tx.journal(by, JournalQuery{OrgID: m.OrgID, MemberID: m.ID, Limit: 10})
	return p, err
}

// Members lists the members of an organization in the order of their handles, after the given one.
func (tx *Tx) Members(orgID, after string, limit int) ([]Member, error) {
	return tx.members(` AND m.ended_at IS NULL`, orgID, after, limit)
}

// everMembers is Members with those who are none any more.
func (tx *Tx) everMembers(orgID, after string, limit int) ([]Member, error) {
	return tx.members(``, orgID, after, limit)
}

func (tx *Tx) members(which, orgID, after string, limit int) ([]Member, error) {
	var list []Member
	err := tx.Select(&list, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.org_id = ? AND m.handle > ?`+which+` ORDER BY m.handle`+atMost, orgID, after, limit)
	return list, err
}

// openItemsOf lists what a member made that is not over and the actor may see, newest first.
func (tx *Tx) openItemsOf(by Actor, m *Member, limit int) ([]Item, error) {
	var list []struct {
		Item
		Place string `db:"place"` // handle of its studio
	}
	err := tx.Select(&list, `SELECT `+itemListColumns+`, s.handle AS place FROM`+itemFrom+`JOIN studios s
		ON s.id = i.studio_id AND s.archived_at IS NULL
		LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = ?
		WHERE i.member_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL
		AND (s.visibility <> 'members' OR me.member_id IS NOT NULL)
		ORDER BY i.created_at DESC, i.id`+atMost, by.In(m.OrgID).MemberID(), m.ID, limit)
	items := make([]Item, len(list))
	for i := range list {
		items[i] = list[i].Item
		items[i].Studio, items[i].Now = &Studio{Handle: list[i].Place}, tx.Now
	}
	return items, err
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
		return "", Errorf(Invalid,
			"A handle has 2 to 40 lower-case letters, digits and hyphens and begins with a letter, such as data-team.")
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
