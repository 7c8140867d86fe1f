package store

import (
	"slices"
	"strings"
	"time"
)

// Studio is a team in an organization together with its pages.
type Studio struct {
	ID          string `db:"id"`
	OrgID       string `db:"org_id"`
	Org         string `db:"org"` // handle of the organization
	OrgName     string `db:"org_name"`
	Zone        string `db:"zone"` // IANA name of the organization's time zone
	Handle      string `db:"handle"`
	Name        string `db:"name"`
	Description string `db:"description"`
	ParentID    string `db:"parent_id"`
	Visibility  string `db:"visibility"` // the readers of the studio: "public", "organization" or "members"
	PreviewSet  string `db:"previews"`   // the chosen preview level; empty for the default
	Tempo       string `db:"tempo"`      // length of a cycle: "daily", "weekly" or "monthly"
	General     bool   `db:"general"`    // the general studio, to which every member of the organization belongs
	People      int    `db:"people"`     // number of members
	Agents      int    `db:"agents"`     // number of the members' agents, without runners
	CreatedAt   Time   `db:"created_at"`
	ArchivedAt  Time   `db:"archived_at"`
	Version     int64  `db:"version"`
	JoinedAt    Time   `db:"joined_at"`    // when the actor joined; zero if the actor is not a member
	Following   string `db:"following"`    // chosen notification level; empty for the default and in lists
	HeartbeatAt Time   `db:"heartbeat_at"` // time of the actor's last heartbeat; zero if there was none
	// Said is the number of spoken items ([Kind.Spoken], such as messages) ever made in the studio, and also the number
	// of the last one.
	Said  int `db:"said"`
	Heard int `db:"heard"` // number of the last spoken item that the actor's member has read
	// number of spoken items and replies that agents have written since a person wrote one
	AgentRun    int   `db:"agent_run"`
	TalkVersion int64 `db:"talk_version"`

	// The fields below are loaded only if one studio is found, for example by [Tx.FindStudio]. They are empty in lists.
	Parent           string `db:"parent"` // handle of the parent; empty if the actor may not see the parent
	ParentVisibility string `db:"parent_visibility"`
	Mine             held   `db:"mine"` // the roles that the actor's member holds in the studio

	Now time.Time
}

const studioColumns = `s.id, s.org_id, o.handle AS org, o.name AS org_name, o.zone, s.handle, s.name, s.description,
	s.parent_id, s.visibility, s.previews, s.tempo, s.general, s.people, s.agents, s.created_at, s.archived_at,
	s.version, me.joined_at, me.heartbeat_at, s.said,
	coalesce(me.heard, 0) AS heard, s.agent_run, s.talk_version`

// studioFrom joins the tables that decide whether the actor may see a studio. Its arguments are the user's id, and
// twice the id of the token's organization, which is empty for a login. studioVisible is the SQL condition that the
// actor may see the studio.
const (
	studioFrom  = ` studios s ` + studioJoins
	studioJoins = `JOIN organizations o ON o.id = s.org_id
	LEFT JOIN members mm ON mm.user_id = ? AND mm.org_id = s.org_id AND (? = '' OR mm.org_id = ?)
	AND mm.ended_at IS NULL
	LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = mm.id `
	everyStudio   = ` TRUE `
	studioVisible = ` (s.visibility = 'public' OR (s.visibility = 'organization' AND mm.id IS NOT NULL)
		OR me.member_id IS NOT NULL) `
)

// studioOwnColumns and studioOwnJoins also load the fields that lists leave out. These include the rights of the
// actor's roles, so that each request gets visibility and rights from one row.
const (
	studioOwnColumns = studioColumns + `, CASE WHEN sp.visibility = 'public'
		OR (sp.visibility = 'organization' AND mm.id IS NOT NULL)
		OR EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = sp.id AND y.member_id = mm.id) THEN sp.handle
		ELSE '' END AS parent, sp.visibility AS parent_visibility,
		coalesce((SELECT string_agg(r.kind || ' ' || r.id || ' ' || coalesce(r.source_id, '-') || ' '
		|| coalesce(r.held_since, 0), ' ') FROM roles r
		WHERE r.holder_id = mm.id AND r.studio_id = s.id), '') AS mine, sf.level AS following`
	studioOwnJoins = `LEFT JOIN studios sp ON sp.id = s.parent_id LEFT JOIN follows sf ON sf.subject_id = s.id
		AND sf.member_id = mm.id `
)

// visible returns the SQL condition under which the actor may see a studio.
func (a Actor) visible() string {
	if a.System {
		return everyStudio
	}
	return studioVisible
}

func (a Actor) studioArgs(more ...any) []any {
	return append([]any{a.UserID, a.orgID(), a.orgID()}, more...)
}

// StudioStates returns the possible states of a studio.
func StudioStates() []string { return []string{"active", "archived"} }

// State returns one of [StudioStates].
func (s *Studio) State() string {
	if s.ArchivedAt.IsZero() {
		return "active"
	}
	return "archived"
}

// URL returns the path of the studio's page.
func (s *Studio) URL() string { return "/studios/" + s.Handle }

// StudioOf returns the handle of the studio in the path of a page, or "" for a page outside studios.
func StudioOf(path string) string {
	rest, in := strings.CutPrefix(path, "/studios/")
	if !in {
		return ""
	}
	handle, _, _ := strings.Cut(rest, "/")
	return handle
}

// Ref returns the studio as the target of a journal entry.
func (s *Studio) Ref() Ref {
	return Ref{OrgID: s.OrgID, StudioID: s.ID, Kind: "studio", ID: s.ID, URL: s.URL(), Title: s.Name,
		Version: s.Version, Topic: studioVersion.of(s.ID), Public: s.Visibility == "public"}
}

// Record returns the fields that the journal stores about a studio.
func (s *Studio) Record() any {
	return struct {
		Handle      string `json:"handle"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Parent      string `json:"parent,omitempty"`
		Visibility  string `json:"visibility"`
		Previews    string `json:"previews,omitempty"`
		Tempo       string `json:"tempo"`
		Members     int    `json:"members"`
		State       string `json:"state"`
	}{s.Handle, s.Name, s.Description, s.recordedParent(), s.Visibility, s.PreviewSet, s.Tempo, s.People, s.State()}
}

// recordedParent returns the handle of the parent for the journal. If the actor or other readers of the journal may not
// see the parent, it returns a description instead.
func (s *Studio) recordedParent() string {
	if s.ParentID != "" && (s.Parent == "" || s.ParentVisibility == "members") {
		return "a studio that only its members see"
	}
	return s.Parent
}

// Joined reports whether the actor is a member of the studio.
func (s *Studio) Joined() bool { return !s.JoinedAt.IsZero() }

// StudioPage is a studio with the data of its page.
type StudioPage struct {
	*Studio
	Parent   *Studio
	Children []Studio
	Pinned   []Item
	Open     []Item         // open items, those with a deadline first
	OpenOf   map[string]int // number of open items by the name of their kind; nil for an agent
	Latest   []Item         // latest items, newest first
	Talk     []Item         // latest messages, newest first; nil for an agent
	Standing []Item         // boards, newest first; nil for an agent and for an actor outside the organization
	// Live has the work that runs or waits, by the id of the studio and by the ids of the items in Standing. It is nil for
	// an agent and for an actor outside the organization.
	Live    map[string][]LiveCount
	Members []Member      // the first few members, sorted by handle; nil for an actor outside the organization
	Agents  []MemberAgent // [Tx.AgentsOf] these members; nil for an agent and for an actor outside the organization
	Roles   []Role        // all roles; nil for an actor outside the organization
	Now     *Digest       // counts of the present cycle
	Last    *Digest       // counts of the previous cycle; nil if there is none
	Days    []CycleDay    // counts of the days of the present cycle; nil if there are none
	// Waiting has items of the studio that wait for an action of the actor: the name of the action, by the id of the
	// item. It is nil for an agent, for an actor outside the studio, and if the page has no open or pinned items.
	Waiting map[string]string
}

// FindStudio finds a studio by its handle. It returns [Missing] if there is none or if the actor may not see
// it.
func (tx *Tx) FindStudio(by Actor, handle string) (*Studio, error) {
	const query = `SELECT ` + studioOwnColumns + ` FROM` + studioFrom + studioOwnJoins + `WHERE s.handle = ? AND`
	return tx.studio(by, query+studioVisible, query+everyStudio, handle)
}

func (tx *Tx) studioByID(by Actor, id string) (*Studio, error) {
	const query = `SELECT ` + studioOwnColumns + ` FROM` + studioFrom + studioOwnJoins + `WHERE s.id = ? AND`
	return tx.studio(by, query+studioVisible, query+everyStudio, id)
}

// studio finds the studio with the given key by the query seen or, for the scheduler, by the query all.
func (tx *Tx) studio(by Actor, seen, all, key string) (*Studio, error) {
	if by.System {
		seen = all
	}
	s := Studio{Now: tx.Now}
	err := tx.GetLocked(&s, &s.OrgID, seen, by.studioArgs(key)...)
	return &s, err
}

// Studios lists one page of the studios that the actor may see, sorted by handle. The parameter after is empty or the
// last handle of the previous page.
func (tx *Tx) Studios(by Actor, after string, limit int) ([]Studio, error) {
	return tx.studios(by, "", after, limit)
}

// StudiosOf reads up to limit studios of an organization that the actor may see. It returns those that are not
// archived, sorted by handle.
func (tx *Tx) StudiosOf(by Actor, o *Organization, limit int) ([]Studio, error) {
	list, err := tx.studios(by.In(o.ID), o.ID, "", limit)
	return slices.DeleteFunc(list, func(s Studio) bool { return s.MustBeActive() != nil }), err
}

// studios lists the studios that the actor may see in one organization, or in all if orgID is empty. Each condition
// under which a studio is visible gets its own SELECT with a limit, so that the cost does not depend on the number of
// invisible studios.
func (tx *Tx) studios(by Actor, orgID, after string, limit int) ([]Studio, error) {
	var arms []string
	args := by.studioArgs()
	arm := func(from, where string, arg ...any) {
		if orgID != "" {
			where, arg = where+` AND s.org_id = ?`, append(arg, orgID)
		}
		arms = append(arms, `SELECT id FROM (SELECT s.id FROM `+from+` WHERE `+where+` AND s.handle > ?
			ORDER BY s.handle`+AtMost+`) sub`)
		args = append(append(args, arg...), after, limit)
	}
	if by.System {
		arm(`studios s`, `TRUE`)
	} else {
		arm(`studios s`, `s.visibility = 'public'`)
	}
	for i := range by.Members {
		m := &by.Members[i]
		if orgID != "" && m.OrgID != orgID {
			continue
		}
		arm(`studios s`, `s.visibility = 'organization' AND s.org_id = ?`, m.OrgID)
		arm(`studio_members x CROSS JOIN studios s`,
			`x.member_id = ? AND s.id = x.studio_id AND s.visibility = 'members'`, m.ID)
	}
	return All[Studio](tx, `SELECT `+studioColumns+` FROM`+studioFrom+`WHERE s.id IN (`+strings.Join(arms, `
		UNION `)+`) AND`+by.visible()+
		`ORDER BY s.handle`+AtMost, append(args, limit)...)
}

// MyStudios lists the actor's studios that are not archived, general studios first.
func (tx *Tx) MyStudios(by Actor, limit int) ([]Studio, error) {
	return All[Studio](tx, `SELECT `+studioColumns+` FROM members mm JOIN studio_members me ON me.member_id = mm.id
		JOIN studios s ON s.id = me.studio_id
		JOIN organizations o ON o.id = s.org_id
		WHERE mm.user_id = ? AND (? = '' OR mm.org_id = ?) AND s.archived_at IS NULL
		ORDER BY s.general DESC, s.handle`+AtMost, by.studioArgs(limit)...)
}

// ShowStudio loads a studio's page as the actor may see it.
func (tx *Tx) ShowStudio(by Actor, s *Studio) (*StudioPage, error) {
	p := &StudioPage{Studio: s}
	if s.ParentID != "" {
		parent, err := tx.studioByID(by, s.ParentID)
		switch {
		case err == nil:
			p.Parent = parent
		case CodeOf(err) != NotFound:
			return nil, err
		}
	}
	if err := tx.Select(&p.Children, `SELECT `+studioColumns+` FROM`+studioFrom+`WHERE s.parent_id = ? AND`+
		by.visible()+`ORDER BY s.handle LIMIT 50`,
		by.studioArgs(s.ID)...); err != nil {
		return nil, err
	}
	var err error
	if p.Pinned, err = tx.pinned(s); err != nil {
		return nil, err
	}
	if p.Open, err = tx.openItems(s, 20); err != nil {
		return nil, err
	}
	if !by.IsAgent() {
		if p.OpenOf, err = tx.countOpen(s); err != nil {
			return nil, err
		}
	}
	spoken := 0
	if s.Said > 0 && !by.IsAgent() {
		spoken = 3
	}
	if p.Latest, p.Talk, err = tx.latestItems(by, s, 10, spoken); err != nil {
		return nil, err
	}
	now := s.Cycle()
	if p.Now, err = tx.digest(now); err != nil {
		return nil, err
	}
	if p.Days, err = tx.cycleDays(by, now); err != nil {
		return nil, err
	}
	if last := s.beside(now.Previous()); last != nil {
		if p.Last, err = tx.digest(last); err != nil {
			return nil, err
		}
	}
	if by.Member == nil {
		return p, nil
	}
	if p.Roles, err = tx.Roles(s); err != nil {
		return nil, err
	}
	if p.Members, err = tx.StudioMembers(s, "", 12); err != nil {
		return nil, err
	}
	if !by.IsAgent() {
		if p.Agents, err = tx.AgentsOf(p.Members); err != nil {
			return nil, err
		}
		if p.Standing, err = tx.standing(s); err != nil {
			return nil, err
		}
		if p.Live, err = tx.liveIn(by, []Studio{*s}, len(p.Standing) > 0); err != nil {
			return nil, err
		}
	}
	p.Waiting, err = tx.waitingIn(by, p)
	return p, err
}

// standing lists the newest items that a studio works with for long, such as boards.
func (tx *Tx) standing(s *Studio) ([]Item, error) {
	var of []string
	for _, k := range ItemKinds() {
		if k.Standing != "" {
			of = append(of, `i.kind = '`+k.Name+`' AND i.state = '`+k.Standing+`'`)
		}
	}
	if len(of) == 0 {
		return nil, nil
	}
	var list []Item
	err := tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id IN (SELECT i.id FROM items i
		WHERE i.studio_id = ? AND (`+strings.Join(of, ` OR `)+`)`+itemNewest+`) ORDER BY i.created_at DESC, i.id`, s.ID, 5)
	return tx.inStudio(s, list), err
}

func (tx *Tx) waitingIn(by Actor, p *StudioPage) (map[string]string, error) {
	if by.IsAgent() || !p.Joined() || len(p.Open)+len(p.Pinned) == 0 {
		return nil, nil
	}
	list, err := tx.WaitingItems(by, 2*mostWaiting)
	waiting := map[string]string{}
	for i := range list {
		if w := &list[i]; w.StudioID == p.ID && waiting[w.ID] == "" {
			waiting[w.ID] = w.For
		}
	}
	return waiting, err
}

// StudioMembers lists one page of a studio's members, sorted by handle. The parameter after is empty or the last handle
// of the previous page.
func (tx *Tx) StudioMembers(s *Studio, after string, limit int) ([]Member, error) {
	// For a small studio, the query sorts the studio's members. For a large studio, it reads the members of the
	// organization in the order of their handles.
	from := `studio_members x CROSS JOIN members m CROSS JOIN organizations o`
	if s.People > 500 {
		from = `organizations o CROSS JOIN members m CROSS JOIN studio_members x`
	}
	return All[Member](tx, `SELECT `+memberColumns+` FROM `+from+` WHERE x.studio_id = ? AND x.member_id = m.id
		AND o.id = ? AND m.org_id = o.id AND m.handle > ?
		ORDER BY m.handle`+AtMost, s.ID, s.OrgID, after, limit)
}

// StudioMemberID returns the id of the studio's member with this handle. It returns [Invalid] if there is none.
func (tx *Tx) StudioMemberID(s *Studio, handle string) (string, error) {
	var id string
	err := tx.Get(&id, `SELECT m.id FROM members m JOIN studio_members x ON x.studio_id = ? AND x.member_id = m.id
		WHERE m.org_id = ? AND m.handle = ?`,
		s.ID, s.OrgID, handle)
	if CodeOf(err) == NotFound {
		return "", Errorf(Invalid, "Nobody in %s is called @%s. Name a member of this studio by handle.",
			s.Name, handle)
	}
	return id, err
}

// VisibleTo returns the SQL condition that a member may see a studio of the member's organization. The parameter member
// is an SQL expression for the member's id, and studio is the alias of a row of the table studios.
func VisibleTo(member, studio string) string {
	return `(` + studio + `.visibility <> 'members' OR EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = ` + studio +
		`.id AND y.member_id = ` + member + `))`
}

// visibleThrough returns the same condition as [VisibleTo] for a statement with a left join of the table
// studio_members. The parameter membership is the alias of the member's row in this table.
func visibleThrough(membership, studio string) string {
	return `(` + studio + `.visibility <> 'members' OR ` + membership + `.member_id IS NOT NULL)`
}
