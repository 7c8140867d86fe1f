//go:build linux

package durability

import (
	"database/sql"
	"encoding/json"
	"testing"
	"time"
)

// ownPath is the path of Alice's own webhook.
const ownPath = "/own"

// compareOwn compares the events of Alice's own webhook with her notifications. Each notification must have one event,
// with its reason and time.
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
	rows, err := db.Query(`SELECT n.reason, n.at, coalesce((SELECT group_concat('msg_' || d.webhook_id || '_' || d.n)
		FROM own_deliveries d WHERE d.member_id = n.member_id AND d.seq = n.seq), '')
		FROM notifications n JOIN members m ON m.id = n.member_id
		WHERE m.handle = 'alice' AND n.read_at IS NULL AND n.at >= (SELECT created_at FROM own_webhooks)`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var reason, id string
		var at int64
		if err := rows.Scan(&reason, &at, &id); err != nil {
			t.Fatal(err)
		}
		sum.entries++
		var e struct {
			Type      string
			Timestamp time.Time
		}
		switch n := accepted[id]; {
		case n == 0:
			t.Errorf("%s: the event %q is lost", ownPath, id)
			continue
		case n > 1:
			sum.doubled++
		}
		if err := json.Unmarshal([]byte(bodies[id]), &e); err != nil || e.Type != "notification."+reason ||
			e.Timestamp.UnixMilli() != at {
			t.Errorf("%s: the event of a %s at %d is %s", ownPath, reason, at, bodies[id])
		}
	}
	if sum.events = len(bodies); rows.Err() != nil || sum.entries == 0 || sum.events != sum.entries {
		t.Errorf("%s has %d events of %d notifications, %v", ownPath, sum.events, sum.entries, rows.Err())
	}
	return sum
}
