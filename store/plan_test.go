package store

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"

	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store/blob"
	"samepage/store/pgtest"
)

// seen has every statement that a test ran, with the arguments of one run, and the functions that ran it.
type seen struct {
	queries map[string][]any
	callers map[string]bool
}

func (s *seen) see(query string, args []any) {
	s.queries[strings.Join(strings.Fields(query), " ")] = args
	var pc [12]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	for {
		f, more := frames.Next()
		s.callers[f.Function[strings.LastIndex(f.Function, ".")+1:]] = true
		if !more {
			return
		}
	}
}

// everything calls every method of Tx that runs a statement.
func (w *world) everything() {
	carol := w.member(w.acme, "carol")
	child := w.studio("child", "members", w.alice)
	draft := w.draft(w.alice, w.team, "Draft?", "One", "Two", "Three")
	var login string
	var token *Token
	must := func(errs ...error) error {
		for _, err := range errs {
			if err != nil && CodeOf(err) != NotFound {
				return err
			}
		}
		return nil
	}
	find := func(tx *Tx, id string) *Decision {
		d, err := tx.FindDecision(w.alice, "team", id)
		if err != nil {
			w.t.Error(err)
		}
		return d
	}
	w.write(func(tx *Tx) (err error) {
		if login, err = tx.CreateLogin(carol.UserID, Browser{}, tx.Now); err != nil {
			return err
		}
		if _, err = tx.ShareUse("somebody", tx.Now, 1); err != nil {
			return err
		}
		if _, err = tx.Exposure(); err != nil {
			return err
		}
		if token, _, err = tx.CreateToken(carol.Member, Grant{Label: "Helper", Scopes: Scopes()}); err != nil {
			return err
		}
		_, gerr := tx.ActorByGrant(token.ID)
		_, perr := tx.PauseToken(carol, token.ID)
		_, rerr := tx.ResumeToken(token.ID)
		_, err = tx.RevokeToken(carol, token.ID)
		_, ierr := tx.Instance("key", func() []byte { return []byte("value") })
		return must(err, gerr, perr, rerr, ierr, tx.TouchToken(token.ID, "", ""), tx.DeleteInstance("key"),
			tx.TouchLogin(login, Browser{}), tx.DeleteLogin(login), tx.JoinStudio(carol.Member, w.team),
			tx.UpdateSettings(w.acme,
				Settings{Name: "Acme", Zone: "Europe/Berlin", Inviters: "owner",
					Rules: Rules{Ballots: BallotsAllowed}}, []string{"acme.example"}), tx.SetLimits(w.acme,
				DefaultLimits()), tx.ForgetUse(tx.Now),
			tx.SetVisibility(child, "members"), tx.ArchiveStudio(w.alice, child),
			tx.LogRefusal(w.scribe, Refusal{URL: "/", Action: "a", Code: "forbidden"}),
			tx.KeepAnswer(w.bob, "k", Answer{Call: []byte("c"), Text: "{}"}))
	})
	w.write(func(tx *Tx) error {
		err := must(tx.UpdateDecision(draft,
			NewDecision{Question: "Draft!", Method: "acceptance", Results: "shown", Reasons: "off"}),
			tx.RemoveOption(draft, 1, "{}"),
			tx.AddOption(w.alice, find(tx, draft.ID), NewOption{Title: "Four"}, "{}", ""),
			tx.CastBallot(w.alice, find(tx, w.standups.ID), "[1]", "", ""),
			tx.RetractBallot(w.alice, find(tx, w.standups.ID), ""),
			tx.ImportBallots(find(tx, w.standups.ID), "file", []Ballot{{Marks: "[1]", Weight: 2}}, ""),
			tx.ExtendDecision(w.standups, friday.Add(time.Hour)), tx.ChangeResults(w.standups, "shown"),
			tx.PinItem(w.alice, &w.standups.Item, true))
		_, cerr := tx.AddComment(w.bob, &w.standups.Item, "Hello @alice, see "+draft.URL())
		nerr := tx.Notify(w.bob, Event{Seq: 1, Did: "commented on", Target: w.standups.Ref(), Item: w.standups.ID},
			Notice{Reason: ReasonReply, Text: "@alice", To: []string{w.alice.MemberID()}, Studio: true})
		alice, ferr := tx.FindMember(w.alice, "acme", "alice")
		box, berr := tx.FindInbox(w.alice, "unread", "")
		if err := must(err, cerr, nerr, ferr, berr); err != nil {
			return err
		}
		aerr := tx.AttachFile(w.bob, &w.standups.Item, File{Name: "a.txt", Size: 1, Hash: make([]byte, 32)})
		files, lerr := tx.AttachedFiles(&w.standups.Item)
		if err := must(aerr, lerr); err != nil {
			return err
		}
		_, nerr = tx.FindFile(w.bob, files[0].ID)
		var serr error
		if err := must(nerr, serr, tx.DetachFile(&FilePage{Item: &w.standups.Item, File: &files[0]})); err != nil {
			return err
		}
		reader := w.alice
		reader.Member = alice
		return must(tx.MarkNotifications(box, []string{box.List[0].Key()}, "read"),
			tx.MarkNotifications(box, nil, "unread"), tx.SettleNotifications(reader, w.standups.ID),
			tx.Follow(w.bob, w.team.ID, Muted), tx.Follow(w.bob, w.team.ID, ""), tx.TouchOwn(w.bob),
			tx.RecordReminder(&w.standups.Item))
	})
	w.commit()
	w.membership()
	w.reset()
	w.address()
	w.read(func(tx *Tx) error {
		return must(tx.StudioHandleFree("nowhere"), tx.MemberHandleFree(w.acme.ID, "", "nobody"))
	})
	w.invite()
	w.cycle()
	w.everyRole(must)
	w.write(func(tx *Tx) error {
		_, peter, err := tx.CreateOrganization("initech", "Initech", "UTC",
			NewMember{Handle: "peter", Name: "Peter", Email: "peter@initech.example", PasswordHash: "-"})
		_, herr := tx.ShowHome(Actor{UserID: peter.UserID, Members: []Member{*peter}, Member: peter})
		return must(err, herr, tx.OpenDecision(draft), tx.RenameMember(w.bob.Member, "bobby", "Bob"),
			tx.RenameMember(w.bob.Member, "bob", "Bob"))
	})
	secret := w.draft(w.alice, w.team, "Secret?", "One", "Two")
	w.write(func(tx *Tx) error {
		err := must(tx.UpdateDecision(secret,
			NewDecision{Question: "Secret!", Method: "single", Results: "after_closing", Reasons: "off",
				Anonymous: true, Tie: "lot", Caster: Caster{MemberID: w.bob.MemberID()}}),
			tx.OpenDecision(secret), tx.SealLot(secret, "s", "c"))
		d := find(tx, secret.ID)
		first, err1 := tx.CastSealed(w.alice, d, "1,-", "")
		second, err2 := tx.CastSealed(w.bob, d, "1,-", "")
		_, err3 := tx.HoldsReceipt(d, first)
		_, err4 := tx.StudioMemberID(w.team, "bob")
		_, err5 := tx.Profiles(d)
		_, err6 := tx.Ballots(d, "", 10)
		err = must(err, err1, err2, err3, err4, err5, err6, tx.ReplaceSealed(w.alice, d, first, "-,1", ""),
			tx.RetractSealed(w.bob, d, second),
			tx.CloseDecision(w.alice, d, "", "tie", "", ""), tx.DecideByLot(d, 1))
		_, oerr := tx.OpenLot(d)
		return must(err, oerr)
	})
	w.share()
	w.everyNote(must)
	w.everyOAuth(must)
	w.write(func(tx *Tx) error {
		d := find(tx, w.standups.ID)
		_, err := tx.ShowTemplates(w.alice, w.team)
		return must(err, tx.SetTemplate(&d.Item, true), tx.detachAll(&Item{ID: d.ID, OrgID: d.OrgID, Files: 1}),
			tx.countFiles(&d.Item, 1, 0))
	})
	old := time.Now().Add(-2 * blob.OrphanAge)
	if hash, err := w.KeepBlob([]byte("orphan")); err != nil || !w.onServer() && os.Chtimes(blob.Path(w.dir, hash),
		old, old) != nil {
		w.t.Fatal(err)
	}
	if _, err := w.SweepBlobs(context.Background()); err != nil {
		w.t.Error(err)
	}
	_, eerr := w.Export(context.Background(), "acme", io.Discard)
	_, ferr := w.CheckFiles(context.Background())
	if err := errors.Join(eerr, ferr, w.TidySearch(context.Background())); err != nil {
		w.t.Error(err)
	}
	nested := func(tx *Tx) error { return tx.Nested(func() error { return Missing() }) }
	w.write(func(tx *Tx) error { return must(nested(tx)) })
	w.read(func(tx *Tx) error {
		for _, by := range []Actor{w.alice, w.scribe, w.nobody, System()} {
			_, err1 := tx.Studios(by, "", 10)
			_, err2 := tx.ShowStudio(by, w.team)
			_, err3 := tx.ShowOrganization(by, w.acme)
			_, err4 := tx.WaitingItems(by, 10)
			_, err5 := tx.MyStudios(by, 10)
			_, err6 := tx.FindEntry(by, "acme", 2)
			_, err7 := tx.MyRoles(by)
			_, err8 := tx.ShowTree(by, w.acme, "")
			_, err9 := tx.ShowOpen(by, w.acme, "")
			_, err10 := tx.ShowTokens(by, w.acme, "")
			_, err11 := tx.ShowActivity(by, w.acme, "")
			if err := must(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11); err != nil {
				return err
			}
		}
		big := *w.team
		big.People = 1 << 20
		_, err1 := tx.StudioMembers(&big, "", 10)
		d := find(tx, w.standups.ID)
		_, err2 := tx.ShowDecision(w.alice, d)
		_, err3 := tx.Ballots(d, "", 10)
		_, err4 := tx.Profiles(d)
		_, err19 := tx.ShowItems(w.alice, w.team, "decision", "")
		_, err20 := tx.linking(w.alice, &d.Item, 10)
		_, err23 := tx.FindNamed(w.alice, w.acme.ID, slices.Values([]string{"@bob, see " + d.URL()}))
		_, err21 := d.Awaited(tx)
		_, err22 := tx.SoonItems("decision", 10)
		_, err5 := tx.DueItems("decision", 10)
		_, err6 := tx.ItemsByPrefix(w.alice, w.team, "decision", d.ID[:4])
		_, err7 := tx.ShowTokens(w.bob, w.acme, "")
		_, err24 := tx.UserTokens(w.bob.UserID)
		_, err8 := tx.AllTokens()
		_, err9 := tx.Organizations()
		_, err10 := tx.FindAnswer(w.bob, "k")
		_, err11 := tx.FindTokens(w.alice, "")
		_, err12 := tx.HasUsers()
		_, err13 := tx.ActorByLogin(login)
		_, err14 := tx.ActorByToken(w.secret)
		_, err17 := tx.KeyByToken(w.secret)
		m, err15 := tx.FindMember(w.alice, "acme", "bob")
		_, err16 := tx.ShowMember(w.alice, m)
		return must(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12, err13, err14, err15,
			err16, err17, err19, err20, err23, err21, err22, err24)
	})
	w.read(func(tx *Tx) error {
		_, err := tx.Tables()
		_, verr := tx.schemaVersion()
		if err := must(err, verr); err != nil {
			return err
		}
		for _, q := range []JournalQuery{{Studio: "team"}, {Target: w.standups.ID}, {Action: "join"},
			{AgentID: w.scribe.Agent.ID}, {Agents: true}, {People: true}, {}} {
			q.Limit = 20
			_, err1 := tx.ShowJournal(w.alice, w.acme, q, "")
			_, err2 := tx.ShowJournal(w.alice, w.acme, q, "bob")
			if err := must(err1, err2); err != nil {
				return err
			}
		}
		return nil
	})
	w.asks()
	w.searches()
	w.accounts()
	if _, err := w.verify("acme"); err != nil {
		w.t.Log("verify:", err)
	}
	w.write(func(tx *Tx) error {
		return must(tx.CloseDecision(w.alice, find(tx, w.standups.ID), "", "tie", "", ""),
			tx.DecideTie(w.alice, w.standups, 1, ""), tx.PinItem(w.alice, &w.standups.Item, false))
	})
}

// scans lists the accepted scans: lists for the operator, and tables that are small or bounded.
var scans = []struct{ query, step, why string }{
	{"FROM tokens t JOIN members m ON m.id = t.member_id JOIN agents a ON a.id = t.agent_id ORDER BY", "SCAN t",
		"the operator's list of all tokens"},
	{"FROM organizations o JOIN members w ON w.id = o.owner_id ORDER BY", "SCAN o",
		"the operator's list of all organizations"},
	{"SELECT DISTINCT zone FROM organizations", "SCAN organizations", "the scheduler's list of time zones"},
	{"FROM (SELECT 1 FROM users LIMIT 1) sub", "SCAN users", "one row"},
	{"indexed_at IS NULL", "SCAN documents USING INDEX documents_waiting", "what waits to be indexed, bounded"},
	{"WHERE visibility = 'public' ORDER BY handle", "SCAN studios USING", "public studios, bounded"},
	{"AS forever", "SCAN", "what the operator's doctor counts"},
	{"search MATCH", "SCAN search VIRTUAL TABLE INDEX", "the full-text index"},
	{"DELETE FROM search WHERE rowid", "SCAN search VIRTUAL TABLE INDEX 0:=", "one row of the full-text index"},
	{"WITH c (n, a, z)", "SCAN c", "the cycles of one page"},
	{"WITH c (n, a, z)", "SCAN x", "what is counted, which is limited"},
	{"AS starting", "SCAN due", "limited"},
	{"AS starting", "SCAN starting", "limited"},
	{"AS later", "SCAN still", "limited"},
	{"AS later", "SCAN later", "limited"},
	{"WITH RECURSIVE up", "SCAN up", "the studios above one"},
	{"WITH RECURSIVE down", "SCAN down", "the roles that mirror one"},
	{`" FROM `, "SCAN", "all that an organization has, for its export"},
	{"oauth_keys", "SCAN oauth_keys", "two or three keys"},
	{"FROM goose_db_version", "SCAN goose_db_version", "a row for each migration"},
}

// foundBy names the indexes on which the cost of a list depends.
var foundBy = []struct{ query, index string }{
	{"i.org_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at",
		"items_open_in_org (org_id=? AND due_at"},
	{"d.org_id = ? AND d.outcome = 'tie'", "decisions_tied (org_id=?)"},
	{"t.org_id = ? AND t.revoked_at IS NULL AND coalesce(t.expires_at", "tokens_in_force (org_id=? AND <expr>"},
	{"c.org_id = ? AND c.at <= ?", "calls_by_org (org_id=? AND at<?)"},
	{"c.member_id = ? AND c.at <= ?", "calls_by_member (member_id=? AND at<?)"},
	{"c.agent_id = ? AND c.at <= ?", "calls_by_agent (agent_id=? AND at<?)"},
	{"k.seq < ? AND k.agent_id <> '' AND k.agent_id = ?", "journal_by_agent (org_id=? AND agent_id=? AND seq<?)"},
}

var plans = flag.Bool("plans", false, "print the plan of every query")

func TestNoQueryScansATable(t *testing.T) {
	w := newWorld(t)
	s := seen{queries: map[string][]any{}, callers: map[string]bool{}}
	w.spy = s.see
	w.everything()
	w.spy = nil
	for _, name := range statementFunctions(t) {
		if !s.callers[name] {
			t.Errorf("%s runs statements and was not called: add it to everything()", name)
		}
	}
	if pgtest.Given() != "" {
		t.Log("left out on a server: how SQLite plans each statement")
		return
	}
	readers := w.file().Readers()
	for query, args := range s.queries {
		if strings.Contains(query, "pragma_") {
			continue
		}
		if word, _, _ := strings.Cut(query, " "); !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, word) {
			continue
		}
		if strings.Contains(strings.ReplaceAll(query, atMost, ""), "LIMIT ?") {
			t.Errorf("%s\n\tis planned anew each time: end it with atMost", query)
		}
		rows, err := readers.QueryxContext(context.Background(), "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(query, err)
		}
		plan := ""
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan += fmt.Sprintf("\n\t%s", detail)
			if strings.HasPrefix(detail, "SCAN") && !strings.HasPrefix(detail, "SCAN CONSTANT") &&
				!strings.HasPrefix(detail, "SCAN (subquery") && !strings.HasPrefix(detail, "SCAN stretch") &&
				!strings.HasPrefix(detail, "SCAN w") && detail != "SCAN sub" && !meant(query, detail) {
				t.Errorf("%s\n\t%s", query, detail)
			}
		}
		rows.Close()
		if n := strings.Count(query, "i.opened_at IS NOT NULL AND i.closed_at IS NULL"); n == 2 &&
			strings.Count(plan, "USING INDEX items_open")+strings.Count(plan, "USING INDEX items_left_open") < 2 {
			t.Errorf("what is open is not found by its index:\n%s%s", query, plan)
		}
		for _, f := range foundBy {
			if strings.Contains(query, f.query) && !strings.Contains(plan, " INDEX "+f.index) {
				t.Errorf("not found by %s:\n%s%s", f.index, query, plan)
			}
		}
		if strings.Contains(query, "CROSS JOIN journal j") &&
			(!strings.Contains(plan, "SEARCH k USING COVERING INDEX journal_by_") ||
				strings.Contains(plan, "TEMP B-TREE")) {
			t.Errorf("a filtered journal does not walk an index:\n%s%s", query, plan)
		}
		if *plans {
			t.Logf("%s%s", query, plan)
		}
	}
}

func meant(query, step string) bool {
	for _, s := range scans {
		if strings.Contains(query, s.query) && strings.HasPrefix(step, s.step) {
			return true
		}
	}
	return false
}

// statementFunctions returns the functions of this package that call a statement method of Tx.
func statementFunctions(t *testing.T) []string {
	files := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || path == "tx.go" || strings.HasPrefix(path, "postgres") ||
			strings.HasPrefix(path, "search") && !fullTextBuilt(t) ||
			path == "search_sqlite.go" && pgtest.Given() != "" {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				sel, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := sel.X.(*ast.Ident)
				if ok && x.Name == "tx" && slices.Contains([]string{"get", "getHeld", "all", "exec", "changed"},
					sel.Sel.Name) && !slices.Contains(names, fn.Name.Name) {
					names = append(names, fn.Name.Name)
				}
				return true
			})
		}
	}
	return names
}
