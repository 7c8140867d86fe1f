package work_test

import (
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/work"
)

// friday is the present time of the guards. The times before and after are an hour away from it.
var (
	friday = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	before = store.At(friday.Add(-time.Hour))
	after  = store.At(friday.Add(time.Hour))
)

var (
	alice  = store.Actor{UserID: "alice", Member: &store.Member{ID: "alice", Handle: "alice"}}
	scribe = store.Actor{UserID: "alice", Member: alice.Member, Token: "token",
		Agent: store.Agent{ID: "scribe"}, Grant: &store.Grant{}}
	in   = &store.Studio{ID: "s", Org: "acme", Handle: "team", Name: "Team", JoinedAt: before}
	out  = &store.Studio{ID: "s", Org: "acme", Handle: "team", Name: "Team"}
	past = &store.Studio{ID: "s", Org: "acme", Handle: "team", Name: "Team", JoinedAt: before, ArchivedAt: before}
)

const (
	notJoined  = "Only members of Team can do this"
	isArchived = "Team is archived"
	scheduler  = "Only the scheduler does this"
)

// said is the result of one call of a guard. The field want is a part of the expected error, or empty if the guard must
// return nil.
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

// changed returns a copy of a subject with changes.
func changed[T any](of T, changes ...func(*T)) *T {
	for _, change := range changes {
		change(&of)
	}
	return &of
}

// job returns a waiting job, and ended returns a failed one.
func job(kind string) *work.Job { return &work.Job{Kind: kind, Now: friday} }
func ended(kind string) *work.Job {
	return &work.Job{Kind: kind, Now: friday, EndedAt: before, Problem: "no"}
}

// TestGuardsOfSessions calls the guards of a session and of its reviews and checks their errors.
func TestGuardsOfSessions(t *testing.T) {
	type session = work.Session
	of := func(changes ...func(*session)) *session {
		return changed(session{ID: "x", Agent: "Claude", Worktree: "tree",
			Host: work.Host{Runner: "box", RunnerSeen: before}, Starts: true,
			Folder: true, Asks: true, Head: "c1",
			Ahead: 1, Branch: "work", Base: "main", Rounds: 3, Turns: 1, Current: 1, BeganAt: before, EndedAt: before,
			Outcome: work.TurnFailed, AgentSession: "conversation", Resumes: true, Studio: in, Now: friday}, changes...)
	}
	from := func(s *store.Studio) func(*session) { return func(x *session) { x.Studio = s } }
	filed := func(x *session) { x.ArchivedAt = before }
	live := func(x *session) { x.EndedAt, x.ClaimedTo, x.Outcome = store.Time{}, after, "" }
	lost := func(x *session) { x.EndedAt, x.ClaimedTo, x.Outcome = store.Time{}, before, "" }
	interrupted := func(x *session) { x.Outcome = work.TurnInterrupted }
	queue := func(n int) func(*session) { return func(x *session) { x.Turns, x.After = x.Current+n, n } }
	fresh := func(x *session) {
		x.Turns, x.Current, x.BeganAt, x.EndedAt, x.Outcome = 0, 0, store.Time{}, store.Time{}, ""
	}
	good := func(x *session) { x.Outcome = work.TurnSucceeded }
	stopped := func(x *session) { x.StopAt = before }
	free := func(x *session) { x.Asks = false }
	mine := func(x *session) { x.Asks, x.Mine = false, true }
	review := func(x *session) { x.Kin = work.KinReview }
	waits := func(x *session) { x.Review = "v" }
	failed := func(n, of int) func(*session) { return func(x *session) { x.Failed, x.Rounds = n, of } }
	no := func(what func(x *session) *bool) func(*session) { return func(x *session) { *what(x) = false } }
	folder := no(func(x *session) *bool { return &x.Folder })
	starts := no(func(x *session) *bool { return &x.Starts })
	resumes := no(func(x *session) *bool { return &x.Resumes })
	mute := func(x *session) { x.AgentSession = "" }
	headless := func(x *session) { x.Head = "" }
	const archived, busy = "The session is archived", "A turn runs or waits"
	checkSaid(t, []said{
		{"a prompt", of().MustTakePrompts(), ""},
		{"a prompt from outside", of(from(out)).MustTakePrompts(), notJoined},
		{"a prompt in an archived session", of(filed).MustTakePrompts(), archived},
		{"a prompt without a folder", of(folder).MustTakePrompts(), "has no folder"},
		{"a prompt without agents", of(starts).MustTakePrompts(), "starts no agents"},
		{"a last prompt", of(queue(work.MaxQueue - 1)).MustTakePrompts(), ""},
		{"one too many", of(queue(work.MaxQueue)).MustTakePrompts(), "the most there may be"},

		{"a turn is stopped", of(live).MustBeBusy(), ""},
		{"a queue is stopped", of(queue(1)).MustBeBusy(), ""},
		{"a turn in an archived studio", of(live, from(past)).MustBeBusy(), ""},
		{"nothing is stopped", of().MustBeBusy(), "Nothing runs or waits"},
		{"nor twice", of(live, stopped).MustBeBusy(), "is being stopped"},
		{"but what waits behind it", of(live, stopped, queue(1)).MustBeBusy(), ""},
		{"nor in an archived session", of(live, filed).MustBeBusy(), archived},

		{"a failed turn is resumed", of().MustBeResumableBy(alice), ""},
		{"an interrupted one", of(interrupted).MustBeResumableBy(alice), ""},
		{"one whose runner is lost", of(lost).MustBeResumableBy(alice), ""},
		{"one that succeeded is not", of(good).MustBeResumableBy(alice), "ended by itself"},
		{"nor none", of(fresh).MustBeResumableBy(alice), "ended by itself"},
		{"nor a live one", of(live).MustBeResumableBy(alice), busy},
		{"nor before another", of(queue(1)).MustBeResumableBy(alice), busy},
		{"nor by an agent", of(free).MustBeResumableBy(scribe), "only people start it"},

		{"a session rests", of().MustBeIdle(), ""},
		{"not while it works", of(live).MustBeIdle(), "Stop it first"},
		{"nor while a prompt waits", of(queue(1)).MustBeIdle(), "Stop it first"},
		{"nor twice archived", of(filed).MustBeIdle(), archived},

		{"an agent spawns one that asks", of().MustTakePromptsFrom(scribe), ""},
		{"not one that does not ask", of(free).MustTakePromptsFrom(scribe), "does not ask before it acts"},
		{"a person does", of(free).MustTakePromptsFrom(alice), ""},
		{"a fork", of().MustBeForkableBy(alice), ""},
		{"no fork of nothing", of(mute).MustBeForkableBy(alice), "no conversation yet"},
		{"nor of what does not resume", of(resumes).MustBeForkableBy(alice), "no conversation yet"},
		{"nor by an agent, if it does not ask", of(free).MustBeForkableBy(scribe), "does not ask"},
		{"it comes back", of(filed).MustBeArchived(), ""},
		{"only if it was archived", of().MustBeArchived(), "is not archived"},
		{"and for members", of(filed, from(out)).MustBeArchived(), notJoined},

		{"a pull request", of().MustTakePulls(), ""},
		{"none of a reviewer", of(review).MustTakePulls(), "changes nothing"},
		{"none beside another", of(func(x *session) { x.Pull = 1 }).MustTakePulls(), "a pull request already"},
		{"none of nothing", of(func(x *session) { x.Ahead = 0 }).MustTakePulls(), "has no commit that main lacks"},
		{"none of an archived session", of(filed).MustTakePulls(), archived},

		{"a review", of().MustBeReviewableBy(alice), ""},
		{"a review for an agent", of().MustBeReviewableBy(scribe), ""},
		{"a review for the agent itself", of(mine).MustBeReviewableBy(scribe), ""},
		{"none of what does not ask", of(free).MustBeReviewableBy(scribe), "only people request a review"},
		{"but for people", of(free).MustBeReviewableBy(alice), ""},
		{"none of a review", of(review).MustBeReviewableBy(alice), "is not reviewed itself"},
		{"none beside one that waits", of(waits).MustBeReviewableBy(alice), "A review waits already"},
		{"none without a commit", of(headless).MustBeReviewableBy(alice), "There is no commit yet"},
		{"one of what works", of(headless, live).MustBeReviewableBy(alice), ""},
		{"one of what waits", of(headless, queue(1)).MustBeReviewableBy(alice), ""},
		{"none after all rounds", of(failed(3, 3)).MustBeReviewableBy(alice), "A person allows one more"},
		{"none after the last one", of(failed(work.MaxFailed, work.MaxFailed+1)).MustBeReviewableBy(alice),
			"is given up here"},
		{"the last one", of(failed(work.MaxFailed-1, work.MaxFailed)).MustBeReviewableBy(alice), ""},
		{"none of an archived session, either", of(filed).MustBeReviewableBy(alice), archived},
		{"one round more", of(failed(3, 3)).MustBeExtendable(), ""},
		{"not before", of(failed(2, 3)).MustBeExtendable(), "There can be 1 more"},
		{"not after the last", of(failed(work.MaxFailed, work.MaxFailed)).MustBeExtendable(), "There are no more"},
		{"not in the archive", of(failed(3, 3), filed).MustBeExtendable(), archived},

		{"a turn with a process", (&work.Turn{BeganAt: before}).MustHaveBegun(), ""},
		{"a turn without one", (&work.Turn{}).MustHaveBegun(), "has not begun"},

		{"a lost runner", of(lost).MustHaveLostRunner(store.System()), ""},
		{"nobody says so", of(lost).MustHaveLostRunner(alice), scheduler},
		{"a runner that works", of(live).MustHaveLostRunner(store.System()), "No runner was lost"},
		{"a runner that has ended", of(lost,
			func(x *session) { x.EndedAt = before }).MustHaveLostRunner(store.System()), "No runner"},
		{"no runner", of(lost,
			func(x *session) { x.ClaimedTo = store.Time{} }).MustHaveLostRunner(store.System()), "No runner"},
		{"no turn", of(lost, func(x *session) { x.Current = 0 }).MustHaveLostRunner(store.System()), "No runner"},
	})
}

// TestGuardsOfReviews calls the guards of a review and of a request for permission and checks their errors.
func TestGuardsOfReviews(t *testing.T) {
	type review = work.Review
	of := func(changes ...func(*review)) *review {
		return changed(review{Commit: "c1", RequestedAt: before, Studio: in, Now: friday}, changes...)
	}
	old := func(v *review) { v.RequestedAt = store.At(friday.Add(-work.ReviewTime)) }
	over := func(v *review) { v.Outcome = work.ReviewApproved }
	outside := func(v *review) { v.Studio = out }
	early := func(v *review) { v.Commit = "" }
	mine := func(v *review) { v.Mine = true }
	full := func(n int) func(*review) { return func(v *review) { v.Comments = n } }
	asked := func(s *store.Studio, changes ...func(*work.Permission)) *work.Permission {
		return changed(work.Permission{Live: true, Answerer: "bob", Session: &work.Session{Studio: s}}, changes...)
	}
	answered := func(p *work.Permission) { p.AnsweredAt = before }
	answeredBy := func(p *work.Permission) { p.AnsweredAt, p.AnsweredBy = before, "b" }
	lasting := func(s *store.Studio, changes ...func(*work.PermissionRule)) *work.PermissionRule {
		return changed(work.PermissionRule{Withdrawn: "bob", Session: &work.Session{Studio: s}}, changes...)
	}
	withdrawn := func(l *work.PermissionRule) { l.WithdrawnAt = before }
	checkSaid(t, []said{
		{"an open review", of().MustBeOpen(), ""},
		{"one from outside", of(outside).MustBeOpen(), notJoined},
		{"one that has expired", of(old).MustBeOpen(), "has expired"},
		{"one that was approved", of(over).MustBeOpen(), "the work is approved. Another one is requested"},
		{"a person answers", of().MustBeAnswerableBy(alice), ""},
		{"the agent that was asked", of(mine).MustBeAnswerableBy(scribe), ""},
		{"no other agent", of().MustBeAnswerableBy(scribe), "Only people answer"},
		{"nobody after the end", of(over).MustBeAnswerableBy(alice), "the work is approved. Another one is requested"},
		{"nobody before the commit", of(early).MustBeAnswerableBy(alice), "has not ended"},
		{"a last comment", of(full(work.MaxComments - 1)).MustTakeComments(), ""},
		{"a comment too many", of(full(work.MaxComments)).MustTakeComments(), "the most there may be"},
		{"a comment too late", of(over).MustTakeComments(), "the work is approved. Another one is requested"},
		{"an overdue review ends", of(old).MustBeOverdue(store.System()), ""},
		{"by nobody else", of(old).MustBeOverdue(alice), scheduler},
		{"not earlier", of().MustBeOverdue(store.System()), "still waited for"},
		{"not twice", of(old, over).MustBeOverdue(store.System()), "The review has ended"},

		{"an answer", asked(in).MustBeOpen(), ""},
		{"an answer from outside", asked(out).MustBeOpen(), notJoined},
		{"a second answer", asked(in, answeredBy).MustBeOpen(), "@bob has answered it"},
		{"an answer after a rule", asked(in, answered).MustBeOpen(), "A rule has answered it"},
		{"an answer too late", asked(in, func(p *work.Permission) { p.Live = false }).MustBeOpen(),
			"the turn has ended"},
		{"a rule is withdrawn", lasting(in).MustBeInForce(), ""},
		{"not from outside", lasting(out).MustBeInForce(), notJoined},
		{"not twice", lasting(in, withdrawn).MustBeInForce(), "@bob has withdrawn it"},
	})
}

// TestGuardsOfPulls calls the guards of a pull request and checks their errors.
func TestGuardsOfPulls(t *testing.T) {
	type pull = work.Pull
	of := func(changes ...func(*pull)) *pull {
		return changed(pull{N: 1, Branch: "work", Base: "main", Main: "main", WorkHead: "c1", Ahead: 1,
			Worktree: "tree", Repo: "app", Host: work.Host{Runner: "box", RunnerSeen: before},
			Source: "https://forge.example/app", Accounts: "https://forge.example/", Studio: in}, changes...)
	}
	outside := func(q *pull) { q.Studio = out }
	closed := func(q *pull) { q.Outcome = work.PullClosed }
	merged := func(q *pull) { q.Outcome = work.PullMerged }
	merging := func(q *pull) { q.Job = job("merge") }
	draft := func(q *pull) { q.Draft = true }
	filed := func(q *pull) { q.Archived = true }
	another := func(q *pull) { q.Another = 2 }
	publishing := func(q *pull) { q.PublishJob = job("publish") }
	failing := func(q *pull) { q.PublishJob = ended("publish") }
	succeeded := func(q *pull) { q.PublishJob = &work.Job{Now: friday, ClaimedTo: before, EndedAt: before} }
	published := func(q *pull) { q.Published.N, q.Published.URL = 7, "https://forge.example/app/7" }
	none := func(q *pull) { q.Ahead = 0 }
	reviews := func(q *pull) { q.Reviews = true }
	approved := func(q *pull) { q.Reviews, q.ReviewID = true, "v" }
	checked := func(commit string, passed bool) func(*pull) {
		return func(q *pull) { q.CheckArgv, q.Checked, q.Passed = "make", commit, passed }
	}
	checking := func(q *pull) { q.CheckArgv, q.CheckJob = "make", job("check") }
	forge := func(state string) func(*pull) {
		return func(q *pull) { published(q); q.Checks = state }
	}
	touches := func(q *pull) { q.Touched = []string{"LICENSE"} }
	clashes := func(q *pull) { q.Clashes, q.SessionID = "[]", "x" }
	const isDraft, ask = "It is a draft", "A person can merge"
	checkSaid(t, []said{
		{"open", of().MustBeOpen(), ""},
		{"from outside", of(outside).MustBeOpen(), notJoined},
		{"closed", of(closed).MustBeOpen(), "is closed"},
		{"being merged", of(merging).MustBeOpen(), "is to merge it"},
		{"a draft is made ready", of(draft).MustBeDraft(), ""},
		{"no draft is not", of().MustBeDraft(), "is no draft"},
		{"nor a closed draft", of(draft, closed).MustBeDraft(), "is closed"},
		{"a closed one opens", of(closed).MustBeReopenable(), ""},
		{"not from outside", of(closed, outside).MustBeReopenable(), notJoined},
		{"not an open one", of().MustBeReopenable(), "not closed"},
		{"not a merged one", of(merged).MustBeReopenable(), "not closed"},
		{"not without its worktree", of(closed, filed).MustBeReopenable(), "is archived"},
		{"not beside another", of(closed, another).MustBeReopenable(), "another pull request"},

		{"a person merges", of(reviews, checked("", false), forge(work.ForgeFailed),
			touches).MustBeMergeableBy(alice), ""},
		{"an agent merges", of(approved, checked("c1", true), forge(work.ForgePassed)).MustBeMergeableBy(scribe), ""},
		{"an agent where no review is needed", of().MustBeMergeableBy(scribe), ""},
		{"nobody a closed one", of(closed).MustBeMergeableBy(alice), "is closed"},
		{"nobody a draft", of(draft).MustBeMergeableBy(alice), isDraft},
		{"nobody without its worktree", of(filed).MustBeMergeableBy(alice), "is archived"},
		{"nobody while it is published", of(publishing).MustBeMergeableBy(alice), "is to publish it"},
		{"nobody nothing", of(none).MustBeMergeableBy(alice), "has no commit"},
		{"no agent without a review", of(reviews).MustBeMergeableBy(scribe), "No review has approved"},
		{"nor without a check", of(checked("", false)).MustBeMergeableBy(scribe), "The check has not run"},
		{"nor with one that failed", of(checked("c1", false)).MustBeMergeableBy(scribe), "has failed the check"},
		{"nor before its end", of(checking).MustBeMergeableBy(scribe), "has not ended"},
		{"nor before that of the forge", of(forge(work.ForgeWaiting)).MustBeMergeableBy(scribe),
			"forge.example have not passed"},
		{"nor after one that failed there", of(forge(work.ForgeFailed)).MustBeMergeableBy(scribe), ask},
		{"nor what is protected", of(touches).MustBeMergeableBy(scribe), "It changes LICENSE"},

		{"a branch ends", of().MustLoseItsBranch(), ""},
		{"not the default one", of(func(q *pull) { q.Branch = "main" }).MustLoseItsBranch(), "is the default branch"},
		{"not one that others begin from", of(func(q *pull) { q.Based = []string{"next"} }).MustLoseItsBranch(),
			"The worktree next"},
		{"not under an agent", of(func(q *pull) { q.Turns = 1 }).MustLoseItsBranch(), "An agent works"},
		{"conflicts", of(clashes).MustHaveConflictsFor(alice), ""},
		{"no conflicts", of(func(q *pull) { q.SessionID = "x" }).MustHaveConflictsFor(alice), "found no conflict"},
		{"conflicts for nobody", of(func(q *pull) { q.Clashes = "[]" }).MustHaveConflictsFor(alice), "No session"},
		{"conflicts for an archived session",
			of(clashes, func(q *pull) { q.SessionOver = true }).MustHaveConflictsFor(alice),
			"is archived"},
		{"no conflicts from an agent to one that does not ask", of(clashes).MustHaveConflictsFor(scribe),
			"only people"},
		{"conflicts from an agent to one that asks", of(clashes,
			func(q *pull) { q.Asks = true }).MustHaveConflictsFor(scribe), ""},
		{"conflicts of the past", of(clashes, closed).MustHaveConflictsFor(alice), "is closed"},

		{"a check", of(checked("c0", true)).MustBeCheckable(), ""},
		{"no check", of().MustBeCheckable(), "has no check"},
		{"a check already", of(checking).MustBeCheckable(), "to check it already"},
		{"a check again", of(checked("c1", true)).MustBeCheckable(), "has passed the check"},
		{"a check that failed, again", of(checked("c1", false)).MustBeCheckable(), ""},
		{"a check of the past", of(checked("c0", true), closed).MustBeCheckable(), "is closed"},

		{"published", of().MustBePublishable(), ""},
		{"published twice", of(published).MustBePublishable(), "It is published"},
		{"published again after a failure", of(published, failing).MustBePublishable(), ""},
		{"published by now", of(published, publishing).MustBePublishable(), "It is published"},
		{"published after that", of(published, succeeded).MustBePublishable(), "It is published"},
		{"being published", of(publishing).MustBePublishable(), "to publish it already"},
		{"a failure before the first time", of(failing).MustBePublishable(), ""},
		{"a draft after a failure", of(draft, failing).MustBePublishable(), isDraft},
		{"a draft, published", of(draft).MustBePublishable(), isDraft},
		{"without an account", of(func(q *pull) { q.Accounts = "" }).MustBePublishable(), "has no account"},
		{"closed, published", of(closed).MustBePublishable(), "is closed"},
		{"published again, without an account",
			of(published, failing, func(q *pull) { q.Accounts = "" }).MustBePublishable(),
			"has no account"},
	})
	for want, q := range map[string]*pull{
		"":                                      of(approved, checked("c1", true), forge(work.ForgePassed)),
		"No review has approved the commit c1.": of(reviews),
		"The check has not run on the commit c1.":   of(checked("", false)),
		"The check of the commit c1 has not ended.": of(checking),
		"The commit c1 has failed the check. Checks of forge.example have failed.": of(checked("c1", false),
			forge(work.ForgeFailed)),
		"Checks of forge.example have not ended.": of(forge(work.ForgeWaiting)),
	} {
		if got := q.NeedsReason(); got != want {
			t.Errorf("a reason is needed because of %q, want %q", got, want)
		}
	}
}
