package web_test

import (
	"errors"
	"fmt"
	"path"
	"testing"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
	"samepage/store/work"
	"samepage/web/webtest"
)

// readPages reads the pages of all fixtures as different actors, and some lists as Alice.
func readPages(t *testing.T, site *webtest.World) {
	t.Helper()
	pages := []string{"/studios/team/channel/digest?since=30d", "/search?q=garden"}
	for _, name := range site.Fixtures() {
		pages = append(pages, site.URL(name))
	}
	lists := []string{"/orgs/acme/policies", "/orgs/acme/webhooks", "/orgs/acme/runners", "/orgs/acme/manifests",
		"/orgs/acme/briefing", "/studios/team/decisions?show=open", "/studios/team/pulls", "/studios/team/boards", "/studios/team/repos",
		"/studios/team/worktrees"}
	for _, url := range lists {
		if r := site.As("alice").Get(url, "text/markdown"); r.Status != 200 {
			t.Errorf("%s: %d %s", url, r.Status, r.Body)
		}
	}
	pages = append(append(pages, lists...), site.URL("worktree watering")+"/diff",
		site.URL("topic consent")+"/briefing", site.URL("result single")+"/ballots", site.URL("note post")+"/readers",
		site.URL("note post")+"/versions", site.URL("note post")+"/versions/1")
	for _, who := range []string{"bob", "scribe", "alice"} {
		for _, path := range pages {
			site.As(who).Get(path, "text/markdown")
		}
		site.As(who).Get("/", "text/html")
		site.As(who).Get(site.URL("talk"), "text/html")
	}
}

// takeActions takes actions that the story of the site does not take.
func takeActions(t *testing.T, site *webtest.World) {
	t.Helper()
	mill, secret := site.URL("runner mill"), site.URL("open anonymous")
	for _, a := range []struct {
		by, url, action string
		in              param.Input
	}{
		{"bob", site.URL("topic consent"), "copy", nil},
		{"bob", site.URL("topic carrying"), "remove_change", param.Input{"change": "1"}},
		{"bob", site.URL("election nomination"), "update_election", param.Input{"qualifications": "Somebody quick."}},
		{"bob", site.URL("policy retired"), "reinstate_policy", nil},
		{"bob", site.URL("worktree archived"), "restore_worktree", nil},
		{"alice", site.URL("webhook active"), "update_webhook", param.Input{"address": "https://hooks.example.org/new"}},
		{"alice", site.URL("webhook active"), "redeliver_event", param.Input{"delivery": "2"}},
		{"alice", site.URL("webhook active"), "rotate_secret", nil},
		{"alice", site.URL("webhook paused"), "resume_webhook", nil},
		{"bob", site.URL("board"), "copy", nil},
		{"bob", site.URL("board"), "remove_zone", param.Input{"zone": "4"}},
		{"erin", site.URL("board archived"), "restore_board", nil},
		{"bob", site.URL("rule deny"), "withdraw_permission_rule", nil},
		{"bob", site.URL("session done"), "rename_session", param.Input{"title": "Roses"}},
		{"bob", site.URL("session interrupted"), "resume_session", nil},
		{"alice", mill, "update_runner", param.Input{"roots": []any{"/srv/git"}}},
		{"alice", mill, "stop_runner", nil},
		{"alice", mill, "start_runner", nil},
		{"bob", site.URL("session done"), "fork_session", param.Input{"prompt": "Again."}},
		{"erin", site.URL("open dots"), "retract_vote", nil},
		{"bob", secret, "cast_vote", param.Input{"accept": []any{"1", "2"}, "receipt": site.Receipt(secret)}},
		{"bob", secret, "retract_vote", param.Input{"receipt": site.Receipt(secret)}},
		{"alice", site.URL("draft ranked"), "update_decision", param.Input{"question": "Which is first?"}},
		{"alice", site.URL("draft ranked"), "remove_option", param.Input{"option": "1"}},
		{"alice", site.URL("commitment open"), "update_commitment", param.Input{"title": "Paint the shed"}},
		{"bob", site.URL("commitment open"), "leave", nil},
		{"erin", site.URL("message hello"), "add_reaction", param.Input{"reaction": "👍"}},
		{"erin", site.URL("message hello"), "remove_reaction", param.Input{"reaction": "👍"}},
	} {
		if r := site.As(a.by).PostJSON(a.url, a.action, a.in); r.Status != 200 {
			t.Errorf("%s: %s on %s: %d %s", a.by, a.action, a.url, r.Status, r.Body)
		}
	}
	bob := site.As("bob")
	topic := bob.Post("/studios/shed", "create_topic", param.Input{"title": "A door", "text": "It closes."}).Location()
	in := param.Input{"page": "/studios/shed", "change": "update_studio", "values": "name: Hut"}
	if r := bob.PostJSON(topic, "add_change", in); r.Status != 200 {
		t.Errorf("add a change: %d %s", r.Status, r.Body)
	}
	if r := bob.PostJSON(topic, "escalate_topic", nil); r.Status != 200 {
		t.Errorf("escalate: %d %s", r.Status, r.Body)
	}
}

// doDue lets 60 days pass, takes the actions that become due, and deletes the old rows.
func doDue(t *testing.T, site *webtest.World) {
	t.Helper()
	for range 3 {
		site.Clock.Advance(20 * 24 * time.Hour)
		site.Site.CloseDue(t.Context())
		site.Bearer(site.Secret("runner mill")).Get(site.URL("runner mill"), "application/json")
	}
	if _, err := site.Store.Prune(t.Context()); err != nil {
		t.Error(err)
	}
}

// send does what the senders of mails and webhooks do, without sending anything.
func send(t *testing.T, site *webtest.World) {
	t.Helper()
	var bob string
	site.Query(&bob, `SELECT user_id FROM members WHERE handle = 'bob'`)
	for _, way := range []notice.Way{notice.ToMail, notice.ToDigest} {
		writeTo(t, site, func(tx *store.Tx) error {
			s, err := notice.Of(tx, bob)
			if err != nil {
				return err
			}
			s.Digest = notice.Daily
			return errors.Join(notice.SetWays(tx, s, map[store.Reason]notice.Way{store.ReasonMention: way}, nil),
				notice.Update(tx, s))
		})
		if r := site.As("erin").Post(site.URL("talk"), "comment", param.Input{"text": "Look, @bob!"}); r.Status != 303 {
			t.Error(r.Status, r.Body)
		}
		site.Clock.Advance(25 * time.Hour)
		writeTo(t, site, func(tx *store.Tx) error {
			_, err1 := notice.Behind(tx, 10)
			_, err2 := notice.DueDigests(tx, 10)
			return errors.Join(err1, err2, notice.QueueNotices(tx, bob), notice.QueueDigest(tx, bob))
		})
	}
	writeTo(t, site, func(tx *store.Tx) error {
		due, err := tx.DueMails(10)
		if err != nil || len(due) == 0 {
			return fmt.Errorf("no mail is due: %w", err)
		}
		m, err1 := tx.LeaseMail(due[0].ID, "test")
		_, _, err2 := notice.ToldBy(tx, m.ID)
		_, err3 := notice.TurnOff(tx, bob, notice.MailedDigest)
		return errors.Join(err1, err2, err3, notice.Release(tx, m.ID, bob), tx.ReleaseMail(m), tx.PostponeMail(m, tx.Now))
	})
	writeTo(t, site, func(tx *store.Tx) error {
		hooks, err := governance.BehindWebhooks(tx, 1)
		if err != nil || len(hooks) == 0 {
			return fmt.Errorf("no webhook is behind: %w", err)
		}
		qerr := governance.QueueDeliveries(tx, &hooks[0])
		_, err1 := governance.HookedOrganizations(tx)
		_, err2 := governance.DueWebhooks(tx, 10)
		_, _, err3 := governance.WaitingDeliveries(tx)
		d, err4 := governance.LeaseDelivery(tx, hooks[0].Common(), "test")
		if err := errors.Join(qerr, err1, err2, err3, err4); err != nil {
			return err
		}
		return errors.Join(governance.ReleaseDelivery(tx, d), governance.DeleteWebhook(tx, &hooks[0]))
	})
}

// sendOwn does what the sender does with the webhook of a person, without sending anything.
func sendOwn(t *testing.T, site *webtest.World) {
	t.Helper()
	const address = "https://hooks.example.org/erin"
	writeTo(t, site, func(tx *store.Tx) error {
		erin, err := tx.FindMember(store.System(), "acme", "erin")
		if err != nil {
			return err
		}
		w, err1 := governance.FindOwnWebhook(tx, erin.InPerson())
		s, err2 := notice.Of(tx, erin.UserID)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		return errors.Join(governance.ReplaceAddress(tx, w, address),
			notice.SetWays(tx, s, nil, map[store.Reason]bool{store.ReasonMention: true}))
	})
	if r := site.As("bob").Post(site.URL("talk"), "comment", param.Input{"text": "Look again, @erin!"}); r.Status != 303 {
		t.Error(r.Status, r.Body)
	}
	writeTo(t, site, func(tx *store.Tx) error {
		hooks, err := governance.BehindOwnWebhooks(tx, 1)
		if err != nil || len(hooks) == 0 {
			return fmt.Errorf("no webhook of a person is behind: %w", err)
		}
		qerr := governance.QueueOwnDeliveries(tx, &hooks[0])
		d, err1 := governance.LeaseDelivery(tx, hooks[0].Common(), "test")
		if err := errors.Join(qerr, err1); err != nil {
			return err
		}
		_, err2 := governance.OwnWants(tx, &hooks[0], d)
		if d.Type != governance.TestEvent {
			return fmt.Errorf("the first delivery is %s, not the test of the new address", d.Type)
		}
		if _, err := notice.ToldOf(tx, d.MemberID, d.Seq); store.CodeOf(err) != store.NotFound {
			return fmt.Errorf("the notification of a test: %w", err)
		}
		return errors.Join(err2, governance.PostponeDelivery(tx, d, tx.Now))
	})
}

// callRest calls the functions that neither the story nor the steps above call.
func callRest(t *testing.T, site *webtest.World) {
	t.Helper()
	writeTo(t, site, func(tx *store.Tx) error {
		o, err := tx.FindOrganization(store.System(), "acme")
		if err != nil {
			return err
		}
		_, err1 := actions.CheckCounts(tx, o)
		r, err3 := work.FindRunner(tx, store.System(), "acme", path.Base(site.URL("runner mill")))
		s, err4 := work.FindSession(tx, store.System(), "team", path.Base(site.URL("session done")))
		p, err5 := work.FindRepo(tx, store.System(), "team", path.Base(site.URL("repo meadow")))
		if err := errors.Join(err1, err3, err4, err5); err != nil {
			return err
		}
		_, err6 := work.LostJobs(tx, r)
		alice, err8 := tx.FindMember(store.System(), "acme", "alice")
		election, err9 := governance.FindElection(tx, alice.InPerson(), "team", path.Base(site.URL("election consent")))
		if err := errors.Join(err8, err9); err != nil {
			return err
		}
		_, err10 := election.Awaited(tx)
		_, err11 := work.ShowTurn(tx, s, 1, -1)
		announced := work.Announce(tx, alice.InPerson(), r, work.Announcement{Agents: []string{"claude"}})
		return errors.Join(err6, err10, err11, announced, work.ExtendReviews(tx, s),
			work.LoseJob(tx, &work.Job{ID: "none"}), work.RemoveRepo(tx, p))
	})
	if r := site.As("alice").PostJSON(site.URL("runner mill"), "renew_runner", nil); r.Status != 200 {
		t.Error(r.Status, r.Body)
	}
	writeTo(t, site, func(tx *store.Tx) error {
		r, err := work.FindRunner(tx, store.System(), "acme", path.Base(site.URL("runner mill")))
		if err != nil {
			return err
		}
		if err := work.RenewJob(tx, r, "none", 1); store.CodeOf(err) != store.Conflict {
			return fmt.Errorf("a claim that does not hold: %w", err)
		}
		return nil
	})
}

func writeTo(t *testing.T, site *webtest.World, fn func(*store.Tx) error) {
	t.Helper()
	if err := site.Store.Write(t.Context(), fn); err != nil {
		t.Error(err)
	}
}
