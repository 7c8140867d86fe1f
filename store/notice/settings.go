// Package notice stores a person's choices about notifications, and queues the mails with notifications.
package notice

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"samepage/store"
)

// SettingsURL is the path of the page with a person's choices about notifications.
const SettingsURL = "/settings/notifications"

// Way is the way in which a person gets notifications with one reason.
type Way string

// These are the ways. Notifications in mails and digests are also in the inbox.
const (
	ToDigest Way = "digest" // the default
	ToInbox  Way = "inbox"  // in the inbox, and in no mail
	ToMail   Way = "mail"   // a mail at once
	Off      Way = "off"
)

// These are the values of [Notifications.Digest].
const (
	NoDigest = "off"
	Daily    = "daily"
	Weekly   = "weekly"
)

// These are the default times of day, in minutes after midnight.
const (
	DefaultDigest    = 8 * 60
	DefaultQuietFrom = 22 * 60
	DefaultQuietTo   = 7 * 60
)

// Notifications has one person's choices. Except for Levels and Unhooked, they are the same in all organizations.
type Notifications struct {
	UserID    string
	Chosen    string            `db:"zone"` // IANA name of the chosen time zone; empty for none
	Zone      string            // chosen time zone, or that of the first organization, or UTC
	QuietFrom int               `db:"quiet_from"` // minutes after midnight; equal to QuietTo without quiet hours
	QuietTo   int               `db:"quiet_to"`
	QuietDays store.Set[string] `db:"quiet_days"` // days on which quiet hours begin, such as "mon"; nil for every day
	Digest    string            `db:"digest"`     // one of [NoDigest], [Daily] and [Weekly]
	DigestAt  int               `db:"digest_at"`  // minutes after midnight
	DigestDay time.Weekday      `db:"digest_day"` // day of a weekly digest
	DigestDue store.Time        `db:"digest_due"` // zero if there is no next digest
	Ways      map[store.Reason]Way
	Hooked    map[store.Reason]bool // true if notifications with this reason also go to the webhook
	Studios   []store.Studio        // at most [MostStudios]; not loaded by [Of]
	Levels    map[string]string     // notification levels by studio id; not loaded by [Of]
	Unhooked  map[string]bool       // ids of studios that are silenced for the webhook; not loaded by [Of]
	Email     string                // where mails go; empty for an agent; not loaded by [Of]
	Webhook   *Webhook              // nil for none; not loaded by [Of]
	Mails     bool                  // this server sends mail; set by the caller
	Now       time.Time
}

// Webhook is a person's webhook.
type Webhook struct {
	Address   string     `db:"address"` // empty for an agent
	PausedAt  store.Time `db:"paused_at"`
	PausedWhy string     `db:"paused_why"` // empty if the person paused it, or if it is not paused
}

// MostStudios is the greatest number of studios in the settings.
const MostStudios = 100

// Ref returns the settings as the target of an action.
func (s *Notifications) Ref() store.Ref {
	return store.Ref{Kind: "notifications", URL: SettingsURL, Title: "Notifications"}
}

// Record returns nil, since no journal has entries about these settings.
func (s *Notifications) Record() any { return nil }

// Relation returns [store.Self] for the person with these settings and the person's agents.
func (s *Notifications) Relation(by store.Actor) store.Relation {
	if by.UserID == "" || by.UserID != s.UserID {
		return 0
	}
	return store.Self
}

// Way returns the way in which the person gets notifications with this reason.
func (s *Notifications) Way(r store.Reason) Way {
	if way, ok := s.Ways[r]; ok {
		return way
	}
	return ToDigest
}

// Going lists the reasons of the notifications that the person gets in one of these ways.
func (s *Notifications) Going(ways ...Way) (list []string) {
	for _, r := range store.Reasons() {
		if slices.Contains(ways, s.Way(r.Reason)) {
			list = append(list, string(r.Reason))
		}
	}
	return list
}

// ToWebhook lists the reasons of the notifications that go to the webhook.
func (s *Notifications) ToWebhook() (list []string) {
	for _, r := range store.Reasons() {
		if s.Hooked[r.Reason] && s.Way(r.Reason) != Off {
			list = append(list, string(r.Reason))
		}
	}
	return list
}

// Level returns the notification level chosen for a studio, such as [store.Muted], or "" for the default.
func (s *Notifications) Level(studio *store.Studio) string { return s.Levels[studio.ID] }

// HasQuiet reports whether there are quiet hours.
func (s *Notifications) HasQuiet() bool { return s.QuietFrom != s.QuietTo }

// Of loads the settings of a user.
func Of(tx *store.Tx, userID string) (*Notifications, error) {
	s := &Notifications{UserID: userID, Digest: NoDigest, DigestAt: DefaultDigest, DigestDay: time.Monday,
		Ways: map[store.Reason]Way{}, Hooked: map[store.Reason]bool{}, Now: tx.Now}
	if err := tx.Get(s, `SELECT zone, quiet_from, quiet_to, quiet_days, digest, digest_at, digest_day, digest_due
		FROM notification_settings WHERE user_id = ?`, userID); err != nil && store.CodeOf(err) != store.NotFound {
		return nil, err
	}
	if s.Zone = s.Chosen; s.Zone == "" {
		if err := tx.Get(&s.Zone, `SELECT o.zone FROM members m JOIN organizations o ON o.id = m.org_id
			WHERE m.user_id = ? AND m.ended_at IS NULL ORDER BY m.joined_at, m.id LIMIT 1`, userID); err != nil &&
			store.CodeOf(err) != store.NotFound {
			return nil, err
		}
		s.Zone = cmp.Or(s.Zone, "UTC")
	}
	var rows []struct {
		Reason store.Reason `db:"reason"`
		Way    Way          `db:"way"`
		Hooked bool         `db:"hooked"`
	}
	err := tx.Select(&rows, `SELECT reason, way, hooked = 1 AS hooked FROM notification_ways WHERE user_id = ?`, userID)
	for _, r := range rows {
		s.Ways[r.Reason], s.Hooked[r.Reason] = r.Way, r.Hooked
	}
	return s, err
}

// Find loads the actor's settings with the actor's studios. It returns [store.Missing] for an anonymous actor.
func Find(tx *store.Tx, by store.Actor) (*Notifications, error) {
	if by.UserID == "" {
		return nil, store.Missing()
	}
	s, err := Of(tx, by.UserID)
	if err != nil {
		return nil, err
	}
	if s.Studios, err = tx.MyStudios(by, MostStudios); err != nil {
		return nil, err
	}
	var rows []struct {
		ID    string `db:"subject_id"`
		Level string `db:"level"`
	}
	if err := tx.Select(&rows, `SELECT f.subject_id, f.level FROM members mm
		JOIN studio_members x ON x.member_id = mm.id
		JOIN follows f ON f.subject_id IN (x.studio_id, 'hook:' || x.studio_id) AND f.member_id = mm.id
		WHERE mm.user_id = ?`, by.UserID); err != nil {
		return nil, err
	}
	s.Levels, s.Unhooked = make(map[string]string, len(rows)), map[string]bool{}
	for _, r := range rows {
		if studio, ok := strings.CutPrefix(r.ID, hookSubject); ok {
			s.Unhooked[studio] = r.Level == store.Silenced
		} else {
			s.Levels[r.ID] = r.Level
		}
	}
	w := &Webhook{}
	err = tx.Get(w, `SELECT address, paused_at, paused_why FROM own_webhooks WHERE user_id = ?`, by.UserID)
	switch {
	case err == nil:
		s.Webhook = w
	case store.CodeOf(err) != store.NotFound:
		return nil, err
	}
	if by.IsAgent() {
		w.Address = ""
		return s, nil
	}
	s.Email, err = tx.UserEmail(by.UserID)
	return s, err
}

// hookSubject and the id of a studio together are the subject id in the table follows for a studio that a member has
// silenced for the webhook.
const hookSubject = "hook:"

func (s *Notifications) save(tx *store.Tx) error {
	return tx.Exec(`INSERT INTO notification_settings (user_id, zone, quiet_from, quiet_to, quiet_days, digest,
		digest_at, digest_day, digest_due) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET zone = excluded.zone,
		quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to, quiet_days = excluded.quiet_days,
		digest = excluded.digest, digest_at = excluded.digest_at, digest_day = excluded.digest_day,
		digest_due = excluded.digest_due`, s.UserID, s.Chosen, s.QuietFrom, s.QuietTo, s.QuietDays, s.Digest,
		s.DigestAt,
		int(s.DigestDay), s.DigestDue)
}

// Update stores the time zone, the quiet hours and the digest. It sets the time of the next digest. Mails and webhook
// deliveries that wait for the end of quiet hours become due.
func Update(tx *store.Tx, s *Notifications) error {
	s.DigestDue = store.At(s.NextDigest(tx.Now))
	if err := s.save(tx); err != nil {
		return err
	}
	for _, kind := range []string{MailedNotices, MailedDigest} {
		if err := tx.HastenMails(kind, s.UserID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE own_deliveries SET due_at = ? WHERE due_at IS NOT NULL AND attempts = 0
		AND webhook_id IN (SELECT id FROM own_webhooks WHERE user_id = ?)`, store.At(tx.Now), s.UserID); err != nil {
		return err
	}
	return touch(tx, s.UserID)
}

// SetWays stores the way for each reason, and the reasons of the notifications that also go to the webhook. If no
// reason had the way [ToMail] before, mails are sent only about later events.
func SetWays(tx *store.Tx, s *Notifications, ways map[store.Reason]Way, hooked map[store.Reason]bool) error {
	if len(s.Going(ToMail)) == 0 {
		if err := tx.Exec(`UPDATE members SET mailed_seq = (SELECT o.journal_seq FROM organizations o
			WHERE o.id = members.org_id)
			WHERE user_id = ?`, s.UserID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`DELETE FROM notification_ways WHERE user_id = ?`, s.UserID); err != nil {
		return err
	}
	s.Ways, s.Hooked = map[store.Reason]Way{}, map[store.Reason]bool{}
	for _, r := range store.Reasons() {
		way, hook := cmp.Or(ways[r.Reason], ToDigest), 0
		if way == Off && r.Always {
			way = ToDigest
		}
		if hooked[r.Reason] {
			hook = 1
		}
		if way == ToDigest && hook == 0 {
			continue
		}
		s.Ways[r.Reason], s.Hooked[r.Reason] = way, hook == 1
		if err := tx.Exec(`INSERT INTO notification_ways (user_id, reason, way, hooked) VALUES (?, ?, ?, ?)`,
			s.UserID, r.Reason, way, hook); err != nil {
			return err
		}
	}
	return touch(tx, s.UserID)
}

// SetUnhooked stores which of the studios in s.Studios are silenced for the webhook. The keys of unhooked are the ids
// of studios.
func SetUnhooked(tx *store.Tx, by store.Actor, s *Notifications, unhooked map[string]bool) error {
	for i := range s.Studios {
		studio := &s.Studios[i]
		if unhooked[studio.ID] == s.Unhooked[studio.ID] {
			continue
		}
		level := ""
		if unhooked[studio.ID] {
			level = store.Silenced
		}
		if err := tx.Follow(by.In(studio.OrgID), hookSubject+studio.ID, level); err != nil {
			return err
		}
	}
	s.Unhooked = unhooked
	return touch(tx, s.UserID)
}

// SetLevels stores new notification levels for studios in s.Studios. The keys of levels are the ids of studios.
func SetLevels(tx *store.Tx, by store.Actor, s *Notifications, levels map[string]string) error {
	for i := range s.Studios {
		studio := &s.Studios[i]
		level, ok := levels[studio.ID]
		if !ok || level == s.Level(studio) {
			continue
		}
		if err := tx.Follow(by.In(studio.OrgID), studio.ID, level); err != nil {
			return err
		}
		s.Levels[studio.ID] = level
	}
	return touch(tx, s.UserID)
}

// touch refreshes open copies of the pages that only this user sees.
func touch(tx *store.Tx, userID string) error {
	by, err := tx.PersonOf(userID)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return err
	}
	for i := range by.Members {
		if err := tx.TouchOwnOf(by.Members[i].ID); err != nil {
			return err
		}
	}
	return nil
}
