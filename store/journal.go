package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Ref describes a subject of journal entries: its kind and id, its page and its title.
type Ref struct {
	OrgID, StudioID      string
	Kind, ID, URL, Title string
	Version              int64
	Topic                Topic // name under which changes of Version are announced; empty if there is no version
	// PrivateTo is the id of the only member that may see entries about the subject. It is empty if the entries are not
	// private.
	PrivateTo string
	Public    bool   // anonymous visitors can read the page
	MemberID  string // id of the author, or of the member that the page is about or waits for; empty for none
}

// events maps the names of [DeclareEvent] to verbs. It grows only while packages are initialized.
var events = map[string]string{}

// DeclareEvent declares a kind of journal entry that is not the entry of an action on a page, and returns its name. The
// parameter past is the verb in the journal's sentence about the entry, in the past tense.
func DeclareEvent(name, past string) string {
	events[name] = past
	return name
}

// EventVerb returns the verb of a declared event, or the empty string.
func EventVerb(name string) string { return events[name] }

// Entry is the journal's record of one change. Its Hash covers its fields, or their digests, and the Hash of the
// previous entry, so that the entries form a chain.
type Entry struct {
	OrgID    string `db:"org_id"`
	Seq      int64  `db:"seq"`
	At       Time   `db:"at"`
	MemberID string `db:"member_id"`
	Member   string `db:"member"` // handle at that time; empty if erased, and for an actor that is no member
	AgentID  string `db:"agent_id"`
	Agent    string `db:"agent"` // label at the time of the change; empty for a person
	TokenID  string `db:"token_id"`
	Authority
	StudioID     string  `db:"studio_id"`
	PrivateTo    string  `db:"private_to"`
	Action       string  `db:"action"`
	Kind         string  `db:"kind"`
	TargetID     string  `db:"target_id"`
	URL          string  `db:"url"`
	Title        string  `db:"title"` // empty if the title was erased
	TitleDigest  []byte  `db:"title_digest"`
	Before       *string `db:"before"` // record before the change, as JSON; nil if there was none or if it was erased
	After        *string `db:"after"`
	BeforeDigest []byte  `db:"before_digest"`
	AfterDigest  []byte  `db:"after_digest"`
	Why          string  `db:"why"`
	Request      string  `db:"request"`
	RoleDigest   []byte  `db:"role_digest"` // this digest and the next three are loaded only for verification
	MemberDigest []byte  `db:"member_digest"`
	URLDigest    []byte  `db:"url_digest"`
	WhyDigest    []byte  `db:"why_digest"`
	Prev         []byte  `db:"prev"` // hash of the previous entry
	Hash         []byte  `db:"hash"`

	Org string `db:"org"` // handle of the organization

	Did string // verb of the action, such as "voted on"; the store leaves it empty
}

const entryColumns = entryBegin + `j.role, ` + entryEnd

const entryBegin = `j.org_id, j.seq, j.at, j.member_id, j.member, j.agent_id, j.agent, j.token_id, j.authority, j.role_id, `

const entryEnd = `j.studio_id, j.private_to, j.action, j.kind, j.target_id, j.url,
	j.title, j.title_digest, j.before, j.after, j.before_digest, j.after_digest, j.why, j.request, j.prev, j.hash,
	o.handle AS org`

// PageURL returns the path of the page of the entry itself.
func (e *Entry) PageURL() string { return fmt.Sprintf("/orgs/%s/journal/%d", e.Org, e.Seq) }

// By returns the byline of the actor at the time of the change, or words without a name if the name was erased.
func (e *Entry) By() string {
	switch {
	case e.Member != "" || e.MemberID == "":
		return Byline(e.Member, e.Agent)
	case e.Agent != "":
		return e.Agent + ", agent of a former member"
	}
	return "a former member"
}

// Erased reports whether the texts of the entry were erased.
func (e *Entry) Erased() bool { return e.Title == "" }

// Change is a change to be recorded in the journal. Before and After are the subject's records, which are stored as
// JSON; nil for none.
type Change struct {
	Action        string
	Target        Ref
	Before, After any
	Why, Request  string
}

// Journal appends an entry about the change to the journal of the target's organization, and returns its sequence
// number.
func (tx *Tx) Journal(by Actor, c Change) (int64, error) {
	by = by.In(c.Target.OrgID)
	if by.Member == nil && by.UserID != "" && !by.IsAgent() { // the user may have just joined
		m, err := tx.memberOf(c.Target.OrgID, by.UserID)
		if err == nil && !m.Ended() {
			by.Member = m
		} else if err != nil && CodeOf(err) != NotFound {
			return 0, err
		}
	}
	e := Entry{OrgID: c.Target.OrgID, At: At(tx.Now), MemberID: by.MemberID(), AgentID: by.Agent.ID,
		Agent: by.Agent.Label, TokenID: by.Token, Authority: by.As, StudioID: c.Target.StudioID, PrivateTo: c.Target.PrivateTo,
		Action: c.Action, Kind: c.Target.Kind, TargetID: c.Target.ID, URL: c.Target.URL, Title: c.Target.Title,
		Why: c.Why, Request: c.Request}
	if by.Member != nil {
		e.Member = by.Member.Handle
	}
	if e.studio != "" && e.studio != e.StudioID {
		e.Role = ""
	}
	e.TitleDigest, e.MemberDigest, e.RoleDigest = digestOf(e.Title), digestOf(e.Member), digestOf(e.Role)
	e.URLDigest, e.WhyDigest = digestOf(e.URL), digestOf(e.Why)
	var err error
	if e.Before, e.BeforeDigest, err = digested(c.Before); err != nil {
		return 0, err
	}
	if e.After, e.AfterDigest, err = digested(c.After); err != nil {
		return 0, err
	}
	if err := tx.Lock(e.OrgID); err != nil {
		return 0, err
	}
	var head struct {
		Seq  int64  `db:"journal_seq"`
		Hash []byte `db:"journal_hash"`
	}
	if err := tx.Get(&head, `SELECT journal_seq, journal_hash FROM organizations WHERE id = ?`, e.OrgID); err != nil {
		return 0, err
	}
	e.Seq, e.Prev = head.Seq+1, head.Hash
	e.Hash = e.sum()
	if err := tx.Exec(`INSERT INTO journal (org_id, seq, at, member_id, member, agent_id, agent, token_id, authority,
		role_id, role, role_digest, studio_id, private_to, action, kind, target_id, url,
		title, title_digest, before, after, before_digest, after_digest, why, request,
		member_digest, url_digest, why_digest, prev, hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.OrgID, e.Seq, e.At, e.MemberID, e.Member, e.AgentID, e.Agent, e.TokenID, e.As, e.RoleID, e.Role, e.RoleDigest,
		e.StudioID, e.PrivateTo, e.Action, e.Kind, e.TargetID, e.URL,
		e.Title, e.TitleDigest, e.Before, e.After, e.BeforeDigest, e.AfterDigest, e.Why, e.Request,
		e.MemberDigest, e.URLDigest, e.WhyDigest, e.Prev, e.Hash); err != nil {
		return 0, err
	}
	tx.announce(journalTopic.of(e.OrgID))
	tx.announce(entryTopic.of(cmp.Or(e.StudioID, e.OrgID)))
	return e.Seq, tx.Exec(`UPDATE organizations SET journal_seq = ?, journal_hash = ? WHERE id = ?`,
		e.Seq, e.Hash, e.OrgID)
}

func digestOf(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// digested returns v as JSON together with the digest of the JSON. The hash of an entry covers only the digest.
// The JSON can therefore be erased, and the chain stays valid.
func digested(v any) (*string, []byte, error) {
	if v == nil {
		return nil, []byte{}, nil
	}
	if k, ok := v.(Kept); ok {
		v = k.Kept()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	sum := sha256.Sum256(b)
	s := string(b)
	return &s, sum[:], nil
}

// JournalQuery selects entries of an organization's journal. Empty fields do not restrict the selection.
type JournalQuery struct {
	OrgID    string
	Studio   string // handle of the studio
	MemberID string // id of the member who acted, in person or through an agent
	Target   string // id of the target
	Action   string
	Kind     string // kind of the target
	AgentID  string
	Agents   bool  // only entries about actions of agents
	People   bool  // only entries about actions of people
	Before   int64 // only entries below this sequence number; zero for all
	Limit    int
}

// FindEntry finds a journal entry by its number. It returns [Missing] if there is none or the actor may not see it.
func (tx *Tx) FindEntry(by Actor, org string, seq int64) (*Entry, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	me := by.In(o.ID).MemberID()
	var e Entry
	if err := tx.Get(&e, entrySelect+` AND j.seq = ?`, me, me, o.ID, me, seq); err != nil {
		return &e, err
	}
	list := []Entry{e}
	err = tx.nameRoles(me, list)
	return &list[0], err
}

// entrySelect selects the entries of an organization that a member may see. The column role is empty if the member may
// not see the role's studio at the time of the query.
var entrySelect = `SELECT ` + entryBegin + `CASE WHEN ` + roleStudioSeen + ` THEN j.role ELSE '' END AS role, ` + entryEnd + entryFrom
var entryFrom = `
	FROM journal j JOIN organizations o ON o.id = j.org_id
	LEFT JOIN studios s ON s.id = j.studio_id
		LEFT JOIN studio_members x ON x.studio_id = j.studio_id AND x.member_id = ?
		LEFT JOIN roles r ON r.id = j.role_id LEFT JOIN studios rs ON rs.id = r.studio_id
		LEFT JOIN studio_members rx ON rx.studio_id = rs.id AND rx.member_id = ?
		WHERE j.org_id = ? AND (j.private_to = '' OR j.private_to = ?)
		AND (j.studio_id = '' OR ` + visibleThrough("x", "s") + `)`

// roleStudioSeen is the SQL condition that the member may see the studio of the role that an entry names.
var roleStudioSeen = `(rs.id IS NULL OR ` + visibleThrough("rx", "rs") + `)`

func (tx *Tx) journal(by Actor, q JournalQuery) ([]Entry, error) {
	me := by.In(q.OrgID).MemberID()
	query, args := q.from(me, entrySelect)
	var list []Entry
	if err := tx.Select(&list, query, args...); err != nil {
		return nil, err
	}
	return list, tx.nameRoles(me, list)
}

// from completes a query that ends with [entryFrom]. It returns the statement for the member me and its arguments.
func (q JournalQuery) from(me, query string) (string, []any) {
	if q.Before == 0 {
		q.Before = 1 << 62
	}
	query += ` AND j.seq < ?`
	args := []any{me, me, q.OrgID, me, q.Before}
	// The query reads the index of its first filter (alias k), so the first filter must be the one that selects the
	// fewest entries. Otherwise the planner would read the whole journal.
	filtered, order := false, ` ORDER BY j.seq DESC`+AtMost
	also := func(cond string, arg ...any) {
		args = append(args, arg...)
		if filtered {
			query += ` AND j.` + cond
			return
		}
		filtered, order = true, ` ORDER BY k.seq DESC`+AtMost
		query = strings.Replace(query, `FROM journal j`, `FROM journal k CROSS JOIN journal j`, 1) +
			` AND j.org_id = k.org_id AND j.seq = k.seq AND k.org_id = ? AND k.seq < ? AND k.` + cond
		args = slices.Insert(args, 5, any(q.OrgID), any(q.Before))
	}
	if q.Target != "" {
		also("target_id = ?", q.Target)
	}
	if q.AgentID != "" {
		also("agent_id <> '' AND k.agent_id = ?", q.AgentID)
	}
	if q.MemberID != "" {
		also("member_id = ?", q.MemberID)
	}
	if q.Studio != "" {
		also("studio_id = (SELECT id FROM studios WHERE handle = ?)", q.Studio)
	}
	if q.Action != "" {
		also("action = ?", q.Action)
	}
	if q.Kind != "" {
		also("kind = ?", q.Kind)
	}
	if q.Agents {
		also("agent_id <> ''")
	}
	if q.People {
		query += ` AND j.agent_id = '' AND j.member_id <> ''`
	}
	return query + order, append(args, q.Limit)
}

// EntriesAfter lists the first entries with numbers above seq that a member may see, oldest first.
func (tx *Tx) EntriesAfter(orgID, memberID string, seq int64, limit int) (list []Entry, err error) {
	err = tx.Select(&list, entrySelect+` AND j.seq > ? ORDER BY j.seq`+AtMost, memberID, memberID, orgID, memberID, seq, limit)
	if err != nil {
		return nil, err
	}
	return list, tx.nameRoles(memberID, list)
}

// Kept is a record that the journal stores in another form, which the method Kept returns.
type Kept interface{ Kept() any }

// RoleReference returns the text that a record in the journal has in place of the title of a role. The title itself
// would stay readable if the studio of the role became visible to its members only.
func RoleReference(id string) string { return "role:" + id }

var roleReference = regexp.MustCompile(`"role:([0-9a-z]{10})"`)

// nameRoles replaces each reference to a role in the records of entries with the result of roleName.
func (tx *Tx) nameRoles(memberID string, list []Entry) (err error) {
	known := map[string]string{}
	name := func(ref string) string {
		if _, ok := known[ref]; !ok && err == nil {
			known[ref], err = tx.roleName(memberID, roleReference.FindStringSubmatch(ref)[1])
		}
		return known[ref]
	}
	for i := range list {
		for _, record := range []**string{&list[i].Before, &list[i].After} {
			if *record != nil && roleReference.MatchString(**record) {
				named := roleReference.ReplaceAllStringFunc(**record, name)
				*record = &named
			}
		}
	}
	return err
}

// roleName returns the title of a role and the name of its studio as a JSON string. The string has no names if the
// member may not see the studio.
func (tx *Tx) roleName(memberID, id string) (string, error) {
	var named struct {
		Title  string `db:"title"`
		Studio string `db:"studio"`
	}
	err := tx.Get(&named, `SELECT r.title, s.name AS studio FROM roles r JOIN studios s ON s.id = r.studio_id
		WHERE r.id = ? AND `+VisibleTo("?", "s"), id, memberID)
	words := named.Title + " of " + named.Studio
	if CodeOf(err) == NotFound {
		words, err = "a role that you cannot see", nil
	}
	quoted, failed := json.Marshal(words)
	if err == nil {
		err = failed
	}
	return string(quoted), err
}

// JournalPage is one page of an organization's journal.
type JournalPage struct {
	*Organization
	Query   JournalQuery
	By      string // handle of the member if the page has only that member's entries; otherwise empty
	Unknown bool   // whether the organization has never had a member with the handle By
	Entries []Entry
	Count   int // number of entries that meet the filters; -1 if there are no filters, or the number is not known
}

// maxCounted is the greatest length of a journal in which [Tx.ShowJournal] counts all entries that meet the filters.
const maxCounted = 10_000

// ShowJournal loads one page of the journal. If member is not empty, the page has only entries by the member
// with that handle.
func (tx *Tx) ShowJournal(by Actor, o *Organization, q JournalQuery, member string) (p *JournalPage, err error) {
	q.OrgID = o.ID
	p = &JournalPage{Organization: o, Query: q, By: member, Count: -1}
	if member != "" {
		m, err := tx.memberByHandle(o.ID, member)
		if CodeOf(err) == NotFound {
			p.Unknown = true
			return p, nil
		} else if err != nil {
			return nil, err
		}
		q.MemberID = m.ID
	}
	if p.Entries, err = tx.journal(by, q); err != nil || q.Before > 0 || q == (JournalQuery{OrgID: o.ID, Limit: q.Limit}) {
		return p, err
	}
	if me := by.In(o.ID).Member; len(p.Entries) < q.Limit {
		p.Count = len(p.Entries)
	} else if me != nil && me.Head <= maxCounted {
		q.Limit = maxCounted
		query, args := q.from(me.ID, `SELECT 1 AS n`+entryFrom)
		err = tx.Get(&p.Count, `SELECT count(*) FROM (`+query+`) AS found`, args...)
	}
	return p, err
}
