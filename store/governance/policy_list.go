package governance

import (
	"slices"
	"strconv"

	"samepage/store"
)

// PolicyQuery selects the policies of a list. The zero value selects the policies in force.
type PolicyQuery struct {
	Retired bool   // selects policies that are retired or removed
	Role    string // id of the owning role; empty for all
	After   string // number of the last policy on the previous page; empty for the first page
}

// PoliciesPage is one page of an organization's policies, sorted by number.
type PoliciesPage struct {
	*store.Organization
	PolicyQuery
	store.Listing[Policy]
	Role    *store.Role  // role of the query; nil for none
	Active  int          // number of policies in force (of Role, if it is set), at most [store.Many]
	Retired int          // number of all other policies, likewise
	Mine    []store.Role // roles of the actor that can own policies
}

// ShowPolicies loads one page of the organization's policies. It returns [store.Invalid] if q.After is no number, or if
// the actor sees no role q.Role in the organization.
func ShowPolicies(tx *store.Tx, by store.Actor, o *store.Organization, q PolicyQuery) (*PoliciesPage, error) {
	v := &PoliciesPage{Organization: o, PolicyQuery: q, Listing: store.Listing[Policy]{Limit: 50}}
	after := 0
	if q.After != "" {
		n, err := strconv.Atoi(q.After)
		if err != nil || n < 1 {
			return nil, store.Errorf(store.Invalid, "This list cannot go on from %q. Start it again at %s.", q.After,
				store.NumberedURL(o.Handle, PolicyKind))
		}
		after = n
	}
	of, args := ``, []any{o.ID}
	if q.Role != "" {
		r, err := tx.RoleByID(by, q.Role)
		if err == nil && r.OrgID != o.ID {
			err = store.Missing()
		}
		if store.CodeOf(err) == store.NotFound {
			return nil, store.Errorf(store.Invalid, "You see no such role here. Start again at %s.",
				store.NumberedURL(o.Handle, PolicyKind))
		}
		if err != nil {
			return nil, err
		}
		v.Role, of, args = r, ` AND p.role_id = ?`, append(args, r.ID)
	}
	for _, c := range []struct {
		to      *int
		retired bool
	}{{&v.Active, false}, {&v.Retired, true}} {
		if err := tx.Get(c.to, `SELECT count(*) FROM (SELECT 1 FROM policies p JOIN items i ON i.id = p.id WHERE p.org_id = ?`+of+
			` AND `+inForce(!c.retired)+store.AtMost+`) sub`, append(args[:len(args):len(args)], store.Many)...); err != nil {
			return nil, err
		}
	}
	var err error
	if v.List, err = policies(tx, by, `p.org_id = ?`+of+` AND `+inForce(!q.Retired)+` AND p.number > ?`, v.Limit,
		append(args, after)...); err != nil {
		return nil, err
	}
	v.Mine, err = activeRoles(tx, by, o)
	return v, err
}

// activeRoles lists the actor's roles in studios of the organization that are not archived.
func activeRoles(tx *store.Tx, by store.Actor, o *store.Organization) (list []store.Role, err error) {
	var active []string
	if err := tx.Select(&active, `SELECT r.id FROM roles r JOIN studios s ON s.id = r.studio_id WHERE r.holder_id = ?
		AND r.org_id = ? AND s.archived_at IS NULL`, by.In(o.ID).MemberID(), o.ID); err != nil || len(active) == 0 {
		return nil, err
	}
	all, err := tx.MyRoles(by)
	for i := range all {
		if slices.Contains(active, all[i].ID) {
			list = append(list, all[i])
		}
	}
	return list, err
}

// inForce returns the SQL condition for policies in force, or for all other policies if yes is false.
func inForce(yes bool) string {
	if yes {
		return `p.retired_at IS NULL AND i.removed_at IS NULL`
	}
	return `(p.retired_at IS NOT NULL OR i.removed_at IS NOT NULL)`
}

func policies(tx *store.Tx, by store.Actor, condition string, limit int, args ...any) (list []Policy, err error) {
	var rows []struct {
		Policy
		Org     string `db:"org"`
		OrgName string `db:"org_name"`
	}
	member := by.MemberID()
	err = tx.Select(&rows, `SELECT i.id, i.org_id, i.studio_id, i.kind, i.title, i.body, i.member_id, m.handle AS member,
		i.created_at, i.opened_at, i.closed_at, i.removed_at, i.versions, i.state, o.handle AS org, o.name AS org_name,
		`+policyColumns+` FROM policies p CROSS JOIN items i
		JOIN organizations o ON o.id = i.org_id JOIN members m ON m.id = i.member_id
		LEFT JOIN members mm ON mm.id = ? JOIN roles pr ON pr.id = p.role_id JOIN studios ps ON ps.id = pr.studio_id
		LEFT JOIN members ph ON ph.id = pr.holder_id WHERE i.id = p.id AND `+condition+` ORDER BY p.number`+store.AtMost,
		append(append([]any{member}, args...), limit)...)
	list = make([]Policy, len(rows))
	for i := range rows {
		list[i] = rows[i].Policy
		list[i].Now, list[i].Studio = tx.Now, &store.Studio{Handle: rows[i].Org, Org: rows[i].Org, OrgName: rows[i].OrgName}
	}
	return list, err
}

// StudioPolicies is a studio with its roles.
type StudioPolicies struct {
	*store.Studio
	Roles []store.Role
}

// FindStudioPolicies finds a studio with its roles. It returns [store.Missing] if the actor may not see the studio, or
// is neither a member of its organization nor the scheduler.
func FindStudioPolicies(tx *store.Tx, by store.Actor, studio string) (*StudioPolicies, error) {
	s, err := tx.FindStudio(by, studio)
	if err == nil && by.In(s.OrgID).Member == nil && !by.System {
		err = store.Missing()
	}
	if err != nil {
		return nil, err
	}
	v := &StudioPolicies{Studio: s}
	v.Roles, err = tx.Roles(s)
	return v, err
}

// Mine returns the roles that the actor can write policies for: the roles that a member holds, or all roles for an
// accepted topic of the studio.
func (v *StudioPolicies) Mine(by store.Actor) (list []store.Role) {
	for i := range v.Roles {
		r := &v.Roles[i]
		if by.ByConsent == v.ID || by.ByConsent == "" && r.HolderID != "" && by.Is(r.HolderID) {
			list = append(list, *r)
		}
	}
	return list
}

// StudioPoliciesPage has policies in force that belong to a studio's roles.
type StudioPoliciesPage struct {
	*StudioPolicies
	store.Listing[Policy]
}

// ShowStudioPolicies loads the first 100 policies in force that belong to a studio's roles.
func ShowStudioPolicies(tx *store.Tx, by store.Actor, v *StudioPolicies) (*StudioPoliciesPage, error) {
	const limit = 100
	list, err := policies(tx, by, `pr.studio_id = ? AND `+inForce(true), limit, v.ID)
	return &StudioPoliciesPage{v, store.Listing[Policy]{List: list, Limit: limit}}, err
}
