package governance

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"samepage/store"
)

// MaxWebhooks is the greatest number of webhooks of one organization.
const MaxWebhooks = 20

// SecretOverlap is the time after a change of a webhook's secret for which the former secret also signs.
const SecretOverlap = 24 * time.Hour

// Webhook sends the events of an organization to an external address. It sends only events that the webhook's maker, a
// member, may see. It sends no events about drafts.
type Webhook struct {
	ID         string            `db:"id"`
	OrgID      string            `db:"org_id"`
	Org        string            `db:"org"` // handle of the organization
	OrgName    string            `db:"org_name"`
	OwnerID    string            `db:"owner_id"` // id of the organization's owner
	MemberID   string            `db:"member_id"`
	Member     string            `db:"member"` // handle of the webhook's maker
	Address    string            `db:"address"`
	StudioID   string            `db:"studio_id"` // id of the only studio whose events are sent; empty for all studios
	Studio     string            `db:"studio"`    // handle of that studio
	StudioName string            `db:"studio_name"`
	Kinds      store.Set[string] `db:"kinds"` // the only kinds of subjects whose events are sent; nil for all kinds
	Secret     []byte            `db:"secret"`
	Former     []byte            `db:"former"` // the secret before the present one; nil for none
	FormerTo   store.Time        `db:"former_to"`
	Position   int64             `db:"position"`   // number of the last journal entry that [QueueDeliveries] has read
	Deliveries int               `db:"deliveries"` // number of deliveries so far
	CreatedAt  store.Time        `db:"created_at"`
	PausedAt   store.Time        `db:"paused_at"`
	PausedWhy  string            `db:"paused_why"` // reason for a pause by the sender; empty if a person paused the webhook
	AcceptedAt store.Time        `db:"accepted_at"`
	MakerGone  bool              `db:"maker_gone"` // the maker has left the organization
	Waiting    int               `db:"waiting"`    // number of waiting deliveries, up to [store.Many]
	GaveUp     int               `db:"gave_up"`    // number of deliveries that were given up in the last 30 days, up to [store.Many]

	organization *store.Organization
}

const webhookColumns = `w.id, w.org_id, o.handle AS org, o.name AS org_name, o.owner_id, w.member_id,
	m.handle AS member, w.address, coalesce(w.studio_id, '') AS studio_id, coalesce(s.handle, '') AS studio,
	coalesce(s.name, '') AS studio_name, w.kinds, w.secret, w.former, w.former_to, w.position, w.deliveries, w.created_at,
	w.paused_at, w.paused_why, w.accepted_at, m.ended_at IS NOT NULL AS maker_gone,
	(SELECT count(*) FROM (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id AND d.due_at IS NOT NULL` + store.AtMost + `) sub)
	AS waiting,
	(SELECT count(*) FROM (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id AND d.failed_at IS NOT NULL` + store.AtMost + `) sub)
	AS gave_up`

const webhookFrom = ` FROM webhooks w JOIN organizations o ON o.id = w.org_id JOIN members m ON m.id = w.member_id
	LEFT JOIN studios s ON s.id = w.studio_id `

// WebhookStates returns the possible states of a webhook.
func WebhookStates() []string { return []string{"active", "paused"} }

// State returns one of [WebhookStates].
func (w *Webhook) State() string {
	if w.PausedAt.IsZero() {
		return "active"
	}
	return "paused"
}

// Host returns the host of the address. Only the owner sees the rest of the address, because it may contain a secret.
func (w *Webhook) Host() string {
	u, err := url.Parse(w.Address)
	if err != nil {
		return ""
	}
	return u.Host
}

// URL returns the path of the webhook's page.
func (w *Webhook) URL() string { return WebhooksURL(w.Org) + "/" + w.ID }

// WebhooksURL returns the path of the list of an organization's webhooks.
func WebhooksURL(org string) string { return "/orgs/" + org + "/webhooks" }

// Ref returns the webhook as the target of a journal entry.
func (w *Webhook) Ref() store.Ref {
	return store.Ref{OrgID: w.OrgID, Kind: "webhook", ID: w.ID, URL: w.URL(), Title: "Webhook to " + w.Host(),
		MemberID: w.MemberID}
}

// Record returns the fields of a webhook that the journal stores.
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

// MustBe returns [store.Conflict] unless the webhook is in this state.
func (w *Webhook) MustBe(state string) error {
	if w.State() != state {
		return store.Errorf(store.Conflict, "The webhook is %s.", w.State())
	}
	return nil
}

// Webhooks is the list of an organization's webhooks.
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
// organization's owner in person.
func FindWebhooks(tx *store.Tx, by store.Actor, org string) (*Webhooks, error) {
	o, err := ownOrganization(tx, by, org)
	if err != nil {
		return nil, err
	}
	v := &Webhooks{Organization: o}
	v.List, err = webhooks(tx, `w.org_id = ? ORDER BY w.created_at DESC, w.id`, o.ID)
	return v, err
}

// webhooks lists the webhooks that meet the SQL condition.
func webhooks(tx *store.Tx, condition string, args ...any) (list []Webhook, err error) {
	err = tx.Select(&list, `SELECT `+webhookColumns+webhookFrom+`WHERE `+condition+store.AtMost,
		slices.Concat([]any{store.Many, store.Many}, args, []any{MaxWebhooks})...)
	return list, err
}

// FindWebhook finds a webhook. It returns [store.Missing] unless the actor is the organization's owner in person or the
// scheduler.
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

// WebhookOf finds a webhook by its id, for the process that sends deliveries. It returns [store.Missing] for an unknown
// id.
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

// NewWebhook has the fields of a webhook that its maker can write.
type NewWebhook struct {
	Address  string
	StudioID string   // empty for all studios
	Kinds    []string // nil for all kinds
}

// CreateWebhook adds a webhook that sends all later events. It returns the secret with which the receiver verifies
// signatures.
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
	tx.AnnounceWebhook(o.ID)
	w, err := FindWebhook(tx, by, o.Handle, id)
	return w, secret, err
}

// UpdateWebhook changes a webhook's address, studio and kinds.
func UpdateWebhook(tx *store.Tx, w *Webhook, n NewWebhook) error {
	return tx.Exec(`UPDATE webhooks SET address = ?, studio_id = ?, kinds = ? WHERE id = ?`,
		n.Address, store.Null(n.StudioID), store.Set[string](n.Kinds), w.ID)
}

// PauseWebhook stops deliveries until [ResumeWebhook]. The parameter why is empty if a person pauses the webhook.
func PauseWebhook(tx *store.Tx, w *Webhook, why string) error {
	return tx.Exec(`UPDATE webhooks SET paused_at = ?, paused_why = ? WHERE id = ?`, store.At(tx.Now), why, w.ID)
}

// ResumeWebhook ends a pause. Waiting deliveries are due at once. Events during the pause are not sent.
func ResumeWebhook(tx *store.Tx, w *Webhook) error {
	if err := tx.Exec(`UPDATE webhooks SET paused_at = NULL, paused_why = '',
		position = (SELECT o.journal_seq FROM organizations o WHERE o.id = webhooks.org_id) WHERE id = ?`, w.ID); err != nil {
		return err
	}
	tx.AnnounceWebhook(w.OrgID)
	return tx.Exec(`UPDATE deliveries SET due_at = ?, attempts = 0 WHERE webhook_id = ? AND due_at IS NOT NULL`,
		store.At(tx.Now), w.ID)
}

// DeleteWebhook deletes a webhook with its deliveries.
func DeleteWebhook(tx *store.Tx, w *Webhook) error {
	if err := tx.Exec(`DELETE FROM deliveries WHERE webhook_id = ?`, w.ID); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM webhooks WHERE id = ?`, w.ID)
}

// secretPrefix is the prefix of a secret according to the Standard Webhooks specification.
const secretPrefix = "whsec_"

// webhookPurpose is the purpose argument of [store.Tx.Seal] for secrets. The name argument is the id of the webhook.
const webhookPurpose = "webhooks"

// newSecret returns a random secret, and the same secret sealed with the installation's keys.
func newSecret(tx *store.Tx, id string) (secret string, sealed []byte, err error) {
	secret = secretPrefix + randomKey()
	sealed, err = tx.Seal(webhookPurpose, id, secret)
	return secret, sealed, err
}

// RotateSecret replaces the secret of a webhook. The former secret also signs for [SecretOverlap].
func RotateSecret(tx *store.Tx, w *Webhook) (secret string, err error) {
	secret, sealed, err := newSecret(tx, w.ID)
	if err != nil {
		return "", err
	}
	return secret, tx.Exec(`UPDATE webhooks SET former = secret, former_to = ?, secret = ? WHERE id = ?`,
		store.At(tx.Now.Add(SecretOverlap)), sealed, w.ID)
}

// Secrets returns the secrets that sign at present, the latest first. It returns [store.ErrUnsealed] if the
// installation's keys cannot decrypt them.
func (w *Webhook) Secrets(tx *store.Tx) ([]string, error) {
	sealed := [][]byte{w.Secret}
	if w.Former != nil && w.FormerTo.After(tx.Now) {
		sealed = append(sealed, w.Former)
	}
	list := make([]string, len(sealed))
	for i, s := range sealed {
		var err error
		if list[i], err = tx.Unseal(webhookPurpose, w.ID, s); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// CheckAddress returns [store.Invalid] for an address to which a webhook cannot send. It does not check whether the
// address is on the public internet, because the sender checks that when dialling.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return store.Errorf(store.Invalid, "Write an address such as https://hooks.example.org/samepage.")
	case u.User != nil:
		return store.Errorf(store.Invalid, "An address with a name and a password is not sent to.")
	case strings.Contains(address, "#"):
		return store.Errorf(store.Invalid, "Leave out the part after #: it is never sent.")
	}
	return nil
}
