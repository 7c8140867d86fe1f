package store_test

import (
	"testing"
	"time"

	"samepage/store"
	"samepage/store/governance"
)

// TestGuardsOfTopics asks the guards of a topic in each of its phases and checks their errors.
func TestGuardsOfTopics(t *testing.T) {
	type topic = governance.Topic
	alice, bob, scribe := acting("alice"), acting("bob"), scribeOf("alice")
	of := func(s *store.Studio, phase string, changes ...func(*topic)) *topic {
		p := &topic{Item: *itemIn(s), Phase: phase}
		p.ConsentAt, p.Electorate, p.Answered, p.Quorum = before, 4, 4, 50
		p.Asking = phase == governance.TopicConsent
		for _, change := range changes {
			change(p)
		}
		return p
	}
	const ask, react, consent = governance.TopicClarification, governance.TopicReaction, governance.TopicConsent
	in, out, judged, past := team(""), team("", outside), team("referee r1 - 0"), team("", archived)
	sketch := func(p *topic) { p.OpenedAt = store.Time{} }
	accepted := func(p *topic) { p.Outcome, p.ClosedAt = "accepted", before }
	due := func(p *topic) { p.DueAt = before }
	ended := func(p *topic) { p.EndedAt = before }
	changes := func(n int) func(*topic) { return func(p *topic) { p.Changes = n } }
	answered := func(n int) func(*topic) { return func(p *topic) { p.Answered = n } }
	objections := func(n int) func(*topic) { return func(p *topic) { p.Objections = n } }
	position := func(p, settled, agent string) func(*topic) {
		return func(t *topic) { t.Mine.Position, t.Mine.Settled, t.Mine.Agent.ID = p, settled, agent }
	}
	objects := position(governance.Objection, governance.ObjectionOpen, "")
	late := func(p *topic) { p.ConsentAt = store.At(before.Add(-time.Second)) }
	open := func(member string) func(*topic) {
		return func(p *topic) { p.Open = []governance.Response{{MemberID: member}} }
	}
	const isDraft, resolved, phase = "This topic is a draft", "This topic was accepted", "the topic is in the phase"
	checkSaid(t, []said{
		{"the author changes a draft", of(in, ask, sketch).MustBeDraftOf(alice), ""},
		{"another does not", of(in, ask, sketch).MustBeDraftOf(bob), "Only @alice can change this draft"},
		{"nor the author from outside", of(out, ask, sketch).MustBeDraftOf(alice), notJoined},
		{"nor what is open", of(in, ask).MustBeDraftOf(alice), "has been opened"},
		{"an open topic", of(in, ask).MustBeUnresolved(), ""},
		{"a draft", of(in, ask, sketch).MustBeUnresolved(), isDraft},
		{"a resolved one", of(in, consent, accepted).MustBeUnresolved(), resolved},
		{"one from outside", of(out, ask).MustBeUnresolved(), notJoined},
		{"the phase of reactions", of(in, react).MustBeIn(react), ""},
		{"another phase", of(in, ask).MustBeIn(react), phase},
		{"a phase of a draft", of(in, react, sketch).MustBeIn(react), isDraft},

		{"the proposer facilitates", of(in, ask).MustBeFacilitatedBy(alice), ""},
		{"a member does not", of(in, ask).MustBeFacilitatedBy(bob), chairs},
		{"nobody after the end", of(in, consent, accepted).MustBeFacilitatedBy(alice), resolved},
		{"the proposer changes it", of(in, consent).MustBeAmendableBy(alice), ""},
		{"and in a draft", of(in, ask, sketch).MustBeAmendableBy(alice), ""},
		{"a member changes neither", of(in, ask, sketch).MustBeAmendableBy(bob), "Only @alice"},
		{"nor what is open", of(in, ask).MustBeAmendableBy(bob), chairs},
		{"an agent changes it early", of(in, ask).MustBeAmendableBy(scribe), ""},
		{"and not later, before anybody has responded", of(in, react).MustBeAmendableBy(scribe),
			"People are asked to answer this proposal, so only a person can change it now."},
		{"a question too early", of(in, react).MustTakeQuestions(), phase},
		{"an answer", of(in, ask, func(p *topic) { p.Unanswered = 1 }).MustTakeAnswers(), ""},
		{"an answer to nothing", of(in, ask).MustTakeAnswers(), "No question waits"},
		{"an answer too late", of(in, ask, accepted).MustTakeAnswers(), resolved},
		{"the proposer goes on", of(in, ask).MustBeAdvancedBy(alice), ""},
		{"a member does not go on", of(in, ask).MustBeAdvancedBy(bob), chairs},
		{"nobody from the last phase", of(in, consent).MustBeAdvancedBy(alice), "the last phase"},
		{"the proposer goes back", of(in, consent).MustBeSteppedBackBy(alice), ""},
		{"a member does not go back", of(in, consent).MustBeSteppedBackBy(bob), chairs},
		{"nobody from the first phase", of(in, ask).MustBeSteppedBackBy(alice), "the first phase"},
		{"a change of ten", of(in, ask, changes(governance.MaxChanges-1)).MustTakeChangesOf(alice), ""},
		{"an eleventh", of(in, ask, changes(governance.MaxChanges)).MustTakeChangesOf(alice), "the most there may be"},
		{"a change of a member", of(in, ask).MustTakeChangesOf(bob), chairs},
		{"no change to take out", of(in, ask).MustCarryFor(alice), "carries no change"},
		{"a change to take out", of(in, ask, changes(1)).MustCarryFor(alice), ""},
		{"a member takes none out", of(in, ask, changes(1)).MustCarryFor(bob), chairs},

		{"a response", governance.MustTakeResponseOf(of(in, consent), bob), ""},
		{"too early", governance.MustTakeResponseOf(of(in, react), bob), phase},
		{"of who joined later", governance.MustTakeResponseOf(of(in, consent, late), bob),
			"You joined Team after this phase"},
		{"too late", governance.MustTakeResponseOf(of(in, consent, due), bob), "The time to respond is over"},
		{"after the end of a round", governance.MustTakeResponseOf(of(in, consent, ended), bob),
			"The time to respond is over"},
		{"of who objects, late", governance.MustTakeResponseOf(of(in, consent, due, objects), bob), ""},
		{"of who has consented, late", governance.MustTakeResponseOf(of(in, consent, due, position("consent",
			"", "")), bob), "is over"},
		{"of whose objection is settled", governance.MustTakeResponseOf(
			of(in, consent, due, position(governance.Objection, "withdrawn", "")), bob), "is over"},
		{"of an agent", governance.MustTakeResponseOf(of(in, consent), scribe), ""},
		{"of an agent after its member", governance.MustTakeResponseOf(of(in, consent, objects), scribe),
			"has responded in person"},
		{"of an agent after an agent", governance.MustTakeResponseOf(
			of(in, consent, position(governance.Objection, "", "scribe")), scribe), ""},
		{"an objection is withdrawn", governance.MustHaveObjectionOf(of(in, consent, objects), bob), ""},
		{"no objection is not", governance.MustHaveObjectionOf(of(in, consent), bob), "no open objection"},
		{"nor after the end", governance.MustHaveObjectionOf(of(in, consent, objects, accepted), bob), resolved},
		{"nor by an agent", governance.MustHaveObjectionOf(of(in, consent, objects), scribe),
			"has responded in person"},

		{"the referee rules", governance.MustBeRuledBy(of(judged, consent, open("carol")), bob), ""},
		{"a member does not rule", governance.MustBeRuledBy(of(in, consent, open("carol")), bob), "Only the referee"},
		{"nor the proposer", governance.MustBeRuledBy(of(judged, consent, open("carol")), alice),
			"A proposer does not rule"},
		{"nor on nothing", governance.MustBeRuledBy(of(judged, consent), bob), "No objection of another member"},
		{"nor on their own", governance.MustBeRuledBy(of(judged, consent, open("bob")), bob),
			"No objection of another member"},
		{"nor in another phase", governance.MustBeRuledBy(of(judged, react, open("carol")), bob), phase},

		{"accepted by all", of(in, consent).MustBeAcceptableBy(alice), ""},
		{"not by a member", of(in, consent).MustBeAcceptableBy(bob), chairs},
		{"not in another phase", of(in, react).MustBeAcceptableBy(alice), phase},
		{"not with an objection", of(in, consent, objections(1)).MustBeAcceptableBy(alice), "An objection is open"},
		{"not with two", of(in, consent, objections(2)).MustBeAcceptableBy(alice), "2 objections are open"},
		{"not before all have answered", of(in, consent, answered(3)).MustBeAcceptableBy(alice),
			"3 of 4 have responded. This can be"},
		{"after the period", of(in, consent, answered(3), due).MustBeAcceptableBy(alice), ""},
		{"at the quorum", of(in, consent, answered(2), due).MustBeAcceptableBy(alice), ""},
		{"not below the quorum", of(in, consent, answered(1), due).MustBeAcceptableBy(alice),
			"1 have responded, and it takes 2"},

		{"the scheduler ends a period", of(out, consent, due).MustBeEndableBy(store.System()), ""},
		{"nobody else", of(in, consent, due).MustBeEndableBy(alice), "Only the scheduler"},
		{"not before its end", of(in, consent).MustBeEndableBy(store.System()), "No period is over"},
		{"not of a draft", of(in, consent, due, sketch).MustBeEndableBy(store.System()), "No period is over"},
		{"not after the outcome", of(in, consent, due, accepted).MustBeEndableBy(store.System()), "No period is over"},
		{"not in the past", of(past, consent, due).MustBeEndableBy(store.System()), isArchived},

		{"passed on to the studio above", of(team("", func(s *store.Studio) { s.Parent = "up" }),
			ask).MustBeEscalatedBy(alice), ""},
		{"not to none", of(in, ask).MustBeEscalatedBy(alice), "no parent studio"},
		{"not by a member, however", of(team("", func(s *store.Studio) { s.Parent = "up" }),
			ask).MustBeEscalatedBy(bob), chairs},
	})
}

// TestGuardsOfElections asks the guards of an election in each of its phases and checks their errors.
func TestGuardsOfElections(t *testing.T) {
	type election = governance.Election
	alice, bob, scribe := acting("alice"), acting("bob"), scribeOf("alice")
	of := func(s *store.Studio, phase string, changes ...func(*election)) *election {
		e := &election{Item: *itemIn(s), Phase: phase, Candidate: "carol", CandidateID: "carol",
			ProposerID: "dave", CandidateIn: true}
		e.ConsentAt, e.Electorate, e.Answered = before, 4, 4
		e.Asking = phase == governance.Choosing
		for _, change := range changes {
			change(e)
		}
		return e
	}
	const nominate, discuss, change, choose = governance.Nominating, governance.Discussing, governance.Changing,
		governance.Choosing
	in, out := team(""), team("", outside)
	sketch := func(e *election) { e.OpenedAt = store.Time{} }
	over := func(e *election) { e.Outcome, e.ClosedAt = governance.Elected, before }
	nominated := func(e *election) { e.Nominations = 1 }
	own := func(agent string) func(*election) {
		return func(e *election) { e.Own.At, e.Own.Agent.ID = before, agent }
	}
	nominee := func(in bool) func(*election) {
		return func(e *election) { e.Nominees = []governance.Nominee{{ID: "carol", In: in}} }
	}
	deleted := func(e *election) { e.Role.Deleted = true }
	mirrored := func(e *election) { e.Role.Mirrored = true }
	left := func(e *election) { e.CandidateIn = false }
	objection := func(e *election) { e.Objections = 1 }
	due := func(e *election) { e.DueAt = before }
	const isDraft, decided, phase = "This election is a draft", "This election was decided",
		"the election is in the phase"
	checkSaid(t, []said{
		{"the author changes a draft", of(in, nominate, sketch).MustBeDraftOf(alice), ""},
		{"another does not", of(in, nominate, sketch).MustBeDraftOf(bob), "Only @alice can change this draft"},
		{"a phase", of(in, discuss).MustBeIn(discuss), ""},
		{"another phase", of(in, discuss).MustBeIn(change),
			"the phase change round, and the election is in the phase discussion"},
		{"a phase of what is over", of(in, choose, over).MustBeIn(choose), decided},
		{"the author facilitates", of(in, discuss).MustBeFacilitatedBy(alice), ""},
		{"a member does not", of(in, discuss).MustBeFacilitatedBy(bob), chairs},
		{"nor an outsider", of(out, discuss).MustBeFacilitatedBy(alice), notJoined},

		{"the author edits a draft", of(in, nominate, sketch).MustBeEditableBy(alice), ""},
		{"a member edits no draft", of(in, nominate, sketch).MustBeEditableBy(bob), "Only @alice"},
		{"the author edits it", of(in, nominate, nominated).MustBeEditableBy(alice), ""},
		{"a member does not edit it", of(in, nominate).MustBeEditableBy(bob), chairs},
		{"nobody once it is revealed", of(in, discuss).MustBeEditableBy(alice), "are revealed"},
		{"an agent before the first nomination", of(in, nominate).MustBeEditableBy(scribe), ""},
		{"and not after it", of(in, nominate, nominated).MustBeEditableBy(scribe), "only a person can change this"},

		{"a nomination", of(in, nominate).MustTakeNominationOf(bob), ""},
		{"a nomination too late", of(in, discuss).MustTakeNominationOf(bob), phase},
		{"a nomination for a member who nominated", of(in, nominate, own("")).MustTakeNominationOf(scribe),
			"has nominated in person"},
		{"a nomination again", of(in, nominate, own("")).MustTakeNominationOf(bob), ""},
		{"a nomination by an agent again", of(in, nominate, own("scribe")).MustTakeNominationOf(scribe), ""},
		{"a nomination by an agent", of(in, nominate).MustTakeNominationOf(scribe), ""},
		{"a change", of(in, change, own("")).MustTakeChangeOf(bob), ""},
		{"a change of nothing", of(in, change).MustTakeChangeOf(bob), "You have not nominated"},
		{"a change too early", of(in, discuss, own("")).MustTakeChangeOf(bob), phase},
		{"a change by an agent", of(in, change, own("")).MustTakeChangeOf(scribe), "has nominated in person"},

		{"nominations are revealed", of(in, nominate, nominated).MustBeAdvancedBy(alice), ""},
		{"none are not", of(in, nominate).MustBeAdvancedBy(alice), "Nobody has nominated"},
		{"the discussion ends", of(in, discuss).MustBeAdvancedBy(alice), ""},
		{"the change round needs a candidate", of(in, change).MustBeAdvancedBy(alice), "begins with a candidate"},
		{"the last phase does not end so", of(in, choose).MustBeAdvancedBy(alice), "the last phase"},
		{"a member ends no phase", of(in, discuss).MustBeAdvancedBy(bob), chairs},
		{"back to the discussion", of(in, change).MustBeSteppedBackBy(alice), ""},
		{"a member does not go back", of(in, change).MustBeSteppedBackBy(bob), chairs},
		{"nobody from the first phase", of(in, nominate).MustBeSteppedBackBy(alice), "the first phase"},
		{"nobody to secrets", of(in, discuss).MustBeSteppedBackBy(alice), "cannot be secret again"},

		{"a candidate", of(in, change, nominee(true)).MustTakeCandidateFrom(alice), ""},
		{"another candidate", of(in, choose, nominee(true)).MustTakeCandidateFrom(alice), ""},
		{"a candidate too early", of(in, discuss, nominee(true)).MustTakeCandidateFrom(alice), phase},
		{"a candidate who left", of(in, change, nominee(false)).MustTakeCandidateFrom(alice), "No nominee is in Team"},
		{"a candidate of a member", of(in, change, nominee(true)).MustTakeCandidateFrom(bob), chairs},

		{"a judge", of(in, choose).MustBeJudgedBy(alice), ""},
		{"the candidate judges nothing", of(in, choose).MustBeJudgedBy(acting("carol")), "Neither the candidate"},
		{"nor the proposer", of(in, choose).MustBeJudgedBy(acting("dave")), "Neither the candidate"},
		{"a response", of(in, choose).MustAsk(), ""},
		{"a response too early", of(in, change).MustAsk(), phase},

		{"the candidate is elected", of(in, choose).MustBeElectableBy(alice), ""},
		{"not by a member", of(in, choose).MustBeElectableBy(bob), chairs},
		{"not too early", of(in, change).MustBeElectableBy(alice), phase},
		{"not to a deleted role", of(in, choose, deleted).MustBeElectableBy(alice), "was deleted"},
		{"not to a mirror", of(in, choose, mirrored).MustBeElectableBy(alice), "mirrors one of the studio above"},
		{"not once they left", of(in, choose, left).MustBeElectableBy(alice), "@carol is not in Team"},
		{"not with an objection", of(in, choose, objection).MustBeElectableBy(alice), "so @carol cannot be elected"},

		{"the scheduler ends a period", of(in, choose, due).MustBeEndableBy(store.System()), ""},
		{"not after the outcome", of(in, choose, due, over).MustBeEndableBy(store.System()), "No period is over"},
		{"the author gives up", of(in, discuss).MustBeGivenUpBy(alice), ""},
		{"not before the nominations are revealed", of(in, nominate).MustBeGivenUpBy(alice), "not revealed yet"},
		{"a member does not give up", of(in, discuss).MustBeGivenUpBy(bob), chairs},
		{"a draft is not given up", of(in, discuss, sketch).MustBeGivenUpBy(alice), isDraft},
	})
}
