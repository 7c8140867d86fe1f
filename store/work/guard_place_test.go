package work_test

import (
	"testing"

	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
)

// TestGuardsOfWorktrees calls the guards of a worktree in each of its states and checks their errors.
func TestGuardsOfWorktrees(t *testing.T) {
	type worktree = work.Worktree
	of := func(changes ...func(*worktree)) *worktree {
		return changed(worktree{Name: "tree", Branch: "work", Base: "main", Repo: "app",
			Host:   work.Host{Runner: "box", RunnerSeen: before},
			Starts: true, MadeAt: before, Ahead: 1,
			Agents: []work.Manifest{{Title: "Plain"}, {Title: "Claude", Asks: true}},
			Recipe: work.Recipe{Setup: "make", Start: "serve"},
			Past:   []work.Past{{}}, Studio: in}, changes...)
	}
	outside := func(w *worktree) { w.Studio = out }
	filed := func(w *worktree) { w.ArchivedAt = before }
	failed := func(w *worktree) { w.MadeAt, w.Job = store.Time{}, ended("checkout") }
	waits := func(w *worktree) { w.Job = job("refresh") }
	holds := func(w *worktree) { w.Job = job("archive") }
	working := func(w *worktree) { w.Turns = 1 }
	setting := func(w *worktree) { w.SettingJob = job("environment") }
	up := func(w *worktree) { w.EnvState, w.EnvPort = wire.EnvRunning, 4000 }
	dirty := func(w *worktree) { w.Dirty = true }
	clean := func(w *worktree) { w.Ahead = 0 }
	plain := func(w *worktree) { w.Agents = w.Agents[:1] }
	nobody := func(w *worktree) { w.Agents = nil }
	bare := func(w *worktree) { w.Recipe = work.Recipe{} }
	copies := func(w *worktree) { w.Recipe = work.Recipe{Copies: ".env"} }
	const noFolder, isTo = "it has no folder", "The runner box is to"
	checkSaid(t, []said{
		{"a session", of().MustTakeSessionsOf(alice), ""},
		{"a session of an agent", of().MustTakeSessionsOf(scribe), ""},
		{"a session from outside", of(outside).MustTakeSessionsOf(alice), notJoined},
		{"a session without a folder", of(filed).MustTakeSessionsOf(alice), noFolder},
		{"a session without agents", of(func(w *worktree) { w.Starts = false }).MustTakeSessionsOf(alice),
			"starts no agents"},
		{"a session without manifests", of(nobody).MustTakeSessionsOf(alice), "no manifest"},
		{"a person's with an agent that does not ask", of(plain).MustTakeSessionsOf(alice), ""},
		{"an agent's with one that does not ask", of(plain).MustTakeSessionsOf(scribe), "No agent here asks"},
		{"a pull request", of().MustTakePulls(), ""},
		{"one from outside", of(outside).MustTakePulls(), notJoined},
		{"one without a folder", of(filed).MustTakePulls(), noFolder},
		{"one beside another", of(func(w *worktree) { w.Pull = 1 }).MustTakePulls(), "a pull request already"},
		{"one of nothing", of(clean).MustTakePulls(), "has no commit"},

		{"idle", of().MustBeIdle(), ""},
		{"idle from outside", of(outside).MustBeIdle(), notJoined},
		{"not with a job", of(waits).MustBeIdle(), isTo},
		{"not without a folder", of(filed).MustBeIdle(), noFolder},
		{"a failed one is tried again", of(failed).MustBeFailed(), ""},
		{"not from outside", of(failed, outside).MustBeFailed(), notJoined},
		{"not a good one", of(waits).MustBeFailed(), "nothing to try again"},
		{"not without an attempt", of(failed, func(w *worktree) { w.Job = nil }).MustBeFailed(),
			"nothing to try again"},
		{"one is rewound", of().MustBeRewindable(), ""},
		{"not under an agent", of(working).MustBeRewindable(), "Stop its session"},
		{"not with changes", of(dirty).MustBeRewindable(), "uncommitted changes"},
		{"not to nothing", of(func(w *worktree) { w.Past = nil }).MustBeRewindable(), "No turn of an agent"},
		{"not with a job, either", of(waits).MustBeRewindable(), isTo},

		{"archived", of().MustBeArchivableBy(alice), ""},
		{"archived by an agent", of(clean).MustBeArchivableBy(scribe), ""},
		{"not what would be lost", of().MustBeArchivableBy(scribe), "so only a person can archive it"},
		{"not with a job to do", of(waits).MustBeArchivableBy(alice), isTo},
		{"not while an agent works", of(working).MustBeArchivableBy(alice), "Stop its session"},
		{"a failed one", of(failed).MustBeArchivableBy(alice), ""},
		{"a failed one from outside", of(failed, outside).MustBeArchivableBy(alice), notJoined},
		{"restored", of(filed).MustBeRestorable(), ""},
		{"restored from outside", of(filed, outside).MustBeRestorable(), notJoined},
		{"not what is there", of().MustBeRestorable(), "is not archived"},
		{"not what never was", of(filed, failed).MustBeRestorable(), "never had a folder"},
		{"not twice", of(filed, waits).MustBeRestorable(), isTo},

		{"set up", of().MustBeSetUp(), ""},
		{"set up by copies", of(copies).MustBeSetUp(), ""},
		{"without a setup", of(bare).MustBeSetUp(), "has no setup"},
		{"set up under an agent", of(working).MustBeSetUp(), "Stop its session"},
		{"set up with a job", of(waits).MustBeSetUp(), isTo},
		{"started", of().MustBeStartable(), ""},
		{"started from outside", of(outside).MustBeStartable(), notJoined},
		{"started without a folder", of(filed).MustBeStartable(), noFolder},
		{"started beside a look", of(waits).MustBeStartable(), ""},
		{"started before it is archived", of(holds).MustBeStartable(), isTo},
		{"started twice", of(up).MustBeStartable(), "runs on the port 4000"},
		{"started while it starts", of(setting).MustBeStartable(), "its environment. Wait for its report"},
		{"started without a program", of(bare).MustBeStartable(), "no program to start"},
		{"stopped", of(up).MustBeUp(), ""},
		{"stopped twice", of().MustBeUp(), "does not run"},
		{"stopped from outside", of(up, outside).MustBeUp(), notJoined},
	})
}

// TestGuardsOfBoards calls the guards of a board and of its cards and checks their errors.
func TestGuardsOfBoards(t *testing.T) {
	type board = work.Board
	of := func(zones, cards int, changes ...func(*board)) *board {
		b := board{Item: store.Item{OpenedAt: before, Studio: in}, Zones: make([]work.Zone, zones)}
		if cards > 0 {
			b.Zones[0].Cards = make([]work.Card, cards)
		}
		return changed(b, changes...)
	}
	outside := func(b *board) { b.Studio = out }
	filed := func(b *board) { b.ArchivedAt = before }
	draft := func(b *board) { b.OpenedAt = store.Time{} }
	card := func(waits bool, changes ...func(*board)) *work.CardPage {
		return &work.CardPage{OnIt: &work.Card{Waits: waits}, Board: of(1, 1, changes...)}
	}
	const archived, full = "This board is archived", "the most there may be"
	checkSaid(t, []said{
		{"an active board", of(0, 0).MustBeActive(), ""},
		{"one of others", of(0, 0, outside).MustBeActive(), notJoined},
		{"one of the past", of(0, 0, filed).MustBeActive(), archived},
		{"a last zone", of(work.MaxZones-1, 0).MustTakeZones(), ""},
		{"a zone too many", of(work.MaxZones, 0).MustTakeZones(), full},
		{"a zone of the past", of(0, 0, filed).MustTakeZones(), archived},
		{"a zone", of(1, 0).MustHaveZones(), ""},
		{"no zone", of(0, 0).MustHaveZones(), "has no zone"},
		{"zones of the past", of(1, 0, filed).MustHaveZones(), archived},
		{"a last card", of(1, work.MaxCards-1).MustTakeCards(), ""},
		{"a card too many", of(1, work.MaxCards).MustTakeCards(), full},
		{"a card nowhere", of(0, 0).MustTakeCards(), "has no zone"},
		{"a card", of(1, 1).MustHaveCards(), ""},
		{"no card", of(1, 0).MustHaveCards(), "has no card"},
		{"no card anywhere", of(0, 0).MustHaveCards(), "has no zone"},
		{"an empty zone", of(2, 1).MustHaveEmptyZones(), ""},
		{"no empty zone", of(1, 1).MustHaveEmptyZones(), "Every zone of this board has cards"},
		{"no zone, empty or not", of(0, 0).MustHaveEmptyZones(), "has no zone"},
		{"archived", of(0, 0).MustBeArchivable(), ""},
		{"archived twice", of(0, 0, filed).MustBeArchivable(), archived},
		{"a draft", of(0, 0, draft).MustBeArchivable(), "is a draft"},
		{"restored", of(0, 0, filed).MustBeRestorable(), ""},
		{"restored twice", of(0, 0).MustBeRestorable(), "is not archived"},
		{"restored from outside", of(0, 0, filed, outside).MustBeRestorable(), notJoined},
		{"a card that waits", card(true).MustWait(), ""},
		{"one that does not", card(false).MustWait(), "waits for nobody"},
		{"one of the past, waiting", card(true, filed).MustWait(), archived},
	})
}

// TestGuardsOfRunners calls the guards of repositories, runners and manifests and checks their errors.
func TestGuardsOfRunners(t *testing.T) {
	type repo = work.Repo
	of := func(changes ...func(*repo)) *repo {
		return changed(repo{Host: work.Host{Runner: "box", RunnerSeen: before}, FetchedAt: before, Source: "https://forge.example/app",
			Accounts: "https://forge.example/",
			Studio:   in}, changes...)
	}
	outside := func(p *repo) { p.Studio = out }
	archived := func(p *repo) { p.Studio = past }
	runner := func(stopped store.Time, roots work.Lines) *work.Runner {
		return &work.Runner{Name: "box", StoppedAt: stopped, Roots: roots, Organization: &store.Organization{}}
	}
	runners := func(n int) *work.Runners { return &work.Runners{List: make([]work.Runner, n)} }
	manifests := func(n int) *work.Manifests { return &work.Manifests{List: make([]work.Manifest, n)} }
	retired := manifests(work.MaxManifests)
	retired.List[work.MaxManifests-1].RetiredAt = before
	const most = "the most there may be"
	checkSaid(t, []said{
		{"fetched", of().MustBeFetchable(), ""},
		{"fetched from outside", of(outside).MustBeFetchable(), notJoined},
		{"fetched twice", of(func(p *repo) { p.Job = job("fetch") }).MustBeFetchable(), "being fetched already"},
		{"fetched after a failure", of(func(p *repo) { p.Job = ended("fetch") }).MustBeFetchable(), ""},
		{"commits", of().MustHaveCommits(), ""},
		{"commits of others", of(outside).MustHaveCommits(), notJoined},
		{"no commits", of(func(p *repo) { p.FetchedAt = store.Time{} }).MustHaveCommits(), "has no commits here yet"},
		{"removed", of().MustBeUnused(), ""},
		{"removed from the past", of(archived).MustBeUnused(), isArchived},
		{"removed under worktrees", of(func(p *repo) { p.Used = 1 }).MustBeUnused(), "It has worktrees"},
		{"removed under sessions", of(func(p *repo) { p.Sessions = 1 }).MustBeUnused(), "Agents have worked"},
		{"issues", of().MustTakeIssues(), ""},
		{"issues from outside", of(outside).MustTakeIssues(), notJoined},
		{"issues without an account", of(func(p *repo) { p.Accounts = "" }).MustTakeIssues(), "has no account"},
		{"issues beside others", of(func(p *repo) { p.IssueJob = job("issues") }).MustTakeIssues(),
			"other issues already"},
		{"issues after a failure", of(func(p *repo) { p.IssueJob = ended("issues") }).MustTakeIssues(), ""},
		{"the rest of the issues", of(func(p *repo) { p.Unmade = 1 }).MustMissIssues(), ""},
		{"no rest", of().MustMissIssues(), "All issues are made"},
		{"the rest from outside", of(outside, func(p *repo) { p.Unmade = 1 }).MustMissIssues(), notJoined},

		{"lost jobs", (&work.Runner{Loses: true}).MustHaveLostJobs(store.System()), ""},
		{"no lost jobs", (&work.Runner{}).MustHaveLostJobs(store.System()), "No job of the runner is lost"},
		{"nobody says so", (&work.Runner{Loses: true}).MustHaveLostJobs(alice), scheduler},
		{"a runner is on", runner(store.Time{}, "").MustBeOn(), ""},
		{"a runner is stopped", runner(before, "").MustBeOn(), "is stopped"},
		{"a stopped runner starts", runner(before, "").MustBeStopped(), ""},
		{"a runner starts twice", runner(store.Time{}, "").MustBeStopped(), "The runner is on"},
		{"a last runner", runners(work.MaxRunners - 1).MustHaveRoom(), ""},
		{"a runner too many", runners(work.MaxRunners).MustHaveRoom(), most},
		{"a source below a root", runner(store.Time{}, "/srv").MustAllow("/srv/app"), ""},
		{"a source elsewhere", runner(store.Time{}, "/srv").MustAllow("/etc/app"),
			"not below a root of the runner box: /srv"},
		{"a source that climbs", runner(store.Time{}, "/srv").MustAllow("/srv/../etc"), "not below a root"},
		{"a source without roots", runner(store.Time{}, "").MustAllow("/srv/app"), "has no roots yet"},

		{"a manifest in use", (&work.Manifest{}).MustBeInUse(), ""},
		{"a retired manifest", (&work.Manifest{RetiredAt: before}).MustBeInUse(), "is retired"},
		{"a last manifest", manifests(work.MaxManifests - 1).MustHaveRoom(), ""},
		{"a manifest too many", manifests(work.MaxManifests).MustHaveRoom(), most},
		{"a manifest after a retired one", retired.MustHaveRoom(), ""},
	})
}
