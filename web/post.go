package web

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/help"
	"samepage/views/page"
	"samepage/web/wire"
)

// post answers POST P/actions/NAME, where P is the URL of a page, by taking the action. If a known actor's call is
// refused before its body is read, post still reads a small body, because the refusal shows a browser the form with its
// values.
func (s *Site) post(w http.ResponseWriter, r *http.Request, at *Location) {
	if strings.HasSuffix(at.path, ".md") { // an address with a suffix takes no actions
		s.refuse(w, r, store.Missing())
		return
	}
	creds, call := s.credentials(r), Call{URL: at.page(), Action: at.name}
	by, left, refusal := s.admit(r, creds, at)
	left.setHeaders(w.Header())
	visitOf(w).setActor(by)
	if refusal != nil && (by.Anonymous() || !isSmall(r)) {
		s.meters.action(at, at.name, Outcome{}, refusal)
		s.answerRefused(w, r, at, creds, by, call, refusal)
		return
	}
	defer call.drop()
	leave, err := s.readCall(w, r, at, by, &call)
	defer leave()
	// An error about an action that is not offered comes before errors in the body.
	if err != nil && refusal == nil && r.Context().Err() == nil {
		refusal = s.store.Read(r.Context(), func(tx *store.Tx) error { return offered(tx, by, r, at) })
	}
	if refusal != nil || err != nil {
		s.meters.action(at, at.name, Outcome{}, errors.Join(refusal, err))
	}
	switch {
	case refusal != nil:
		s.answerRefused(w, r, at, creds, by, call, refusal)
		return
	case err != nil:
		s.failAt(w, r, at, err)
		return
	}
	call.Read = s.lastRead.find(by, at)
	out, err := s.Do(r.Context(), creds, call)
	if err != nil {
		s.failCall(w, r, at, creds, call, err)
		return
	}
	if !out.repeated { // a caller that repeats a call may have lost the first answer
		out.seen = call.Read.parts
	}
	if to, err := s.resolve(call.then); call.then != "" && err == nil && to.name == "" && out.Secret == "" && !out.Held && !out.DryRun {
		out.URL = to.url()
	}
	out.Message = s.tell(r, creds, call, out)
	s.answerDone(w, r, at, creds, out)
}

// tell returns the message of an answer, with an echo of the input and notes on misplaced or empty parameters. For a
// program it adds how to undo the action and which item waits next.
func (s *Site) tell(r *http.Request, creds credentials, call Call, out Outcome) string {
	message, echo, undo, waiting := out.Message, out.Echo, out.Undo, ""
	if out.Held {
		message += " Give them this link: " + s.origin(r) + out.URL + ". Wait for the answer at " + out.URL + "?wait=30&since=1."
	}
	name := func(f param.Field) string { return f.Name }
	if wire.AnswerFormat(r) == wire.HTML {
		name, undo = param.Field.Label, ""
		if out.Unlinked { // the message passes through a cookie, which must not contain the input of an unlinked call
			echo = ""
		}
	} else if !out.DryRun {
		waiting = s.waiting(r.Context(), creds)
	}
	return joined(call.noted(joined(message, echo)), sayEmptied(out.emptied, name), undo, waiting)
}

// empty returns the fields without their values. Forms that differ only in their values count as the same, because the
// answer to an action has the values anyway.
func empty(fields []param.Field) []param.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Value, fields[i].Values = "", nil
	}
	return fields
}

func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// mostWaiting is the largest number of items that are counted.
const mostWaiting = 20

// waiting returns a sentence about the items that wait for the member of an agent, such as open votes. The sentence is
// empty if no items wait, or if the caller is a person.
func (s *Site) waiting(ctx context.Context, creds credentials) (sentence string) {
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		by, err := creds.actor(tx)
		if err != nil || !by.IsAgent() {
			return err
		}
		list, err := tx.WaitingItems(by, mostWaiting)
		if err != nil || len(list) == 0 {
			return err
		}
		number := "1 thing waits: "
		if len(list) > 1 {
			number = strconv.Itoa(len(list)) + " things wait, first: "
		}
		if len(list) == mostWaiting {
			number = "at least " + number
		}
		sentence = fmt.Sprintf("Next: %s%q, %s.", number, wire.Clip(list[0].Title, 60), list[0].URL())
		return nil
	})
	if err != nil {
		s.log.Warn("the waiting items of an agent were not read", "error", err) // the action has succeeded anyway
	}
	return sentence
}

func (c *Call) noted(message string) string {
	return strings.Join(append([]string{message}, c.Notes...), " ")
}

// admit looks up the actor and counts the request, before the body is read. For a large body it also checks that the
// action is offered, so that no upload is received in vain.
func (s *Site) admit(r *http.Request, creds credentials, at *Location) (by store.Actor, left quota, err error) {
	left.limit = math.MaxInt
	err = s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		by, err = creds.actor(tx)
		all, err := s.charge(r, by, err, store.UseAction)
		if !by.Anonymous() {
			left = all
		}
		switch {
		case err != nil:
			return err
		case by.Anonymous():
			return store.Errorf(store.Unauthenticated, "Sign in to do this.")
		}
		if isSmall(r) {
			return nil
		}
		return offered(tx, by, r, at)
	})
	return by, left, err
}

// isSmall reports whether the body is small enough to be read before it is known whether the page offers the action.
func isSmall(r *http.Request) bool { return 0 <= r.ContentLength && r.ContentLength <= wire.MaxBody }

// offered returns an error if the page does not offer the action. It returns nil if an answer is stored under the
// request's idempotency key, because a repeated call is answered in any case.
func offered(tx *store.Tx, by store.Actor, r *http.Request, at *Location) error {
	_, _, _, err := at.route.offer(tx, by, at, at.name)
	if err == nil {
		return nil
	}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		if _, unknown := tx.FindAnswer(by, key); unknown == nil {
			return nil
		}
	}
	return err
}

func (s *Site) answerRefused(w http.ResponseWriter, r *http.Request, at *Location, creds credentials, by store.Actor,
	call Call, refusal error) {
	s.refused(by, call, refusal)
	s.failCall(w, r, at, creds, call, refusal)
}

// answerDone answers a successful call. A browser is redirected to the page of the result, unless the answer has a
// secret. Any other answer contains the message and that page, except that an answer in JSON about a held call has no
// page. On the page where the action was taken, unchanged forms are listed by name only, and parts that the agent had
// read are left out.
func (s *Site) answerDone(w http.ResponseWriter, r *http.Request, acted *Location, creds credentials, out Outcome) {
	f := wire.AnswerFormat(r)
	if f == wire.HTML && out.Secret == "" {
		wire.SetFlash(w, out.Message, s.secure())
		w.Header()["Vary"] = wire.VaryAccept
		http.Redirect(w, r, out.URL, http.StatusSeeOther)
		return
	}
	status := http.StatusOK
	if out.Held {
		status = http.StatusAccepted
		if f == wire.JSON {
			wire.WriteJSON(w, r, status, map[string]any{"held": true, "message": out.Message, "url": out.URL, "on": out.title})
			return
		}
	}
	l := rendered{}
	at, err := s.resolve(out.URL)
	if err == nil {
		l, err = s.render(r.Context(), creds, at, renderOptions{form: f, spent: true})
	}
	if err != nil {
		// The action was taken, so the call succeeds even if its page cannot be shown.
		l.page = page.Page{URL: out.URL, Title: out.Message}
	}
	if err == nil && at.path == acted.path && at.name == "" {
		for i := range l.page.Forms {
			form := &l.page.Forms[i]
			fields, offered := out.offered[form.Name]
			form.Known = offered && reflect.DeepEqual(empty(fields), empty(form.Fields))
		}
	}
	c := s.context(r, l.by, l.org)
	if err == nil && f != wire.HTML {
		if at.path == acted.path {
			c.Seen = out.seen
		}
		s.lastRead.note(l.by, at, l.page.Version, c, f)
	}
	c.Message = out.Message
	if out.Secret != "" {
		if out.Secret[0] == '/' { // the secret is the path of a link: make it a full URL
			out.Secret = s.origin(r) + out.Secret
		}
		w.Header()["Cache-Control"] = wire.NoStore
		blocks := []page.Block{page.Banner(
			page.Line(page.Strong("Copy this now, it is shown only once: "), page.Mono(out.Secret)))}
		if out.Token {
			blocks = append(blocks, help.Connect(s.origin(r), out.Secret))
		}
		l.page.Blocks = append(blocks, l.page.Blocks...)
	}
	if f == wire.JSON {
		c.Message = ""
		answer := map[string]any{"message": out.Message, "url": out.URL, "on": out.title, "page": string(l.page.AppendMarkdown(nil, c))}
		if err == nil && at.path == acted.path {
			answer["on"] = l.title
		}
		if out.Secret != "" {
			answer["secret"] = out.Secret
		}
		wire.WriteJSON(w, r, status, answer)
		return
	}
	wire.WritePage(w, r, status, f, &l.page, c, "-")
}
