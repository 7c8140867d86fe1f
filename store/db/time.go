package db

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"
)

// Time is a point in time, stored in milliseconds since 1970 in UTC. The zero Time is stored as NULL.
type Time struct{ time.Time }

// At returns t in UTC, truncated to a millisecond.
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{t.UTC().Truncate(time.Millisecond)}
}

// Scan implements [sql.Scanner].
func (t *Time) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		t.Time = time.Time{}
	case int64:
		t.Time = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("time: cannot scan %T", v)
	}
	return nil
}

// Value implements [driver.Valuer].
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMilli(), nil
}

var (
	_ sql.Scanner   = (*Time)(nil)
	_ driver.Valuer = Time{}
)
