package store_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/effort"
)

// textsThatStay lists the text columns that no erasure empties, with the reason.
var textsThatStay = []struct{ reason, columns string }{
	{"a word, a number or a random text of the program's own",
		`items.kind items.state items.awaits decisions.method decisions.rules decisions.tally decisions.result decisions.commitment
		decisions.secret lots.secret ballots.voter ballots.marks
		sealed_ballots.line sealed_ballots.marks heartbeats.cycle notifications.did notifications.note
		topic_changes.action topic_changes.title
		approvals.action approvals.title approvals.version journal.action journal.kind journal.private_to journal.request
		journal.authority
		tokens.scopes tokens.roles tokens.kinds tokens.asks documents.kind numbers.kind instance.key use_counts.key
		leases.name leases.holder webhooks.kinds webhooks.paused_why deliveries.type deliveries.problem
		turns.state turns.class turns.head_before turns.head_after
		agent_costs.currency sessions.currency turns.currency turn_events.kind permissions.kind permissions.choice permissions.digest
		permission_rules.kind jobs.kind jobs.problem
		runners.git runners.program runners.problem`},
	{"the address of the page of an item or of an approval, without its title", `approvals.outcome_url`},
	{"of the organization, and not about a page or a person",
		`organizations.handle organizations.name organizations.accent organizations.zone organizations.limits
		organizations.agent_asks email_domains.domain webhooks.address runners.name runners.roots runners.offered runners.forges
		repos.name repos.source repos.main repos.protected repos.check_argv repos.setup_argv repos.copies repos.start_argv
		repos.health worktrees.name
		studios.handle studios.name studios.description roles.title roles.mission roles.duties`},
	{"a name or an address of a program",
		`agents.label journal.agent tokens.client oauth_grants.name oauth_grants.host
		oauth_grants.redirect oauth_grants.challenge
		oauth_clients.name oauth_clients.redirects`},
	{"said to a studio by a member; no action removes it, and the texts of a former member stay", `heartbeats.text`},
	{"not shown after AnswerLife, and deleted then", `answers.actor answers.key answers.answer`},
	{"deleted as Retention says", `calls.url calls.action calls.code calls.message`},
	{"as the commits of a repository say", `repos.head repos.facts worktrees.branch worktrees.base worktrees.head
		worktrees.facts worktrees.setup_said worktrees.env_said worktree_files.path reviews.commit_hash review_comments.path
		pulls.tried pulls.into_base pulls.problem pulls.conflicts pulls.merged pulls.place pulls.head
		pulls.checked pulls.check_said pulls.forge_head
		worktree_files.was worktree_files.change worktree_files.patch jobs.params`},
	{"as the site says from which a repository comes", `pulls.forge_url pulls.forge_names pulls.forge_merger issues.url`},
	{"of the organization's agents, and not about a person", `manifests.key manifests.title manifests.argv manifests.env manifests.mode
		manifests.model manifests.sign_in manifests.prompt manifests.agent runners.agents sessions.agent_session`},
	{"asked of an agent or said by one, which is the record of the work; the texts of a former member stay", `sessions.title
		sessions.step
		turns.prompt
		turns.reason turn_events.text turn_events.data permissions.title permissions.input permissions.choices permissions.reason
		permissions.paths permission_rules.subject permission_rules.title permission_rules.reason
		reviews.text reviews.answer review_comments.text pulls.title pulls.text pulls.reason
		issues.title issues.text`},
	{"follows the title that it is made of, when the document is indexed again", `documents.title`},
}

// erasing runs all erasures, undoes them, and returns their statements: those about items, and those about members.
func (w *world) erasing() (items, members []string) {
	w.t.Helper()
	var list []string
	w.SetTrace(func(query string, _ []any) { list = append(list, query) })
	defer func() { w.SetTrace(nil) }()
	run := func(fn func(tx *store.Tx) error) []string {
		w.t.Helper()
		list = nil
		undone := store.Errorf(store.Conflict, "undone")
		err := w.Write(w.t.Context(), func(tx *store.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return undone
		})
		if store.CodeOf(err) != store.Conflict || !strings.Contains(err.Error(), "undone") {
			w.t.Fatal(err)
		}
		return list
	}
	items = run(func(tx *store.Tx) error {
		for kind := range store.Kinds {
			i := w.standups.Item
			i.Kind, i.Files, i.Pinned = kind, 1, true
			if err := tx.RemoveItem(w.alice, &i, "Removed"); err != nil {
				return err
			}
		}
		return tx.RemoveComment(w.alice, &w.standups.Item, 1)
	})
	members = run(func(tx *store.Tx) error {
		bob := *w.bob.Member
		return tx.EraseMember(&bob)
	})
	return items, members
}

// TestTextsAreErased expects for every text column a statement that empties the column or deletes its row when the item
// or member is erased. A new column must be erased in removal.go or erasure.go, or listed above with the reason.
func TestTextsAreErased(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t) // the tables are the same on a server
	items, members := w.erasing()
	stays := map[string]string{}
	for _, s := range textsThatStay {
		for name := range strings.FieldsSeq(s.columns) {
			stays[name] = s.reason
		}
	}
	w.read(func(tx *store.Tx) error {
		tables, err := tx.Tables()
		if err != nil {
			return err
		}
		parts := partsOfItems(tables)
		for i := range tables {
			table := &tables[i]
			deleting := members
			if parts[table.Name] {
				deleting = items
			}
			var made string
			if err := tx.Get(&made, `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`,
				table.Name); err != nil {
				return err
			}
			for _, column := range freeTexts(table, made) {
				name := table.Name + "." + column
				set := regexp.MustCompile(`^UPDATE ` + table.Name + ` SET (?s:.*,)?\s*` + column + ` = `)
				erased := slices.ContainsFunc(slices.Concat(items, members), set.MatchString) ||
					slices.ContainsFunc(deleting, regexp.MustCompile(`^DELETE FROM `+table.Name+`\b`).MatchString)
				switch _, named := stays[name]; {
				case !named && !erased:
					t.Errorf("%s keeps its text. Erase it in removal.go or erasure.go, or name it in "+
						"textsThatStay with a reason.", name)
				case named && erased:
					t.Errorf("%s is erased. Take it out of textsThatStay.", name)
				}
				delete(stays, name)
			}
		}
		return nil
	})
	for name := range stays {
		if strings.HasPrefix(name, "leases.") && !w.onServer() {
			continue // only servers that share a database have leases
		}
		t.Errorf("%s is in textsThatStay and is no column with a text", name)
	}
}

// partsOfItems returns the table items, and the tables that refer to it, directly or through other tables.
func partsOfItems(tables []db.TableSchema) map[string]bool {
	parts := map[string]bool{"items": true}
	for before := 0; before < len(parts); {
		before = len(parts)
		for _, table := range tables {
			if slices.ContainsFunc(table.Keys, func(k db.Reference) bool { return parts[k.Table] }) {
				parts[table.Name] = true
			}
		}
	}
	return parts
}

// freeTexts returns those columns of a table that can have any text. Ids, references, and columns with a CHECK that
// lists their values cannot.
func freeTexts(t *db.TableSchema, made string) (list []string) {
	for _, c := range t.Columns {
		name := c.Name
		refers := slices.ContainsFunc(t.Keys, func(k db.Reference) bool { return slices.Contains(k.Columns, name) })
		id := name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_by")
		listed := strings.Contains(made, "CHECK ("+name+" IN (")
		if c.Kind == "text" && !refers && !id && !listed {
			list = append(list, name)
		}
	}
	return list
}

// TestErasureOfTraces erases an item and a member. None of their texts may stay in approvals, imports and tokens.
func TestErasureOfTraces(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	carol := w.member(w.acme, "carol")
	ask := func(tx *store.Tx, url, item string) {
		a, err := tx.HoldCall(w.scribe,
			store.Approval{OrgID: w.acme.ID, StudioID: w.team.ID, ItemID: item, URL: url, Action: "act", Title: "Act",
				Target: "Walnut",
				Params: "{}",
				Digest: []byte(url), Preview: "{}", Rule: "grant"})
		if err != nil {
			t.Fatal(err)
		}
		a.Verdict, a.Outcome, a.Failure = "approved", "Walnut was chosen.", "Walnut is taken."
		if err := tx.SettleApproval(w.alice, a); err != nil {
			t.Fatal(err)
		}
	}
	w.write(func(tx *store.Tx) error {
		token, _, err := tx.CreateToken(carol.Member, store.Grant{Label: "Helper", Scopes: store.Scopes()})
		if err != nil {
			return err
		}
		walnut := *carol.Member
		walnut.Handle, walnut.Name = "walnut", "Walnut"
		ask(tx, carol.Member.URL(), "")
		ask(tx, walnut.URL(), "")
		ask(tx, w.standups.URL()+"?where=Walnut", w.standups.ID)
		seq, err := tx.Journal(carol, store.Change{Action: "comment", Target: w.standups.Ref()})
		if err != nil {
			return err
		}
		_, err = tx.Notify(carol, store.Event{Seq: seq, Did: "commented on", Target: w.standups.Ref(), Item: w.standups.ID},
			store.Notice{Reason: store.ReasonReply, To: []string{w.alice.MemberID()}})
		for _, err := range []error{
			err,
			tx.TouchToken(token.ID, "203.0.113.7", "Walnut/1.0"),
			tx.RenameMember(carol.Member, walnut.Handle, walnut.Name, "Walnut 7"),
			tx.Exec(`UPDATE decisions SET imported = 'walnut-2003' WHERE id = ?`, w.standups.ID),
			tx.RemoveItem(w.alice, &w.standups.Item, "Removed decision"),
		} {
			if err != nil {
				return err
			}
		}
		if _, err := tx.EndMembership(w.alice, &walnut); err != nil {
			return err
		}
		return tx.EraseMember(&walnut)
	})
	w.read(func(tx *store.Tx) error {
		for _, c := range []struct {
			query string
			want  int
		}{
			{`SELECT count(*) FROM approvals WHERE url LIKE '%carol%' OR url LIKE '%walnut%'`, 0},
			{`SELECT count(*) FROM approvals WHERE target = 'Walnut' OR query <> ''`, 0},
			{`SELECT count(*) FROM notifications WHERE actor LIKE '%carol%' OR actor LIKE '%walnut%'`, 0},
			{`SELECT count(*) FROM notifications WHERE actor = '@a former member' OR actor = 'a former member'`, 1},
			{`SELECT count(*) FROM approvals WHERE target = 'Removed' AND outcome = ''
				AND failure = 'The reason was removed.'`, 1},
			{`SELECT count(*) FROM decisions WHERE imported = 'Removed'`, 1},
			{`SELECT count(*) FROM tokens WHERE used_from LIKE '203%' OR used_with LIKE 'Walnut%'`, 0},
		} {
			var n int
			if err := tx.Get(&n, c.query); err != nil {
				return err
			}
			if n != c.want {
				t.Errorf("%d rows, and not %d: %s", n, c.want, c.query)
			}
		}
		return nil
	})
}
