package governance

import (
	"net/url"
	"strings"
	"time"

	"samepage/store"
)

// Hook is a webhook: a [Webhook] of an organization or an [OwnWebhook] of a person.
type Hook interface {
	// Common returns the part that all webhooks have.
	Common() *Endpoint
	// catchUp makes the webhook skip all events up to now.
	catchUp(tx *store.Tx) error
}

// Endpoint is the part that all webhooks have: an external address, the secrets that sign the deliveries, and the queue
// of deliveries.
type Endpoint struct {
	ID         string     `db:"id"`
	Own        bool       `db:"own"`       // the webhook belongs to a person
	OrgID      string     `db:"org_id"`    // organization of the webhook, or of its person's first membership
	MemberID   string     `db:"member_id"` // maker of the webhook, or its person's first membership; empty for none
	Address    string     `db:"address"`
	Secret     []byte     `db:"secret"`
	Former     []byte     `db:"former"`     // the previous secret; nil for none
	FormerTo   store.Time `db:"former_to"`  // until when the former secret also signs
	Deliveries int        `db:"deliveries"` // number of deliveries so far
	CreatedAt  store.Time `db:"created_at"`
	PausedAt   store.Time `db:"paused_at"`
	PausedWhy  string     `db:"paused_why"`  // reason for a pause by the sender; empty for a pause by a person, or none
	AcceptedAt store.Time `db:"accepted_at"` // when the receiver last accepted an event; zero for never
	Waiting    int        `db:"waiting"`     // number of waiting deliveries, at most [store.Many]
	GaveUp     int        `db:"gave_up"`     // number of stored deliveries that were given up, at most [store.Many]
}

type tables struct{ webhooks, deliveries string }

var (
	ofOrganizations = tables{"webhooks", "deliveries"}
	ofPeople        = tables{"own_webhooks", "own_deliveries"}
)

func (e *Endpoint) tables() tables {
	if e.Own {
		return ofPeople
	}
	return ofOrganizations
}

// columns returns SQL for the columns of an [Endpoint] without OrgID and MemberID. The SQL has two arguments, which are
// both [store.Many].
func (t tables) columns() string {
	count := func(condition string) string {
		return `(SELECT count(*) FROM (SELECT 1 FROM ` + t.deliveries + ` d WHERE d.webhook_id = w.id AND d.` + condition +
			store.AtMost + `) sub)`
	}
	return `w.id, w.address, w.secret, w.former, w.former_to, w.deliveries, w.created_at, w.paused_at, w.paused_why,
		w.accepted_at, ` + count(`due_at IS NOT NULL`) + ` AS waiting, ` + count(`failed_at IS NOT NULL`) + ` AS gave_up`
}

// Common implements [Hook].
func (e *Endpoint) Common() *Endpoint { return e }

// WebhookStates returns the possible states of a webhook.
func WebhookStates() []string { return []string{"active", "paused"} }

// State returns one of [WebhookStates].
func (e *Endpoint) State() string {
	if e.PausedAt.IsZero() {
		return "active"
	}
	return "paused"
}

// Host returns the host of the address. The rest of the address may contain a secret.
func (e *Endpoint) Host() string { return HostOf(e.Address) }

// HostOf returns the host of an address, or "" if the address cannot be parsed.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// MustBe returns [store.Conflict] unless the webhook is in this state.
func (e *Endpoint) MustBe(state string) error {
	if e.State() != state {
		return store.Errorf(store.Conflict, "The webhook is %s.", e.State())
	}
	return nil
}

// PauseWebhook stops deliveries. The parameter `why` is empty if a person pauses the webhook.
func PauseWebhook(tx *store.Tx, h Hook, why string) error {
	e := h.Common()
	return tx.Exec(`UPDATE `+e.tables().webhooks+` SET paused_at = ?, paused_why = ? WHERE id = ?`, store.At(tx.Now), why,
		e.ID)
}

// ResumeWebhook ends a pause. Waiting deliveries are due at once, and events during the pause are not sent.
func ResumeWebhook(tx *store.Tx, h Hook) error {
	e := h.Common()
	if err := tx.Exec(`UPDATE `+e.tables().webhooks+` SET paused_at = NULL, paused_why = '' WHERE id = ?`,
		e.ID); err != nil {
		return err
	}
	if err := h.catchUp(tx); err != nil {
		return err
	}
	tx.AnnounceWebhook(e.ID)
	return tx.Exec(`UPDATE `+e.tables().deliveries+` SET due_at = ?, attempts = 0
		WHERE webhook_id = ? AND due_at IS NOT NULL`, store.At(tx.Now), e.ID)
}

// DeleteWebhook deletes a webhook with its deliveries.
func DeleteWebhook(tx *store.Tx, h Hook) error {
	e := h.Common()
	if err := tx.Exec(`DELETE FROM `+e.tables().deliveries+` WHERE webhook_id = ?`, e.ID); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM `+e.tables().webhooks+` WHERE id = ?`, e.ID)
}

// SecretOverlap is how long a former secret of a webhook also signs.
const SecretOverlap = 24 * time.Hour

// secretPrefix comes from the Standard Webhooks specification.
const secretPrefix = "whsec_"

// webhookPurpose is the purpose argument of [store.Tx.Seal] for secrets. The name argument is the webhook's id.
const webhookPurpose = "webhooks"

// newSecret returns a random secret, in plain text and sealed.
func newSecret(tx *store.Tx, id string) (secret string, sealed []byte, err error) {
	secret = secretPrefix + randomKey()
	sealed, err = tx.Seal(webhookPurpose, id, secret)
	return secret, sealed, err
}

// RotateSecret replaces the secret of a webhook. The former secret also signs for [SecretOverlap].
func RotateSecret(tx *store.Tx, h Hook) (secret string, err error) {
	e := h.Common()
	secret, sealed, err := newSecret(tx, e.ID)
	if err != nil {
		return "", err
	}
	return secret, tx.Exec(`UPDATE `+e.tables().webhooks+` SET former = secret, former_to = ?, secret = ? WHERE id = ?`,
		store.At(tx.Now.Add(SecretOverlap)), sealed, e.ID)
}

// Secrets returns the secrets that sign at present, the latest first. It returns [store.ErrUnsealed] if the
// installation's keys cannot decrypt them.
func (e *Endpoint) Secrets(tx *store.Tx) ([]string, error) {
	sealed := [][]byte{e.Secret}
	if e.Former != nil && e.FormerTo.After(tx.Now) {
		sealed = append(sealed, e.Former)
	}
	list := make([]string, len(sealed))
	for i, s := range sealed {
		var err error
		if list[i], err = tx.Unseal(webhookPurpose, e.ID, s); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// CheckAddress returns [store.Invalid] for an address that a webhook cannot send to. It does not check the IP address
// of the host; the sender does so when it dials.
func CheckAddress(tx *store.Tx, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return store.Errorf(store.Invalid, "Write an address such as https://hooks.example.org/samepage.")
	case u.User != nil:
		return store.Errorf(store.Invalid, "An address with a name and a password is not sent to.")
	case strings.Contains(address, "#"):
		return store.Errorf(store.Invalid, "Leave out the part after #: it is never sent.")
	}
	if problem := tx.OutgoingProblem(u); problem != "" {
		return store.Errorf(store.Invalid, "It %s. Write an address that begins with https:// and that the whole internet reaches, "+
			"or ask the operator to allow this one.", problem)
	}
	return nil
}
