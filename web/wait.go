package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"samepage/web/wire"
)

// longestWait is the longest time in seconds that a request may wait for a page to change.
const longestWait = 60

// These keys of a query make a request wait for a page to change.
const (
	waitKey  = "wait"  // the longest time to wait, in seconds
	sinceKey = "since" // the version of the page that the caller has read
)

// waitProblem returns a sentence if these values of waitKey and sinceKey cannot make a request wait although they seem
// to ask for it, and otherwise "".
func waitProblem(wait, since string) string {
	const such = "such as wait=30&since=7, which waits 30 seconds for another version than 7"
	switch n, err := strconv.Atoi(wait); {
	case err != nil || n < 0:
		return "In the address " + wire.Clip(waitKey+"="+wait, 60) +
			" is no number of seconds, so this did not wait. Write one, " + such + "."
	case n > 0 && since == "":
		return "In the address wait has no since, the version that you have read, so this did not wait. Write both, " + such + "."
	}
	return ""
}

// waitTime returns the duration in ?wait=SECONDS, at most longestWait, or zero if the request does not wait.
func waitTime(query url.Values) time.Duration {
	seconds, err := strconv.Atoi(query.Get(waitKey))
	if err != nil || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, longestWait)) * time.Second
}

// wait renders a page. With ?wait=SECONDS&since=VERSION it first waits until the page has another version, the time has
// passed, or the server stops. Each rendering looks up the actor again, because the actor may have lost access. Before
// each rendering, wait takes the number of the hub's latest announcement, so that it notices a change during the
// rendering.
func (s *Site) wait(w http.ResponseWriter, r *http.Request, query url.Values, creds credentials, at *Location,
	opts renderOptions) (rendered, error) {
	longest := waitTime(query)
	if at.name != "" || longest == 0 {
		return s.render(r.Context(), creds, at, opts)
	}
	visitOf(w).setWaited()
	timeout := time.NewTimer(longest)
	defer timeout.Stop()
	opts.match, opts.unless = "", query.Get(sinceKey)
	moment := s.hub.now()
	out, err := s.render(r.Context(), creds, at, opts)
	if err != nil || !out.waits() {
		return out, err
	}
	again := opts // a rendering after a change counts as another read
	opts.spent = true
	key := answerKey{creds.token, creds.login, at.url() + strings.Join(at.odd, ""), opts.host, opts.form,
		opts.relative, opts.full, false, opts.unless}
	mine := s.hub.join(key, func() (rendered, error) {
		// Other requests share this rendering, so it goes on when the caller disconnects.
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

// waits reports whether the request can wait for a change of the page: the page has a version and was not built.
func (out *rendered) waits() bool { return out.topics != nil }

// StopWaiting answers every waiting request with the present page, and ends every stream of events. Later requests do
// not wait.
func (s *Site) StopWaiting() { s.hub.release() }
