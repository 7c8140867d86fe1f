package store

import (
	"net/mail"
	"strings"
)

// Member is the membership of a user in one organization.
type Member struct {
	ID       string `db:"id"`
	OrgID    string `db:"org_id"`
	UserID   string `db:"user_id"`
	Handle   string `db:"handle"`
	Name     string `db:"name"`
	Contact  string `db:"contact"` // a text about how to reach the member; empty if the member shows none
	JoinedAt Time   `db:"joined_at"`
	EndedAt  Time   `db:"ended_at"` // zero for a present member
	ErasedAt Time   `db:"erased_at"`
	Version  int64  `db:"version"`

	Org     string `db:"org"` // handle of the organization
	OrgName string `db:"org_name"`
	Zone    string `db:"zone"`  // IANA name of the organization's time zone
	Head    int64  `db:"head"`  // sequence number of the organization's last journal entry
	Owner   bool   `db:"owner"` // the member owns the organization
	// Governance is [GovernanceOpen] or [GovernanceConsent].
	Governance string `db:"governance"`
	Limited    string `db:"limits"` // the stored limits of the organization; [Member.Limits] parses them

	Unread      int   `db:"unread"`       // number of unread notifications
	QuietUnread int   `db:"quiet_unread"` // number of unread notifications that agents skip
	Own         int64 `db:"own_version"`  // version of the pages that only this member sees

	// DirectUnread is the number of unread direct messages. DirectUnread and PersonVersion are 0 for an agent.
	DirectUnread  int   `db:"direct_unread"`
	PersonVersion int64 `db:"person_version"`
}

// ActingColumns has the columns that are loaded for a member as an actor. memberColumns has the columns for any other
// member.
const (
	ActingColumns = `m.id, m.org_id, m.user_id, m.handle, m.name, m.version,
	o.handle AS org, o.name AS org_name, o.zone, o.journal_seq AS head, o.owner_id = m.id AS owner, o.limits, o.governance,
	m.unread, m.quiet_unread, m.own_version`
	memberColumns = ActingColumns + `, m.contact, m.joined_at, m.ended_at, m.erased_at`
)

// Limits returns the rate limits of the member's organization.
func (m *Member) Limits() Limits { return limitsOf(m.Limited) }

// URL returns the path of the member's page.
func (m *Member) URL() string { return MemberURL(m.Org, m.Handle) }

// MemberURL returns the path of the page of a member of an organization.
func MemberURL(org, handle string) string { return "/orgs/" + org + "/members/" + handle }

// Ref returns the member as the target of a journal entry.
func (m *Member) Ref() Ref {
	return Ref{OrgID: m.OrgID, Kind: "member", ID: m.ID, URL: m.URL(), Title: m.Name, Version: m.Version,
		Topic: memberVersion.of(m.ID), MemberID: m.ID}
}

// Record returns the fields that the journal stores about a member.
func (m *Member) Record() any {
	return struct {
		Handle string `json:"handle"`
		Name   string `json:"name"`
		// Contact tells whether a contact is shown. The text is left out, so that it can be erased.
		Contact bool `json:"contact,omitempty"`
		Ended   Time `json:"ended,omitzero"`
	}{m.Handle, m.Name, m.Contact != "", m.EndedAt}
}

// MemberPage is a member with the data of the member's page.
type MemberPage struct {
	*Member
	EndedBy string // handle of the member that ended the membership
	Email   string // login address of the member; shown only to that member
	Roles   []Role
	Studios []Studio
	Agents  []Agent
	Pledged []Item // items to which the member is pledged, such as commitments
	Open    []Item // open items that the member made
	Entries []Entry
}

// Ended reports whether the membership has ended.
func (m *Member) Ended() bool { return !m.EndedAt.IsZero() }

// FindMember finds a present or former member by a present or former handle. It returns [Missing] for an unknown
// handle, or if the actor is outside the organization.
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
	return One[Member](tx, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.org_id = ? AND m.handle = ?`, orgID, handle)
}

func (tx *Tx) memberByFormerHandle(orgID, handle string) (*Member, error) {
	return One[Member](tx, `SELECT `+memberColumns+` FROM former_handles f JOIN members m ON m.id = f.member_id
		JOIN organizations o ON o.id = m.org_id
		WHERE f.org_id = ? AND f.handle = ?`, orgID, handle)
}

// MemberIn finds the present member with this id. It returns [Missing] unless the member is in the studio.
func (tx *Tx) MemberIn(studioID, id string) (*Member, error) {
	return One[Member](tx, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		JOIN studio_members x ON x.member_id = m.id WHERE m.id = ? AND x.studio_id = ? AND m.ended_at IS NULL`, id, studioID)
}

func (tx *Tx) member(id string) (*Member, error) {
	return One[Member](tx, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.id = ?`, id)
}

// LikelyMembers returns up to five members that are likely to have rights on the page ref, as actors without agents:
// the organization's owner, the member with the id ref.MemberID, and the leader, secretaries and referees of the page's
// studio. The parameter except is the id of a member to leave out.
func (tx *Tx) LikelyMembers(ref Ref, except string) ([]Actor, error) {
	list, err := All[Member](tx, `SELECT `+ActingColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.id IN (SELECT owner_id FROM organizations WHERE id = ? UNION SELECT holder_id FROM roles
		WHERE studio_id = ? AND deleted_at IS NULL AND kind IN ('leader', 'secretary', 'referee') AND holder_id IS NOT NULL
		UNION SELECT id FROM members WHERE id = ?)
		AND m.org_id = ? AND m.id <> ? AND m.ended_at IS NULL
		ORDER BY CASE WHEN m.id = o.owner_id THEN 0 WHEN m.id = ? THEN 1 ELSE 2 END, m.handle LIMIT 5`,
		ref.OrgID, ref.StudioID, ref.MemberID, ref.OrgID, except, ref.MemberID)
	actors := make([]Actor, len(list))
	for i := range list {
		actors[i] = list[i].InPerson()
	}
	return actors, err
}

// ShowMember loads a member's page as the actor may see it.
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
		WHERE x.member_id = ? AND `+visibleThrough("me", "s")+` ORDER BY s.handle LIMIT 100`,
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
	if !by.IsAgent() && by.Is(m.ID) {
		p.Email = rest.Email
	}
	if p.Pledged, err = tx.pledgesOf(by, m, 20); err != nil {
		return nil, err
	}
	if p.Open, err = tx.itemsOf(by, m, `i.member_id = ? AND i.closed_at IS NULL`, `i.created_at DESC, i.id`,
		[]any{m.ID}, 20); err != nil {
		return nil, err
	}
	p.Entries, err = tx.journal(by, JournalQuery{OrgID: m.OrgID, MemberID: m.ID, Limit: 10})
	return p, err
}

// Members lists one page of the present members of an organization, sorted by handle. The parameter after is empty or
// the last handle of the previous page.
func (tx *Tx) Members(orgID, after string, limit int) ([]Member, error) {
	return tx.members(` AND m.ended_at IS NULL`, orgID, after, limit)
}

func (tx *Tx) members(condition, orgID, after string, limit int) ([]Member, error) {
	list, err := All[Member](tx, `SELECT `+memberColumns+` FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE m.org_id = ? AND m.handle > ?`+condition+` ORDER BY m.handle`+AtMost, orgID, after, limit)
	return list, err
}

// pledgesOf lists the items to which a member is pledged and that the actor may see, sorted by deadline.
func (tx *Tx) pledgesOf(by Actor, m *Member, limit int) ([]Item, error) {
	var among []string
	var args []any
	for _, k := range ItemKinds() {
		if k.Pledges != "" {
			among, args = append(among, k.Pledges), append(args, m.ID)
		}
	}
	if len(among) == 0 {
		return nil, nil
	}
	return tx.itemsOf(by, m, `i.id IN (`+strings.Join(among, ` UNION ALL `)+`)`,
		`i.due_at IS NULL, i.due_at, i.created_at DESC, i.id`, args, limit)
}

// itemsOf lists the items of active studios that meet the SQL condition and that the actor may see, without drafts and
// removed items.
func (tx *Tx) itemsOf(by Actor, m *Member, condition, order string, args []any, limit int) ([]Item, error) {
	var list []struct {
		Item
		Place string `db:"place"` // handle of the item's studio
	}
	err := tx.Select(&list, `SELECT `+itemListColumns+`, s.handle AS place FROM`+itemFrom+`JOIN studios s
		ON s.id = i.studio_id AND s.archived_at IS NULL
		LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = ?
		WHERE `+condition+` AND i.opened_at IS NOT NULL AND i.removed_at IS NULL
		AND `+visibleThrough("me", "s")+` ORDER BY `+order+AtMost,
		append(append([]any{by.In(m.OrgID).MemberID()}, args...), limit)...)
	items := make([]Item, len(list))
	for i := range list {
		items[i] = list[i].Item
		items[i].Studio, items[i].Now = &Studio{Handle: list[i].Place}, tx.Now
	}
	return items, err
}

// PersonOf returns a user as an actor without an agent, with all present memberships. It returns [Missing] if there are
// none.
func (tx *Tx) PersonOf(userID string) (Actor, error) {
	by := Actor{UserID: userID}
	if err := tx.Select(&by.Members, `SELECT `+ActingColumns+`, m.direct_unread FROM members m
		JOIN organizations o ON o.id = m.org_id WHERE m.user_id = ? AND m.ended_at IS NULL ORDER BY m.joined_at, m.id`,
		userID); err != nil {
		return by, err
	}
	if len(by.Members) == 0 {
		return by, Missing()
	}
	by.Member = &by.Members[0]
	return by, nil
}

// Handle normalizes a handle: it removes white space around it and an @ before it, and makes its letters lower-case. It
// returns [Invalid] for texts that are no handles and for reserved handles.
func Handle(s string) (string, error) {
	s = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "@"))
	ok := len(s) >= 2 && len(s) <= 40 && s[0] >= 'a' && s[0] <= 'z' && !strings.HasSuffix(s, "-")
	for i := range len(s) {
		c := s[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')
	}
	if s == "actions" { // a page with this handle would have the URL of a list of actions
		return "", Errorf(Invalid, handleGone, s)
	}
	if !ok {
		return "", Errorf(Invalid,
			"A handle has 2 to 40 lower-case letters, digits and hyphens and begins with a letter, such as data-team.")
	}
	return s, nil
}

// Email normalizes an email address. It returns [Invalid] for any other text.
func Email(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 {
		return "", Errorf(Invalid, "That is not an email address. Write one such as alice@example.org.")
	}
	return s, nil
}
