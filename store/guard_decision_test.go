package store_test

import (
	"slices"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// TestGuardsOfDecisions asks the guards of a decision in each of its states and checks their errors.
func TestGuardsOfDecisions(t *testing.T) {
	type decision = governance.Decision
	alice, bob, scribe := acting("alice"), acting("bob"), scribeOf("bob")
	of := func(s *store.Studio, changes ...func(*decision)) *decision {
		d := &decision{Item: *itemIn(s), Method: "acceptance", Results: "shown", Options: 2, Tie: "casting_vote"}
		for _, change := range changes {
			change(d)
		}
		return d
	}
	in, out, led := team(""), team("", outside), team("leader r1 - 0")
	item := func(change func(*store.Item)) func(*decision) { return func(d *decision) { change(&d.Item) } }
	sketch, due, passed := item(draft), item(overdue), item(func(i *store.Item) { i.ClosedAt = before })
	timed := item(func(i *store.Item) { i.DueAt = after })
	tied := func(d *decision) { d.ClosedAt, d.Outcome = before, governance.DecisionTie }
	method := func(m string) func(*decision) { return func(d *decision) { d.Method = m } }
	voted := func(d *decision) { d.Ballots, d.Mine.Voter = 1, "bob" }
	byAgent := func(d *decision) { d.Ballots, d.Mine.Voter, d.Mine.Agent.ID = 1, "bob", "scribe" }
	anonymous := func(d *decision) { d.Anonymous = true }
	imported := func(d *decision) { d.Imported = "file.csv" }
	empty := func(d *decision) { d.Options = 0 }
	full := func(d *decision) { d.Options = governance.MaxOptions }
	late := func(d *decision) { d.OpenedAt = store.At(before.Add(-time.Second)) }
	everyone := func(d *decision) { d.Everyone = true }
	results := func(r string) func(*decision) { return func(d *decision) { d.Results = r } }
	caster := func(d *decision) { d.CasterID, d.Caster = "bob", "bob" }
	authorGone := func(d *decision) { d.AuthorGone = true }
	gone := func(d *decision) { d.CasterGone, d.AuthorGone = true, true }
	decided := func(d *decision) { d.Deciding = new(int) }
	const isDraft, over = "This decision is a draft", "Voting closed on"
	checkSaid(t, []said{
		{"the author changes a draft", of(in, sketch).MustBeDraftOf(alice), ""},
		{"another member does not", of(in, sketch).MustBeDraftOf(bob), "Only @alice can change this draft"},
		{"nor the author from outside", of(out, sketch).MustBeDraftOf(alice), notJoined},
		{"nor what is open", of(in).MustBeDraftOf(alice), "has been opened"},

		{"a member votes", of(in).MustBeVotableBy(bob), ""},
		{"an outsider does not", of(out).MustBeVotableBy(bob), notJoined},
		{"nobody votes on a draft", of(in, sketch).MustBeVotableBy(bob), isDraft},
		{"nor on what is due", of(in, due).MustBeVotableBy(bob), over},
		{"nor on what is closed", of(in, passed).MustBeVotableBy(bob), over},
		{"nor on imported ballots", of(in, imported).MustBeVotableBy(bob), "were imported"},
		{"nor in a lottery", of(in, method("lottery")).MustBeVotableBy(bob), "This is a lottery"},
		{"nor on nothing", of(in, empty).MustBeVotableBy(bob), "nothing to vote on"},
		{"nor who joined later", of(in, late).MustBeVotableBy(bob), "before you joined Team"},
		{"unless everyone may", of(in, late, everyone).MustBeVotableBy(bob), ""},
		{"an agent votes", of(in).MustBeVotableBy(scribe), ""},
		{"an agent votes again", of(in, byAgent).MustBeVotableBy(scribe), ""},
		{"not after its member", of(in, voted).MustBeVotableBy(scribe), "has voted in person"},
		{"a member votes again", of(in, voted).MustBeVotableBy(bob), ""},

		{"a vote is taken back", of(in, voted).MustBeRetractableBy(bob), ""},
		{"no vote is not", of(in).MustBeRetractableBy(bob), "You have not voted"},
		{"nor one by an agent of who voted", of(in, voted).MustBeRetractableBy(scribe), "has voted in person"},
		{"nor one that was counted", of(in, voted, passed).MustBeRetractableBy(bob), over},

		{"an option in a draft", of(in, sketch).MustTakeOptions(alice), ""},
		{"an option in another's draft", of(in, sketch).MustTakeOptions(bob), "Only @alice can change this draft"},
		{"an option while members accept", of(in, voted).MustTakeOptions(bob), ""},
		{"an option from outside", of(out).MustTakeOptions(bob), notJoined},
		{"an option in a lottery", of(in, method("lottery")).MustTakeOptions(alice), "The lot was sealed"},
		{"an option beside anonymous ballots", of(in, voted, anonymous).MustTakeOptions(alice),
			"anonymous ballot was cast"},
		{"an option before them", of(in, anonymous).MustTakeOptions(bob), ""},
		{"an option beside ballots", of(in, voted, method("single")).MustTakeOptions(alice),
			"Only a vote by acceptance"},
		{"an author's option before them", of(in, method("single")).MustTakeOptions(alice), ""},
		{"another's option before them", of(in, method("single")).MustTakeOptions(bob), "Only @alice can add options"},
		{"an option too many", of(in, full).MustTakeOptions(bob), "the most there may be"},

		{"the author closes", of(in).MustBeClosableBy(alice), ""},
		{"the leader closes", of(led).MustBeClosableBy(bob), ""},
		{"a member does not", of(in).MustBeClosableBy(bob), chairs},
		{"nobody closes a draft", of(in, sketch).MustBeClosableBy(alice), isDraft},
		{"nor what is closed", of(in, passed).MustBeClosableBy(alice), over},
		{"the author closes what is due", of(in, due).MustBeClosableBy(alice), ""},
		{"not from outside", of(out, due).MustBeClosableBy(alice), notJoined},
		{"the scheduler closes what is due", of(out, due).MustBeClosableBy(store.System()), ""},
		{"nothing else", of(in, timed).MustBeClosableBy(store.System()), "is not due"},
		{"nor in the past", of(team("", archived), due).MustBeClosableBy(store.System()), isArchived},

		{"the author extends", of(in, timed).MustBeExtendableBy(alice), ""},
		{"a member does not extend", of(in, timed).MustBeExtendableBy(bob), chairs},
		{"nobody extends without a deadline", of(in).MustBeExtendableBy(alice), "no deadline to move"},
		{"nor what is due", of(in, due).MustBeExtendableBy(alice), over},

		{"the author hides results", of(in).MustTakeResultsBy(alice), ""},
		{"a member does not hide them", of(in).MustTakeResultsBy(bob), chairs},
		{"nor the author later", of(in, passed).MustTakeResultsBy(alice), over},
		{"nor in an anonymous vote", of(in, anonymous).MustTakeResultsBy(alice), "An anonymous vote stays hidden"},
		{"nor in a lottery, because nobody votes", of(in, method("lottery")).MustTakeResultsBy(alice),
			"nothing to hide"},
		{"nor if they are hidden", of(in, voted, results("after_closing")).MustTakeResultsBy(alice), "It stays so"},
		{"hidden ones are shown before the first ballot", of(in,
			results("after_closing")).MustTakeResultsBy(alice), ""},

		{"the author breaks a tie", of(in, tied).MustBeTiedFor(alice), ""},
		{"not from outside", of(out, tied).MustBeTiedFor(alice), notJoined},
		{"no other member", of(in, tied).MustBeTiedFor(bob), "Only the author, @alice"},
		{"the caster does", of(in, tied, caster).MustBeTiedFor(bob), ""},
		{"then not the author", of(in, tied, caster).MustBeTiedFor(alice), "Only @bob has the casting vote"},
		{"the leader for one who left", of(led, tied, caster, gone).MustBeTiedFor(acting("carol")), ""},
		{"and for an author who left", of(led, tied, gone).MustBeTiedFor(bob), ""},
		{"and no member", of(in, tied, gone).MustBeTiedFor(bob), chairs},
		{"a caster for an author who left", of(in, tied, caster, authorGone).MustBeTiedFor(bob), ""},
		{"no leader before the caster left", of(led, tied, caster, authorGone).MustBeTiedFor(acting("carol")),
			"Only @bob"},
		{"no tie", of(in, passed).MustBeTiedFor(alice), "no tie to break"},
		{"a tie once", of(in, tied, decided).MustBeTiedFor(alice), "broken already"},

		{"ballots for a draft", of(in, sketch).MustTakeBallots(alice), "is a draft"},
		{"ballots for an open vote", of(in).MustTakeBallots(alice), ""},
		{"ballots of a member", of(in).MustTakeBallots(bob), chairs},
		{"ballots from outside", of(out).MustTakeBallots(alice), notJoined},
		{"ballots for what is due", of(in, due).MustTakeBallots(alice), over},
		{"ballots beside others", of(in, voted).MustTakeBallots(alice), "Ballots have been cast"},
		{"ballots for an anonymous vote", of(in, anonymous).MustTakeBallots(alice), "only with a receipt"},

		{"a later deadline", of(in, timed).MustBeLater(after.Add(time.Second)), ""},
		{"the same deadline", of(in, timed).MustBeLater(after.Time), "only be moved later"},
		{"a deadline of the past", of(in).MustBeLater(friday), "has passed already"},
		{"a first deadline", of(in).MustBeLater(friday.Add(time.Second)), ""},
	})
	if got := of(in, caster).Decider() + " " + of(in).Decider(); got != "bob alice" {
		t.Errorf("the casting vote is with %s", got)
	}
	for want, d := range map[string]*decision{"bob": of(in, tied, caster), "alice": of(in, caster)} {
		if got := d.Ref().MemberID; got != want {
			t.Errorf("the journal names %s in place of %s", got, want)
		}
	}
}

// TestOtherResults checks which other rules a decision can get about when its results are visible. A stricter rule is
// possible at any time, but another one only before the first ballot.
func TestOtherResults(t *testing.T) {
	for _, c := range []struct {
		own     string
		ballots int
		want    []string
	}{
		{"shown", 0, []string{"after_voting", "after_closing"}}, {"shown", 1, []string{"after_voting",
			"after_closing"}},
		{"after_voting", 0, []string{"shown", "after_closing"}}, {"after_voting", 1, []string{"after_closing"}},
		{"after_closing", 0, []string{"shown", "after_voting"}}, {"after_closing", 1, nil},
	} {
		d := &governance.Decision{Results: c.own, Ballots: c.ballots}
		if got := d.OtherResults(); !slices.Equal(got, c.want) {
			t.Errorf("%s with %d ballots can become %v, want %v", c.own, c.ballots, got, c.want)
		}
	}
}
