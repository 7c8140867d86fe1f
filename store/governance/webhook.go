package governance

import (
	"slices"

	"samepage/store"
)

// MaxWebhooks is the greatest number of webhooks of one organization.
const MaxWebhooks = 20

// Webhook sends the events of an organization that the webhook's maker may see to an external address. It sends no
// events about drafts.
type Webhook struct {
	Endpoint
	Org        string            `db:"org"` // handle
	OrgName    string            `db:"org_name"`
	OwnerID    string            `db:"owner_id"`  // owner of the organization
	Member     string            `db:"member"`    // handle of the webhook's maker
	StudioID   string            `db:"studio_id"` // only events in this studio are sent; empty for all studios
	Studio     string            `db:"studio"`    // handle
	StudioName string            `db:"studio_name"`
	Kinds      store.Set[string] `db:"kinds"`      // only events about these kinds of subjects are sent; nil for all
	Position   int64             `db:"position"`   // number of the last journal entry that was looked at
	MakerGone  bool              `db:"maker_gone"` // the maker has left the organization

	organization *store.Organization
}

const webhookColumns = `w.org_id, o.handle AS org, o.name AS org_name, o.owner_id, w.member_id,
	m.handle AS member, coalesce(w.studio_id, '') AS studio_id, coalesce(s.handle, '') AS studio,
	coalesce(s.name, '') AS studio_name, w.kinds, w.position, m.ended_at IS NOT NULL AS maker_gone, `

const webhookFrom = ` FROM webhooks w JOIN organizations o ON o.id = w.org_id JOIN members m ON m.id = w.member_id
	LEFT JOIN studios s ON s.id = w.studio_id `

// URL returns the path of the webhook's page.
func (w *Webhook) URL() string { return WebhooksURL(w.Org) + "/" + w.ID }

// WebhooksURL returns the path of the list of an organization's webhooks.
func WebhooksURL(org string) string { return "/orgs/" + org + "/webhooks" }

// Ref returns the webhook as the target of a journal entry.
func (w *Webhook) Ref() store.Ref {
	return store.Ref{OrgID: w.OrgID, Kind: "webhook", ID: w.ID, URL: w.URL(), Title: "Webhook to " + w.Host(),
		MemberID: w.MemberID}
}

// Record returns the fields that the journal stores about a webhook.
func (w *Webhook) Record() any {
	return struct {
		Host   string   `json:"host"`
		Studio string   `json:"studio,omitempty"`
		Kinds  []string `json:"kinds,omitempty"`
		State  string   `json:"state"`
		Why    string   `json:"why,omitempty"`
	}{w.Host(), w.Studio, w.Kinds, w.State(), w.PausedWhy}
}

// Relation returns the actor's relations to the organization of the webhook.
func (w *Webhook) Relation(by store.Actor) store.Relation { return w.organization.Relation(by) }

// Wants reports whether the webhook sends an event for the entry. It does not check the rights of the webhook's maker.
func (w *Webhook) Wants(e *store.Entry) bool {
	return e.PrivateTo == "" && (w.StudioID == "" || w.StudioID == e.StudioID) &&
		(w.Kinds == nil || slices.Contains(w.Kinds, e.Kind))
}

// Webhooks is an organization with its webhooks.
type Webhooks struct {
	*store.Organization
	List []Webhook
}

// MustHaveRoom returns [store.Conflict] if the organization has [MaxWebhooks] webhooks.
func (v *Webhooks) MustHaveRoom() error {
	if len(v.List) >= MaxWebhooks {
		return store.Errorf(store.Conflict, "There are %d webhooks, the most there may be. Delete one first.", MaxWebhooks)
	}
	return nil
}

// ownOrganization finds an organization. It returns [store.Missing] unless the actor is the owner in person or the
// scheduler.
func ownOrganization(tx *store.Tx, by store.Actor, org string) (*store.Organization, error) {
	o, err := tx.FindOrganization(by, org)
	if err == nil && !by.System && (by.IsAgent() || !by.Is(o.OwnerID)) {
		err = store.Missing()
	}
	return o, err
}

// FindWebhooks lists the webhooks of an organization, newest first. It returns [store.Missing] unless the actor is the
// organization's owner in person or the scheduler.
func FindWebhooks(tx *store.Tx, by store.Actor, org string) (*Webhooks, error) {
	o, err := ownOrganization(tx, by, org)
	if err != nil {
		return nil, err
	}
	v := &Webhooks{Organization: o}
	v.List, err = webhooks(tx, `w.org_id = ? ORDER BY w.created_at DESC, w.id`, o.ID)
	return v, err
}

func webhooks(tx *store.Tx, condition string, args ...any) ([]Webhook, error) {
	return store.All[Webhook](tx, `SELECT `+webhookColumns+ofOrganizations.columns()+webhookFrom+`WHERE `+condition+store.AtMost,
		slices.Concat([]any{store.Many, store.Many}, args, []any{MaxWebhooks})...)
}

// FindWebhook finds a webhook. It returns [store.Missing] if there is none, or if the actor is neither the
// organization's owner in person nor the scheduler.
func FindWebhook(tx *store.Tx, by store.Actor, org, id string) (*Webhook, error) {
	o, err := ownOrganization(tx, by, org)
	if err != nil {
		return nil, err
	}
	list, err := webhooks(tx, `w.org_id = ? AND w.id = ?`, o.ID, id)
	if err == nil && len(list) == 0 {
		err = store.Missing()
	}
	if err != nil {
		return nil, err
	}
	list[0].organization = o
	return &list[0], nil
}

// WebhookOf finds a webhook by its id. It returns [store.Missing] for an unknown id.
func WebhookOf(tx *store.Tx, id string) (*Webhook, error) {
	list, err := webhooks(tx, `w.id = ?`, id)
	if err == nil && len(list) == 0 {
		err = store.Missing()
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// NewWebhook has the fields of a webhook that its maker writes.
type NewWebhook struct {
	Address  string
	StudioID string   // empty for all studios
	Kinds    []string // nil for all kinds
}

// CreateWebhook adds a webhook, and returns the secret with which the receiver verifies signatures. The webhook sends
// no earlier events.
func CreateWebhook(tx *store.Tx, by store.Actor, o *store.Organization, n NewWebhook) (*Webhook, string, error) {
	id := store.NewID()
	secret, sealed, err := newSecret(tx, id)
	if err != nil {
		return nil, "", err
	}
	if err := tx.Exec(`INSERT INTO webhooks (id, org_id, member_id, address, studio_id, kinds, secret, position, created_at)
		SELECT ?, o.id, ?, ?, ?, ?, ?, o.journal_seq, ? FROM organizations o WHERE o.id = ?`,
		id, by.MemberID(), n.Address, store.Null(n.StudioID), store.Set[string](n.Kinds), sealed, store.At(tx.Now),
		o.ID); err != nil {
		return nil, "", err
	}
	tx.AnnounceWebhook(id)
	w, err := FindWebhook(tx, by, o.Handle, id)
	return w, secret, err
}

// UpdateWebhook changes a webhook's address, studio and kinds. If another member than the maker changes the address,
// that member becomes the maker, and events from before the change are not sent. The result tells whether that
// happened.
func UpdateWebhook(tx *store.Tx, by store.Actor, w *Webhook, n NewWebhook) (taken bool, err error) {
	if err := tx.Exec(`UPDATE webhooks SET address = ?, studio_id = ?, kinds = ? WHERE id = ?`,
		n.Address, store.Null(n.StudioID), store.Set[string](n.Kinds), w.ID); err != nil {
		return false, err
	}
	if n.Address == w.Address || by.Is(w.MemberID) {
		return false, nil
	}
	if err := tx.Exec(`UPDATE webhooks SET member_id = ? WHERE id = ?`, by.MemberID(), w.ID); err != nil {
		return false, err
	}
	if err := tx.Exec(`UPDATE deliveries SET due_at = NULL, leased_by = '', leased_to = 0,
		problem = 'another member changed the address before it was sent' WHERE webhook_id = ? AND due_at IS NOT NULL`,
		w.ID); err != nil {
		return false, err
	}
	return true, w.catchUp(tx)
}

func (w *Webhook) catchUp(tx *store.Tx) error {
	return tx.Exec(`UPDATE webhooks SET position = (SELECT o.journal_seq FROM organizations o WHERE o.id = webhooks.org_id)
		WHERE id = ?`, w.ID)
}
