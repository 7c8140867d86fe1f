package governance

import (
	"fmt"
	"strconv"
	"time"

	"samepage/store"
)

// PolicyKind declares policies as a kind of item.
var PolicyKind = store.DeclareKind(store.Kind{
	Name:     "policy",
	Numbered: "policies",
	States:   []string{PolicyActive, PolicyRetired, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN p.retired_at IS NOT NULL THEN 'retired'
			ELSE 'active' END,
		0, 0, 0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM policies p WHERE p.id = items.id`,
	Delete:   []string{`DELETE FROM policies WHERE id = ?`},
	Erase:    []string{`UPDATE policies SET abstract = '' WHERE id = ?`},
	Text:     `SELECT abstract AS title FROM policies WHERE id = ?`,
	Owned:    ownedPolicies,
	HandOver: handOver,
})

const ownedPolicies = `SELECT p.id FROM policies p WHERE p.role_id = ? ORDER BY p.number`

// These are the states of a policy, in addition to [store.Redacted].
const (
	PolicyActive  = "active"
	PolicyRetired = "retired" // no longer in force, but readable
)

// Policy is a numbered text that applies to the whole organization, and belongs to a role. The holder of the role, or
// an accepted topic of the role's studio, changes it; [Policy.MustBeGivenBy] has the exceptions. As an item it is in
// the general studio.
type Policy struct {
	store.Item
	Number    int         `db:"number"`
	Abstract  string      `db:"abstract"`
	RetiredAt store.Time  `db:"retired_at"` // zero while the policy is in force
	Owner     PolicyOwner `db:"owner"`
}

// PolicyOwner is the role that owns a policy.
type PolicyOwner struct {
	ID         string     `db:"id"`
	Title      string     `db:"title"`
	DeletedAt  store.Time `db:"deleted_at"`
	HolderID   string     `db:"holder_id"`
	Holder     string     `db:"holder"` // handle
	StudioID   string     `db:"studio_id"`
	Studio     string     `db:"studio"` // handle
	StudioName string     `db:"studio_name"`
	ArchivedAt store.Time `db:"archived_at"` // zero if the studio is active
	Private    bool       `db:"private"`     // only members of the studio can see it
	Visible    bool       `db:"visible"`     // the actor may see the studio
}

var (
	policyColumns = `p.number, p.abstract, p.retired_at, pr.id AS "owner.id", pr.title AS "owner.title",
		pr.deleted_at AS "owner.deleted_at", pr.holder_id AS "owner.holder_id", ph.handle AS "owner.holder",
		ps.id AS "owner.studio_id", ps.handle AS "owner.studio", ps.name AS "owner.studio_name",
		ps.archived_at AS "owner.archived_at", ps.visibility = 'members' AS "owner.private", ` +
		store.VisibleTo("mm.id", "ps") + ` AS "owner.visible"`
	policyJoins = `JOIN policies p ON p.id = i.id JOIN roles pr ON pr.id = p.role_id JOIN studios ps ON ps.id = pr.studio_id
		LEFT JOIN members ph ON ph.id = pr.holder_id `
)

var policyFinder = store.NewFinder(policyColumns, policyJoins)

// State returns one of the states of [PolicyKind].
func (p *Policy) State() string {
	switch {
	case p.Removed():
		return store.Redacted
	case !p.RetiredAt.IsZero():
		return PolicyRetired
	}
	return PolicyActive
}

// Record returns the fields that the journal stores about a policy.
func (p *Policy) Record() any {
	owner := p.Owner.named()
	if p.Owner.Private {
		owner = "a role that only its studio sees"
	}
	return policyRecord{p.Number, p.Title, p.Abstract, p.Body, owner, max(p.Versions, 1), p.Comments, p.Pinned, p.State(),
		p.Owner.ID}
}

type policyRecord struct {
	Number   int    `json:"number"`
	Title    string `json:"title"`
	Abstract string `json:"abstract,omitempty"`
	Text     string `json:"text"`
	Owner    string `json:"owner"`
	Versions int    `json:"versions"`
	Comments int    `json:"comments"`
	Pinned   bool   `json:"pinned"`
	State    string `json:"state"`
	role     string // id
}

// Kept implements [store.Kept]. The journal keeps no name of the role, because the role's studio may become private.
func (r policyRecord) Kept() any {
	r.Owner = store.RoleReference(r.role)
	return r
}

// Ref returns the policy as the target of a journal entry. MemberID is the holder of the role, or empty if the actor
// may not see the role's studio.
func (p *Policy) Ref() store.Ref {
	ref := p.Item.Ref()
	if ref.MemberID = ""; p.Owner.Visible {
		ref.MemberID = p.Owner.HolderID
	}
	return ref
}

// Name returns the role's title and studio, or words that reveal neither if the actor may not see the studio.
func (o *PolicyOwner) Name() string {
	if !o.Visible {
		return "a role that you cannot see"
	}
	return o.named()
}

func (o *PolicyOwner) named() string { return o.Title + " of " + o.StudioName }

// URL returns the path of the role's page.
func (o *PolicyOwner) URL() string { return "/studios/" + o.Studio + "/roles/" + o.ID }

// FindPolicy finds a policy of an organization. The parameter `studio` is the handle of the organization's general
// studio. FindPolicy returns [store.Missing] if there is none, or if the actor is neither a member of the organization
// nor the scheduler.
func FindPolicy(tx *store.Tx, by store.Actor, studio, id string) (*Policy, error) {
	var row struct {
		Policy
		Home store.Studio `db:"home"`
	}
	err := tx.Locate(policyFinder, by, &row, &row.Item, &row.Home, studio, id)
	p := &row.Policy
	if err == nil && by.In(p.OrgID).Member == nil && !by.System {
		err = store.Missing()
	}
	return p, err
}

// PolicyPage is a policy with its latest version and its discussion.
type PolicyPage struct {
	*Policy
	Latest *Version // nil if the text was never changed
	store.Discussion
}

// ShowPolicy loads the data for the policy's page.
func ShowPolicy(tx *store.Tx, by store.Actor, p *Policy) (*PolicyPage, error) {
	v := &PolicyPage{Policy: p}
	var err error
	if v.Latest, err = latestVersion(tx, &p.Item); err != nil {
		return nil, err
	}
	v.Discussion, err = tx.ShowDiscussion(by, &p.Item)
	return v, err
}

// NewPolicy has the texts of a policy.
type NewPolicy struct{ Title, Abstract, Body string }

func (n NewPolicy) words() Words {
	w := Words{Title: n.Title, Body: n.Body}
	if n.Abstract != "" {
		w.Details = "Abstract: " + n.Abstract
	}
	return w
}

func (p *Policy) words() Words { return NewPolicy{p.Title, p.Abstract, p.Body}.words() }

// Says reports whether the policy has exactly these texts.
func (p *Policy) Says(to NewPolicy) bool { return to.words() == p.words() }

// CreatePolicy adds a policy that belongs to a role. The policy gets the organization's next number.
func CreatePolicy(tx *store.Tx, by store.Actor, r *store.Role, n NewPolicy) (*Policy, error) {
	general, err := tx.FindStudio(by, r.Studio.Org)
	if err != nil {
		return nil, err
	}
	id, err := tx.InsertItem(by, general, store.NewItem{Kind: PolicyKind.Name, Title: n.Title, Body: n.Body})
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(id[len(general.Org)+1:])
	if err != nil {
		return nil, fmt.Errorf("the id %s has no number: %w", id, err)
	}
	if err := tx.Exec(`INSERT INTO policies (id, org_id, number, role_id, abstract) VALUES (?, ?, ?, ?, ?)`,
		id, general.OrgID, number, r.ID, n.Abstract); err != nil {
		return nil, err
	}
	p, err := FindPolicy(tx, by, general.Handle, id)
	if err != nil {
		return nil, err
	}
	if err := tx.OpenItem(&p.Item); err != nil {
		return nil, err
	}
	if err := tx.Exec(`UPDATE items SET closed_at = opened_at WHERE id = ?`, id); err != nil {
		return nil, err
	}
	return FindPolicy(tx, by, general.Handle, id)
}

// EditPolicy changes the texts of a policy and stores them as a new version.
func EditPolicy(tx *store.Tx, by store.Actor, p *Policy, to NewPolicy, reason string) error {
	now := to.words()
	now.Reason = reason
	if err := Revise(tx, by, &p.Item, p.words(), now); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE policies SET abstract = ? WHERE id = ?`, to.Abstract, p.ID); err != nil {
		return err
	}
	return tx.UpdateItem(&p.Item, to.Title, to.Body, time.Time{})
}

// GivePolicy makes a policy belong to another role.
func GivePolicy(tx *store.Tx, p *Policy, r *store.Role) error {
	if err := tx.Exec(`UPDATE policies SET role_id = ? WHERE id = ?`, r.ID, p.ID); err != nil {
		return err
	}
	return tx.TouchItem(&p.Item)
}

// RetirePolicy ends the validity of a policy.
func RetirePolicy(tx *store.Tx, by store.Actor, p *Policy) error {
	if err := tx.Exec(`UPDATE policies SET retired_at = ? WHERE id = ?`, store.At(tx.Now), p.ID); err != nil {
		return err
	}
	return tx.CloseItem(by, &p.Item)
}

// ReinstatePolicy makes a retired policy valid again.
func ReinstatePolicy(tx *store.Tx, p *Policy) error {
	if err := tx.Exec(`UPDATE policies SET retired_at = NULL WHERE id = ?`, p.ID); err != nil {
		return err
	}
	if err := tx.OpenItem(&p.Item); err != nil {
		return err
	}
	return tx.Exec(`UPDATE items SET closed_at = opened_at, closed_by = NULL WHERE id = ?`, p.ID)
}

// handOver gives all policies of a deleted role, including retired ones, to another role. If `to` is nil, they still
// belong to the deleted role.
func handOver(tx *store.Tx, from, to *store.Role) ([]store.Handed, error) {
	var ids []string
	if err := tx.Select(&ids, ownedPolicies, from.ID); err != nil {
		return nil, err
	}
	list := make([]store.Handed, len(ids))
	for i, id := range ids {
		p, err := FindPolicy(tx, store.System(), from.Studio.Org, id)
		if err != nil {
			return nil, err
		}
		h := store.Handed{Before: p.Record(), To: to}
		if to == nil {
			err = tx.TouchItem(&p.Item)
		} else {
			err = GivePolicy(tx, p, to)
		}
		if err != nil {
			return nil, err
		}
		if p, err = FindPolicy(tx, store.System(), from.Studio.Org, id); err != nil {
			return nil, err
		}
		h.Item = p
		list[i] = h
	}
	return list, nil
}
