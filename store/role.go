package store

import (
	"slices"
	"time"
)

// The kinds of roles. A studio has at most one leader; a role of the last kind is a title, a mission and duties, and no more.
const (
	Leader    = "leader"
	Secretary = "secretary"
	Referee   = "referee"
	PlainRole = "none"
)

// MaxRoles is how many roles a studio may have.
const MaxRoles = 100

// Role is what a studio asks of one of its members. One that mirrors another, its source in the parent studio, says what that
// says and is held by whom that is held; it is changed there only.
type Role struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	Kind      string `db:"kind"` // Leader, Secretary, Referee or PlainRole
	Title     string `db:"title"`
	Mission   string `db:"mission"`
	Duties    string `db:"duties"`
	SourceID  string `db:"source_id"`  // of the role it mirrors; empty for none
	HolderID  string `db:"holder_id"`  // empty while it is vacant
	Holder    string `db:"holder"`     // handle
	HeldSince Time   `db:"held_since"` //
	// since when the holder stands in until somebody is assigned; zero if they do not
	ActingSince Time   `db:"acting_since"`
	EndsAt      Time   `db:"ends_at"` // when the term is over; zero for no term
	ToldAt      Time   `db:"told_at"` // when the studio was told that it is
	CreatedAt   Time   `db:"created_at"`
	DeletedAt   Time   `db:"deleted_at"`
	DeletedBy   string `db:"deleted_by"` // handle
	Version     int64  `db:"version"`

	Studio *Studio // as the actor sees it; of one in a list only its handle, name and zone
	Above  []Role  // of a leader's, the roles of the parent that it could mirror
	Now    time.Time
}

const roleColumns = `r.id, r.org_id, r.kind, r.title, r.mission, r.duties, r.source_id, r.holder_id,
	h.handle AS holder, r.held_since, r.acting_since, r.ends_at, r.told_at, r.created_at, r.deleted_at, r.version`

const roleFrom = ` roles r LEFT JOIN members h ON h.id = r.holder_id `

// The states of a role. One whose term is over goes on until it is assigned anew: nobody is without a leader because a date has
// passed.
const (
	RoleHeld    = "held"
	RoleVacant  = "vacant"
	RoleActing  = "acting" // held by somebody who stands in
	RoleOver    = "over"   // held, and the term is over
	RoleDeleted = "deleted"
)

// RoleStates are the states of a role.
func RoleStates() []string {
	return []string{RoleHeld, RoleVacant, RoleActing, RoleOver, RoleDeleted}
}

// State is one of [RoleStates], at the time it was loaded.
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

// Over reports that the holder's term has ended.
func (r *Role) Over() bool { return !r.EndsAt.IsZero() && !r.Now.Before(r.EndsAt.Time) }

// Mirrored reports that the role mirrors one of the parent studio.
func (r *Role) Mirrored() bool { return r.SourceID != "" }

// URL is the role's page.
func (r *Role) URL() string { return r.Studio.URL() + "/roles/" + r.ID }

// Ref names the role for the journal.
func (r *Role) Ref() Ref {
	return Ref{OrgID: r.OrgID, StudioID: r.Studio.ID, Kind: "role", ID: r.ID, URL: r.URL(), Title: r.Title,
		Version: r.Version, Topic: roleVersion.of(r.ID)}
}

// Record is what the journal keeps of a role. That a term is over is not a change that anybody made.
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

// FindRole finds a role, or what is left of a deleted one, of a studio that the actor sees as a member of its organization. Any
// other: [Missing].
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

// roleByID finds a role of any studio that the actor sees.
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

// LeaderOf is the role that leads a studio, held or vacant. None: [Missing].
func (tx *Tx) LeaderOf(s *Studio) (*Role, error) {
	var id string
	if err := tx.Get(&id, `SELECT id FROM roles WHERE studio_id = ? AND kind = 'leader' AND deleted_at IS NULL`,
		s.ID); err != nil {
		return nil, err
	}
	return tx.roleIn(s, id)
}

// Roles lists the roles of a studio: its leader, its secretaries, its referees, the others by title.
func (tx *Tx) Roles(s *Studio) ([]Role, error) {
	var list []Role
	err := tx.Select(&list, `SELECT `+roleColumns+` FROM`+roleFrom+`WHERE r.studio_id = ? AND r.deleted_at IS NULL
		ORDER BY CASE r.kind WHEN 'leader' THEN 0 WHEN 'secretary' THEN 1 WHEN 'referee' THEN 2 ELSE 3 END, r.title,
		r.id`+atMost, s.ID, MaxRoles)
	for i := range list {
		list[i].Studio, list[i].Now = s, tx.Now
	}
	return list, err
}

// Term is a stretch of time in which somebody held a role.
type Term struct {
	Member    string `db:"member"` // handle
	Acting    bool   `db:"acting"` // they stood in until somebody was assigned
	StartedAt Time   `db:"started_at"`
	EndsAt    Time   `db:"ends_at"` // when it was to be over; zero for no date
	EndedAt   Time   `db:"ended_at"`
}

// RolePage is a role with what its page shows.
type RolePage struct {
	*Role
	Source  *Role  // that it mirrors, if the actor may see it
	Mirrors []Role // that mirror it, as far as the actor may see them
	Terms   []Term // the latest first
}

// ShowRole loads what a role's page shows to this actor.
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
	err = tx.Select(&p.Terms, `SELECT m.handle AS member, t.acting, t.started_at, t.ends_at, t.ended_at FROM terms t
		JOIN members m ON m.id = t.member_id
		WHERE t.role_id = ? ORDER BY t.n DESC LIMIT 50`, r.ID)
	return p, err
}

// rolesWhere lists roles of studios that the actor may see, each with its studio's handle, name and zone.
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
			ORDER BY `+order+atMost, append(by.studioArgs(args...), limit)...)
	list := make([]Role, len(rows))
	for i := range rows {
		list[i] = rows[i].Role
		list[i].Now = tx.Now
		list[i].Studio = &Studio{Handle: rows[i].At.Handle, Name: rows[i].At.Name, Zone: rows[i].At.Zone}
	}
	return list, err
}

// MyRoles lists the roles that the actor may use, in all of their organizations.
func (tx *Tx) MyRoles(by Actor) ([]Role, error) {
	if len(by.Members) == 0 {
		return nil, nil
	}
	ids := make([]any, len(by.Members))
	for i := range by.Members {
		ids[i] = by.Members[i].ID
	}
	list, err := tx.rolesWhere(by, `r.holder_id IN (`+placeholders(len(ids))+`)`, `s.handle, r.title, r.id`,
		100, ids...)
	return slices.DeleteFunc(list, func(r Role) bool { return !by.MayUse(r.ID) }), err
}

// RolesPage is a stretch of an organization's roles.
type RolesPage struct {
	*Organization
	Vacant []Role // those that come first
	Held   []Role
	Limit  int    // of both together
	Next   string // id of the role after which it goes on; empty at the end
}

// ShowRoles loads a stretch of the organization's roles that the actor may see: those that are vacant, then the others, by
// title. It goes on after the role with the given id; with none it begins.
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
				o.URL()+"/roles")
		}
		if err != nil {
			return nil, err
		}
	}
	stretch := func(which string, limit int) ([]Role, error) {
		return tx.rolesWhere(by.In(o.ID), `r.org_id = ? AND `+which+` AND r.title >= ?
			AND (r.title > ? OR r.created_at > ? OR r.created_at = ? AND r.id > ?)`,
			`r.title, r.created_at, r.id`, limit, o.ID, from.Title, from.Title, from.Made, from.Made, from.ID)
	}
	var err error
	if !from.Held {
		if p.Vacant, err = stretch(`r.holder_id IS NULL AND r.deleted_at IS NULL`, p.Limit); err != nil {
			return nil, err
		}
		from = place{}
	}
	if n := p.Limit - len(p.Vacant); n > 0 {
		if p.Held, err = stretch(`r.holder_id IS NOT NULL`, n); err != nil {
			return nil, err
		}
	}
	if all := slices.Concat(p.Vacant, p.Held); len(all) == p.Limit {
		p.Next = all[len(all)-1].ID
	}
	return p, nil
}

// DueRoles lists the pages of roles whose term is over and whose studio was not told yet.
func (tx *Tx) DueRoles(limit int) ([]string, error) {
	var list []struct {
		ID     string `db:"id"`
		Studio string `db:"studio"`
	}
	err := tx.Select(&list, `SELECT r.id, s.handle AS studio FROM roles r JOIN studios s ON s.id = r.studio_id
		WHERE r.ends_at IS NOT NULL AND r.told_at IS NULL AND r.ends_at <= ? AND r.source_id IS NULL
		AND s.archived_at IS NULL ORDER BY r.ends_at`+atMost, At(tx.Now), limit)
	urls := make([]string, len(list))
	for i, r := range list {
		urls[i] = "/studios/" + r.Studio + "/roles/" + r.ID
	}
	return urls, err
}
