package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/notice"
)

const (
	// queuedAtOnce is the largest number of people that get mails of one kind from one call of queueNotices.
	queuedAtOnce = 100
	// mostTold is the largest number of notifications that one mail lists.
	mostTold = 50
)

// queueNotices queues the mails about new notifications and the digests that are due. Only one process at a time queues
// mails. Each mail is queued in its own transaction, together with its notifications, so that none is queued twice.
func (s *Server) queueNotices(ctx context.Context) (failed error) {
	err := s.Store.Alone(ctx, "notices", func(ctx context.Context) {
		for _, job := range []struct {
			find  func(*store.Tx, int) ([]string, error)
			queue func(*store.Tx, string) error
		}{{notice.Behind, notice.QueueNotices}, {notice.DueDigests, notice.QueueDigest}} {
			var users []string
			failed = errors.Join(failed, s.Store.Read(ctx, func(tx *store.Tx) (err error) {
				users, err = job.find(tx, queuedAtOnce)
				return err
			}))
			for _, id := range users {
				err := s.Store.Write(ctx, func(tx *store.Tx) error { return job.queue(tx, id) })
				if err != nil && store.CodeOf(err) != store.Conflict { // a conflict: another process was first
					failed = errors.Join(failed, err)
				}
			}
		}
	})
	return errors.Join(failed, err)
}

// noticeLetter writes the queued mail m about the notifications that the person may see now. In quiet hours it
// postpones the mail and returns an empty letter. The error is [store.Missing] if there is nothing to tell.
func (s *Server) noticeLetter(tx *store.Tx, m *store.Mail) (l Letter, err error) {
	by, err := tx.PersonOf(m.SubjectID)
	if err != nil {
		return l, err
	}
	own, err := notice.Of(tx, by.UserID)
	if err != nil {
		return l, err
	}
	if end := own.QuietUntil(tx.Now); !end.IsZero() {
		return l, tx.PostponeMail(m, end)
	}
	if m.Address, err = tx.UserEmail(by.UserID); err != nil { // the address may have changed since the mail was queued
		return l, err
	}
	if m.Kind == notice.MailedNotices {
		if err := notice.Release(tx, m.ID, by.UserID); err != nil {
			return l, err
		}
	}
	told, more, err := s.MayTell(tx, by, m)
	if err != nil {
		return l, err
	}
	n := &notices{s: s, own: own, by: by, more: more}
	if m.Kind == notice.MailedDigest {
		err = n.digest(tx, told)
	} else {
		n.atOnce(told)
	}
	if err != nil {
		return l, err
	}
	if len(n.parts) == 0 {
		return l, store.Missing()
	}
	return n.letter(), nil
}

// MayTell returns the notifications in a mail about pages that the person may read now, and reports whether the mail
// has more than those that it looked at.
func (s *Server) MayTell(tx *store.Tx, by store.Actor, m *store.Mail) (list []notice.Told, more bool, err error) {
	all, more, err := notice.ToldBy(tx, m.ID)
	if err != nil {
		return nil, false, err
	}
	readable := map[string]bool{}
	for _, n := range all {
		may, known := readable[n.URL]
		if !known {
			if may, err = s.MayRead(tx, by, n.URL); err != nil {
				return nil, false, err
			}
			readable[n.URL] = may
		}
		if may {
			list = append(list, n)
		}
	}
	return list, more, nil
}

type notices struct {
	tidings
	s    *Server
	own  *notice.Notifications
	by   store.Actor
	more bool // there are more notifications than those to tell
}

// number returns a number of notifications or of waiting things as text. If more is true, it is not the whole number.
func number(n int, more bool) string {
	if more {
		return "at least " + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func (n *notices) atOnce(told []notice.Told) {
	if len(told) == 0 {
		return
	}
	kind := string(told[0].Reason)
	for _, t := range told {
		if string(t.Reason) != kind {
			kind = notice.MailedNotices
		}
	}
	n.subject = visible(told[0].Sentence())
	if len(told) > 1 {
		n.subject += ", and " + number(len(told)-1, n.more) + " more"
	}
	n.add(told)
	n.end(kind)
}

// digest fills the mail with the notifications in told, the approvals, requests and items that wait for the person, and
// the number of unread direct messages. It leaves out the texts of direct messages.
func (n *notices) digest(tx *store.Tx, told []notice.Told) error {
	if n.own.Digest == notice.NoDigest { // the person has turned digests off since the mail was queued
		return nil
	}
	home, err := tx.ShowHome(n.by)
	if err != nil {
		return err
	}
	var waits []tiding
	for i := range home.Asked {
		a := &home.Asked[i]
		waits = append(waits, tiding{a.By() + " asks for your approval of “" + a.Ref().Title + "”",
			n.s.BaseURL + a.PageURL(),
			"until " + n.when(a.ExpiresAt)})
	}
	for i := range home.Wanted {
		r := &home.Wanted[i]
		waits = append(waits, tiding{r.Act + ": “" + r.Title + "”", n.s.BaseURL + r.URL,
			"asked by " + store.Byline(r.Member, r.Agent) + " in " + r.StudioName})
	}
	for i := range home.Waiting {
		w := &home.Waiting[i]
		beside := w.StudioName
		if w.ByDue && !w.DueAt.IsZero() {
			beside += ", until " + n.when(w.DueAt)
		}
		waits = append(waits, tiding{w.Title, n.s.BaseURL + w.URL(), beside})
	}
	waiting := number(len(waits), home.More)
	if home.More {
		waits = append(waits, tiding{"More waits for you", n.s.BaseURL + "/", ""})
	}
	if len(waits) > 0 {
		n.parts = append(n.parts, tidingsPart{"What waits for you", waits})
	}
	n.add(told)
	var direct []tiding
	for i := range n.by.Members {
		if m := &n.by.Members[i]; m.DirectUnread > 0 {
			direct = append(direct, tiding{counted(m.DirectUnread, "unread message"),
				n.s.BaseURL + "/orgs/" + m.Org + "/dm", m.OrgName})
		}
	}
	if len(direct) > 0 {
		n.parts = append(n.parts, tidingsPart{"Direct messages", direct})
	}
	var sums []string
	if len(told) > 0 {
		sums = append(sums, number(len(told), n.more)+" new")
	}
	if len(waits) > 0 {
		sums = append(sums, waiting+" waiting")
	}
	if len(sums) == 0 {
		sums = append(sums, "unread messages")
	}
	n.subject = n.s.Name + " digest: " + strings.Join(sums, ", ")
	n.end(notice.MailedDigest)
	return nil
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// add adds the first mostTold notifications, grouped by studio, or by organization without a studio. The groups are in
// the order of their first notifications.
func (n *notices) add(told []notice.Told) {
	at := map[string]int{}
	for i := range told[:min(len(told), mostTold)] {
		t := &told[i]
		place := t.OrgName
		if t.Studio != "" {
			place = t.Studio
			if len(n.by.Members) > 1 {
				place += ", " + t.OrgName
			}
		}
		k, ok := at[place]
		if !ok {
			k = len(n.parts)
			at[place], n.parts = k, append(n.parts, tidingsPart{title: place})
		}
		beside := n.when(t.At)
		if t.Note != "" {
			beside += ". " + t.Note
		}
		n.parts[k].list = append(n.parts[k].list, tiding{t.Sentence(), n.s.BaseURL + t.Link(), beside})
	}
	if more := len(told) - mostTold; more > 0 {
		n.parts = append(n.parts, tidingsPart{"Older", []tiding{{number(more, n.more) + " more in your inbox",
			n.s.BaseURL + "/inbox", ""}}})
	}
}

func (n *notices) when(at store.Time) string {
	return at.In(store.Location(n.own.Zone)).Format("Mon 2 Jan 2006 15:04 MST")
}

// end adds the links for choosing notifications and for unsubscribing from mails of a kind.
func (n *notices) end(kind string) {
	n.stop = n.s.BaseURL + n.s.stopPath(n.by.UserID, kind)
	n.foot = []tiding{{"Choose what you are told", n.s.BaseURL + notice.SettingsURL, ""},
		{"Get no more " + stopped(kind), n.stop, "without signing in"}}
}
