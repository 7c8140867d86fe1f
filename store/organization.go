package store

import (
	"cmp"
	"samepage/store/db"
	"sync"
	"time"
)

// Organization is the outer boundary of data. Nothing in one organization refers to data of another one.
type Organization struct {
	ID     string `db:"id"`
	Handle string `db:"handle"`
	Settings
	OwnerID   string `db:"owner_id"`
	Owner     string `db:"owner"`       // handle of the owner
	Head      int64  `db:"journal_seq"` // sequence number of the last journal entry
	Version   int64  `db:"version"`
	CreatedAt Time   `db:"created_at"`
	Limited   string `db:"limits"` // the stored limits; [Organization.Limits] parses them
}

// Settings are the columns of an organization that [Tx.UpdateSettings] changes.
type Settings struct {
	Name     string `db:"name"`
	Accent   string `db:"accent"`   // colour such as #2b6cb0; empty for the default
	Zone     string `db:"zone"`     // IANA name of the time zone
	Inviters string `db:"inviters"` // the members that may invite people: "owner" or "members"
	// Governance is [GovernanceOpen] or [GovernanceConsent].
	Governance string `db:"governance"`
	Rules
}

// These are the rules about changes of an organization's studios and roles. With [GovernanceOpen], the members of a
// studio and the organization's owner may make such changes. With [GovernanceConsent], only an accepted topic makes
// them; see [Actor.ByConsent].
const (
	GovernanceOpen    = "open"
	GovernanceConsent = "consent"
)

const organizationColumns = `o.id, o.handle, o.name, o.accent, o.zone, o.inviters, o.governance, o.owner_id, w.handle AS owner,
	o.agent_ballots, o.agent_asks, o.journal_seq, o.version, o.created_at, o.limits`

// Limits returns the rate limits of the organization.
func (o *Organization) Limits() Limits { return limitsOf(o.Limited) }

// URL returns the path of the organization's page.
func (o *Organization) URL() string { return "/orgs/" + o.Handle }

// Ref returns the organization as the target of a journal entry.
func (o *Organization) Ref() Ref {
	return Ref{OrgID: o.ID, Kind: "organization", ID: o.ID, URL: o.URL(), Title: o.Name,
		Version: o.Version, Topic: organizationVersion.of(o.ID)}
}

// Record returns the fields that the journal stores about an organization.
func (o *Organization) Record() any { return o.record() }

type organizationRecord struct {
	Handle     string `json:"handle"`
	Name       string `json:"name"`
	Accent     string `json:"accent,omitempty"`
	Zone       string `json:"zone"`
	Inviters   string `json:"inviters"`
	Governance string `json:"governance"`
	Owner      string `json:"owner"`
	Rules
}

func (o *Organization) record() organizationRecord {
	return organizationRecord{o.Handle, o.Name, o.Accent, o.Zone, o.Inviters, o.Governance, o.Owner, o.Rules}
}

// locations caches time zones by name, since loading one reads a file.
var locations sync.Map

// Location returns the time zone with this IANA name, or UTC for an unknown name.
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

// OrganizationPage is an organization with the fields that its page shows.
type OrganizationPage struct {
	*Organization
	People  int
	Agents  int
	Studios []Studio
	Entries []Entry
}

// FindOrganization finds an organization by its handle. It returns [Missing] if there is none, or if the actor is
// outside the organization.
func (tx *Tx) FindOrganization(by Actor, handle string) (*Organization, error) {
	member := false
	for _, m := range by.Members {
		member = member || m.Org == handle
	}
	if !member && !by.System {
		return nil, Missing()
	}
	var o Organization
	err := tx.GetLocked(&o, &o.ID, `SELECT `+organizationColumns+` FROM organizations o
		JOIN members w ON w.id = o.owner_id WHERE o.handle = ?`, handle)
	return &o, err
}

// ShowOrganization loads the organization's page as the actor may see it, with up to 50 studios and 10 journal
// entries.
func (tx *Tx) ShowOrganization(by Actor, o *Organization) (*OrganizationPage, error) {
	p := &OrganizationPage{Organization: o}
	var size struct {
		People int `db:"people"`
		Agents int `db:"agents"`
	}
	err := tx.Get(&size, `SELECT people, agents FROM studios WHERE org_id = ? AND general = 1`, o.ID)
	if err != nil {
		return nil, err
	}
	p.People, p.Agents = size.People, size.Agents
	if p.Studios, err = tx.studios(by.In(o.ID), o.ID, "", 50); err != nil {
		return nil, err
	}
	p.Entries, err = tx.journal(by, JournalQuery{OrgID: o.ID, Limit: 10})
	return p, err
}

// CreateOrganization adds an organization with its general studio and its first member, the owner. It returns
// [Conflict] if the handle is taken, and the errors of [Handle], [Email] and [MustBePersonal].
func (tx *Tx) CreateOrganization(handle, name, zone string, owner NewMember) (*Organization, *Member, error) {
	handle, err := Handle(handle)
	if err != nil {
		return nil, nil, err
	}
	ownerHandle, err := Handle(owner.Handle)
	if err != nil {
		return nil, nil, err
	}
	if err := MustBePersonal(owner.Name); err != nil {
		return nil, nil, err
	}
	user := owner.UserID
	if user == "" {
		if user, err = tx.createUser(owner.Email, owner.PasswordHash); err != nil {
			return nil, nil, err
		}
	}
	org, member, now := NewID(), NewID(), At(tx.Now)
	if err := tx.Exec(`INSERT INTO organizations (id, handle, name, zone, created_at) VALUES (?, ?, ?, ?, ?)`,
		org, handle, name, zone, now); err != nil {
		if db.IsUnique(err) {
			return nil, nil, Errorf(Conflict, "The handle %s is taken. Choose another.", handle)
		}
		return nil, nil, err
	}
	if err := tx.Exec(`INSERT INTO members (id, org_id, user_id, handle, name, joined_at) VALUES (?, ?, ?, ?, ?, ?)`,
		member, org, user, ownerHandle, owner.Name, now); err != nil {
		return nil, nil, err
	}
	if err := tx.Exec(`UPDATE organizations SET owner_id = ? WHERE id = ?`, member, org); err != nil {
		return nil, nil, err
	}
	tx.index(memberDocument, member, 0)
	m, err := tx.member(member)
	if err != nil {
		return nil, nil, err
	}
	by := Actor{UserID: user, Members: []Member{*m}, Member: m}
	if _, err := tx.CreateStudio(by,
		NewStudio{OrgID: org, Handle: handle, Name: name, Visibility: "organization", Tempo: "weekly",
			General: true}); err != nil {
		return nil, nil, err
	}
	o, err := tx.FindOrganization(System(), handle)
	return o, m, err
}

// OrganizationsPage is the page of the actor's organizations, which are in [Actor.Members].
type OrganizationsPage struct {
	ByOperator bool // only the operator creates organizations
}

// Ref returns the list of organizations as the target of an action.
func (p *OrganizationsPage) Ref() Ref {
	return Ref{Kind: "organizations", URL: "/orgs", Title: "Organizations"}
}

// Record returns nil, since the list has no fields of its own.
func (p *OrganizationsPage) Record() any { return nil }

// MustBeFounder returns [Forbidden] if only the operator creates organizations, and for an actor that owns no
// organization.
func (p *OrganizationsPage) MustBeFounder(by Actor) error {
	if p.ByOperator {
		return Errorf(Forbidden, "Only the operator makes organizations here, with samepage org create.")
	}
	for i := range by.Members {
		if by.Members[i].Owner {
			return nil
		}
	}
	return Errorf(Forbidden,
		"Only the owner of an organization can make another one. The operator can, with samepage org create.")
}

// NewMember has the fields of the first member of a new organization. If UserID is set, the member is that existing
// user, and Email and PasswordHash are not used.
type NewMember struct{ Handle, Name, Email, PasswordHash, UserID string }

// SettingsPage is an organization with the data of the page of its settings.
type SettingsPage struct {
	*Organization
	Domains []string // email domains of users that may join without an invitation by a member
	Backups *Backups // shown to the owner; nil for others, and if the server makes no backups
}

// Backups is the state of the backups that a server makes by itself.
type Backups struct {
	Every   time.Duration // time between two backups
	Newest  Time          // time of the newest backup; zero if there is none
	Failed  Time          // time of the latest attempt if it failed; otherwise zero
	Lacks   int           // number of attached files missing from the newest backup, if this server made it
	Overdue bool          // the newest backup is older than twice Every, or there is no backup and an attempt failed
}

// Ref returns the organization as the target of a journal entry, with the path of the settings.
func (p *SettingsPage) Ref() Ref {
	r := p.Organization.Ref()
	r.URL += "/settings"
	return r
}

// RuledBy reports whether accepted topics of the studio can change the settings.
func (p *SettingsPage) RuledBy(s *Studio) bool { return s.General && s.OrgID == p.ID }

// Record returns the settings as the journal stores them.
func (p *SettingsPage) Record() any {
	return struct {
		organizationRecord
		Domains []string `json:"email_domains"`
	}{p.record(), p.Domains}
}

// FindSettings finds the settings of an organization. It returns [Missing] if there is none, or if the actor is outside
// the organization.
func (tx *Tx) FindSettings(by Actor, handle string) (*SettingsPage, error) {
	o, err := tx.FindOrganization(by, handle)
	if err != nil {
		return nil, err
	}
	p := &SettingsPage{Organization: o}
	err = tx.Select(&p.Domains, `SELECT domain FROM email_domains WHERE org_id = ? ORDER BY domain`, o.ID)
	return p, err
}

// UpdateSettings replaces the organization's settings and email domains. An empty s.Governance leaves that setting
// unchanged.
func (tx *Tx) UpdateSettings(o *Organization, s Settings, domains []string) error {
	if err := tx.Exec(`DELETE FROM email_domains WHERE org_id = ?`, o.ID); err != nil {
		return err
	}
	for _, d := range domains {
		if err := tx.Exec(`INSERT INTO email_domains (domain, org_id) VALUES (?, ?) ON CONFLICT DO NOTHING`,
			d, o.ID); err != nil {
			return err
		}
	}
	s.Governance = cmp.Or(s.Governance, o.Governance)
	if s.Asks == nil {
		s.Asks = Set[string]{}
	}
	if err := tx.Exec(`UPDATE organizations SET name = ?, accent = ?, zone = ?, inviters = ?, governance = ?, agent_ballots = ?,
		agent_asks = ?
		WHERE id = ?`,
		s.Name, s.Accent, s.Zone, s.Inviters, s.Governance, s.Ballots, s.Asks, o.ID); err != nil {
		return err
	}
	return tx.raise(organizationVersion, o.ID)
}

// MustBeOwnedBy returns [Forbidden] unless the actor is the organization's owner.
func (o *Organization) MustBeOwnedBy(by Actor) error {
	if !by.Is(o.OwnerID) {
		return Errorf(Forbidden, "Only the owner, @%s, can do this.", o.Owner)
	}
	return nil
}

// TransferOwnership makes the member m the owner of the organization. It returns [Conflict] if m has left the
// organization.
func (tx *Tx) TransferOwnership(o *Organization, m *Member) error {
	if m.Ended() {
		return Errorf(Conflict, "@%s is no member any more. Name a present member.", m.Handle)
	}
	if err := tx.raiseAll(memberVersion, `id IN (?, ?)`, o.OwnerID, m.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE organizations SET owner_id = ? WHERE id = ?`, m.ID, o.ID); err != nil {
		return err
	}
	return tx.raise(organizationVersion, o.ID)
}

// Organizations lists all organizations of the installation, for its operator.
func (tx *Tx) Organizations() ([]Organization, error) {
	return All[Organization](tx, `SELECT `+organizationColumns+` FROM organizations o JOIN members w ON w.id = o.owner_id
		ORDER BY o.created_at, o.id`)
}
