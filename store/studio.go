package store

import (
	"strings"
	"time"
)

// Studio is a team and its pages.
type Studio struct {
	ID          string `db:"id"`
	OrgID       string `db:"org_id"`
	Org         string `db:"org"`      // handle
	OrgName     string `db:"org_name"` //
	Zone        string `db:"zone"`     // IANA name of the organization's time zone
	Handle      string `db:"handle"`
	Name        string `db:"name"`
	Description string `db:"description"`
	ParentID    string `db:"parent_id"`
	Visibility  string `db:"visibility"`
	PreviewSet  string `db:"previews"` // the chosen preview level; empty for the default
	Tempo       string `db:"tempo"`
	General     bool   `db:"general"`
	People      int    `db:"people"`
	Agents      int    `db:"agents"`
	CreatedAt   Time   `db:"created_at"`
	ArchivedAt  Time   `db:"archived_at"`
	Version     int64  `db:"version"`
	JoinedAt    Time   `db:"joined_at"`    // when the actor joined; zero if the actor is no member
	Following   string `db:"following"`    // the actor's notification level
	HeartbeatAt Time   `db:"heartbeat_at"` // the actor's last heartbeat

	// The fields below are loaded by [Tx.FindStudio], and are empty in lists.
	Parent           string `db:"parent"`            // handle of the parent, if the actor may see it
	ParentVisibility string `db:"parent_visibility"` //
	Mine             held   `db:"mine"`              // the actor's roles in it

	Now time.Time
}

const studioColumns = `s.id, s.org_id, o.handle AS org, o.name AS org_name, o.zone, s.handle, s.name, s.description,
	s.parent_id, s.visibility, s.previews, s.tempo, s.general, s.people, s.agents, s.created_at, s.archived_at,
	s.version, me.joined_at, me.heartbeat_at`

// studioFrom joins the tables that decide whether the actor may see a studio. Its arguments are the user and, for a
// token, its organization. studioVisible is the condition: public, of the actor's organization, or joined.
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

// studioOwnColumns and studioOwnJoins load the fields that lists leave out. The same row decides on every
// request the actor's visibility and the rights of the actor's roles.
const (
	studioOwnColumns = studioColumns + `, CASE WHEN sp.visibility = 'public'
		OR (sp.visibility = 'organization' AND mm.id IS NOT NULL)
		OR EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = sp.id AND y.member_id = mm.id) THEN sp.handle
		ELSE '' END AS parent, sp.visibility AS parent_visibility,
		coalesce((SELECT string_agg(r.kind || ' ' || r.id || ' ' || coalesce(r.source_id, '-'), ' ') FROM roles r
		WHERE r.holder_id = mm.id AND r.studio_id = s.id), '') AS mine, sf.level AS following`
	studioOwnJoins = `LEFT JOIN studios sp ON sp.id = s.parent_id LEFT JOIN follows sf ON sf.subject_id = s.id
		AND sf.member_id = mm.id `
)

// visible returns the condition that the actor may see a studio; the scheduler sees all.
func (a Actor) visible() string {
	if a.System {
		return everyStudio
	}
	return studioVisible
}

func (a Actor) studioArgs(more ...any) []any {
	return append([]any{a.UserID, a.orgID(), a.orgID()}, more...)
}

// StudioStates returns the states of a studio.
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

// Ref returns the studio as the target of a journal entry.
func (s *Studio) Ref() Ref {
	return Ref{OrgID: s.OrgID, StudioID: s.ID, Kind: "studio", ID: s.ID, URL: s.URL(), Title: s.Name,
		Version: s.Version, Topic: studioVersion.of(s.ID), Public: s.Visibility == "public"}
}

// Record returns the journal's record of a studio.
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

// recordedParent returns a description of the parent for members that may not see it.
func (s *Studio) recordedParent() string {
	if s.ParentID != "" && (s.Parent == "" || s.ParentVisibility == "members") {
		return "a studio that only its members see"
	}
	return s.Parent
}

// Joined reports that the actor is a member of the studio.
func (s *Studio) Joined() bool { return !s.JoinedAt.IsZero() }

// StudioPage is a studio with the fields that its page shows.
type StudioPage struct {
	*Studio
	Parent   *Studio
	Children []Studio
	Pinned   []Item
	Open     []Item   // those with a deadline first
	Latest   []Item   // newest first
	Members  []Member // the first few by handle
	Roles    []Role   // all roles; nil for outsiders
	Now      *Digest  // of the present cycle
	Last     *Digest  // of the cycle before; nil for none
}

// FindStudio finds a studio that the actor may see. Others give [Missing].
func (tx *Tx) FindStudio(by Actor, handle string) (*Studio, error) {
	const query = `SELECT ` + studioOwnColumns + ` FROM` + studioFrom + studioOwnJoins + `WHERE s.handle = ? AND`
	return tx.studio(by, query+studioVisible, query+everyStudio, handle)
}

func (tx *Tx) studioByID(by Actor, id string) (*Studio, error) {
	const query = `SELECT ` + studioOwnColumns + ` FROM` + studioFrom + studioOwnJoins + `WHERE s.id = ? AND`
	return tx.studio(by, query+studioVisible, query+everyStudio, id)
}

// studio finds a studio by the query for the actor, or by the one for the scheduler.
func (tx *Tx) studio(by Actor, seen, all, key string) (*Studio, error) {
	if by.System {
		seen = all
	}
	s := Studio{Now: tx.Now}
	err := tx.GetLocked(&s, &s.OrgID, seen, by.studioArgs(key)...)
	return &s, err
}

// Studios lists the studios that the actor may see, by handle, after the given one. An anonymous actor sees
// the public ones.
func (tx *Tx) Studios(by Actor, after string, limit int) ([]Studio, error) {
	return tx.studios(by, "", after, limit)
}

// studios lists the visible studios of one organization, or of all. Each reason for visibility has its own
// ordered SELECT, so that the cost of a page does not depend on the number of invisible studios.
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
	var list []Studio
	err := tx.Select(&list, `SELECT `+studioColumns+` FROM`+studioFrom+`WHERE s.id IN (`+strings.Join(arms, `
		UNION `)+`) AND`+by.visible()+
		`ORDER BY s.handle`+AtMost, append(args, limit)...)
	return list, err
}

// MyStudios lists the actor's studios, general ones first.
func (tx *Tx) MyStudios(by Actor, limit int) ([]Studio, error) {
	var list []Studio
	err := tx.Select(&list, `SELECT `+studioColumns+` FROM members mm JOIN studio_members me ON me.member_id = mm.id
		JOIN studios s ON s.id = me.studio_id
		JOIN organizations o ON o.id = s.org_id
		WHERE mm.user_id = ? AND (? = '' OR mm.org_id = ?) AND s.archived_at IS NULL
		ORDER BY s.general DESC, s.handle`+AtMost, by.studioArgs(limit)...)
	return list, err
}

// ShowStudio loads the fields of a studio's page that this actor may see.
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
	if p.Latest, err = tx.latestItems(by, s, 10); err != nil {
		return nil, err
	}
	now := s.Cycle()
	if p.Now, err = tx.digest(now); err != nil {
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
	p.Members, err = tx.StudioMembers(s, "", 12)
	return p, err
}

// StudioMembers lists the members of a studio by handle, after the given one.
func (tx *Tx) StudioMembers(s *Studio, after string, limit int) ([]Member, error) {
	// The query sorts the members of a small studio; for a large one it walks the organization's members by handle.
	from := `studio_members x CROSS JOIN members m CROSS JOIN organizations o`
	if s.People > 500 {
		from = `organizations o CROSS JOIN members m CROSS JOIN studio_members x`
	}
	var list []Member
	err := tx.Select(&list, `SELECT `+memberColumns+` FROM `+from+` WHERE x.studio_id = ? AND x.member_id = m.id
		AND o.id = ? AND m.org_id = o.id AND m.handle > ?
		ORDER BY m.handle`+AtMost, s.ID, s.OrgID, after, limit)
	return list, err
}

// StudioMemberID returns the id of the studio's member with this handle. Others give [Invalid].
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
