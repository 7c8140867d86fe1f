package actions

import (
	"slices"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/notice"
)

var _ = action.Describe[*notice.Notifications](
	"The choices of a person about what they are told, where and when.")

// noticeAction declares an action of people on their own notification settings. It is not for agents, because an agent
// could hide its activity from its member.
func noticeAction[P any](a action.Action[*notice.Notifications, P]) *action.Spec[*notice.Notifications] {
	a.Scope, a.AllowedFor, a.HumanOnly, a.Silent = store.ScopeWrite, store.Self, true, true
	if a.Guard == nil {
		a.Guard = func(store.Actor, *notice.Notifications) error { return nil }
	}
	return action.New(a)
}

// ChooseNotifications sets where the notifications of each kind go.
var ChooseNotifications = noticeAction(action.Action[*notice.Notifications, ChooseNotificationsParams]{
	Name:  "choose_notifications",
	Undo:  "Change: choose_notifications.",
	Title: "Choose what you are told",
	Doc: "Choose for each kind where it goes. What you mark nowhere is in your inbox alone. If you mark a kind twice, turning " +
		"off counts before all others, and mail before the digest.",
	Slot:      "kinds",
	Versioned: true,
	Offers: func(_ store.Actor, s *notice.Notifications) param.Offers {
		all, some := []param.Option{}, []param.Option{}
		for _, r := range store.Reasons() {
			o := param.Option{Value: string(r.Reason), Label: r.Title}
			if all = append(all, o); !r.Always {
				some = append(some, o)
			}
		}
		return param.Offers{
			"mail_at_once": {Options: all, Values: values(s.Going(notice.ToMail))},
			"in_digest":    {Options: all, Values: values(s.Going(notice.ToMail, notice.ToDigest))},
			"to_webhook":   {Options: all, Values: values(s.ToWebhook()), Omit: s.Webhook == nil},
			"turn_off":     {Options: some, Values: values(s.Going(notice.Off))},
		}
	},
	Run: func(tx *store.Tx, _ store.Actor, s *notice.Notifications, p ChooseNotificationsParams) (action.Done, error) {
		ways, hooked := map[store.Reason]notice.Way{}, s.Hooked
		if s.Webhook != nil {
			hooked = map[store.Reason]bool{}
			for _, name := range p.Webhook {
				hooked[store.Reason(name)] = true
			}
		}
		for _, r := range store.Reasons() {
			name := string(r.Reason)
			switch {
			case slices.Contains(p.Off, name):
				ways[r.Reason] = notice.Off
			case slices.Contains(p.Mail, name):
				ways[r.Reason] = notice.ToMail
			case !slices.Contains(p.Digest, name):
				ways[r.Reason] = notice.ToInbox
			}
		}
		return action.Done{Message: "Your choice holds from now on."}, notice.SetWays(tx, s, ways, hooked)
	},
})

// values returns a copy that is never nil. A nil list would mean that the field has no value yet.
func values(list []string) []string { return append([]string{}, list...) }

// ChooseNotificationsParams has the kinds of notifications for each way of delivery.
type ChooseNotificationsParams struct {
	Mail    []string `param:"mail_at_once,choices,optional" doc:"The kinds of which a mail tells you at once."`
	Digest  []string `param:"in_digest,choices,optional" doc:"The kinds that your digest has, unless a mail told of them at once."`
	Webhook []string `param:"to_webhook,choices,optional" doc:"The kinds that are sent to your webhook, too."`
	Off     []string `param:"turn_off,choices,optional" doc:"The kinds that you are not told of at all."`
}

// ChooseStudioNotifications sets the studios from which the person gets fewer notifications.
var ChooseStudioNotifications = noticeAction(action.Action[*notice.Notifications, ChooseStudiosParams]{
	Name:      "choose_studio_notifications",
	Undo:      "Change: choose_studio_notifications.",
	Title:     "Choose what studios tell you",
	Doc:       "Choose the studios that tell you less. The others tell you what their page says: as everyone, or all that you follow.",
	Slot:      "studios",
	Versioned: true,
	Guard: func(_ store.Actor, s *notice.Notifications) error {
		if len(s.Studios) == 0 {
			return store.Errorf(store.Conflict, "You are in no studio.")
		}
		return nil
	},
	Offers: func(_ store.Actor, s *notice.Notifications) param.Offers {
		options, mentions, nothing, unhooked := []param.Option{}, []string{}, []string{}, []string{}
		for i := range s.Studios {
			studio := &s.Studios[i]
			options = append(options, param.Option{Value: studio.Handle, Label: studio.Name})
			switch s.Level(studio) {
			case store.Muted:
				mentions = append(mentions, studio.Handle)
			case store.Silenced:
				nothing = append(nothing, studio.Handle)
			}
			if s.Unhooked[studio.ID] {
				unhooked = append(unhooked, studio.Handle)
			}
		}
		return param.Offers{"only_mentions": {Options: options, Values: mentions},
			"nothing":        {Options: options, Values: nothing},
			"not_to_webhook": {Options: options, Values: unhooked, Omit: s.Webhook == nil}}
	},
	Run: func(tx *store.Tx, by store.Actor, s *notice.Notifications, p ChooseStudiosParams) (action.Done, error) {
		levels := map[string]string{}
		for i := range s.Studios {
			studio := &s.Studios[i]
			switch level := s.Level(studio); {
			case slices.Contains(p.Nothing, studio.Handle):
				levels[studio.ID] = store.Silenced
			case slices.Contains(p.Mentions, studio.Handle):
				levels[studio.ID] = store.Muted
			case level == store.Muted || level == store.Silenced:
				levels[studio.ID] = ""
			}
		}
		if s.Webhook != nil {
			unhooked := map[string]bool{}
			for i := range s.Studios {
				unhooked[s.Studios[i].ID] = slices.Contains(p.Unhooked, s.Studios[i].Handle)
			}
			if err := notice.SetUnhooked(tx, by, s, unhooked); err != nil {
				return action.Done{}, err
			}
		}
		return action.Done{Message: "Your choice holds from now on."}, notice.SetLevels(tx, by, s, levels)
	},
})

// ChooseStudiosParams has the studios with fewer notifications.
type ChooseStudiosParams struct {
	Mentions []string `param:"only_mentions,choices,optional" doc:"The studios that tell you only what mentions you or is for you alone."`
	Nothing  []string `param:"nothing,choices,optional" doc:"The studios that tell you nothing, but for approvals and security."`
	Unhooked []string `param:"not_to_webhook,choices,optional" doc:"The studios of which your webhook is not told."`
}

// SetZone sets the person's time zone, which applies to the quiet hours and the digest.
var SetZone = noticeAction(action.Action[*notice.Notifications, SetZoneParams]{
	Name:  "set_zone",
	Undo:  "Change: set_zone.",
	Title: "Change your time zone",
	Doc:   "Choose the time zone of your quiet hours and of your digest.",
	Slot:  "quiet",
	Offers: func(_ store.Actor, s *notice.Notifications) param.Offers {
		return param.Offers{"zone": {Value: s.Zone}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *notice.Notifications, p SetZoneParams,
		_ param.Errors) (errs param.Errors) {
		if _, err := time.LoadLocation(p.Zone); err != nil {
			errs = append(errs, param.Error{Field: "zone",
				Message: "That is no time zone. Write one such as Europe/Paris."})
		}
		return errs
	},
	Run: func(tx *store.Tx, _ store.Actor, s *notice.Notifications, p SetZoneParams) (action.Done, error) {
		s.Chosen, s.Zone = p.Zone, p.Zone
		return action.Done{Message: "Your time zone is " + p.Zone + "."}, notice.Update(tx, s)
	},
})

// SetZoneParams has a time zone.
type SetZoneParams struct {
	Zone string `param:"zone,text" max:"60" as:"zone" doc:"Your time zone, such as Europe/Paris."`
}

// SetQuietHours sets the hours in which the person gets no notifications by mail or by webhook.
var SetQuietHours = noticeAction(action.Action[*notice.Notifications, QuietHoursParams]{
	Name:  "set_quiet_hours",
	Undo:  "Undo: end_quiet_hours.",
	Title: "Set quiet hours",
	Doc: "Choose hours in which you get no mail about notifications, and your webhook nothing. What is unread then comes at " +
		"their end.",
	Slot:      "quiet",
	Versioned: true,
	Offers: func(_ store.Actor, s *notice.Notifications) param.Offers {
		from, to := s.QuietFrom, s.QuietTo
		if !s.HasQuiet() {
			from, to = notice.DefaultQuietFrom, notice.DefaultQuietTo
		}
		return param.Offers{"from": {Value: notice.Clock(from)}, "to": {Value: notice.Clock(to)},
			"days": {Options: dayOptions(), Values: values(s.QuietDays)}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *notice.Notifications, p QuietHoursParams,
		bad param.Errors) (errs param.Errors) {
		from, errFrom := notice.ReadClock(p.From)
		errs = param.Bad("from", errFrom)
		to, errTo := notice.ReadClock(p.To)
		switch {
		case errTo != nil:
			errs = append(errs, param.Bad("to", errTo)...)
		case errFrom == nil && from == to && !bad.Has("from"):
			errs = append(errs, param.Error{Field: "to",
				Message: "They end when they begin. Write another time, or end them with end_quiet_hours."})
		}
		return errs
	},
	Run: func(tx *store.Tx, _ store.Actor, s *notice.Notifications, p QuietHoursParams) (_ action.Done, err error) {
		if s.QuietFrom, err = notice.ReadClock(p.From); err != nil {
			return action.Done{}, err
		}
		if s.QuietTo, err = notice.ReadClock(p.To); err != nil {
			return action.Done{}, err
		}
		if s.QuietDays = p.Days; len(p.Days) == 0 || len(p.Days) == len(notice.Days()) {
			s.QuietDays = nil
		}
		return action.Done{Message: "Your quiet hours are set."}, notice.Update(tx, s)
	},
})

// QuietHoursParams has the quiet hours, and the days on which they begin.
type QuietHoursParams struct {
	From string   `param:"from,text" as:"clock" doc:"When they begin, such as 22:00."`
	To   string   `param:"to,text" as:"clock" doc:"When they end, such as 07:00; on the next day if that is earlier."`
	Days []string `param:"days,choices,optional" doc:"The days on which they begin; every day if you choose none."`
}

func dayOptions() (list []param.Option) {
	for _, name := range notice.Days() {
		list = append(list, param.Option{Value: name, Label: notice.DayOf(name).String()})
	}
	return list
}

// EndQuietHours ends the quiet hours.
var EndQuietHours = noticeAction(action.Action[*notice.Notifications, struct{}]{
	Name:  "end_quiet_hours",
	Undo:  "Undo: set_quiet_hours.",
	Title: "End quiet hours",
	Doc:   "Be told at any hour. What waits for the end of the quiet hours comes now.",
	Slot:  "quiet",
	Guard: func(_ store.Actor, s *notice.Notifications) error {
		if !s.HasQuiet() {
			return store.Errorf(store.Conflict, "You have no quiet hours.")
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, s *notice.Notifications, _ struct{}) (action.Done, error) {
		s.QuietFrom, s.QuietTo, s.QuietDays = 0, 0, nil
		return action.Done{Message: "You have no quiet hours any more."}, notice.Update(tx, s)
	},
})

// SetDigest sets when the person gets a digest by mail.
var SetDigest = noticeAction(action.Action[*notice.Notifications, DigestParams]{
	Name:      "set_digest",
	Undo:      "Undo: end_digest.",
	Title:     "Set your digest",
	Doc:       "Get one mail a day or a week with what is new, unread and waits for you. There is none if there is nothing to tell.",
	Slot:      "digest",
	Versioned: true,
	Offers: func(_ store.Actor, s *notice.Notifications) param.Offers {
		o := param.Offers{"at": {Value: notice.Clock(s.DigestAt)},
			"day": {Options: dayOptions(), Value: notice.DayName(s.DigestDay)}}
		if s.Digest != notice.NoDigest {
			o["every"] = &param.Offered{Value: s.Digest}
		}
		return o
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *notice.Notifications, p DigestParams,
		_ param.Errors) param.Errors {
		if p.At == "" {
			return nil
		}
		_, err := notice.ReadClock(p.At)
		return param.Bad("at", err)
	},
	Run: func(tx *store.Tx, _ store.Actor, s *notice.Notifications, p DigestParams) (action.Done, error) {
		if p.At != "" {
			at, err := notice.ReadClock(p.At)
			if err != nil {
				return action.Done{}, err
			}
			s.DigestAt = at
		}
		if p.Day != "" {
			s.DigestDay = notice.DayOf(p.Day)
		}
		s.Digest = p.Every
		if err := notice.Update(tx, s); err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "Your next digest comes on " +
			s.DigestDue.In(store.Location(s.Zone)).Format("Mon 2 Jan 2006 15:04 MST") + "."}, nil
	},
})

// DigestParams has the times of a digest.
type DigestParams struct {
	Every string `param:"every,choice" options:"daily=Every day,weekly=Every week" doc:"How often it comes."`
	At    string `param:"at,text,optional" as:"clock" doc:"The time of day, such as 08:00."`
	Day   string `param:"day,choice,optional" doc:"The day of the week, for one that comes every week."`
}

// EndDigest ends the digest.
var EndDigest = noticeAction(action.Action[*notice.Notifications, struct{}]{
	Name:  "end_digest",
	Undo:  "Undo: set_digest.",
	Title: "End your digest",
	Doc:   "Get no digest any more. Your inbox has what it would tell.",
	Slot:  "digest",
	Guard: func(_ store.Actor, s *notice.Notifications) error {
		if s.Digest == notice.NoDigest {
			return store.Errorf(store.Conflict, "You have no digest.")
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, s *notice.Notifications, _ struct{}) (action.Done, error) {
		s.Digest = notice.NoDigest
		return action.Done{Message: "You get no digest any more."}, notice.Update(tx, s)
	},
})
