//go:build linux

package durability

import (
	"database/sql"
	"testing"
)

// ownPath is the path of Alice's own webhook.
const ownPath = "/own"

// compareOwn compares the events of Alice's own webhook with her notifications. Each notification must have one event.
func (h *hooked) compareOwn(t *testing.T, db *sql.DB, got []delivery) (sum tallied) {
	t.Helper()
	bodies, accepted := map[string]string{}, map[string]int{}
	for _, d := range got {
		if d.path != ownPath {
			continue
		}
		sum.requests++
		id := d.header.Get("webhook-id")
		if first, ok := bodies[id]; ok && first != string(d.body) {
			t.Errorf("%s has two bodies:\n%s\n%s", id, first, d.body)
		} else if ok {
			sum.repeated++
		}
		bodies[id] = string(d.body)
		if d.accepted {
			accepted[id]++
		}
	}
	ids, err := texts(db, `SELECT coalesce((SELECT group_concat('msg_' || d.webhook_id || '_' || d.n) FROM own_deliveries d
		WHERE d.member_id = n.member_id AND d.seq = n.seq), '') FROM notifications n JOIN members m ON m.id = n.member_id
		WHERE m.handle = 'alice' AND n.read_at IS NULL AND n.at >= (SELECT created_at FROM own_webhooks)`)
	if err != nil || len(ids) == 0 {
		t.Fatalf("%s: %d notifications, %v", ownPath, len(ids), err)
	}
	sum.entries, sum.events = len(ids), len(bodies)
	if len(bodies) != len(ids) {
		t.Errorf("%s has %d events of %d notifications", ownPath, len(bodies), len(ids))
	}
	for _, id := range ids {
		switch n := accepted[id]; {
		case n == 0:
			t.Errorf("%s: the event %q is lost", ownPath, id)
		case n > 1:
			sum.doubled++
		}
	}
	return sum
}
