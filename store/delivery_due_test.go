package store_test

import (
	"slices"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
	"samepage/store/keyfile"
)

// TestDueWebhooksShareALimit checks that the webhooks of organizations and those of people are listed together, in the
// order in which their deliveries became due, and that one limit holds for all of them.
func TestDueWebhooksShareALimit(t *testing.T) {
	w := newWorld(t)
	w.Store.UseKeys(keyfile.New())
	w.write(func(tx *store.Tx) error {
		var hooks []governance.Hook
		for _, by := range []store.Actor{w.alice, w.bob} {
			own, _, err := governance.SetOwnWebhook(tx, by, "https://hooks.example.org/own")
			if err != nil {
				return err
			}
			h, _, err := governance.CreateWebhook(tx, w.alice, w.acme, governance.NewWebhook{Address: "https://hooks.example.org/"})
			if err != nil {
				return err
			}
			hooks = append(hooks, own, h)
		}
		var want []string
		for i, h := range hooks { // own and not own in turn, each due later than the one before it
			table := "deliveries"
			if h.Common().Own {
				table = "own_deliveries"
			}
			want = append(want, h.Common().ID)
			if err := governance.QueueTest(tx, h); err != nil {
				return err
			}
			if err := tx.Exec(`UPDATE `+table+` SET due_at = ? WHERE webhook_id = ?`,
				store.At(tx.Now.Add(time.Duration(i-len(hooks))*time.Hour)), h.Common().ID); err != nil {
				return err
			}
		}
		for limit := 1; limit <= len(hooks)+1; limit++ {
			list, err := governance.DueWebhooks(tx, limit)
			if err != nil {
				return err
			}
			var got []string
			for i := range list {
				got = append(got, list[i].ID)
				if n := slices.Index(want, list[i].ID); n >= 0 && list[i].Own != hooks[n].Common().Own {
					t.Errorf("webhook %d has Own = %t", n, list[i].Own)
				}
			}
			if !slices.Equal(got, want[:min(limit, len(want))]) {
				t.Errorf("with a limit of %d, the due webhooks are %v, not the first of %v", limit, got, want)
			}
		}
		return nil
	})
}
