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

// These are limits per minute: for requests that count against an address, for the attempts that [Site.countAttempt]
// counts against an address, and for those at one account.
const (
	addressReads = 300
	addressTries = 30
	accountTries = 10
	// After too many tries at an account, each [network] may still make a few slow ones in a minute, so that an
	// attacker cannot lock the owner out. An account thus admits at most 10 ordinary tries, 10 from browsers known to
	// it and 60 slow ones in a minute.
	slowTries        = 60
	slowNetworkTries = 1
	slowTryDelay     = 5 * time.Second
)

// limits counts the requests in this minute and in the minute before. Servers with one database exchange their counts
// once a second, so together they can exceed a limit by about the requests of one second.
type limits struct {
	now    func() time.Time
	off    bool
	shared bool // whether other servers use the same database

	mu     sync.Mutex
	minute int64 // the current minute, counted from 1970
	count  map[counted]*counter
}

type counter struct {
	minute int64 // the minute that n counts
	n      int   // number of requests in that minute, on this server and, as far as known, on other servers
	before int   // number of requests in the minute before
	unsent int   // number of requests counted here and not yet shared
}

func newLimits(now func() time.Time, shared, off bool) *limits {
	return &limits{now: now, off: off, shared: shared, count: map[counted]*counter{}}
}

type counted struct {
	kind, id string
	use      store.Use
}

// String returns the key of the counter in the database.
func (c counted) String() string { return c.kind + " " + c.id + " " + strconv.Itoa(int(c.use)) }

// quota says how much is left of the limit that is nearest to being reached.
type quota struct {
	of          counted
	limit, left int
	reset       time.Duration // time until the minute ends
	wait        time.Duration // time until another request is admitted, if none is left
}

// allowance is a limit together with the counter that it applies to.
type allowance struct {
	counted
	limit int // greatest number of requests in a minute; 0 for no limit
}

type errLimited struct{ quota }

func (e *errLimited) Error() string {
	return "Too many " + limitedUse(e.of.kind) + ": nothing was done. Wait " + seconds(e.wait) + " seconds and try again."
}

// limitedUse describes the requests that a counter of the given kind counts. All kinds that are not listed count
// attempts at one account.
func limitedUse(kind string) string {
	switch kind {
	case "token":
		return "requests with this token"
	case "member":
		return "requests by this member and their agents"
	case "organization":
		return "requests by members of this organization"
	case "user":
		return "requests by this account"
	case "address", "registrations from":
		return "requests from this address"
	case "tries from":
		return "attempts from this address"
	}
	return "attempts at this account"
}

// Wait returns how long to wait until another request is admitted.
func (e *errLimited) Wait() time.Duration { return e.wait }

// take counts one request against all allowances. If one of them is exhausted, take counts nothing and returns an
// [errLimited] with the time to wait.
func (l *limits) take(all ...allowance) (quota, error) {
	if l.off {
		return quota{limit: math.MaxInt}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	minute, past := l.currentMinute()
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
		c.advance(minute)
		c.n++
		c.unsent++
	}
	return q, nil
}

// nearest returns the quota of the allowance that has the least left. It estimates the requests of the last sixty
// seconds: all requests of this minute, and those of the minute before in proportion to its part of the sixty seconds.
func (l *limits) nearest(minute int64, past time.Duration, all []allowance) quota {
	q := quota{limit: math.MaxInt, left: math.MaxInt, reset: time.Minute - past}
	for _, a := range all {
		if a.limit <= 0 {
			continue
		}
		var c counter
		if kept := l.count[a.counted]; kept != nil {
			kept.advance(minute)
			c = *kept
		}
		left := max(0, a.limit-c.n-int(float64(c.before)*float64(q.reset)/float64(time.Minute)))
		if left >= q.left {
			continue
		}
		q.of, q.limit, q.left, q.wait = a.counted, a.limit, left, q.reset
		// The estimate counts fewer and fewer requests of the minute before, so it may admit a request before this
		// minute ends.
		if free := a.limit - c.n; c.before > 0 && free > 0 {
			q.wait = min(q.wait, time.Duration((1-float64(free)/float64(c.before))*float64(time.Minute))-past)
		}
		q.wait = max(q.wait, time.Second)
	}
	return q
}

// currentMinute returns the current minute and how much of it has passed. When a new minute begins, it removes the
// counters that have no request in this minute or the minute before.
func (l *limits) currentMinute() (minute int64, past time.Duration) {
	now := l.now().UnixNano()
	minute, past = now/int64(time.Minute), time.Duration(now%int64(time.Minute))
	if minute != l.minute {
		l.minute = minute
		maps.DeleteFunc(l.count, func(_ counted, c *counter) bool { return minute-c.minute > 1 })
	}
	return minute, past
}

func (c *counter) advance(minute int64) {
	switch minute - c.minute {
	case 0:
		return
	case 1:
		*c = counter{minute: minute, before: c.n}
	default:
		*c = counter{minute: minute}
	}
}

// share adds this server's new requests to the counters in the database, and sets its own counters to the totals.
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
		case c == nil || c.minute != minute: // the minute has ended
		case err != nil:
			c.unsent += n
		default:
			c.n = totals[key] + c.unsent
		}
	}
	return err
}

func (l *limits) spend(by store.Actor, u store.Use) (quota, error) {
	if l.off || by.System || by.Anonymous() {
		return quota{limit: math.MaxInt}, nil
	}
	return l.take(allowances(by, u)...)
}

// runnerLimit is the limit of a runner's token, in requests a minute of each use. It lets 20 turns report ten times a
// second.
const runnerLimit = 20 * 10 * 60

// allowances returns the limits for a use by a signed-in actor. For an actor with several memberships or none, the
// default limits of one member apply, because no single organization's settings do.
func allowances(by store.Actor, u store.Use) []allowance {
	if by.Runs() {
		return []allowance{{counted{"token", by.Token, u}, runnerLimit}}
	}
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

// remaining returns the quota of the actor for each use, or nil if no limits apply.
func (l *limits) remaining(by store.Actor) []quota {
	if l.off || by.System || by.Anonymous() {
		return nil
	}
	list := make([]quota, len(store.Uses()))
	l.mu.Lock()
	defer l.mu.Unlock()
	minute, past := l.currentMinute()
	for u := range list {
		list[u] = l.nearest(minute, past, allowances(by, store.Use(u)))
	}
	return list
}

func (s *Site) remainingLimits(by store.Actor) []views.RemainingLimit {
	var list []views.RemainingLimit
	for u, q := range s.limits.remaining(by) {
		if q.limit < math.MaxInt {
			list = append(list, views.RemainingLimit{Use: store.Uses()[u], Left: q.left, Limit: q.limit})
		}
	}
	return list
}

func (q quota) setHeaders(h http.Header) {
	if q.limit == math.MaxInt {
		return
	}
	h[wire.LimitHeaders+"Limit"] = []string{strconv.Itoa(q.limit)}
	h[wire.LimitHeaders+"Remaining"] = []string{strconv.Itoa(q.left)}
	h[wire.LimitHeaders+"Reset"] = []string{seconds(q.reset)}
}

// seconds formats a duration as a number of seconds, rounded up.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
