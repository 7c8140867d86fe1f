package store

// Stretches of long lists, each with the limit it was loaded with: a full one goes on.

// DecisionsPage is a stretch of a studio's decisions.
type DecisionsPage struct {
	*Studio
	List  []Decision
	Limit int
}

// ShowDecisions loads a stretch of a studio's decisions; after is empty or a [Cursor].
func (tx *Tx) ShowDecisions(by Actor, s *Studio, after string) (*DecisionsPage, error) {
	c, err := ReadCursor(after, s.URL()+"/decisions")
	if err != nil {
		return nil, err
	}
	p := &DecisionsPage{Studio: s, Limit: 50}
	p.List, err = tx.Decisions(by, s, c, p.Limit)
	return p, err
}

// StudioMembersPage is a stretch of a studio's members.
type StudioMembersPage struct {
	*Studio
	List  []Member
	Limit int
}

// ShowStudioMembers loads a stretch of a studio's members, by handle. Who is not in its organization: [Missing].
func (tx *Tx) ShowStudioMembers(by Actor, s *Studio, after string) (*StudioMembersPage, error) {
	if by.Member == nil {
		return nil, Missing()
	}
	p := &StudioMembersPage{Studio: s, Limit: 50}
	var err error
	p.List, err = tx.StudioMembers(s, after, p.Limit)
	return p, err
}

// MembersPage is a stretch of an organization's members.
type MembersPage struct {
	*Organization
	List  []Member
	Limit int
}

// ShowMembers loads a stretch of an organization's members, by handle.
func (tx *Tx) ShowMembers(_ Actor, o *Organization, after string) (*MembersPage, error) {
	p := &MembersPage{Organization: o, Limit: 50}
	var err error
	p.List, err = tx.Members(o.ID, after, p.Limit)
	return p, err
}

// StudiosPage is a stretch of the studios that somebody may see.
type StudiosPage struct {
	List  []Studio
	Limit int
}

// ShowStudios loads a stretch of the studios that the actor may see, by handle.
func (tx *Tx) ShowStudios(by Actor, after string) (*StudiosPage, error) {
	p := &StudiosPage{Limit: 50}
	var err error
	p.List, err = tx.Studios(by, after, p.Limit)
	return p, err
}

// StudioRolesPage is the roles of a studio.
type StudioRolesPage struct {
	*Studio
	List []Role
}

// ShowStudioRoles loads the roles of a studio. Who is not in its organization: [Missing].
func (tx *Tx) ShowStudioRoles(by Actor, s *Studio) (*StudioRolesPage, error) {
	if by.Member == nil {
		return nil, Missing()
	}
	list, err := tx.Roles(s)
	return &StudioRolesPage{s, list}, err
}
