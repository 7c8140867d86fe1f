package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// longestWait is the longest time that a request may wait for a page to change, in seconds.
const longestWait = 60

// waitTime returns the duration of ?wait=SECONDS; zero for no wait.
func waitTime(query url.Values) time.Duration {
	seconds, err := strconv.Atoi(query.Get("wait"))
	if err != nil || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, longestWait)) * time.Second
}

// wait renders a page. With ?wait=SECONDS&since=VERSION it first waits until the version changes,
// the time is over, or the server stops. Every rendering looks the actor up again, so an actor
// without access any more does not see the page. The waiter follows the page's topics before the
// last rendering that precedes the wait; otherwise it would miss a change in between.
func (s *Site) wait(w http.ResponseWriter, r *http.Request, query url.Values, creds credentials, at *Location,
	opts renderOptions) (rendered, error) {
	longest := waitTime(query)
	if at.name != "" || longest == 0 {
		return s.render(r.Context(), creds, at, opts)
	}
	visitOf(w).waits()
	timeout := time.NewTimer(longest)
	defer timeout.Stop()
	opts.match, opts.unless = "", query.Get("since")
	moment := s.hub.now()
	out, err := s.render(r.Context(), creds, at, opts)
	if err != nil || !out.waits() {
		return out, err
	}
	opts.spent = true // later renderings of this request do not count
	again := opts
	key := answerKey{creds.token, creds.login, at.url(), opts.host, opts.form, opts.relative, opts.full, opts.unless}
	mine := s.hub.join(key, func() (rendered, error) {
		// Other requests share the rendering, and they go on when this caller leaves.
		return s.render(context.WithoutCancel(r.Context()), creds, at, again)
	})
	defer mine.leave()
	for err == nil && out.waits() {
		if mine.follow(out.topics, moment) {
			select {
			case <-mine.woken:
				var look func() (rendered, error)
				moment, look = mine.wokenBy()
				out, err = look()
				continue
			case <-r.Context().Done():
				return out, r.Context().Err()
			case <-timeout.C:
				opts.unless = ""
			case <-s.hub.stop:
				opts.unless = ""
			}
		}
		moment = s.hub.now()
		out, err = s.render(r.Context(), creds, at, opts)
	}
	return out, err
}

// waits reports whether the page was not built because the caller has its version.
func (out *rendered) waits() bool { return out.topics != nil }

// StopWaiting answers every waiting request with the present page, and lets no further request
// wait. The server calls it when it begins to stop.
func (s *Site) StopWaiting() { s.hub.release() }
