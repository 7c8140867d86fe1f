package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// pauseOfStream is the shortest time from an event of a stream until a wake-up makes it look at the page again.
const pauseOfStream = time.Second

// streams reports whether a request asks for a stream of events, as EventSource does.
func streams(r *http.Request) bool { return r.Header.Get("Accept") == wire.EventStream }

// stream answers GET for a page with a stream of events (Server-Sent Events). An event means that the page has another
// version than the one in the query parameter since or in the header Last-Event-ID. The ID of the event is the new
// version; the event contains nothing else of the page. The stream ends after longestWait, or when the caller loses
// access to the page, or when the server stops. The caller then sends another request.
//
// A stream counts as one read at its beginning, and as another for each change that wakes it. Streams of one page with
// the same credentials share one check of the page after a change.
func (s *Site) stream(w http.ResponseWriter, r *http.Request, at *Location, query url.Values) {
	visitOf(w).setWaited()
	select {
	case <-s.hub.stop:
		s.failStream(w, r, store.Errorf(store.Unavailable, "The server is stopping. Try again in a moment."))
		return
	default:
	}
	creds := s.credentials(r)
	since := query.Get("since")
	if last := r.Header.Get("Last-Event-Id"); last != "" {
		since = last
	}
	withNews := strings.Contains(since, page.NewsMark) // only the version on a person's page has this mark
	opts := renderOptions{glance: true, reads: withNews, news: withNews}
	moment := s.hub.now()
	out, err := s.render(r.Context(), creds, at, opts)
	visitOf(w).setActor(out.by)
	switch {
	case err != nil:
		s.failStream(w, r, err)
		return
	case at.name != "" || at.list || !out.waits():
		w.WriteHeader(http.StatusNoContent) // there are no events about this page; EventSource does not ask again
		return
	}
	out.left.setHeaders(w.Header())
	e := events{w: w, known: since}
	e.open()
	again := opts // each change that wakes the stream counts as another read
	mine := s.hub.join(answerKey{token: creds.token, login: creds.login, url: at.url(), news: withNews}, func() (rendered, error) {
		return s.render(context.WithoutCancel(r.Context()), creds, at, again)
	})
	defer mine.leave()
	opts.spent = true
	end := time.NewTimer(longestWait * time.Second)
	defer end.Stop()
	for err == nil && out.waits() && e.changed(out.page.Version) {
		if !mine.follow(out.topics, moment) {
			moment = s.hub.now()
			out, err = s.render(r.Context(), creds, at, opts)
			continue
		}
		select {
		case <-mine.woken:
			if !e.rest(r.Context(), s.hub.stop) {
				return
			}
			var look func() (rendered, error)
			moment, look = mine.wokenBy()
			out, err = look()
		case <-r.Context().Done():
			return
		case <-end.C:
			return
		case <-s.hub.stop:
			return
		}
	}
	if err != nil || !out.waits() {
		e.changed("gone") // the caller then requests the page, and the answer has the reason
	}
}

// failStream answers a request for a stream that cannot begin. The answer has no page, because no person sees it.
func (s *Site) failStream(w http.ResponseWriter, r *http.Request, err error) {
	f := s.explain(r, err)
	if _, ok := isMoved(err); ok {
		f.Status = http.StatusNotFound
	}
	f.setHeaders(w.Header())
	w.Header()["Cache-Control"] = wire.NoStore
	http.Error(w, f.Message, f.Status)
}

type events struct {
	w     http.ResponseWriter
	known string // version that the caller knows
	last  time.Time
}

func (e *events) open() {
	h := e.w.Header()
	h.Set("Content-Type", wire.EventStream)
	h["Cache-Control"] = wire.NoStore
	h.Set("X-Accel-Buffering", "no") // nginx would hold the events back
	e.w.WriteHeader(http.StatusOK)
	e.send(": waiting\n\n")
}

// changed sends an event if the caller knows another version. It returns false if the caller is gone.
func (e *events) changed(version string) bool {
	if version == e.known {
		return true
	}
	e.known, e.last = version, time.Now()
	return e.send("id: " + version + "\ndata: changed\n\n")
}

// rest waits until pauseOfStream has passed since the last event. It returns false if the stream ends in the meantime.
func (e *events) rest(ctx context.Context, stop <-chan struct{}) bool {
	select {
	case <-time.After(pauseOfStream - time.Since(e.last)):
		return true
	case <-ctx.Done():
	case <-stop:
	}
	return false
}

func (e *events) send(text string) bool {
	if _, err := e.w.Write([]byte(text)); err != nil {
		return false
	}
	return http.NewResponseController(e.w).Flush() == nil
}
