package store

import (
	"slices"
	"strings"
	"time"
)

// These are the kinds of roles, which have different rights. A studio has at most one leader. A plain role gives no
// rights.
const (
	Leader    = "leader"
	Secretary = "secretary"
	Referee   = "referee"
	PlainRole = "none"
)

// MaxRoles is the greatest number of roles in a studio.
const MaxRoles = 100

// Role is a role in a studio. It may mirror a role of the parent studio, which is called its source. It then has the
// text and the holder of its source.
type Role struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	Kind      string `db:"kind"` // Leader, Secretary, Referee or PlainRole
	Title     string `db:"title"`
	Mission   string `db:"mission"`
	Duties    string `db:"duties"`
	SourceID  string `db:"source_id"`  // empty if the role mirrors none
	HolderID  string `db:"holder_id"`  // empty if the role is vacant
	Holder    string `db:"holder"`     // handle of the holder
	HeldSince Time   `db:"held_since"` // time of the latest assignment; zero if the role is vacant
	// ActingSince is the time at which an acting holder was assigned, and zero for a regular holder. An acting holder is
	// the leader of a studio above, in place of a holder that left.
	ActingSince Time   `db:"acting_since"`
	EndsAt      Time   `db:"ends_at"`   // end of the term; zero if the holder has no term
	ToldAt      Time   `db:"told_at"`   // when the studio was notified that the term is over
	WarnedAt    Time   `db:"warned_at"` // when the reminder before the end of the term was sent
	CreatedAt   Time   `db:"created_at"`
	DeletedAt   Time   `db:"deleted_at"`
	DeletedBy   string `db:"deleted_by"` // handle of the member who deleted the role
	Version     int64  `db:"version"`

	Studio *Studio // the studio as the actor may see it; in some lists, it has only a few fields
	Above  []Role  // the roles of the parent studio that a leader's role can mirror; set only by [Tx.FindRole]
	Now    time.Time
}

const roleColumns = `r.id, r.org_id, r.kind, r.title, r.mission, r.duties, r.source_id, r.holder_id,
	h.handle AS holder, r.held_since, r.acting_since, r.ends_at, r.told_at, r.warned_at, r.created_at, r.deleted_at, r.version`

const roleFrom = ` roles r LEFT JOIN members h ON h.id = r.holder_id `

// These are the states of a role. When a term is over, the holder stays until the next assignment, so that no studio
// loses its leader.
const (
	RoleHeld    = "held"
	RoleVacant  = "vacant"
	RoleActing  = "acting" // held by an acting holder
	RoleOver    = "over"   // held after the end of the term
	RoleDeleted = "deleted"
)

// RoleStates returns the possible states of a role.
func RoleStates() []string {
	return []string{RoleHeld, RoleVacant, RoleActing, RoleOver, RoleDeleted}
}

// State returns one of [RoleStates], as of the time at which the role was loaded.
func (r *Role) State() string {
	switch {
	case !r.DeletedAt.IsZero():
		return RoleDeleted
	case r.HolderID == "":
		return RoleVacant
	case !r.ActingSince.IsZero():
		return RoleActing
	case r.Over():
		return RoleOver
	}
	return RoleHeld
}

// Over reports whether the holder's term has ended.
func (r *Role) Over() bool { return !r.EndsAt.IsZero() && !r.Now.Before(r.EndsAt.Time) }

// Mirrored reports whether the role mirrors a role of the parent studio.
func (r *Role) Mirrored() bool { return r.SourceID != "" }

// URL returns the path of the role's page.
func (r *Role) URL() string { return r.Studio.URL() + "/roles/" + r.ID }

// Ref returns the role as the target of a journal entry.
func (r *Role) Ref() Ref {
	return Ref{OrgID: r.OrgID, StudioID: r.Studio.ID, Kind: "role", ID: r.ID, URL: r.URL(), Title: r.Title,
		Version: r.Version, Topic: roleVersion.of(r.ID)}
}

// Record returns the fields that the journal stores about a role. It records [RoleOver] as [RoleHeld], because the end
// of a term is no action that the journal could show.
func (r *Role) Record() any {
	state := r.State()
	if state == RoleOver {
		state = RoleHeld
	}
	return struct {
		Title   string `json:"title"`
		Kind    string `json:"kind"`
		Mission string `json:"mission,omitempty"`
		Duties  string `json:"duties,omitempty"`
		Source  string `json:"source,omitempty"`
		Holder  string `json:"holder,omitempty"`
		Until   Time   `json:"until,omitzero"`
		State   string `json:"state"`
	}{r.Title, r.Kind, r.Mission, r.Duties, r.SourceID, r.Holder, r.EndsAt, state}
}

// FindRole finds a role of a studio, even a deleted role. It returns [Missing] if there is none, or if the actor may
// not see the studio or is outside its organization.
func (tx *Tx) FindRole(by Actor, studio, id string) (*Role, error) {
	s, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	if by.In(s.OrgID).Member == nil && !by.System {
		return nil, Missing()
	}
	r, err := tx.roleIn(s, id)
	if err != nil || r.Kind != Leader || r.Mirrored() || s.Parent == "" {
		return r, err
	}
	r.Above, err = tx.Roles(&Studio{ID: s.ParentID, Handle: s.Parent})
	return r, err
}

func (tx *Tx) roleIn(s *Studio, id string) (*Role, error) {
	r := Role{Studio: s, Now: tx.Now}
	err := tx.Get(&r, `SELECT `+roleColumns+`, d.handle AS deleted_by FROM`+roleFrom+`LEFT JOIN members d
		ON d.id = r.deleted_by
		WHERE r.id = ? AND r.studio_id = ?`, id, s.ID)
	return &r, err
}

// RoleByID finds a role of any studio that the actor may see. It returns [Missing] if there is none, or if the actor is
// outside the organization.
func (tx *Tx) RoleByID(by Actor, id string) (*Role, error) {
	r, err := tx.roleByID(by, id)
	if err == nil && by.In(r.OrgID).Member == nil && !by.System {
		err = Missing()
	}
	return r, err
}

func (tx *Tx) roleByID(by Actor, id string) (*Role, error) {
	var studio string
	if err := tx.Get(&studio, `SELECT studio_id FROM roles WHERE id = ?`, id); err != nil {
		return nil, err
	}
	s, err := tx.studioByID(by, studio)
	if err != nil {
		return nil, err
	}
	return tx.roleIn(s, id)
}

// LeaderOf returns the leader's role of a studio, which may be vacant. It returns [Missing] if the studio has no such
// role.
func (tx *Tx) LeaderOf(s *Studio) (*Role, error) {
	var id string
	if err := tx.Get(&id, `SELECT id FROM roles WHERE studio_id = ? AND kind = 'leader' AND deleted_at IS NULL`,
		s.ID); err != nil {
		return nil, err
	}
	return tx.roleIn(s, id)
}

// Roles lists the roles of a studio: the leader first, then secretaries, referees and other roles.
func (tx *Tx) Roles(s *Studio) ([]Role, error) {
	list, err := All[Role](tx, `SELECT `+roleColumns+` FROM`+roleFrom+`WHERE r.studio_id = ? AND r.deleted_at IS NULL
		ORDER BY CASE r.kind WHEN 'leader' THEN 0 WHEN 'secretary' THEN 1 WHEN 'referee' THEN 2 ELSE 3 END, r.title,
		r.id`+AtMost, s.ID, MaxRoles)
	for i := range list {
		list[i].Studio, list[i].Now = s, tx.Now
	}
	return list, err
}

// Term is a period in which one member held a role.
type Term struct {
	Member    string `db:"member"` // handle of the member
	Acting    bool   `db:"acting"` // the member was an acting holder
	StartedAt Time   `db:"started_at"`
	EndsAt    Time   `db:"ends_at"` // planned end; zero if none was planned
	EndedAt   Time   `db:"ended_at"`
	By        string `db:"by_member"` // handle of the member who assigned the role; empty for none
	// Election is the id of the item that gave the member the role, such as an election. Kind and ElectedIn are the
	// kind of that item and the handle of the item's studio.
	Election  string `db:"election_id"`
	Kind      string `db:"election_kind"`
	ElectedIn string `db:"elected_in"`
}

// RolePage is a role with the related data that its page shows.
type RolePage struct {
	*Role
	Source  *Role  // the role that this role mirrors, if the actor may see it
	Mirrors []Role // the roles that mirror this role and that the actor may see, at most 20
	Terms   []Term // terms of the role, at most 50, latest first
	Owned   []Item // the items that the role owns and that the actor may see
}

// mostOwned is the greatest number of items of each kind that the page of a role lists.
const mostOwned = 50

// ShowRole loads a role's page as the actor may see it.
func (tx *Tx) ShowRole(by Actor, r *Role) (*RolePage, error) {
	p := &RolePage{Role: r}
	if r.Mirrored() {
		sources, err := tx.rolesWhere(by, `r.id = ?`, `r.id`, 1, r.SourceID)
		if err != nil {
			return nil, err
		}
		if len(sources) > 0 {
			p.Source = &sources[0]
		}
	}
	var err error
	if p.Mirrors, err = tx.rolesWhere(by, `r.source_id = ? AND r.deleted_at IS NULL`, `s.handle`,
		20, r.ID); err != nil {
		return nil, err
	}
	err = tx.Select(&p.Terms, `SELECT m.handle AS member, t.acting, t.started_at, t.ends_at, t.ended_at,
		b.handle AS by_member, t.item_id AS election_id, i.kind AS election_kind, s.handle AS elected_in FROM terms t
		JOIN members m ON m.id = t.member_id LEFT JOIN members b ON b.id = t.assigned_by
		LEFT JOIN items i ON i.id = t.item_id LEFT JOIN studios s ON s.id = i.studio_id
		WHERE t.role_id = ? ORDER BY t.n DESC LIMIT 50`, r.ID)
	if err != nil {
		return nil, err
	}
	p.Owned, err = tx.ownedBy(by.In(r.OrgID), r.ID)
	return p, err
}

// ownedBy lists the items that the roles own and that the actor may see.
func (tx *Tx) ownedBy(by Actor, roles ...string) (owned []Item, err error) {
	for _, k := range ItemKinds() {
		if k.Owned == "" || len(roles) == 0 {
			continue
		}
		parts, args := make([]string, len(roles)), []any{}
		for i, id := range roles {
			parts[i], args = `SELECT id FROM (`+k.Owned+AtMost+`) sub`, append(args, id, mostOwned)
		}
		list, err := tx.itemsSeen(by.MemberID(), `i.id IN (`+strings.Join(parts, ` UNION ALL `)+`)
			ORDER BY i.created_at, i.id`, args...)
		if err != nil {
			return nil, err
		}
		owned = append(owned, list...)
	}
	return owned, nil
}

// rolesWhere lists roles that meet the SQL condition, in studios that the actor may see. The Studio of each role has
// only its handle, name and zone.
func (tx *Tx) rolesWhere(by Actor, where, order string, limit int, args ...any) ([]Role, error) {
	var rows []struct {
		Role
		At struct {
			Handle string `db:"handle"`
			Name   string `db:"name"`
			Zone   string `db:"zone"`
		} `db:"at"`
	}
	err := tx.Select(&rows, `SELECT `+roleColumns+`, s.handle AS "at.handle", s.name AS "at.name", o.zone AS "at.zone"
		FROM roles r CROSS JOIN`+studioFrom+`LEFT JOIN members h ON h.id = r.holder_id
		WHERE s.id = r.studio_id AND`+by.visible()+`AND `+where+`
			ORDER BY `+order+AtMost, append(by.studioArgs(args...), limit)...)
	list := make([]Role, len(rows))
	for i := range rows {
		list[i] = rows[i].Role
		list[i].Now = tx.Now
		list[i].Studio = &Studio{Handle: rows[i].At.Handle, Name: rows[i].At.Name, Zone: rows[i].At.Zone}
	}
	return list, err
}

// MyRoles lists up to 100 of the actor's roles in all organizations, without roles that the actor's token may not use.
func (tx *Tx) MyRoles(by Actor) ([]Role, error) {
	if len(by.Members) == 0 {
		return nil, nil
	}
	ids := make([]any, len(by.Members))
	for i := range by.Members {
		ids[i] = by.Members[i].ID
	}
	list, err := tx.rolesWhere(by, `r.holder_id IN (`+Placeholders(len(ids))+`)`, `s.handle, r.title, r.id`,
		100, ids...)
	return slices.DeleteFunc(list, func(r Role) bool { return !by.mayUse(r.ID) }), err
}

// RolesPage is one page of an organization's roles.
type RolesPage struct {
	*Organization
	Vacant []Role // vacant roles, which come first
	Held   []Role
	Limit  int    // greatest length of both lists together
	Next   string // id of the last role on the page; empty on the last page
}

// ShowRoles loads one page of the organization's roles that the actor may see, with the vacant roles first. The
// parameter after is empty or the Next of the previous page; for any other text, ShowRoles returns [Invalid].
func (tx *Tx) ShowRoles(by Actor, o *Organization, after string) (*RolesPage, error) {
	p := &RolesPage{Organization: o, Limit: 50}
	type place struct {
		Title string `db:"title"`
		Made  int64  `db:"created_at"`
		ID    string `db:"id"`
		Held  bool   `db:"held"`
	}
	var from place
	if after != "" {
		err := tx.Get(&from, `SELECT title, created_at, id, holder_id IS NOT NULL AS held FROM roles
			WHERE id = ? AND org_id = ?`, after, o.ID)
		if CodeOf(err) == NotFound {
			return nil, Errorf(Invalid, "This list cannot go on from %q. Start it again at %s.", after,
				Address(o.URL()+"/roles"))
		}
		if err != nil {
			return nil, err
		}
	}
	page := func(condition string, limit int) ([]Role, error) {
		return tx.rolesWhere(by.In(o.ID), `r.org_id = ? AND `+condition+` AND r.title >= ?
			AND (r.title > ? OR r.created_at > ? OR r.created_at = ? AND r.id > ?)`,
			`r.title, r.created_at, r.id`, limit, o.ID, from.Title, from.Title, from.Made, from.Made, from.ID)
	}
	var err error
	if !from.Held {
		if p.Vacant, err = page(`r.holder_id IS NULL AND r.deleted_at IS NULL`, p.Limit); err != nil {
			return nil, err
		}
		from = place{}
	}
	if n := p.Limit - len(p.Vacant); n > 0 {
		if p.Held, err = page(`r.holder_id IS NOT NULL`, n); err != nil {
			return nil, err
		}
	}
	if all := slices.Concat(p.Vacant, p.Held); len(all) == p.Limit {
		p.Next = all[len(all)-1].ID
	}
	return p, nil
}

// DueRoles lists the paths of up to limit roles with a term that is over, if the studio has not been notified of the
// end.
func (tx *Tx) DueRoles(limit int) ([]string, error) {
	return tx.rolesByEnd(`r.told_at IS NULL AND r.ends_at <= ?`, limit, At(tx.Now))
}

// TermSoon is the time before the end of a term at which a reminder is sent.
const TermSoon = 14 * 24 * time.Hour

// EndingRoles lists the paths of up to limit roles with a term that ends within [TermSoon], if no reminder was sent.
func (tx *Tx) EndingRoles(limit int) ([]string, error) {
	return tx.rolesByEnd(`r.warned_at IS NULL AND r.ends_at <= ? AND r.ends_at > ?`, limit,
		At(tx.Now.Add(TermSoon)), At(tx.Now))
}

// rolesByEnd leaves out mirroring roles and roles of archived studios.
func (tx *Tx) rolesByEnd(condition string, limit int, args ...any) ([]string, error) {
	return All[string](tx, `SELECT '/studios/' || s.handle || '/roles/' || r.id FROM roles r JOIN studios s ON s.id = r.studio_id
		WHERE r.ends_at IS NOT NULL AND `+condition+` AND r.source_id IS NULL
		AND s.archived_at IS NULL ORDER BY r.ends_at`+AtMost, append(args, limit)...)
}
