package store

import "time"

// CycleDay has the numbers of items of one day of a cycle.
type CycleDay struct {
	Day               time.Time // as midnight in UTC
	Due, Made, Closed int
}

// mostPictured is the largest number of due, made or closed items in a cycle that has counts by day.
const mostPictured = 2000

// cycleDays counts the items of each day of a cycle. It returns nil for a cycle of one day, and for one with too many
// items to count.
func (tx *Tx) cycleDays(c *Cycle) ([]CycleDay, error) {
	if c.Tempo == "daily" {
		return nil, nil
	}
	const stretch = ` AND i.removed_at IS NULL` + AtMost + `) AS `
	var found []struct {
		What string `db:"what"`
		At   Time   `db:"at"`
	}
	var args []any
	for range 3 {
		args = append(args, c.Studio.ID, At(c.Start), At(c.End), mostPictured+1)
	}
	if err := tx.Select(&found, `SELECT * FROM (SELECT 'due' AS what, i.due_at AS at FROM items i
			WHERE i.studio_id = ? AND i.opened_at IS NOT NULL AND i.due_at >= ? AND i.due_at < ?`+stretch+`due
		UNION ALL SELECT * FROM (SELECT 'made' AS what, i.opened_at AS at FROM items i
			WHERE i.studio_id = ? AND i.opened_at >= ? AND i.opened_at < ?`+stretch+`made
		UNION ALL SELECT * FROM (SELECT 'closed' AS what, i.closed_at AS at FROM items i
			WHERE i.studio_id = ? AND i.closed_at >= ? AND i.closed_at < ? AND i.closed_at > i.opened_at`+stretch+`closed`,
		args...); err != nil {
		return nil, err
	}
	first, last := c.Days()
	days := make([]CycleDay, 0, 31)
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		days = append(days, CycleDay{Day: day})
	}
	sums := map[string]int{}
	zone := Location(c.Studio.Zone)
	for i := range found {
		y, m, d := found[i].At.In(zone).Date()
		n := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(first) / (24 * time.Hour))
		day := &days[min(max(n, 0), len(days)-1)]
		switch found[i].What {
		case "due":
			day.Due++
		case "made":
			day.Made++
		default:
			day.Closed++
		}
		if sums[found[i].What]++; sums[found[i].What] > mostPictured {
			return nil, nil
		}
	}
	return days, nil
}
