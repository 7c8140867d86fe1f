package store

import (
	"sync"
	"time"
)

// Organization is the outer boundary; nothing crosses it.
type Organization struct {
	ID      string `db:"id"`
	Handle  string `db:"handle"`
	Name    string `db:"name"`
	Accent  string `db:"accent"`
	Zone    string `db:"zone"`
	OwnerID string `db:"owner_id"`
	Owner   string `db:"owner"` // handle
	Rules
	Head      int64  `db:"journal_seq"`
	HeadHash  []byte `db:"journal_hash"`
	Version   int64  `db:"version"`
	CreatedAt Time   `db:"created_at"`
	Limited   string `db:"limits"` // as [Organization.Limits] reads them
}

const organizationColumns = `o.id, o.handle, o.name, o.accent, o.zone, o.owner_id, w.handle AS owner, o.agent_ballots, o.agent_asks, o.journal_seq, o.journal_hash, o.version, o.created_at, o.limits`

// Limits are how often a minute the organization lets itself be asked.
func (o *Organization) Limits() Limits { return limitsOf(o.Limited) }

// URL is the organization's page.
func (o *Organization) URL() string { return "/orgs/" + o.Handle }

// Ref names the organization for the journal.
func (o *Organization) Ref() Ref {
	return Ref{OrgID: o.ID, Kind: "organization", ID: o.ID, URL: o.URL(), Title: o.Name, Version: o.Version}
}

// Record is what the journal keeps of an organization.
func (o *Organization) Record() any {
	return struct {
		Handle string `json:"handle"`
		Name   string `json:"name"`
		Accent string `json:"accent,omitempty"`
		Zone   string `json:"zone"`
		Owner  string `json:"owner"`
		Rules
	}{o.Handle, o.Name, o.Accent, o.Zone, o.Owner, o.Rules}
}

// locations remembers time zones by name: loading one reads a file.
var locations sync.Map

// Location is the time zone with this IANA name, and UTC for an unknown one.
func Location(name string) *time.Location {
	if loc, ok := locations.Load(name); ok {
		return loc.(*time.Location)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	locations.Store(name, loc)
	return loc
}

// OrganizationPage is an organization with what its page shows.
type OrganizationPage struct {
	*Organization
	People  int
	Studios []Studio
	Entries []Entry
}

// FindOrganization finds an organization the actor is a member of. Any other: [Missing].
func (tx *Tx) FindOrganization(by Actor, handle string) (*Organization, error) {
	member := false
	for _, m := range by.Members {
		member = member || m.Org == handle
	}
	if !member && !by.System {
		return nil, Missing()
	}
	var o Organization
	err := tx.getHeld(&o, &o.ID, `SELECT `+organizationColumns+` FROM organizations o JOIN members w ON w.id = o.owner_id WHERE o.handle = ?`, handle)
	return &o, err
}

// ShowOrganization loads what an organization's page shows to this actor.
func (tx *Tx) ShowOrganization(by Actor, o *Organization) (*OrganizationPage, error) {
	p := &OrganizationPage{Organization: o}
	if err := tx.get(&p.People, `SELECT people FROM studios WHERE org_id = ? AND general = 1`, o.ID); err != nil {
		return nil, err
	}
	var err error
	if p.Studios, err = tx.studios(by.In(o.ID), o.ID, "", 50); err != nil {
		return nil, err
	}
	p.Entries, err = tx.journal(by, JournalQuery{OrgID: o.ID, Limit: 10})
	return p, err
}

// CreateOrganization makes an organization with its general studio and its first member, who owns it.
func (tx *Tx) CreateOrganization(handle, name, zone string, owner NewMember) (*Organization, *Member, error) {
	handle, err := Handle(handle)
	if err != nil {
		return nil, nil, err
	}
	ownerHandle, err := Handle(owner.Handle)
	if err != nil {
		return nil, nil, err
	}
	user, err := tx.createUser(owner.Email, owner.PasswordHash)
	if err != nil {
		return nil, nil, err
	}
	org, member, now := NewID(), NewID(), At(tx.Now)
	if err := tx.exec(`INSERT INTO organizations (id, handle, name, zone, created_at) VALUES (?, ?, ?, ?, ?)`,
		org, handle, name, zone, now); err != nil {
		if isUnique(err) {
			return nil, nil, Errorf(Conflict, "The handle %s is taken. Choose another.", handle)
		}
		return nil, nil, err
	}
	if err := tx.exec(`INSERT INTO members (id, org_id, user_id, handle, name, joined_at) VALUES (?, ?, ?, ?, ?, ?)`,
		member, org, user, ownerHandle, owner.Name, now); err != nil {
		return nil, nil, err
	}
	if err := tx.exec(`UPDATE organizations SET owner_id = ? WHERE id = ?`, member, org); err != nil {
		return nil, nil, err
	}
	tx.index(memberDocument, member, 0)
	m, err := tx.member(member)
	if err != nil {
		return nil, nil, err
	}
	by := Actor{UserID: user, Members: []Member{*m}, Member: m}
	if _, err := tx.CreateStudio(by, NewStudio{OrgID: org, Handle: handle, Name: name, Visibility: "organization", Tempo: "weekly", General: true}); err != nil {
		return nil, nil, err
	}
	o, err := tx.FindOrganization(System(), handle)
	return o, m, err
}

// NewMember is who founds an organization.
type NewMember struct{ Handle, Name, Email, PasswordHash string }

// UpdateOrganization changes the organization's settings.
func (tx *Tx) UpdateOrganization(o *Organization, name, accent, zone string, r Rules) error {
	if r.Asks == nil {
		r.Asks = Set[string]{}
	}
	return tx.exec(`UPDATE organizations SET name = ?, accent = ?, zone = ?, agent_ballots = ?, agent_asks = ?, version = version + 1 WHERE id = ?`,
		name, accent, zone, r.Ballots, r.Asks, o.ID)
}

// Organizations lists every organization of the installation, for its operator.
func (tx *Tx) Organizations() ([]Organization, error) {
	var list []Organization
	err := tx.all(&list, `SELECT `+organizationColumns+` FROM organizations o JOIN members w ON w.id = o.owner_id ORDER BY o.created_at, o.id`)
	return list, err
}
