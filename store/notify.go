package store

import (
	"cmp"
	"slices"
	"time"
)

// Freshness is the greatest age at which a notification is still sent to a webhook, or by mail at once instead of in
// the next digest. A notification may get older before it is sent, for example because the server was down.
const Freshness = 24 * time.Hour

// Notice declares which members an action notifies, and why. Members are not notified of pages that they may not see,
// or of their own actions, except those of their runners, nor if they have silenced the studio or turned off the
// reason. Members that have muted the item or its studio are notified only if Text mentions them or To has their id.
// For a reason with [ReasonKind.Always], these choices have no effect.
type Notice struct {
	Reason Reason
	Text   string   // the new text; the members that it mentions are notified
	Was    string   // the previous text; the members that it mentions are skipped
	To     []string // ids of the members to notify; nil for the followers of the item and of its studio
	Studio bool     // all members of the studio are notified, not only the followers of the item
	By     string   // byline of the event's author, such as "Scribe, agent of @alice"; empty if the actor is the author
	Note   string   // reason and remedy of a failure; empty for none
	About  *Ref     // the page to link to if the members may not see the event's target; nil to link to the target

	Comment int // number of the comment that the notice is about; 0 for none
}

// OpeningNotice returns the notice with which the item is opened.
func (i *Item) OpeningNotice() *Notice {
	return &Notice{Reason: ReasonChange, Text: i.Body, Studio: true}
}

// DueSoon is the time before the deadline of an item at which members are reminded of it.
const DueSoon = 24 * time.Hour

// Event is the journal entry that a notice is about.
type Event struct {
	Seq    int64
	Did    string // the verb, for example "commented on"
	Target Ref
	Item   string // id of the item; empty if the event is not about an item
}

// unwanted is an SQL condition that excludes members m that have turned off a reason or silenced a studio or its
// conversation.
const unwanted = ` AND NOT EXISTS (SELECT 1 FROM notification_ways w WHERE w.user_id = m.user_id AND w.reason = ? AND w.way = 'off')
	AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.subject_id IN (?, ?) AND f.member_id = m.id AND f.level = 'silenced')`

// untold returns the id of the acting member, because members are not notified of their own actions. It is empty for a
// runner, so that the member that added the runner is notified.
func (a Actor) untold() string {
	if a.Runs() {
		return ""
	}
	return a.MemberID()
}

// Notify sends a notification to each member that the notice selects. It sends none about a target that is private to
// one member. If agents skip the notifications, because agents have reacted to each other too often in a row, inARow is
// the number of these events, and else 0.
func (tx *Tx) Notify(by Actor, e Event, n Notice) (inARow int, err error) {
	if n.About != nil {
		e.Target = *n.About
	}
	if e.Target.PrivateTo != "" {
		return 0, nil
	}
	depth, quiet, err := tx.chain(by)
	if err != nil {
		return 0, err
	}
	told, err := tx.notify(by, e, n, depth, quiet)
	switch {
	case err != nil || !told:
		return 0, err
	case quiet:
		return depth, tx.countNews(e, `unread = unread + 1, quiet_unread = quiet_unread + 1`, personVersion)
	}
	return 0, tx.countNews(e, `unread = unread + 1`, ownVersion)
}

// countNews changes the numbers of unread notifications of all members that were notified of an event, and raises a
// version of each.
func (tx *Tx) countNews(e Event, set string, version counter) error {
	const those = `id IN (SELECT member_id FROM notifications WHERE org_id = ? AND seq = ?)`
	if err := tx.Exec(`UPDATE members SET `+set+` WHERE `+those, e.Target.OrgID, e.Seq); err != nil {
		return err
	}
	return tx.raiseAll(version, those, e.Target.OrgID, e.Seq)
}

// notify stores the notifications of an event, and reports whether there are any.
func (tx *Tx) notify(by Actor, e Event, n Notice, depth int, quiet bool) (told bool, err error) {
	group := e.Target.StudioID // the followers of the studio, or of its conversation for a message
	if isSpoken(e.Target.Kind) {
		group = TalkSubject(group)
	}
	tell := func(reason Reason, silent bool, who string, args ...any) error {
		query := `INSERT INTO notifications (member_id, seq, org_id, reason, actor, did, note, item_id, comment, depth,
			quiet, url, title, at) SELECT m.id, ?, m.org_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM members m
			WHERE m.org_id = ? AND m.id <> ? AND m.ended_at IS NULL AND ` + who
		all := append([]any{e.Seq, reason, cmp.Or(n.By, by.In(e.Target.OrgID).Name()), e.Did, n.Note, Null(e.Item),
			n.Comment, depth, quiet, e.Target.URL, e.Target.Title, At(tx.Now), e.Target.OrgID, by.untold()}, args...)
		seen, id := e.Target.seenByMember()
		query, all = query+seen, append(all, id...)
		if !reason.Kind().Always {
			query += unwanted
			if all = append(all, reason, e.Target.StudioID, group); silent {
				query += ` AND NOT EXISTS (SELECT 1 FROM follows f WHERE f.subject_id IN (?, ?, ?) AND f.member_id = m.id
					AND f.level = 'muted')`
				all = append(all, e.Item, e.Target.StudioID, group)
			}
		}
		some, err := tx.Changed(query+` ON CONFLICT DO NOTHING`, all...)
		told = told || some
		return err
	}
	if who := n.mentions(); len(who) > 0 {
		if err := tell(ReasonMention, false, `m.handle IN (`+Placeholders(len(who))+`)`, who...); err != nil {
			return told, err
		}
	}
	for some := range slices.Chunk(n.To, 500) {
		ids := make([]any, len(some))
		for i, id := range some {
			ids[i] = id
		}
		if err := tell(n.Reason, false, `m.id IN (`+Placeholders(len(ids))+`)`, ids...); err != nil {
			return told, err
		}
	}
	if n.To == nil && e.Item != "" {
		if err := tell(n.Reason, true, `m.id IN (SELECT member_id FROM follows WHERE subject_id IN (?, ?)
			AND level = 'following')`, e.Item, group); err != nil {
			return told, err
		}
	}
	if n.Studio {
		if err := tell(n.Reason, true, `m.id IN (SELECT member_id FROM studio_members WHERE studio_id = ?)`,
			e.Target.StudioID); err != nil {
			return told, err
		}
	}
	return told, nil
}

// chainLife is the time for which an agent's actions count as reactions to its member's latest notification.
const chainLife = time.Hour

// chain returns the depth of an actor's event in a chain of agents that react to each other. The depth of a person's
// event is 0, and the depth of an agent's event is one more than that of its member's latest notification. If quiet is
// true, agents skip the notifications of the event.
func (tx *Tx) chain(by Actor) (depth int, quiet bool, err error) {
	if !by.IsAgent() || by.Member == nil {
		return 0, false, nil
	}
	if err := tx.Get(&depth, `SELECT coalesce(max(depth), 0) + 1 FROM (SELECT depth FROM notifications WHERE member_id = ?
		AND at > ? ORDER BY at DESC, seq DESC LIMIT 1) AS latest`, by.MemberID(), At(tx.Now.Add(-chainLife))); err != nil {
		return 0, false, err
	}
	most := by.Member.Limits().InARow
	return depth, most > 0 && !by.Unlimited && depth > most, nil
}
