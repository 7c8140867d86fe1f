package store_test

import (
	"strings"
	"testing"
	"time"

	"samepage/store"
)

// said is the error of a guard about one subject, and the expected part of its sentence. The part is empty if the guard
// must permit the action.
type said struct {
	name string
	err  error
	want string
}

func checkSaid(t *testing.T, list []said) {
	t.Helper()
	for _, c := range list {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}

// acting returns a member who acts in person. The id is also the handle.
func acting(id string) store.Actor {
	return store.Actor{UserID: "user " + id, Member: &store.Member{ID: id, OrgID: "org", Handle: id}}
}

// scribeOf returns an agent of the member.
func scribeOf(id string) store.Actor {
	by := acting(id)
	by.Token, by.Agent, by.Grant = "token", store.Agent{ID: "scribe", Label: "Scribe"}, &store.Grant{}
	return by
}

// owning returns the owner of the organization.
func owning() store.Actor {
	by := acting("owner")
	by.Member.Owner = true
	return by
}

// before and after are an hour earlier and an hour later than friday, the present time of the guards.
var before, after = store.At(friday.Add(-time.Hour)), store.At(friday.Add(time.Hour))

// team returns a studio with two members, one of them the actor, and applies the changes to it. The parameter roles
// lists the actor's roles in the studio, with four words for each role: the kind, the id, the id of the role's source
// or a hyphen, and the time in milliseconds at which the actor got the role.
func team(roles string, changes ...func(*store.Studio)) *store.Studio {
	s := &store.Studio{ID: "s", OrgID: "org", Org: "acme", OrgName: "Acme", Zone: "UTC", Handle: "team",
		Name: "Team", People: 2,
		Visibility: "members", Tempo: "weekly", CreatedAt: before, JoinedAt: before, Now: friday}
	if err := s.Mine.Scan(roles); err != nil {
		panic(err)
	}
	for _, change := range changes {
		change(s)
	}
	return s
}

func outside(s *store.Studio)  { s.JoinedAt = store.Time{} }
func archived(s *store.Studio) { s.ArchivedAt = before }
func general(s *store.Studio)  { s.General = true }
func alone(s *store.Studio)    { s.People = 1 }
func listed(s *store.Studio)   { s.Visibility = "organization" }

// itemIn returns an open item of alice in a studio, and applies the changes to it.
func itemIn(s *store.Studio, changes ...func(*store.Item)) *store.Item {
	i := &store.Item{ID: "i", OrgID: "org", StudioID: s.ID, Kind: "note", Title: "Page", MemberID: "alice",
		Member:   "alice",
		OpenedAt: before, Studio: s, Now: friday}
	for _, change := range changes {
		change(i)
	}
	return i
}

func draft(i *store.Item)   { i.OpenedAt = store.Time{} }
func overdue(i *store.Item) { i.DueAt = before }
func removed(i *store.Item) { i.RemovedAt = before }

const (
	isArchived = "Team is archived"
	notJoined  = "Only members of Team can do this"
	keepers    = "Only the leader and the secretary of Team"
	chairs     = "the studio's leader or secretary and the organization's owner can do this"
)

// TestRoleAsAuthority checks which roles count for an actor, and that the title of a role in a studio which only
// members see is kept from other readers.
func TestRoleAsAuthority(t *testing.T) {
	s, token := team("none r1 - 0 leader r2 - 0"), scribeOf("alice")
	token.Grant.Roles = []string{"r2"}
	for _, c := range []struct {
		by   store.Actor
		id   string
		want bool
	}{{acting("alice"), "r1", true}, {acting("alice"), "r2", true}, {acting("alice"), "r3", false}, {token, "r1", false},
		{token, "r2", true}} {
		if got := s.HoldsRole(c.by, c.id); got != c.want {
			t.Errorf("%s holds %s: %v", c.by.Agent.ID, c.id, got)
		}
	}
	open := store.Authority{As: store.AsRole, RoleID: "r1"}
	if got := team("", listed).AsRole("r1"); got != open {
		t.Errorf("in a listed studio: %+v", got)
	}
	if got := s.AsRole("r1"); got == open || got.RoleID != "r1" || got.As != store.AsRole {
		t.Errorf("in a hidden studio: %+v", got)
	}
}

// TestGuardsOfStudios asks the guards of a studio for actors with each role in it, and for outsiders. It checks their
// errors.
func TestGuardsOfStudios(t *testing.T) {
	alice := acting("alice")
	token := scribeOf("alice")
	current := func(c *store.Cycle) error {
		_, err := c.MustBeCurrent()
		return err
	}
	cycle := func(s *store.Studio, weeks int) *store.Cycle {
		return &store.Cycle{Span: store.SpanAt(s.Tempo, friday.AddDate(0, 0, 7*weeks), time.UTC), Studio: s,
			Now: friday}
	}
	token.Grant.Roles = []string{"r2"}
	checkSaid(t, []said{
		{"a member", team("").MustBeJoined(), ""},
		{"an outsider", team("", outside).MustBeJoined(), notJoined},
		{"a member of the past", team("", archived).MustBeJoined(), isArchived},
		{"an active studio", team("").MustBeActive(), ""},

		{"a member keeps nothing", team("").MustBeKeptBy(alice), keepers},
		{"the leader", team("leader r1 - 0").MustBeKeptBy(alice), ""},
		{"the secretary", team("secretary r1 - 0").MustBeKeptBy(alice), ""},
		{"the referee", team("referee r1 - 0").MustBeKeptBy(alice), keepers},
		{"the second role counts", team("none r1 - 0 leader r2 - 0").MustBeKeptBy(alice), ""},
		{"a token without the role", team("leader r1 - 0").MustBeKeptBy(token), keepers},
		{"a token with the role", team("leader r2 - 0").MustBeKeptBy(token), ""},
		{"a token for every role", team("leader r1 - 0").MustBeKeptBy(scribeOf("alice")), ""},
		{"the owner", team("", outside).MustBeKeptBy(owning()), ""},
		{"nobody", team("", outside).MustBeKeptBy(store.Actor{}), keepers},
		{"the leader of an archived studio", team("leader r1 - 0", archived).MustBeKeptBy(alice), isArchived},

		{"a member governs", team("").MustBeGovernedBy(alice), ""},
		{"an outsider does not govern", team("", outside).MustBeGovernedBy(alice), notJoined},
		{"nobody does not govern", team("", outside).MustBeGovernedBy(store.Actor{}), notJoined},
		{"the owner governs", team("", outside).MustBeGovernedBy(owning()), ""},
		{"the owner does not govern the past", team("", outside, archived).MustBeGovernedBy(owning()), isArchived},

		{"the leader archives", team("leader r1 - 0").MustBeArchivableBy(alice), ""},
		{"a member does not", team("").MustBeArchivableBy(alice), keepers},
		{"nobody archives the general studio", team("leader r1 - 0", general).MustBeArchivableBy(alice),
			"cannot be archived"},

		{"the leader adds", team("leader r1 - 0").MustTakeMembersFrom(alice), ""},
		{"a member adds to a listed studio", team("", listed).MustTakeMembersFrom(alice), ""},
		{"a member does not add to a hidden one", team("").MustTakeMembersFrom(alice), keepers},
		{"nor an outsider to a listed one", team("", listed, outside).MustTakeMembersFrom(alice), keepers},
		{"nobody adds to the general studio", team("", general).MustTakeMembersFrom(alice),
			"Everyone in the organization is in"},
		{"nor to an archived one", team("", listed, archived).MustTakeMembersFrom(alice), isArchived},

		{"the leader removes", team("leader r1 - 0").MustLoseMembersTo(alice), ""},
		{"the secretary does not", team("secretary r1 - 0").MustLoseMembersTo(alice), "Only the leader of Team"},
		{"the owner removes", team("", outside).MustLoseMembersTo(owning()), ""},
		{"nobody from the general studio", team("leader r1 - 0", general).MustLoseMembersTo(alice),
			"Everyone in the organization is in"},
		{"nor from an archived one", team("leader r1 - 0", archived).MustLoseMembersTo(alice), isArchived},
		{"nor the only member", team("leader r1 - 0", alone).MustLoseMembersTo(alice), "only member"},
		{"the owner the only member", team("", alone, outside).MustLoseMembersTo(owning()), ""},

		{"a member leaves", team("").MustLetGo(alice), ""},
		{"who is not in does not", team("", outside).MustLetGo(alice), "You are not in Team"},
		{"nobody leaves the general studio", team("", general).MustLetGo(alice), "Everyone in the organization is in"},
		{"nor the last one a hidden studio", team("", alone).MustLetGo(alice), "last member"},
		{"the last one leaves a listed studio", team("", alone, listed).MustLetGo(alice), ""},
		{"a leader from above does not", team("none r1 - 0 leader r2 up 0").MustLetGo(alice), "/roles/r2"},
		{"a person with a role leaves", team("leader r1 - 0").MustLetGo(alice), ""},
		{"an agent does not give up a role", team("leader r1 - 0").MustLetGo(scribeOf("alice")),
			"only a person gives up"},
		{"an agent without a role leaves", team("").MustLetGo(scribeOf("alice")), ""},
		{"nobody leaves the past", team("", archived).MustLetGo(alice), isArchived},

		{"a first heartbeat", team("").MustBeAway(), ""},
		{"a heartbeat from outside", team("", outside).MustBeAway(), notJoined},
		{"a second heartbeat", team("", func(s *store.Studio) { s.HeartbeatAt = before }).MustBeAway(), "already"},
		{"this cycle", current(cycle(team(""), 0)), ""},
		{"the next one", current(cycle(team(""), 1)), "has not begun"},
		{"the last one", current(cycle(team(""), -1)), "is over"},
		{"a sum of the last cycle", cycle(team(""), -1).MustBeLast(), ""},
		{"a sum of this one", cycle(team(""), 0).MustBeLast(), "Only the last cycle"},
		{"a sum of an earlier one", cycle(team(""), -2).MustBeLast(), "Only the last cycle"},
		{"a sum in the past", cycle(team("", archived), -1).MustBeLast(), isArchived},
		{"one in a later cycle", team("", func(s *store.Studio) {
			s.HeartbeatAt = store.At(friday.AddDate(0, 0, -8))
		}).MustBeAway(), ""},
	})
	led, plain := team("leader r1 - 0"), team("")
	if !led.Holds(alice, store.Leader) || led.Holds(alice, store.Referee) || plain.Holds(alice, store.Leader) {
		t.Error("a role that is held is not, or one that is not held is")
	}
}

// TestGuardsOfItems asks the guards that all items have and checks their errors.
func TestGuardsOfItems(t *testing.T) {
	alice, bob := acting("alice"), acting("bob")
	in, out, past := team(""), team("", outside), team("", archived)
	full := func(i *store.Item) { i.Files = store.MaxFiles }
	pinned := func(i *store.Item) { i.Pinned = true }
	template := func(i *store.Item) { i.Template = before }
	remarks := func(i *store.Item) { i.Remarks = 1 }
	checkSaid(t, []said{
		{"the author chairs", itemIn(in).MustBeChairedBy(alice), ""},
		{"another member does not", itemIn(in).MustBeChairedBy(bob), chairs},
		{"the leader does", itemIn(team("leader r1 - 0")).MustBeChairedBy(bob), ""},

		{"a file", itemIn(in).MustTakeFiles(), ""},
		{"a file from outside", itemIn(out).MustTakeFiles(), notJoined},
		{"a file on a removed page", itemIn(in, removed).MustTakeFiles(), "was removed"},
		{"one file more", itemIn(in, full).MustTakeFiles(), "the most there may be"},

		{"a pin", itemIn(in).MustBePinnable(true), ""},
		{"a pin of an outsider", itemIn(out).MustBePinnable(true), notJoined},
		{"a pin on a draft", itemIn(in, draft).MustBePinnable(true), "A draft cannot be pinned"},
		{"a second pin", itemIn(in, pinned).MustBePinnable(true), "pinned already"},
		{"an end of a pin", itemIn(in, pinned).MustBePinnable(false), ""},
		{"an end of no pin", itemIn(in).MustBePinnable(false), "is not pinned"},

		{"a template", itemIn(in).MustBeTemplatable(true), ""},
		{"a template of an outsider", itemIn(out).MustBeTemplatable(true), notJoined},
		{"a template of a draft", itemIn(in, draft).MustBeTemplatable(true), "A draft cannot be a template"},
		{"a template of a removed page", itemIn(in, removed).MustBeTemplatable(true), "was removed"},
		{"a template twice", itemIn(in, template).MustBeTemplatable(true), "a template already"},
		{"no template any more", itemIn(in, template).MustBeTemplatable(false), ""},
		{"no template twice", itemIn(in).MustBeTemplatable(false), "is no template"},

		{"the owner removes", itemIn(in).MustBeRedactableBy(owning()), ""},
		{"the author does not", itemIn(in).MustBeRedactableBy(alice), "Only the organization's owner"},
		{"nobody does not", itemIn(in).MustBeRedactableBy(store.Actor{}), "Only the organization's owner"},
		{"nor the owner a draft", itemIn(in, draft).MustBeRedactableBy(owning()), "This is a draft"},
		{"nor what is removed", itemIn(in, removed).MustBeRedactableBy(owning()), "removed already"},
		{"the owner removes its comments", itemIn(in, removed, remarks).MustBeRedactableBy(owning()), ""},
		{"nor of the past", itemIn(past).MustBeRedactableBy(owning()), isArchived},

		{"a draft's author", itemIn(in, draft).MustBeDraftBy(alice), ""},
		{"a draft's reader", itemIn(in, draft).MustBeDraftBy(bob), "Only @alice"},
		{"no draft any more", itemIn(in).MustBeDraftBy(alice), "no draft any more"},
		{"a draft's author outside", itemIn(out, draft).MustBeDraftBy(alice), notJoined},

		{"a reminder in an archived studio", itemIn(past, func(i *store.Item) { i.DueAt = after }).MustBeSoon(),
			isArchived},
		{"a preview link", itemIn(team("", listed)).MustBeLinkable(), ""},
		{"a preview link from outside", itemIn(out).MustBeLinkable(), notJoined},
		{"a preview link to a draft", itemIn(in, draft).MustBeLinkable(), "This is a draft"},
		{"a preview link to what shows nothing", itemIn(team("", func(s *store.Studio) {
			s.PreviewSet = store.PreviewOff
		})).MustBeLinkable(), "show nothing"},
		{"a preview link to what everybody sees", itemIn(team("", func(s *store.Studio) {
			s.Visibility = "public"
		})).MustBeLinkable(), "Anyone can see"},
	})
}

// TestGuardsOfHearing checks the limit on the number of comments or messages in a row by agents. People may always
// write.
func TestGuardsOfHearing(t *testing.T) {
	scribe, free, stranger := scribeOf("alice"), scribeOf("alice"), scribeOf("alice")
	free.Unlimited, stranger.Member = true, nil
	one, endless := scribeOf("alice"), scribeOf("alice")
	one.Member.Limited, endless.Member.Limited = `{"agents_in_a_row":1}`, `{"agents_in_a_row":0}`
	most := store.DefaultLimits().InARow
	after := func(run int) *store.Item { return itemIn(team(""), func(i *store.Item) { i.AgentRun = run }) }
	channel := func(run int) *store.Studio { return team("", func(s *store.Studio) { s.AgentRun = run }) }
	checkSaid(t, []said{
		{"a person after agents", after(most).MustHear(acting("bob")), ""},
		{"an agent after fewer", after(most - 1).MustHear(scribe), ""},
		{"an agent after as many", after(most).MustHear(scribe), "comments here in a row"},
		{"an agent without limits", after(most).MustHear(free), ""},
		{"an agent from elsewhere", after(most).MustHear(stranger), ""},
		{"after one", after(1).MustHear(one), "an agent wrote the last comment here"},
		{"any number", after(99).MustHear(endless), ""},
		{"a message after fewer", channel(most - 1).MustHear(scribe), ""},
		{"a message after as many", channel(most).MustHear(scribe), "messages in this channel in a row"},
	})
	message := itemIn(channel(most), func(i *store.Item) { i.Kind = "message" })
	if err := message.MustHear(scribe); err == nil {
		t.Error("an agent answers a message in a channel in which agents talk")
	}
	if err := itemIn(channel(most)).MustHear(scribe); err != nil {
		t.Errorf("a page in a studio in whose channel agents talk: %v", err)
	}
}
