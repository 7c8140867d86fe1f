package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"samepage/store"
	"samepage/store/governance"
)

type message struct {
	to      *governance.Endpoint
	id      string
	body    []byte
	secrets []string
	skipped bool   // the delivery was left out or postponed
	problem string // why the message cannot be sent; empty if it can be sent
	stop    string // why to pause the webhook; empty to go on

	touch func(tx *store.Tx) error // refreshes open copies of the webhook's page
	pause func(tx *store.Tx, why string) error
}

const makerGone = "The member who made it has left the organization. Make another one."

type event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

type change struct {
	Organization string `json:"organization"`
	Entry        int64  `json:"entry"`
	Action       string `json:"action"`
	Kind         string `json:"kind"`
	Title        string `json:"title,omitempty"` // missing if it was erased
	URL          string `json:"url"`
	Journal      string `json:"journal"`
	By           string `json:"by"`
	Agent        string `json:"agent,omitempty"`
	As           string `json:"as,omitempty"`   // right that allowed the action, such as "author"
	Role         string `json:"role,omitempty"` // title of the role that gave the authority
	Sentence     string `json:"sentence"`
	Why          string `json:"why,omitempty"`
}

type test struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
	Sentence     string `json:"sentence"`
}

// compose returns the message for a delivery. An event of an organization is as it is in the journal now, without texts
// that have been erased.
func (s *Sender) compose(tx *store.Tx, d *governance.Delivery) (*message, error) {
	if d.Own {
		return s.composeOwn(tx, d)
	}
	w, err := governance.WebhookOf(tx, d.WebhookID)
	if err != nil {
		return nil, err
	}
	m := &message{to: &w.Endpoint, id: d.ID(),
		touch: func(tx *store.Tx) error { return tx.TouchOwnOf(w.OwnerID) },
		pause: func(tx *store.Tx, why string) error { return s.Stop(tx, w, why) }}
	if w.MakerGone {
		m.problem, m.stop = makerGone, makerGone
		return m, nil
	}
	e := event{Type: d.Type, Timestamp: d.CreatedAt.UTC()}
	if d.Seq == 0 {
		e.Data = test{w.Org, s.Origin() + w.URL(), "This is a test of " + w.OrgName + "."}
	} else {
		list, err := tx.EntriesAfter(w.OrgID, w.MemberID, d.Seq-1, 1)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 || list[0].Seq != d.Seq {
			m.skipped = true
			return m, governance.LeaveOut(tx, d, "@"+w.Member+", who made the webhook, may not see this event any more")
		}
		e.Timestamp, e.Data = list[0].At.UTC(), s.changeOf(&list[0])
	}
	return m, m.seal(tx, e)
}

func (m *message) seal(tx *store.Tx, e event) (err error) {
	if m.secrets, err = m.to.Secrets(tx); errors.Is(err, store.ErrUnsealed) {
		m.stop = "Its secret was sealed with other keys than those of this installation. Rotate it."
		m.problem = m.stop
		return nil
	} else if err != nil {
		return err
	}
	m.body, err = json.Marshal(e)
	return err
}

func (s *Sender) changeOf(e *store.Entry) change {
	by, title := e.By(), e.Title
	title = cmp.Or(title, "something that was erased")
	if said := e.Said(); said != "" {
		by += ", " + said + ","
	}
	return change{Organization: e.Org, Entry: e.Seq, Action: e.Action, Kind: e.Kind, Title: e.Title, URL: s.Origin() + e.URL,
		Journal: s.Origin() + e.PageURL(), By: e.Member, Agent: e.Agent, As: e.As, Role: e.Role,
		Sentence: by + " " + s.Did(e) + " " + title, Why: e.Why}
}

// maxAnswer is how much of an answer is read, in bytes, so that the connection can be used again.
const maxAnswer = 64 << 10

// send makes one attempt to deliver a message. The signature has the present time.
func (s *Sender) send(ctx context.Context, m *message) governance.Attempt {
	begin := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.to.Address, bytes.NewReader(m.body))
	if err != nil {
		return governance.Attempt{Problem: "the address cannot be read"}
	}
	signature, err := sign(m, begin)
	if err != nil {
		return governance.Attempt{Problem: "the secret cannot be read; rotate it"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Samepage-Webhooks")
	req.Header.Set(standardwebhooks.HeaderWebhookID, m.id)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(begin.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	res, err := s.client.Do(req)
	a := governance.Attempt{Took: time.Since(begin)}
	if err != nil {
		a.Problem = problemOf(err)
		return a
	}
	defer res.Body.Close()
	// The rest of the answer does not matter: the status says whether the event was accepted.
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
	if a.Status = res.StatusCode; a.Status/100 == 2 {
		return a
	}
	a.Problem = fmt.Sprintf("the receiver answered %d", a.Status)
	if a.Status/100 == 3 {
		a.Problem += ", a redirect, which is not followed: give the address that it leads to"
	}
	if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && n > 0 {
		a.Wait = min(time.Duration(n)*time.Second, time.Hour)
	}
	return a
}

// sign returns the signatures with each secret, separated by spaces.
func sign(m *message, at time.Time) (string, error) {
	list := make([]string, len(m.secrets))
	for i, secret := range m.secrets {
		w, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", err
		}
		if list[i], err = w.Sign(m.id, at, m.body); err != nil {
			return "", err
		}
	}
	return strings.Join(list, " "), nil
}
