package store

// Listing is the part of a long list that one page shows. If List has Limit rows, another page may follow.
type Listing[T any] struct {
	List  []T
	Limit int
}

// Last returns the row after which the next page begins, or nil if no page follows.
func (l *Listing[T]) Last() *T {
	if len(l.List) == 0 || len(l.List) < l.Limit {
		return nil
	}
	return &l.List[len(l.List)-1]
}

// usual is the usual number of rows of a [Listing].
const usual = 50

// StudioMembersPage is one page of a studio's members.
type StudioMembersPage struct {
	*Studio
	Listing[Member]
}

// ShowStudioMembers loads one page of a studio's members, sorted by handle. The parameter after is empty or the last
// handle of the previous page. ShowStudioMembers returns [Missing] if the actor is not a member of the organization.
func (tx *Tx) ShowStudioMembers(by Actor, s *Studio, after string) (*StudioMembersPage, error) {
	if by.Member == nil {
		return nil, Missing()
	}
	list, err := tx.StudioMembers(s, after, usual)
	return &StudioMembersPage{s, Listing[Member]{list, usual}}, err
}

// MembersPage is one page of an organization's members.
type MembersPage struct {
	*Organization
	Listing[Member]
}

// ShowMembers loads one page of an organization's members, sorted by handle. The parameter after is empty or the last
// handle of the previous page.
func (tx *Tx) ShowMembers(_ Actor, o *Organization, after string) (*MembersPage, error) {
	list, err := tx.Members(o.ID, after, usual)
	return &MembersPage{o, Listing[Member]{list, usual}}, err
}

// StudiosPage is one page of the studios that an actor may see.
type StudiosPage struct{ Listing[Studio] }

// ShowStudios loads one page of the studios that the actor may see, sorted by handle. The parameter after is empty or
// the last handle of the previous page.
func (tx *Tx) ShowStudios(by Actor, after string) (*StudiosPage, error) {
	list, err := tx.Studios(by, after, usual)
	return &StudiosPage{Listing[Studio]{list, usual}}, err
}

// StudioRolesPage has the roles of a studio.
type StudioRolesPage struct {
	*Studio
	List []Role
}

// ShowStudioRoles loads the roles of a studio. It returns [Missing] if the actor is not a member of the
// organization.
func (tx *Tx) ShowStudioRoles(by Actor, s *Studio) (*StudioRolesPage, error) {
	if by.Member == nil {
		return nil, Missing()
	}
	list, err := tx.Roles(s)
	return &StudioRolesPage{s, list}, err
}

// ItemsPage is one page of a studio's items of one kind.
type ItemsPage struct {
	*Studio
	Kind string
	Open bool // the list has only open items
	Listing[Item]
}

// ShowItems loads one page of a studio's items of one kind; if open is true, it has only open items. The parameter
// after is empty or a [Cursor]; for any other text, ShowItems returns [Invalid]. The parameter list is the URL of the
// list, which this error names.
func (tx *Tx) ShowItems(by Actor, s *Studio, kind string, open bool, list, after string) (*ItemsPage, error) {
	c, err := ReadCursor(after, list)
	if err != nil {
		return nil, err
	}
	p := &ItemsPage{Studio: s, Kind: kind, Open: open, Listing: Listing[Item]{Limit: usual}}
	if open {
		p.List, err = tx.openOf(s, kind, c, p.Limit)
	} else {
		p.List, err = tx.Items(by, s, kind, c, p.Limit)
	}
	return p, err
}

// TreePage is one page of an organization's studios, sorted by handle and arranged as a tree.
type TreePage struct {
	*Organization
	Roots []Branch
	Limit int
	Next  string // handle of the last studio on the page; empty on the last page
}

// Branch is a studio with the studios below it.
type Branch struct {
	*Studio
	Below []Branch
}

// ShowTree loads one page of the organization's studios that the actor may see. The parameter after is empty or the
// Next of the previous page. A studio without a visible parent on the same page is a root.
func (tx *Tx) ShowTree(by Actor, o *Organization, after string) (*TreePage, error) {
	p := &TreePage{Organization: o, Limit: 200}
	list, err := tx.studios(by.In(o.ID), o.ID, after, p.Limit)
	if err != nil {
		return nil, err
	}
	if len(list) == p.Limit {
		p.Next = list[len(list)-1].Handle
	}
	p.Roots = Tree(list)
	return p, nil
}

// Tree arranges a list of studios as a tree and keeps their order. A studio without a parent in the list is a root.
func Tree(list []Studio) []Branch {
	here := map[string]bool{}
	for i := range list {
		here[list[i].ID] = true
	}
	below := map[string][]*Studio{}
	for i := range list {
		parent := list[i].ParentID
		if !here[parent] {
			parent = ""
		}
		below[parent] = append(below[parent], &list[i])
	}
	var grow func(parent string) []Branch
	grow = func(parent string) []Branch {
		var branches []Branch
		for _, s := range below[parent] {
			branches = append(branches, Branch{s, grow(s.ID)})
		}
		return branches
	}
	return grow("")
}
