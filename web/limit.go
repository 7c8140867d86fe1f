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

// The limits per minute: requests of an anonymous address, and login attempts of an address and of
// an account.
const (
	addressReads = 300
	addressTries = 30
	accountTries = 10
	// After too many tries at an account, each network still has one in a minute, which waits before it is looked at. So
	// nobody is locked out by the tries of others. The tries at an account together are at most 10 at once, 10 from
	// browsers that it has signed in on, and 60 slow ones in a minute.
	slowTries        = 60
	slowNetworkTries = 1
	slowTryDelay     = 5 * time.Second
)

// limits counts the requests of this minute and of the minute before. Several servers on one
// database exchange their counts once a second, so together they admit at most one second's
// requests more than one server would.
type limits struct {
	now    func() time.Time
	off    bool // no limits apply
	shared bool // other servers use the same database

	mu     sync.Mutex
	minute int64 // the latest, in minutes since 1970
	count  map[counted]*counter
}

// counter is the number of requests of one key.
type counter struct {
	minute int64 // of the first count
	n      int   // in that minute, on this server and, as far as known, on the others
	before int   // in the minute before
	unsent int   // counted here and not yet shared
}

func newLimits(now func() time.Time, shared, off bool) *limits {
	return &limits{now: now, off: off, shared: shared, count: map[counted]*counter{}}
}

// counted is the key of a counter.
type counted struct {
	kind, id string
	use      store.Use
}

// String returns the key under which servers share the counter.
func (c counted) String() string { return c.kind + " " + c.id + " " + strconv.Itoa(int(c.use)) }

// quota is the remainder of the limit that is nearest to being reached.
type quota struct {
	limit, left int
	reset       time.Duration // until the minute ends
	wait        time.Duration // until the limit admits another request, if none is left
}

// allowance is one limit that a request counts against.
type allowance struct {
	counted
	limit int // requests a minute; 0 for no limit
}

// errLimited is the refusal of a request over a limit.
type errLimited struct{ quota }

func (e *errLimited) Error() string {
	return "Too many requests came from this address. Nothing was done; wait and send it again."
}

// Wait returns the time until the limit admits another request.
func (e *errLimited) Wait() time.Duration { return e.wait }

// take counts one request against all allowances. If one of them is exhausted it counts nothing,
// and the error, an [errLimited], has the time to wait.
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

// nearest returns the quota of the allowance with the least left. It counts the last sixty seconds:
// all of this minute, and the minute before by the share of it that lies within them.
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
		if free := a.limit - c.n; c.before > 0 && free > 0 { // enough of the minute before expires sooner
			q.wait = min(q.wait, time.Duration((1-float64(free)/float64(c.before))*float64(time.Minute))-past)
		}
		q.wait = max(q.wait, time.Second)
	}
	return q
}

// turn returns the present minute and the elapsed part of it. In a new minute it drops the counters
// without a request in the last two minutes.
func (l *limits) turn() (minute int64, past time.Duration) {
	now := l.now().UnixNano()
	minute, past = now/int64(time.Minute), time.Duration(now%int64(time.Minute))
	if minute != l.minute {
		l.minute = minute
		maps.DeleteFunc(l.count, func(_ counted, c *counter) bool { return minute-c.minute > 1 })
	}
	return minute, past
}

// turn moves the counter to the given minute.
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

// share adds this server's new counts to the shared ones and reads the totals.
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
		case c == nil || c.minute != minute: // the minute is over
		case err != nil:
			c.unsent += n
		default:
			c.n = totals[key] + c.unsent
		}
	}
	return err
}

// spend counts a request of a known actor against the token, the member and the organization.
func (l *limits) spend(by store.Actor, u store.Use) (quota, error) {
	if l.off || by.System || by.Anonymous() {
		return quota{limit: math.MaxInt}, nil
	}
	return l.take(allowances(by, u)...)
}

// allowances are the limits for a use by a known actor. An actor with several memberships, or with
// none, has the default limits of one member: no single organization's settings apply.
func allowances(by store.Actor, u store.Use) []allowance {
	if len(by.Members) != 1 {
		return []allowance{{counted{"user", by.UserID, u}, store.DefaultLimits().Member[u]}}
	}
	m := &by.Members[0]
	set := m.Limits()
	all := []allowance{{counted{"member", m.ID, u}, set.Member[u]},
		{counted{"organization", m.OrgID, u}, set.Organization[u]}, {counted{"token", by.Token, u}, set.Token[u]}}
	if !by.IsAgent() {
		return all[:2]
	}
	return all
}

// remaining returns the quotas of the actor by use; nil if no limits apply.
func (l *limits) remaining(by store.Actor) []quota {
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

// remainingLimits returns the quotas for /whoami.
func (s *Site) remainingLimits(by store.Actor) []views.RemainingLimit {
	var list []views.RemainingLimit
	for u, q := range s.limits.remaining(by) {
		if q.limit < math.MaxInt {
			list = append(list, views.RemainingLimit{Use: store.Uses()[u], Left: q.left, Limit: q.limit})
		}
	}
	return list
}

// setHeaders sets the headers of the quota.
func (q quota) setHeaders(h http.Header) {
	if q.limit == math.MaxInt {
		return
	}
	h[wire.LimitHeaders+"Limit"] = []string{strconv.Itoa(q.limit)}
	h[wire.LimitHeaders+"Remaining"] = []string{strconv.Itoa(q.left)}
	h[wire.LimitHeaders+"Reset"] = []string{seconds(q.reset)}
}

// seconds formats a duration in whole seconds, rounded up, for headers.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
