package web

import (
	"context"
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"samepage/store"
	"samepage/views"
	"samepage/web/wire"
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
	now    func() time.Time
	off    bool // nothing is limited
	shared bool // there are other servers to tell

	mu     sync.Mutex
	minute int64 // the latest, in minutes since 1970
	count  map[counted]*counter
}

// counter is how often something was counted.
type counter struct {
	minute int64 // that it is of
	n      int   // here, and as told elsewhere
	before int   // in the minute before
	unsent int   // counted here and not shared yet
}

func newLimits(now func() time.Time, shared, off bool) *limits {
	return &limits{now: now, off: off, shared: shared, count: map[counted]*counter{}}
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
type errLimited struct{ quota }

func (e *errLimited) Error() string { return "too many requests" }

// take counts one request against all of the allowances, or against none of them and refuses, saying how long to wait.
func (l *limits) take(all ...allowance) (quota, error) {
	if l.off {
		return quota{limit: math.MaxInt}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	minute, past := l.turn()
	q := l.nearest(minute, past, all)
	if q.left <= 0 {
		return q, &errLimited{q}
	}
	q.left--
	for _, a := range all {
		if a.limit <= 0 {
			continue
		}
		c := l.count[a.counted]
		if c == nil {
			c = &counter{minute: minute}
			l.count[a.counted] = c
		}
		c.turn(minute)
		c.n++
		c.unsent++
	}
	return q, nil
}

// nearest is the allowance with the least left. What is counted are the last sixty seconds: this minute, and of the one
// before the share that is not over.
func (l *limits) nearest(minute int64, past time.Duration, all []allowance) quota {
	q := quota{limit: math.MaxInt, left: math.MaxInt, reset: time.Minute - past}
	for _, a := range all {
		if a.limit <= 0 {
			continue
		}
		var c counter
		if kept := l.count[a.counted]; kept != nil {
			kept.turn(minute)
			c = *kept
		}
		left := max(0, a.limit-c.n-int(float64(c.before)*float64(q.reset)/float64(time.Minute)))
		if left >= q.left {
			continue
		}
		q.limit, q.left, q.wait = a.limit, left, q.reset
		if free := a.limit - c.n; c.before > 0 && free > 0 { // enough of the minute before is over sooner
			q.wait = min(q.wait, time.Duration((1-float64(free)/float64(c.before))*float64(time.Minute))-past)
		}
		q.wait = max(q.wait, time.Second)
	}
	return q
}

// turn says which minute it is and how much of it is over. In a new one, what was not counted for two minutes is forgotten.
func (l *limits) turn() (minute int64, past time.Duration) {
	now := l.now().UnixNano()
	minute, past = now/int64(time.Minute), time.Duration(now%int64(time.Minute))
	if minute != l.minute {
		l.minute = minute
		maps.DeleteFunc(l.count, func(_ counted, c *counter) bool { return minute-c.minute > 1 })
	}
	return minute, past
}

// turn begins a new minute when it is time.
func (c *counter) turn(minute int64) {
	switch minute - c.minute {
	case 0:
		return
	case 1:
		*c = counter{minute: minute, before: c.n}
	default:
		*c = counter{minute: minute}
	}
}

// share tells the other servers what was counted here and learns what they counted.
func (l *limits) share(ctx context.Context, st *store.Store) error {
	mine := map[counted]int{}
	l.mu.Lock()
	minute := l.minute
	for key, c := range l.count {
		if c.minute == minute && c.unsent > 0 {
			mine[key], c.unsent = c.unsent, 0
		}
	}
	l.mu.Unlock()
	if len(mine) == 0 {
		return nil
	}
	totals := make(map[counted]int, len(mine))
	err := st.Write(ctx, func(tx *store.Tx) (err error) {
		for key, n := range mine {
			if totals[key], err = tx.ShareUse(key.String(), time.Unix(60*minute, 0), n); err != nil {
				return err
			}
		}
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, n := range mine {
		switch c := l.count[key]; {
		case c == nil || c.minute != minute: // too late
		case err != nil:
			c.unsent += n
		default:
			c.n = totals[key] + c.unsent
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
	minute, past := l.turn()
	for u := range list {
		list[u] = l.nearest(minute, past, allowances(by, store.Use(u)))
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

// setHeaders sets the headers for what is left.
func (q quota) setHeaders(h http.Header) {
	if q.limit == math.MaxInt {
		return
	}
	h[wire.LimitHeaders+"Limit"] = []string{strconv.Itoa(q.limit)}
	h[wire.LimitHeaders+"Remaining"] = []string{strconv.Itoa(q.left)}
	h[wire.LimitHeaders+"Reset"] = []string{seconds(q.reset)}
}

// seconds is a time in whole seconds, as headers have it.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
