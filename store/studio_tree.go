package store

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
// Next of the previous page. A studio is a root if its parent is on another page or invisible to the actor.
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
