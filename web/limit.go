package web

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"samepage/store"
	"samepage/views"
)

// How many requests without an identity one address may make in a minute, and how many tries to sign in an address and an
// account get.
const (
	addressReads = 300
	addressTries = 30
	accountTries = 10
)

// limits counts what was asked for in this minute and in the one before. With several servers on one database each shares
// what it has counted once a second, so that together they let through what one would, and a second's worth more at most.
type limits struct {
	now func() time.Time
	off bool // nothing is limited

	mu     sync.Mutex
	minute time.Time
	count  map[counted]int // here, and as told elsewhere
	before map[counted]int // in the minute before
	unsent map[counted]int // counted here and not shared yet; nil where there is nobody to share with
}

func newLimits(now func() time.Time, shared, off bool) *limits {
	l := &limits{now: now, off: off, count: map[counted]int{}, before: map[counted]int{}}
	if shared {
		l.unsent = map[counted]int{}
	}
	return l
}

// counted is what is counted: the doings of somebody.
type counted struct {
	what, whose string
	use         store.Use
}

// String is the key that servers share it by.
func (c counted) String() string { return c.what + " " + c.whose + " " + strconv.Itoa(int(c.use)) }

// quota is what is left of the limit that is nearest to being reached.
type quota struct {
	limit, left int
	reset       time.Duration // until the minute is over
	wait        time.Duration // until something is left, where nothing is
}

// allowance is one limit that a request counts against.
type allowance struct {
	counted
	limit int // a minute; 0 is any number
}

// errLimited is a refusal for a time.
type errLimited struct{ wait time.Duration }

func (e *errLimited) Error() string { return "too many requests" }

// take counts one request against all of the allowances, or against none of them and refuses, saying how long to wait.
func (l *limits) take(all ...allowance) (quota, error) {
	if l.off {
		return quota{limit: math.MaxInt}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.nearest(l.turn(), all)
	if q.left <= 0 {
		return q, &errLimited{q.wait}
	}
	q.left--
	for _, a := range all {
		if a.limit > 0 {
			l.count[a.counted]++
			if l.unsent != nil {
				l.unsent[a.counted]++
			}
		}
	}
	return q, nil
}

// nearest is the allowance with the least left. What is counted are the last sixty seconds: this minute, and of the one
// before the share that is not over.
func (l *limits) nearest(now time.Time, all []allowance) quota {
	past := now.Sub(l.minute)
	q := quota{limit: math.MaxInt, left: math.MaxInt, reset: time.Minute - past}
	for _, a := range all {
		if a.limit <= 0 {
			continue
		}
		used, before := l.count[a.counted], l.before[a.counted]
		left := max(0, a.limit-used-int(float64(before)*float64(q.reset)/float64(time.Minute)))
		if left >= q.left {
			continue
		}
		q.limit, q.left, q.wait = a.limit, left, q.reset
		if free := a.limit - used; before > 0 && free > 0 { // enough of the minute before is over sooner
			q.wait = min(q.wait, time.Duration((1-float64(free)/float64(before))*float64(time.Minute))-past)
		}
		q.wait = max(q.wait, time.Second)
	}
	return q
}

// turn begins a new minute when it is time, and says what time it is.
func (l *limits) turn() (now time.Time) {
	now = l.now()
	minute := now.Truncate(time.Minute)
	switch minute.Sub(l.minute) {
	case 0:
		return now
	case time.Minute:
		l.before = l.count
	default:
		l.before = map[counted]int{}
	}
	l.minute, l.count = minute, map[counted]int{}
	if l.unsent != nil {
		l.unsent = map[counted]int{}
	}
	return now
}

// share tells the other servers what was counted here and learns what they counted.
func (l *limits) share(ctx context.Context, st *store.Store) error {
	l.mu.Lock()
	minute, mine := l.minute, l.unsent
	if len(mine) == 0 {
		l.mu.Unlock()
		return nil
	}
	l.unsent = map[counted]int{}
	l.mu.Unlock()
	totals := make(map[counted]int, len(mine))
	err := st.Write(ctx, func(tx *store.Tx) (err error) {
		for key, n := range mine {
			if totals[key], err = tx.ShareUse(key.String(), minute, n); err != nil {
				return err
			}
		}
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.minute.Equal(minute) {
		return err
	}
	for key, n := range mine {
		if err != nil {
			l.unsent[key] += n
		} else {
			l.count[key] = totals[key] + l.unsent[key]
		}
	}
	return err
}

// spend counts a request of somebody known against their token, their member and their organization.
func (l *limits) spend(by store.Actor, u store.Use) (quota, error) {
	if l.off || by.System || by.Anonymous() {
		return quota{limit: math.MaxInt}, nil
	}
	return l.take(allowances(by, u)...)
}

// allowances are what a use by somebody known counts against. Whoever is in several organizations, or in none, is limited as
// one member is by default: no organization's settings are theirs alone.
func allowances(by store.Actor, u store.Use) []allowance {
	if len(by.Members) != 1 {
		return []allowance{{counted{"user", by.UserID, u}, store.DefaultLimits().Member[u]}}
	}
	m := &by.Members[0]
	set := m.Limits()
	all := []allowance{{counted{"member", m.ID, u}, set.Member[u]}, {counted{"organization", m.OrgID, u}, set.Organization[u]}, {counted{"token", by.Token, u}, set.Token[u]}}
	if !by.IsAgent() {
		return all[:2]
	}
	return all
}

// left is what somebody may still do in this minute, by use; nil where nothing is limited.
func (l *limits) left(by store.Actor) []quota {
	if l.off || by.System || by.Anonymous() {
		return nil
	}
	list := make([]quota, len(store.Uses()))
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.turn()
	for u := range list {
		list[u] = l.nearest(now, allowances(by, store.Use(u)))
	}
	return list
}

// left is what /whoami says of the limits.
func (s *Site) left(by store.Actor) []views.Left {
	var list []views.Left
	for u, q := range s.limits.left(by) {
		if q.limit < math.MaxInt {
			list = append(list, views.Left{Use: store.Uses()[u], Left: q.left, Limit: q.limit})
		}
	}
	return list
}

// tell says in headers what is left.
func (q quota) tell(h http.Header) {
	if q.limit == math.MaxInt {
		return
	}
	h["X-Ratelimit-Limit"] = []string{strconv.Itoa(q.limit)}
	h["X-Ratelimit-Remaining"] = []string{strconv.Itoa(q.left)}
	h["X-Ratelimit-Reset"] = []string{seconds(q.reset)}
}

// seconds is a time in whole seconds, as headers have it.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
