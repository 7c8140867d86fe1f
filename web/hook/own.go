package hook

import (
	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
)

// told is the data of an event about a notification.
type told struct {
	Organization string `json:"organization"`
	Studio       string `json:"studio,omitempty"` // missing if the person may not see it
	Reason       string `json:"reason"`
	By           string `json:"by"`
	Title        string `json:"title"`
	URL          string `json:"url"`
	Sentence     string `json:"sentence"`
}

// composeOwn returns the message for a delivery of a person's webhook. It postpones the delivery in quiet hours, and
// leaves it out if [Sender.MayTell] returns a reason.
func (s *Sender) composeOwn(tx *store.Tx, d *governance.Delivery) (*message, error) {
	w, err := governance.OwnWebhookOf(tx, d.WebhookID)
	if err != nil {
		return nil, err
	}
	m := &message{to: &w.Endpoint, id: d.ID(), touch: w.Touch,
		pause: func(tx *store.Tx, why string) error { return s.StopOwn(tx, w, why) }}
	e := event{Type: d.Type, Timestamp: d.CreatedAt.UTC()}
	if d.Seq == 0 {
		e.Data = test{d.Org, s.Origin() + governance.OwnWebhookURL, "This is a test of your webhook."}
		return m, m.seal(tx, e)
	}
	own, err := notice.Of(tx, w.UserID)
	if err != nil {
		return nil, err
	}
	if end := own.QuietUntil(tx.Now); !end.IsZero() {
		m.skipped = true
		return m, governance.PostponeDelivery(tx, d, end)
	}
	t, why, err := s.MayTell(tx, w, d)
	if err != nil {
		return nil, err
	}
	if why != "" {
		m.skipped = true
		return m, governance.LeaveOut(tx, d, why)
	}
	e.Timestamp = t.At.UTC()
	e.Data = told{t.Org, t.Studio, string(t.Reason), t.Actor, t.Title, s.Origin() + t.Link(), t.Sentence()}
	return m, m.seal(tx, e)
}

// MayTell returns the notification of a delivery, or the reason to leave it out: the notification is gone, the person
// may not read its page now, or the delivery was never tried and [governance.OwnWants] returns false.
func (s *Sender) MayTell(tx *store.Tx, w *governance.OwnWebhook, d *governance.Delivery) (
	t *notice.Told, why string, err error) {
	t, err = notice.ToldOf(tx, d.MemberID, d.Seq)
	switch {
	case store.CodeOf(err) == store.NotFound:
		return nil, "the notification is gone, or you have left the organization", nil
	case err != nil:
		return nil, "", err
	}
	if !d.Begun() {
		if wanted, err := governance.OwnWants(tx, w, d); err != nil || !wanted {
			return nil, "you had read it, or did not want it here any more", err
		}
	}
	by, err := tx.PersonOf(w.UserID)
	if err != nil {
		return nil, "", err
	}
	if may, err := s.MayRead(tx, by, t.URL); err != nil || !may {
		return nil, "you may not see the page any more", err
	}
	return t, "", nil
}
