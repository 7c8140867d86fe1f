package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// longestWait is how long a request may wait for a page to change, in seconds.
const longestWait = 60

// patience reads ?wait=SECONDS; zero is no wait.
func patience(query url.Values) time.Duration {
	seconds, err := strconv.Atoi(query.Get("wait"))
	if err != nil || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, longestWait)) * time.Second
}

// wait renders a page. With ?wait=SECONDS&since=VERSION it first waits until the version is another one, the time is up, or the
// server stops. Every look finds the actor anew: one that may no longer read the page is not shown it. The topics of a page are
// followed before the look that decides to wait, or that look would miss what changes between.
func (s *Site) wait(r *http.Request, query url.Values, who credentials, at *location, opts renderOptions) (rendered, error) {
	longest := patience(query)
	if at.name != "" || longest == 0 {
		return s.render(r.Context(), who, at, opts)
	}
	timeout := time.NewTimer(longest)
	defer timeout.Stop()
	opts.match, opts.unless = "", query.Get("since")
	moment := s.hub.now()
	out, err := s.render(r.Context(), who, at, opts)
	if err != nil || !out.waits() {
		return out, err
	}
	opts.spent = true // however often the page is looked at
	again := opts
	key := answerKey{who.token, who.login, at.url(), opts.host, opts.form, opts.relative, opts.full, opts.unless}
	w := s.hub.join(key, func() (rendered, error) {
		return s.render(context.WithoutCancel(r.Context()), who, at, again) // for others too, who stay when this caller goes
	})
	defer w.leave()
	for err == nil && out.waits() {
		if w.follow(out.topics, moment) {
			select {
			case <-w.woken:
				var look func() (rendered, error)
				moment, look = w.wokenBy()
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
		out, err = s.render(r.Context(), who, at, opts)
	}
	return out, err
}

// waits reports that the page was not built, because the caller has its version.
func (out *rendered) waits() bool { return out.topics != nil }

// StopWaiting answers every request that waits for a page to change with the page as it is, and has none wait from now on. A
// server calls it when it begins to stop.
func (s *Site) StopWaiting() { s.hub.release() }
