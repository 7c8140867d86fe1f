package actions

import (
	"reflect"
	"strconv"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
)

var _ = action.Describe[*governance.Webhook](
	"An address elsewhere to which the events of an organization are sent.", governance.WebhookStates()...)

// CreateWebhook adds a webhook to an organization.
var CreateWebhook = action.New(action.Action[*governance.Webhooks, WebhookParams]{
	Name:  "create_webhook",
	Past:  "made",
	Undo:  "Stop it: pause_webhook, or delete_webhook.",
	Title: "Add a webhook",
	Doc: "Send what happens from now on to an address, signed as Standard Webhooks describes. It tells only what you may " +
		"see. The secret for checking signatures is shown once.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Owner,
	HumanOnly:  true,
	Sensitive:  true,
	Guard:      func(_ store.Actor, v *governance.Webhooks) error { return v.MustHaveRoom() },
	Offers: func(store.Actor, *governance.Webhooks) param.Offers {
		return param.Offers{"kinds": {Options: kindOptions()}}
	},
	Check: func(tx *store.Tx, by store.Actor, v *governance.Webhooks, p WebhookParams, _ param.Errors) param.Errors {
		_, errs := p.webhook(tx, by, v.ID)
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, v *governance.Webhooks, p WebhookParams) (action.Done, error) {
		n, errs := p.webhook(tx, by, v.ID)
		if errs != nil {
			return action.Done{}, errs
		}
		w, secret, err := governance.CreateWebhook(tx, by, v.Organization, n)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The webhook is made. Send it a test from its page.", URL: w.URL(),
			Made: []action.Subject{w}, Secret: secret}, nil
	},
})

// WebhookParams has the fields of a webhook.
type WebhookParams struct {
	Address string   `param:"address,text" max:"1000" doc:"Where to send, such as https://hooks.example.org/samepage."`
	Studio  string   `param:"studio,ref,optional" doc:"The only studio to tell of, by handle or URL. All studios if it is empty."`
	Kinds   []string `param:"kinds,choices,optional" doc:"The only kinds to tell of; everything if you choose none."`
}

// webhook converts params to a webhook. The studio must be in the organization and visible to the actor.
func (p WebhookParams) webhook(tx *store.Tx, by store.Actor, orgID string) (n governance.NewWebhook, errs param.Errors) {
	n.Address = p.Address
	if len(p.Kinds) > 0 {
		n.Kinds = p.Kinds
	}
	errs = append(errs, param.Bad("address", governance.CheckAddress(tx, p.Address))...)
	if p.Studio == "" {
		return n, errs
	}
	s, err := tx.FindStudio(by, lastSegment(p.Studio))
	if err != nil || s.OrgID != orgID {
		return n, append(errs, param.Error{Field: "studio", Message: "You see no such studio in this organization."})
	}
	n.StudioID = s.ID
	return n, errs
}

// UpdateWebhook changes a webhook.
var UpdateWebhook = action.New(action.Action[*governance.Webhook, WebhookParams]{
	Name:  "update_webhook",
	Past:  "changed",
	Undo:  "Change again: update_webhook.",
	Title: "Change the webhook",
	Doc: "Change where this webhook sends and of what it tells. Its secret stays. With another address, it tells only what " +
		"you may see.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Owner,
	HumanOnly:  true,
	Sensitive:  true,
	Guard:      func(store.Actor, *governance.Webhook) error { return nil },
	Keeps:      true,
	Offers: func(_ store.Actor, w *governance.Webhook) param.Offers {
		return param.Offers{"address": {Value: w.Address}, "studio": {Value: w.Studio},
			"kinds": {Options: kindOptions(), Values: w.Kinds}}
	},
	Check: func(tx *store.Tx, by store.Actor, w *governance.Webhook, p WebhookParams, _ param.Errors) param.Errors {
		_, errs := p.webhook(tx, by, w.OrgID)
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, w *governance.Webhook, p WebhookParams) (action.Done, error) {
		n, errs := p.webhook(tx, by, w.OrgID)
		if errs != nil {
			return action.Done{}, errs
		}
		taken, err := governance.UpdateWebhook(tx, by, w, n)
		done := action.Done{Message: "The webhook is changed."}
		if taken {
			done.Message = "The webhook is changed, and tells what you may see from now on. Nothing earlier is sent."
		}
		return done, err
	},
})

// hook is a webhook of an organization or of a person.
type hook interface {
	action.Subject
	governance.Hook
}

// hookAction declares an action on webhooks of one type, for their owner. An action on a person's own webhook has no
// journal entry.
func hookAction[S hook, P any](a action.Action[S, P]) *action.Spec[S] {
	a.Scope, a.AllowedFor, a.HumanOnly = store.ScopeGovernance, store.Owner, true
	if ownHook[S]() {
		a.AllowedFor, a.Silent = store.Self, true
	}
	if a.Guard == nil {
		a.Guard = func(store.Actor, S) error { return nil }
	}
	return action.New(a)
}

func ownHook[S hook]() bool { return reflect.TypeFor[S]() == reflect.TypeFor[*governance.OwnWebhook]() }

func mustBe[S hook](state string) func(store.Actor, S) error {
	return func(_ store.Actor, w S) error { return w.Common().MustBe(state) }
}

// These actions are the same for webhooks of organizations and of people.
var (
	PauseWebhook, PauseOwnWebhook   = pauseWebhook[*governance.Webhook](), pauseWebhook[*governance.OwnWebhook]()
	ResumeWebhook, ResumeOwnWebhook = resumeWebhook[*governance.Webhook](), resumeWebhook[*governance.OwnWebhook]()
	RotateSecret, RotateOwnSecret   = rotateSecret[*governance.Webhook](), rotateSecret[*governance.OwnWebhook]()
	SendTest, SendOwnTest           = sendTest[*governance.Webhook](), sendTest[*governance.OwnWebhook]()
	Redeliver, RedeliverOwn         = redeliver[*governance.Webhook](), redeliver[*governance.OwnWebhook]()
)

func pauseWebhook[S hook]() *action.Spec[S] {
	return hookAction(action.Action[S, struct{}]{
		Name:  "pause_webhook",
		Past:  "paused",
		Undo:  "Undo: resume_webhook.",
		Title: "Pause",
		Doc:   "Send nothing until you resume it. What happens meanwhile is not told later.",
		Guard: mustBe[S]("active"),
		Run: func(tx *store.Tx, _ store.Actor, w S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "The webhook is paused."}, governance.PauseWebhook(tx, w, "")
		},
	})
}

func resumeWebhook[S hook]() *action.Spec[S] {
	return hookAction(action.Action[S, struct{}]{
		Name:  "resume_webhook",
		Past:  "resumed",
		Undo:  "Undo: pause_webhook.",
		Title: "Resume",
		Doc:   "Send again: what waited before the pause, and what happens from now on.",
		Guard: mustBe[S]("paused"),
		Run: func(tx *store.Tx, _ store.Actor, w S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "The webhook is active. What happened during the pause is not told."},
				governance.ResumeWebhook(tx, w)
		},
	})
}

func rotateSecret[S hook]() *action.Spec[S] {
	return hookAction(action.Action[S, struct{}]{
		Name:  "rotate_secret",
		Past:  "made another secret of",
		Undo:  "Make another: rotate_secret.",
		Title: "Rotate the secret",
		Doc: "Make another secret, shown once. For a day every message is signed with both, so that the receiver can change " +
			"over in peace.",
		Sensitive: true,
		Run: func(tx *store.Tx, _ store.Actor, w S, _ struct{}) (action.Done, error) {
			secret, err := governance.RotateSecret(tx, w)
			return action.Done{Message: "The webhook has another secret. The former one signs too, for a day.", Secret: secret}, err
		},
	})
}

func sendTest[S hook]() *action.Spec[S] {
	return hookAction(action.Action[S, struct{}]{
		Name:  "send_test",
		Past:  "tested",
		Undo:  "It is sent once.",
		Title: "Send a test",
		Doc:   "Send an event of the type webhook.test. The log below shows what became of it.",
		Tool:  true,
		Guard: func(_ store.Actor, w S) error {
			if w.Common().MemberID == "" {
				return store.Errorf(store.Conflict, "You are in no organization, so there is nothing to tell.")
			}
			return w.Common().MustBe("active")
		},
		Run: func(tx *store.Tx, _ store.Actor, w S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "The test is on its way."}, governance.QueueTest(tx, w)
		},
	})
}

func redeliver[S hook]() *action.Spec[S] {
	return hookAction(action.Action[S, RedeliverParams]{
		Name:  "redeliver_event",
		Past:  "sent again an event of",
		Undo:  "It is sent once more.",
		Title: "Send again",
		Doc:   "Send an event of the log again, with the same id, so that the receiver can tell that it is the same.",
		Guard: func(_ store.Actor, w S) error {
			if w.Common().Deliveries == 0 {
				return store.Errorf(store.Conflict, "Nothing was sent yet.")
			}
			return w.Common().MustBe("active")
		},
		Offers: func(_ store.Actor, w S) param.Offers {
			return param.Offers{"delivery": {Max: w.Common().Deliveries}}
		},
		Check: func(tx *store.Tx, _ store.Actor, w S, p RedeliverParams, bad param.Errors) param.Errors {
			if bad.Has("delivery") {
				return nil
			}
			d, err := governance.FindDelivery(tx, w, p.Delivery)
			switch {
			case err != nil:
				return param.Errors{{Field: "delivery",
					Message: "The log has no event " + strconv.Itoa(p.Delivery) + " any more."}}
			case d.State() == "waiting":
				return param.Errors{{Field: "delivery", Message: "It is still on its way."}}
			}
			return nil
		},
		Run: func(tx *store.Tx, _ store.Actor, w S, p RedeliverParams) (action.Done, error) {
			d, err := governance.FindDelivery(tx, w, p.Delivery)
			if err != nil {
				return action.Done{}, err
			}
			return action.Done{Message: "The event is on its way again."}, governance.Redeliver(tx, d)
		},
	})
}

// RedeliverParams has the number of a delivery.
type RedeliverParams struct {
	Delivery int `param:"delivery,number" min:"1" doc:"The number of the event in the log."`
}

// DeleteWebhook deletes a webhook of an organization.
var DeleteWebhook = deleteWebhook(func(w *governance.Webhook) string { return governance.WebhooksURL(w.Org) })

// DeleteOwnWebhook deletes the webhook of a person.
var DeleteOwnWebhook = deleteWebhook(func(*governance.OwnWebhook) string { return notice.SettingsURL })

// deleteWebhook declares the action that deletes a webhook. The function next returns the URL of the page to show after
// the deletion.
func deleteWebhook[S hook](next func(S) string) *action.Spec[S] {
	return hookAction(action.Action[S, struct{}]{
		Name:        "delete_webhook",
		Past:        "deleted",
		Title:       "Delete the webhook",
		Doc:         "Delete this webhook with its log and its secret. What waits is not sent.",
		Destructive: true,
		Run: func(tx *store.Tx, _ store.Actor, w S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "The webhook is deleted.", URL: next(w)}, governance.DeleteWebhook(tx, w)
		},
	})
}

// StopWebhook pauses a webhook without a call of [PauseWebhook], but journals it as that action with why as the reason.
// The organization's owner is notified.
func StopWebhook(tx *store.Tx, w *governance.Webhook, why string) error {
	before := w.Record()
	if err := governance.PauseWebhook(tx, w, why); err != nil {
		return err
	}
	w.PausedAt, w.PausedWhy = store.At(tx.Now), why
	seq, err := tx.Journal(store.System(), store.Change{Action: PauseWebhook.Name, Target: w.Ref(), Before: before,
		After: w.Record(), Why: why})
	if err != nil {
		return err
	}
	_, err = tx.Notify(store.System(), store.Event{Seq: seq, Did: PauseWebhook.Past, Target: w.Ref()},
		store.Notice{Reason: store.ReasonSecurity, To: []string{w.OwnerID}})
	return err
}
