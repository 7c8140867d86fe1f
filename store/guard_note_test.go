package store_test

import (
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// TestGuardsOfCommitments asks the guards of a commitment in each of its states and checks their errors.
func TestGuardsOfCommitments(t *testing.T) {
	type commitment = governance.Commitment
	alice, bob := acting("alice"), acting("bob")
	of := func(s *store.Studio, changes ...func(*commitment)) *commitment {
		c := &commitment{Item: *itemIn(s), CriticalMass: 2}
		for _, change := range changes {
			change(c)
		}
		return c
	}
	in, out, led, past := team(""), team("", outside), team("leader r1 - 0"), team("", archived)
	sketch := func(c *commitment) { c.OpenedAt = store.Time{} }
	due := func(c *commitment) { c.DueAt = before }
	ended := func(c *commitment) { c.ClosedAt = before }
	binding := func(c *commitment) { c.BoundAt, c.Joined = before, 2 }
	joined := func(c *commitment) { c.Mine.JoinedAt = before }
	places := func(taken, all int) func(*commitment) { return func(c *commitment) { c.Joined, c.Limit = taken, all } }
	event := func(at time.Time) func(*commitment) { return func(c *commitment) { c.StartsAt = store.At(at) } }
	marked := func(c *commitment) { c.Mine.Mark = "done" }
	checkSaid(t, []said{
		{"the author revises", of(in).MustBeRevisableBy(alice), ""},
		{"another does not", of(in).MustBeRevisableBy(bob), "Only @alice can change"},
		{"nor the author from outside", of(out).MustBeRevisableBy(alice), notJoined},
		{"nor what binds", of(in, binding).MustBeRevisableBy(alice), "binds 2 people"},
		{"nor what is over", of(in, due).MustBeRevisableBy(alice), "did not come about"},
		{"the author opens a draft", of(in, sketch).MustBeDraftOf(alice), ""},
		{"another does not open it", of(in, sketch).MustBeDraftOf(bob), "Only @alice can change"},
		{"nobody opens what is open", of(in).MustBeDraftOf(alice), "open already"},
		{"nor after its deadline", of(in, sketch, due).MustBeDraftOf(alice), "has passed"},

		{"a member joins", of(in).MustBeJoinable(), ""},
		{"an outsider does not", of(out).MustBeJoinable(), notJoined},
		{"nobody joins a draft", of(in, sketch).MustBeJoinable(), "is a draft"},
		{"nor what is over, however", of(in, due).MustBeJoinable(), "Joining ended"},
		{"nor twice", of(in, joined).MustBeJoinable(), "You are in already"},
		{"nor without a place", of(in, places(2, 2)).MustBeJoinable(), "All 2 places"},
		{"a last place", of(in, places(1, 2)).MustBeJoinable(), ""},
		{"any number of places", of(in, places(2, 0)).MustBeJoinable(), ""},
		{"a member leaves", of(in, joined).MustBeLeavable(), ""},
		{"who is not in does not", of(in).MustBeLeavable(), "You are not in"},
		{"nor who is bound", of(in, joined, binding).MustBeLeavable(), "binds since"},
		{"nor later", of(in, joined, ended).MustBeLeavable(), "Joining ended"},

		{"the author closes", of(in).MustBeClosableBy(alice), ""},
		{"the leader closes", of(led).MustBeClosableBy(bob), ""},
		{"a member does not", of(in).MustBeClosableBy(bob), chairs},
		{"nor the author from outside, nor", of(out).MustBeClosableBy(alice), notJoined},
		{"nor twice, nor", of(in, ended).MustBeClosableBy(alice), "Joining ended"},
		{"nor a draft", of(in, sketch).MustBeClosableBy(alice), "nothing to close"},
		{"nor in the past", of(past).MustBeClosableBy(alice), isArchived},
		{"the scheduler closes what is due", of(out, due).MustBeClosableBy(store.System()), ""},
		{"and nothing in the past", of(past, due).MustBeClosableBy(store.System()), isArchived},
		{"and nothing before", of(in).MustBeClosableBy(store.System()), "is not due"},
		{"and no draft", of(in, due, sketch).MustBeClosableBy(store.System()), "is not due"},

		{"a participant marks", of(in, joined, binding).MustBeMarkable("done"), ""},
		{"an outsider does not mark", of(out, joined, binding).MustBeMarkable("done"), notJoined},
		{"nor who is not in", of(in, binding).MustBeMarkable("done"), "Only participants"},
		{"nor what binds nobody", of(in, joined).MustBeMarkable("done"), "binds nobody"},
		{"nor an event to come", of(in, joined, binding, event(friday.Add(time.Second))).MustBeMarkable("done"),
			"The event starts"},
		{"an event that has begun", of(in, joined, binding, event(friday)).MustBeMarkable("done"), ""},
		{"the same mark", of(in, joined, binding, marked).MustBeMarkable("done"), "marked it done already"},
		{"another mark", of(in, joined, binding, marked).MustBeMarkable("missed"), ""},
	})
}

// TestGuardsOfNotes asks the guards of a note, a reminder and a table and checks their errors.
func TestGuardsOfNotes(t *testing.T) {
	type note = governance.Note
	alice, bob, scribe := acting("alice"), acting("bob"), scribeOf("bob")
	of := func(s *store.Studio, changes ...func(*note)) *note {
		n := &note{Item: *itemIn(s), Type: "note"}
		for _, change := range changes {
			change(n)
		}
		return n
	}
	in, out, led := team(""), team("", outside), team("secretary r1 - 0")
	sketch := func(n *note) { n.OpenedAt = store.Time{} }
	reminder := func(n *note) { n.Type = governance.Reminder }
	done := func(n *note) { n.Type, n.ClosedAt = governance.Reminder, before }
	table := func(rows int) func(*note) { return func(n *note) { n.Type, n.Rows = governance.Table, rows } }
	read := func(agent string) func(*note) { return func(n *note) { n.Mine.At, n.Mine.Agent.ID = before, agent } }
	byAgent := func(n *note) { n.Item.Agent.ID = "scribe" }
	const confirmed = "that you have read this"
	checkSaid(t, []said{
		{"the author edits", of(in).MustBeEditableBy(alice), ""},
		{"the secretary edits", of(led).MustBeEditableBy(bob), ""},
		{"a member does not", of(in).MustBeEditableBy(bob), chairs},
		{"nor the author from outside", of(out).MustBeEditableBy(alice), notJoined},
		{"nor a reminder that is done", of(in, done).MustBeEditableBy(alice), "is done"},
		{"a member reads", of(in).MustBeConfirmableBy(bob), ""},
		{"an outsider does not", of(out).MustBeConfirmableBy(bob), notJoined},
		{"nobody reads a draft", of(in, sketch).MustBeConfirmableBy(bob), "is a draft"},
		{"nor the author", of(in).MustBeConfirmableBy(alice), "You wrote this note"},
		{"but what an agent wrote for them", of(in, byAgent).MustBeConfirmableBy(alice), ""},
		{"nobody twice", of(in, read("")).MustBeConfirmableBy(bob), confirmed},
		{"nor an agent after its member", of(in, read("")).MustBeConfirmableBy(scribe), "UTC that you"},
		{"a member after an agent", of(in, read("scribe")).MustBeConfirmableBy(bob), ""},
		{"no agent after an agent", of(in, read("scribe")).MustBeConfirmableBy(scribe), "as an agent, " + confirmed},
		{"an agent", of(in).MustBeConfirmableBy(scribe), ""},
		{"a reminder is done", of(in, reminder).MustBeUndone(), ""},
		{"a note is not", of(in).MustBeUndone(), "is no reminder"},
		{"nor twice", of(in, done).MustBeUndone(), "This was done on"},
		{"nor a draft", of(in, reminder, sketch).MustBeUndone(), "is a draft"},
		{"the author deletes", of(in).MustBeDeletableBy(alice), ""},
		{"the secretary does not", of(led).MustBeDeletableBy(bob), "Only @alice can delete"},
		{"nor the author a draft", of(in, sketch).MustBeDeletableBy(alice), "Discard it instead"},
		{"nor from outside", of(out).MustBeDeletableBy(alice), notJoined},
		{"a table has rows", of(in, table(1)).MustHaveRows(), ""},
		{"an empty one has none", of(in, table(0)).MustHaveRows(), "no rows yet"},
		{"nor has a note", of(in).MustHaveRows(), "is no table"},
		{"a row", of(in, table(0)).MustTakeRows(), ""},
		{"a row of a note", of(in).MustTakeRows(), "is no table"},
		{"a row from outside", of(out, table(0)).MustTakeRows(), notJoined},
	})
}

// TestGuardsOfPolicies asks the guards of a policy for the holder of its role, the organization's owner, other members
// and accepted topics. It checks their errors.
func TestGuardsOfPolicies(t *testing.T) {
	type policy = governance.Policy
	bob, carol := acting("bob"), acting("carol")
	accepted, elsewhere := acting("carol"), acting("carol")
	accepted.ByConsent, elsewhere.ByConsent = "team", "other"
	byAll := acting("carol")
	byAll.ByConsent = "s"
	of := func(changes ...func(*policy)) *policy {
		p := &policy{Item: *itemIn(team("", general))}
		p.Owner = governance.PolicyOwner{ID: "r", Title: "Cook", HolderID: "bob", Holder: "bob",
			StudioID: "team", StudioName: "Kitchen", Visible: true}
		for _, change := range changes {
			change(p)
		}
		return p
	}
	retired := func(p *policy) { p.RetiredAt = before }
	vacant := func(p *policy) { p.Owner.HolderID = "" }
	deleted := func(p *policy) { p.Owner.DeletedAt = before }
	past := func(p *policy) { p.Owner.ArchivedAt = before }
	hidden := func(p *policy) { p.Owner.Visible = false }
	role := func(s *store.Studio, deleted store.Time) *store.Role {
		return &store.Role{HolderID: "bob", Studio: s, DeletedAt: deleted, Now: friday}
	}
	list := &governance.StudioPolicies{Studio: team(""), Roles: []store.Role{{HolderID: "bob"}, {}}}
	gone := &governance.StudioPolicies{Studio: team("", archived), Roles: list.Roles}
	const holder, isVacant, wasDeleted, ofStudio = "Only @bob can do this, who holds Cook of Kitchen",
		"is vacant", "was deleted", "Only a topic"
	checkSaid(t, []said{
		{"a policy with a holder", of().WhyOrphaned(), ""},
		{"one without", of(vacant).WhyOrphaned(), isVacant},
		{"one without a role", of(deleted).WhyOrphaned(), wasDeleted},
		{"one of an archived studio", of(past).WhyOrphaned(), "is archived"},
		{"the holder edits", of().MustBeEditableBy(bob), ""},
		{"a member does not", of().MustBeEditableBy(carol), holder},
		{"nor who cannot see the role", of(hidden).MustBeEditableBy(carol), "Only the member who holds its role"},
		{"nor the owner", of().MustBeEditableBy(owning()), holder},
		{"an accepted topic does", of().MustBeEditableBy(accepted), ""},
		{"also without a holder", of(vacant).MustBeEditableBy(accepted), ""},
		{"not one of another studio", of().MustBeEditableBy(elsewhere), ofStudio},
		{"nobody without a holder", of(vacant).MustBeEditableBy(carol), isVacant},
		{"nobody, not even a topic, without a role", of(deleted).MustBeEditableBy(byAll), wasDeleted},
		{"nobody what is retired", of(retired).MustBeEditableBy(bob), "is retired"},
		{"the holder reinstates", of(retired).MustBeReinstatedBy(bob), ""},
		{"a member does not reinstate", of(retired).MustBeReinstatedBy(carol), holder},
		{"nobody what is in force", of().MustBeReinstatedBy(bob), "is in force"},
		{"the holder gives it away", of().MustBeGivenBy(bob), ""},
		{"the owner does not", of().MustBeGivenBy(owning()), holder},
		{"nobody gives away what is retired", of(retired).MustBeGivenBy(bob), "is retired"},
		{"the owner gives away what is orphaned", of(vacant).MustBeGivenBy(owning()), ""},
		{"a member does not give it", of(vacant).MustBeGivenBy(carol), isVacant},
		{"nobody does not", of(vacant).MustBeGivenBy(store.Actor{}), isVacant},
		{"the holder gives away what is lost", of(past).MustBeGivenBy(bob), ""},
		{"and no other member", of(past).MustBeGivenBy(carol), "is archived"},
		{"a topic of all gives away what is lost", of(deleted).MustBeGivenBy(byAll), ""},
		{"a topic of another studio does not", of(deleted).MustBeGivenBy(accepted), ofStudio},

		{"a role takes policies", governance.MustTakePolicies(role(team(""), store.Time{})), ""},
		{"a deleted one does not", governance.MustTakePolicies(role(team(""), before)), wasDeleted},
		{"nor one of the past", governance.MustTakePolicies(role(team("", archived), store.Time{})), isArchived},
		{"a holder writes", list.MustWrite(bob), ""},
		{"a member writes nothing", list.MustWrite(carol), "Only who holds a role in Team"},
		{"nor a holder in the past", gone.MustWrite(bob), isArchived},
	})
	kitchen, other := team(""), team("")
	kitchen.ID, other.ID, other.OrgID = "team", "team", "other"
	for _, c := range []struct {
		p    *policy
		s    *store.Studio
		want bool
	}{{of(), kitchen, true}, {of(), team(""), false}, {of(), other, false}, {of(deleted), kitchen, false},
		{of(deleted), team(""), true}} {
		if c.p.RuledBy(c.s) != c.want {
			t.Errorf("topics of %s change %+v: %v", c.s.ID, c.p.Owner, !c.want)
		}
	}
}

// TestGuardsOfMessages asks the guards of a message and of a channel and checks their errors.
func TestGuardsOfMessages(t *testing.T) {
	alice, bob := acting("alice"), acting("bob")
	of := func(s *store.Studio, list ...governance.MessageReaction) *governance.Message {
		return &governance.Message{Item: *itemIn(s), Reactions: list}
	}
	in, out := team(""), team("", outside)
	mine, others := governance.MessageReaction{Emoji: "👍", Mine: true}, governance.MessageReaction{Emoji: "👍"}
	many := make([]governance.MessageReaction, 20)
	unheard := func(s *store.Studio) { s.Said, s.Heard = 2, 1 }
	channel := func(changes ...func(*store.Studio)) *governance.Channel {
		return &governance.Channel{Studio: team("", changes...)}
	}
	hooks := func(n int) *governance.Webhooks { return &governance.Webhooks{List: make([]governance.Webhook, n)} }
	checkSaid(t, []said{
		{"the author edits", of(in).MustBeEditableBy(alice), ""},
		{"another does not", of(team("leader r1 - 0")).MustBeEditableBy(bob), "Only @alice can edit"},
		{"nor the author from outside", of(out).MustBeEditableBy(alice), notJoined},
		{"the author deletes", of(in).MustBeDeletableBy(alice), ""},
		{"a member does not", of(in).MustBeDeletableBy(bob), chairs},
		{"nor the author from outside, either", of(out).MustBeDeletableBy(alice), notJoined},
		{"a reaction is taken back", of(in, others, mine).MustTakeBackReactionOf(bob), ""},
		{"another's is not", of(in, others).MustTakeBackReactionOf(bob), "You have not reacted"},
		{"nor one from outside", of(out, mine).MustTakeBackReactionOf(bob), notJoined},
		{"a reaction", of(in).MustTakeReaction("👍"), ""},
		{"the same of another", of(in, others).MustTakeReaction("👍"), ""},
		{"the same again", of(in, mine).MustTakeReaction("👍"), "reacted with 👍 already"},
		{"another one", of(in, mine).MustTakeReaction("👎"), ""},
		{"a word", of(in).MustTakeReaction("ok"), "a single emoji"},
		{"a twentieth", of(in, many[1:]...).MustTakeReaction("👍"), ""},
		{"a twenty-first", of(in, many...).MustTakeReaction("👍"), "20 different reactions"},
		{"a channel with news", channel(unheard).MustBeUnheard(), ""},
		{"a channel without", channel().MustBeUnheard(), "You have read this channel"},
		{"a channel of others", channel(unheard, outside).MustBeUnheard(), notJoined},
		{"a webhook more", hooks(governance.MaxWebhooks - 1).MustHaveRoom(), ""},
		{"a webhook too many", hooks(governance.MaxWebhooks).MustHaveRoom(), "the most there may be"},
	})
}

// TestEmoji checks which texts are accepted as a reaction: one emoji from Unicode's blocks of emoji, with its
// modifiers.
func TestEmoji(t *testing.T) {
	m := &governance.Message{}
	flag := "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F" // the flag of Scotland
	family := "👩\u200d👩\u200d👧\u200d👦"
	for text, is := range map[string]bool{
		"👍": true, "👍🏻": true, "👍🏿": true, "❤️": true, "🇦🇿": true, "🇦🇦": true, "🇿🇦": true, "1️⃣": true,
		"0⃣": true, "9⃣": true, "#⃣": true, "*⃣": true,
		"👩\u200d💻": true, family: true, flag: true, "🏴\U000E0020": true,
		"\U0001F000": true, "\U0001FAFF": true, "\u2600": true, "\u27bf": true, "\u2b00": true, "\u2bff": true,
		"\u2190": true,
		"\u21ff": true, "\u2300": true, "\u23ff": true, "\u25a0": true, "\u25ff": true, "\u203c": true,
		"\u2049": true, "\u3030": true,
		"\u303d": true, "\u3297": true, "\u3299": true, "\u2122": true, "\u2139": true,
		"": false, "a": false, "👍👍": false, "👍a": false, "🇦": false, "🇦a": false, "a🇦": false, "🇦🇦🇦": false,
		"🏻": false, "🏿": false, "👍\u200d": false,
		"\u200d👍": false, "\xff": false, "1": false, "1️": false, "⃣": false, "/⃣": false, ":⃣": false,
		"a⃣": false, "1a⃣": false, "1️️⃣": false,
		"\U0001EFFF": false, "\U0001FB00": false, "\u25fe\u25fe": false, "\u2bfe\u2c00": false, "\u27c0": false,
		"\u2aff": false, "\u2c00": false,
		"\u218f": false, "\u2200": false, "\u22ff": false, "\u2400": false, "\u259f": false, "\u203d": false,
		"👍\U0001F3FA": false, "👍\U0001F400": false, "👍\U000E001F": false, "👍\U000E0080": false,
		"👍" + strings.Repeat("\ufe0f", 11): true, "👍" + strings.Repeat("\ufe0f", 12): false,
	} {
		if err := m.MustTakeReaction(text); (err == nil) != is {
			t.Errorf("%+q is an emoji: %v", text, !is)
		}
	}
}
