package store

import (
	"strings"
	"time"
)

// Studio is a team and its place.
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
	Parent      string `db:"parent"` // handle
	Visibility  string `db:"visibility"`
	Tempo       string `db:"tempo"`
	General     bool   `db:"general"`
	People      int    `db:"people"`
	Agents      int    `db:"agents"`
	CreatedBy   string `db:"created_by"`
	CreatedAt   Time   `db:"created_at"`
	ArchivedAt  Time   `db:"archived_at"`
	Version     int64  `db:"version"`
	JoinedAt    Time   `db:"joined_at"`    // when the actor joined; zero for others
	Following   string `db:"following"`    // what the actor chose to hear of it
	HeartbeatAt Time   `db:"heartbeat_at"` // when the actor last said that they are there

	Now time.Time
}

const studioColumns = `s.id, s.org_id, o.handle AS org, o.name AS org_name, o.zone, s.handle, s.name, s.description, coalesce(s.parent_id, '') AS parent_id, coalesce((SELECT p.handle FROM studios p WHERE p.id = s.parent_id), '') AS parent,
	s.visibility, s.tempo, s.general, s.people, s.agents, s.created_by, s.created_at, s.archived_at, s.version, me.joined_at, me.heartbeat_at`

// studioFrom joins what decides whether the actor may see a studio; its arguments are the user and, for a token, its
// organization. studioVisible is the condition: public, or of one's organization, or joined.
const (
	studioFrom = ` studios s JOIN organizations o ON o.id = s.org_id
	LEFT JOIN members mm ON mm.user_id = ? AND mm.org_id = s.org_id AND (? = '' OR mm.org_id = ?)
	LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = mm.id `
	studioVisible = ` (s.visibility = 'public' OR (s.visibility = 'organization' AND mm.id IS NOT NULL) OR me.member_id IS NOT NULL) `
)

// visible is the condition that the actor may see a studio; the scheduler sees all.
func (a Actor) visible() string {
	if a.System {
		return " TRUE "
	}
	return studioVisible
}

func (a Actor) studioArgs(more ...any) []any {
	return append([]any{a.UserID, a.orgID(), a.orgID()}, more...)
}

// StudioStates are the states of a studio.
func StudioStates() []string { return []string{"active", "archived"} }

// State is one of [StudioStates].
func (s *Studio) State() string {
	if s.ArchivedAt.IsZero() {
		return "active"
	}
	return "archived"
}

// URL is the studio's page.
func (s *Studio) URL() string { return "/studios/" + s.Handle }

// Ref names the studio for the journal.
func (s *Studio) Ref() Ref {
	return Ref{OrgID: s.OrgID, StudioID: s.ID, Kind: "studio", ID: s.ID, URL: s.URL(), Title: s.Name, Version: s.Version, Public: s.Visibility == "public"}
}

// Record is what the journal keeps of a studio.
func (s *Studio) Record() any {
	return struct {
		Handle      string `json:"handle"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Visibility  string `json:"visibility"`
		Tempo       string `json:"tempo"`
		Members     int    `json:"members"`
		State       string `json:"state"`
	}{s.Handle, s.Name, s.Description, s.Visibility, s.Tempo, s.People, s.State()}
}

// Joined reports whether the actor who loaded the studio is in it.
func (s *Studio) Joined() bool { return !s.JoinedAt.IsZero() }

// MustBeActive refuses every write in an archived studio.
func (s *Studio) MustBeActive() error {
	if s.State() == "archived" {
		return Errorf(Conflict, "%s is archived. It can be read, and nothing in it can be changed.", s.Name)
	}
	return nil
}

// MustBeJoined refuses who is not in the studio, and every write in an archived one.
func (s *Studio) MustBeJoined() error {
	if err := s.MustBeActive(); err != nil {
		return err
	}
	if !s.Joined() {
		return Errorf(Forbidden, "Only members of %s can do this. Join it on %s.", s.Name, s.URL())
	}
	return nil
}

// KeptBy reports whether the actor may change the studio itself and close what is open in it.
func (s *Studio) KeptBy(by Actor) bool {
	return by.Is(s.CreatedBy) || by.Member != nil && by.Member.Owner
}

// MustBeEditableBy refuses who may not change the studio itself: its creator and the organization's owner may, until roles exist.
func (s *Studio) MustBeEditableBy(by Actor) error {
	if err := s.MustBeActive(); err != nil {
		return err
	}
	if !s.KeptBy(by) {
		return Errorf(Forbidden, "Only the creator of %s and the organization's owner can do this. Ask one of them.", s.Name)
	}
	return nil
}

// StudioPage is a studio with what its page shows.
type StudioPage struct {
	*Studio
	Parent   *Studio
	Children []Studio
	Pinned   []Item
	Open     []Item   // first what is due
	Latest   []Item   // newest first
	Members  []Member // the first few by handle
}

// FindStudio finds a studio the actor may see. Any other: [Missing].
func (tx *Tx) FindStudio(by Actor, handle string) (*Studio, error) {
	s := Studio{Now: tx.Now}
	err := tx.getHeld(&s, &s.OrgID, `SELECT `+studioColumns+`, coalesce(f.level, '') AS following FROM`+studioFrom+`LEFT JOIN follows f ON f.subject_id = s.id AND f.member_id = mm.id
		WHERE s.handle = ? AND`+by.visible(), by.studioArgs(handle)...)
	return &s, err
}

func (tx *Tx) studioByID(by Actor, id string) (*Studio, error) {
	s := Studio{Now: tx.Now}
	err := tx.getHeld(&s, &s.OrgID, `SELECT `+studioColumns+` FROM`+studioFrom+`WHERE s.id = ? AND`+by.visible(), by.studioArgs(id)...)
	return &s, err
}

// Studios lists the studios the actor may see, by handle, after the given one. Nobody signed in sees the public ones.
func (tx *Tx) Studios(by Actor, after string, limit int) ([]Studio, error) {
	return tx.studios(by, "", after, limit)
}

// studios lists those of one organization, or of all. What may be seen for each reason is looked up in its own order, so that
// a page costs the same among however many studios that may not be seen.
func (tx *Tx) studios(by Actor, orgID, after string, limit int) ([]Studio, error) {
	var arms []string
	args := by.studioArgs()
	arm := func(from, where string, arg ...any) {
		if orgID != "" {
			where, arg = where+` AND s.org_id = ?`, append(arg, orgID)
		}
		arms = append(arms, `SELECT id FROM (SELECT s.id FROM `+from+` WHERE `+where+` AND s.handle > ? ORDER BY s.handle`+atMost+`) sub`)
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
		arm(`studio_members x CROSS JOIN studios s`, `x.member_id = ? AND s.id = x.studio_id AND s.visibility = 'members'`, m.ID)
	}
	var list []Studio
	err := tx.all(&list, `SELECT `+studioColumns+` FROM`+studioFrom+`WHERE s.id IN (`+strings.Join(arms, ` UNION `)+`) AND`+by.visible()+
		`ORDER BY s.handle`+atMost, append(args, limit)...)
	return list, err
}

// MyStudios lists the studios the actor is in, the general ones first.
func (tx *Tx) MyStudios(by Actor, limit int) ([]Studio, error) {
	var list []Studio
	err := tx.all(&list, `SELECT `+studioColumns+` FROM members mm JOIN studio_members me ON me.member_id = mm.id JOIN studios s ON s.id = me.studio_id
		JOIN organizations o ON o.id = s.org_id
		WHERE mm.user_id = ? AND (? = '' OR mm.org_id = ?) AND s.archived_at IS NULL ORDER BY s.general DESC, s.handle`+atMost, by.studioArgs(limit)...)
	return list, err
}

// ShowStudio loads what a studio's page shows to this actor.
func (tx *Tx) ShowStudio(by Actor, s *Studio) (*StudioPage, error) {
	p := &StudioPage{Studio: s}
	if s.ParentID != "" {
		parent, err := tx.studioByID(by, s.ParentID)
		switch {
		case err == nil:
			p.Parent = parent
		case KindOf(err) != NotFound:
			return nil, err
		}
	}
	if err := tx.all(&p.Children, `SELECT `+studioColumns+` FROM`+studioFrom+`WHERE s.parent_id = ? AND`+by.visible()+`ORDER BY s.handle LIMIT 50`,
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
	if s.OrgID != "" && by.Member != nil {
		p.Members, err = tx.StudioMembers(s, "", 12)
	}
	return p, err
}

// StudioMembers lists who is in a studio, by handle, after the given one.
func (tx *Tx) StudioMembers(s *Studio, after string, limit int) ([]Member, error) {
	// A small studio's members are sorted; in a large one they are found on the way through the organization's.
	from := `studio_members x CROSS JOIN members m CROSS JOIN organizations o`
	if s.People > 500 {
		from = `organizations o CROSS JOIN members m CROSS JOIN studio_members x`
	}
	var list []Member
	err := tx.all(&list, `SELECT `+memberColumns+` FROM `+from+` WHERE x.studio_id = ? AND x.member_id = m.id AND o.id = ? AND m.org_id = o.id AND m.handle > ?
		ORDER BY m.handle`+atMost, s.ID, s.OrgID, after, limit)
	return list, err
}

// StudioMemberID is the id of the member with this handle, who must be in the studio; any other: [Invalid].
func (tx *Tx) StudioMemberID(s *Studio, handle string) (string, error) {
	var id string
	err := tx.get(&id, `SELECT m.id FROM members m JOIN studio_members x ON x.studio_id = ? AND x.member_id = m.id WHERE m.org_id = ? AND m.handle = ?`,
		s.ID, s.OrgID, handle)
	if KindOf(err) == NotFound {
		return "", Errorf(Invalid, "Nobody in %s is called @%s. Name a member of this studio by handle.", s.Name, handle)
	}
	return id, err
}

// NewStudio is a studio to be made.
type NewStudio struct {
	OrgID, Handle, Name, Description, ParentID, Visibility, Tempo string
	General                                                       bool
}

// CreateStudio makes a studio with the actor as its first member. A taken handle: [Conflict].
func (tx *Tx) CreateStudio(by Actor, n NewStudio) (*Studio, error) {
	handle, err := Handle(n.Handle)
	if err != nil {
		return nil, err
	}
	id := NewID()
	tx.index(studioDocument, id, 0)
	var parent any
	if n.ParentID != "" {
		parent = n.ParentID
	}
	err = tx.exec(`INSERT INTO studios (id, org_id, handle, name, description, parent_id, visibility, tempo, general, created_by, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, n.OrgID, handle, n.Name, n.Description, parent, n.Visibility, n.Tempo, n.General, by.MemberID(), At(tx.Now))
	if isUnique(err) {
		return nil, Errorf(Conflict, "The handle %s is taken in this installation. Choose another.", handle)
	}
	if err != nil {
		return nil, err
	}
	if err := tx.JoinStudio(by.Member, &Studio{ID: id, OrgID: n.OrgID}); err != nil {
		return nil, err
	}
	return tx.studioByID(by, id)
}

// UpdateStudio changes how a studio is described and who may see it. A parent that is below it: [Conflict].
func (tx *Tx) UpdateStudio(s *Studio, n NewStudio) error {
	tx.index(studioDocument, s.ID, 0)
	var parent any
	if n.ParentID != "" {
		parent = n.ParentID
		var loop int
		if err := tx.get(&loop, `WITH RECURSIVE up (id) AS (SELECT id FROM studios WHERE id = ? UNION SELECT s.parent_id FROM studios s JOIN up ON s.id = up.id WHERE s.parent_id IS NOT NULL)
			SELECT count(*) FROM up WHERE id = ?`, n.ParentID, s.ID); err != nil {
			return err
		}
		if loop > 0 {
			return Errorf(Conflict, "%s is above that studio already. Choose a parent that is not below it.", s.Name)
		}
	}
	return tx.exec(`UPDATE studios SET name = ?, description = ?, parent_id = ?, visibility = ?, tempo = ?, version = version + 1 WHERE id = ?`,
		n.Name, n.Description, parent, n.Visibility, n.Tempo, s.ID)
}

// JoinStudio puts the member into the studio; being in it already changes nothing.
func (tx *Tx) JoinStudio(m *Member, s *Studio) error {
	ok, err := tx.changed(`INSERT INTO studio_members (studio_id, member_id, org_id, joined_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		s.ID, m.ID, s.OrgID, At(tx.Now))
	if err != nil || !ok {
		return err
	}
	return tx.countStudio(s.ID, m.ID, 1)
}

// LeaveStudio takes the member out of the studio.
func (tx *Tx) LeaveStudio(m *Member, s *Studio) error {
	ok, err := tx.changed(`DELETE FROM studio_members WHERE studio_id = ? AND member_id = ?`, s.ID, m.ID)
	if err != nil || !ok {
		return err
	}
	return tx.countStudio(s.ID, m.ID, -1)
}

// touchStudio raises the version of a studio whose page has changed because of what is in it.
func (tx *Tx) touchStudio(id string) error {
	return tx.exec(`UPDATE studios SET version = version + 1 WHERE id = ?`, id)
}

// countStudio keeps the studio's counters, so that no page counts its members.
func (tx *Tx) countStudio(studioID, memberID string, sign int) error {
	return tx.exec(`UPDATE studios SET people = people + ?, agents = agents + ? * (SELECT count(*) FROM agents WHERE member_id = ?),
		version = version + 1 WHERE id = ?`, sign, sign, memberID, studioID)
}

// ArchiveStudio closes a studio for writing.
func (tx *Tx) ArchiveStudio(by Actor, s *Studio) error {
	return tx.exec(`UPDATE studios SET archived_at = ?, archived_by = ?, version = version + 1 WHERE id = ?`, At(tx.Now), by.MemberID(), s.ID)
}
