package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
)

var _ = action.Describe[*governance.OwnWebhook](
	"An address elsewhere to which a person's own notifications are sent.", governance.WebhookStates()...)

// SetWebhook sets the address to which a person's own notifications are sent.
var SetWebhook = noticeAction(action.Action[*notice.Notifications, AddressParams]{
	Name:  "set_webhook",
	Undo:  "Stop it: pause_webhook, or delete_webhook, on its page.",
	Title: "Set your webhook",
	Doc: "Send your notifications from now on to an address, signed as Standard Webhooks describes. The secret for " +
		"checking signatures is shown once.",
	Slot:      "webhook",
	Sensitive: true,
	Guard: func(_ store.Actor, s *notice.Notifications) error {
		if s.Webhook != nil {
			return store.Errorf(store.Conflict, "You have a webhook. Change its address on its page.")
		}
		return nil
	},
	Check: func(tx *store.Tx, _ store.Actor, _ *notice.Notifications, p AddressParams, _ param.Errors) param.Errors {
		return p.check(tx)
	},
	Run: func(tx *store.Tx, by store.Actor, s *notice.Notifications, p AddressParams) (action.Done, error) {
		w, secret, err := governance.SetOwnWebhook(tx, by, p.Address)
		if err != nil {
			return action.Done{}, err
		}
		if len(s.ToWebhook()) == 0 {
			hooked := map[store.Reason]bool{}
			for _, r := range store.Reasons() {
				hooked[r.Reason] = true
			}
			if err := notice.SetWays(tx, s, s.Ways, hooked); err != nil {
				return action.Done{}, err
			}
		}
		return action.Done{Message: "Your webhook is set. Send it a test from its page.", URL: w.Ref().URL,
			Secret: secret}, nil
	},
})

// AddressParams has the address of a person's webhook.
type AddressParams struct {
	Address string `param:"address,text" max:"1000" doc:"Where to send, such as https://hooks.example.org/samepage."`
}

func (p AddressParams) check(tx *store.Tx) param.Errors {
	return param.Bad("address", governance.CheckAddress(tx, p.Address))
}

// ChangeAddress changes the address of a person's webhook.
var ChangeAddress = hookAction(action.Action[*governance.OwnWebhook, AddressParams]{
	Name:      "change_address",
	Undo:      "Change again: change_address.",
	Title:     "Change the address",
	Doc:       "Change where your notifications are sent. The secret stays.",
	Sensitive: true,
	Keeps:     true,
	Offers: func(_ store.Actor, w *governance.OwnWebhook) param.Offers {
		return param.Offers{"address": {Value: w.Address}}
	},
	Check: func(tx *store.Tx, _ store.Actor, _ *governance.OwnWebhook, p AddressParams, _ param.Errors) param.Errors {
		return p.check(tx)
	},
	Run: func(tx *store.Tx, _ store.Actor, w *governance.OwnWebhook, p AddressParams) (action.Done, error) {
		return action.Done{Message: "The address is changed."}, governance.ReplaceAddress(tx, w, p.Address)
	},
})

// StopOwnWebhook pauses a person's webhook in the name of the server. If the person is in an organization, the
// person is notified, and the pause has a journal entry there, which only the person can see.
func StopOwnWebhook(tx *store.Tx, w *governance.OwnWebhook, why string) error {
	before := w.Record()
	if err := governance.PauseWebhook(tx, w, why); err != nil {
		return err
	}
	if w.MemberID == "" { // in no organization, so without an inbox
		return nil
	}
	w.PausedAt, w.PausedWhy = store.At(tx.Now), why
	told := w.Ref()
	told.OrgID, told.MemberID = w.OrgID, w.MemberID
	target := told
	target.PrivateTo = w.MemberID
	seq, err := tx.Journal(store.System(), store.Change{Action: PauseOwnWebhook.Name, Target: target, Before: before,
		After: w.Record(), Why: why})
	if err != nil {
		return err
	}
	_, err = tx.Notify(store.System(), store.Event{Seq: seq, Did: PauseOwnWebhook.Past, Target: target},
		store.Notice{Reason: store.ReasonSecurity, To: []string{w.MemberID}, About: &told})
	return err
}
