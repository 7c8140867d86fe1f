package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// acted is the part of a journal entry that names the actor and the authority of the act.
type acted struct {
	Seq                int64
	By, As, Role, URL  string
	RoleID             string `json:"role_id"`
	Action, Kind, Said string // Said is the entry's sentence on the page of the journal
}

// allActed returns the entries of Acme's journal that the client may see, newest first. It fails the test if the page
// and the exported files of the journal disagree.
func allActed(t *testing.T, c *webtest.Client) (list []acted) {
	t.Helper()
	sentences := map[string]string{}
	for line := range strings.Lines(wholeJournal(c)) {
		if m := entryNumber.FindStringSubmatch(line); m != nil {
			sentences[m[1]] = strings.ReplaceAll(strings.TrimPrefix(line, "- "), `\`, "")
		}
	}
	table, err := csv.NewReader(strings.NewReader(c.Get("/orgs/acme/journal.csv", "*/*").Body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(title string) int { return slices.Index(table[0], title) }
	for line := range strings.Lines(c.Get("/orgs/acme/journal.jsonl", "*/*").Body) {
		var e acted
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		row := table[1+len(list)]
		if row[at("seq")] != fmt.Sprint(e.Seq) || row[at("as")] != e.As || row[at("role")] != e.Role || row[at("role_id")] != e.RoleID {
			t.Errorf("CSV has %q, and JSON lines have %s", row, line)
		}
		e.Said = sentences[fmt.Sprint(e.Seq)]
		said := map[string]string{store.AsRole: "as the holder of a role", store.AsOwner: "as owner", store.AsConsent: "by consent"}[e.As]
		if e.Role != "" {
			said = "as " + e.Role
		}
		if said != "" {
			said = ", " + said + ","
		}
		if !strings.HasPrefix(e.Said, e.By+said+" ") && !strings.HasPrefix(e.Said, "["+e.By+"]") {
			t.Errorf("the page says %q of %s", e.Said, line)
		}
		if said != "" && !strings.Contains(e.Said, said) {
			t.Errorf("the page does not say %q: %q", said, e.Said)
		}
		list = append(list, e)
	}
	return list
}

// TestEveryAuthority reads Acme's journal as Alice, Bob and Erin. The entry of an action that needs more than a
// membership names the authority of the act. Carol reads no title of a role in a studio that she cannot see.
func TestEveryAuthority(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	const anybody = store.InOrganization | store.InStudio
	special, ordinary := map[string]bool{}, map[string]bool{}
	for _, p := range w.Site.Places() {
		for _, a := range p.Actions {
			if a.AllowedFor&anybody == 0 {
				special[a.Name] = true
			} else {
				ordinary[a.Name] = true
			}
		}
	}
	seen, found := map[string]int{}, map[string]bool{}
	for _, e := range slices.Concat(allActed(t, w.As("alice")), allActed(t, w.As("bob")), allActed(t, w.As("erin"))) {
		seen[e.As]++
		found[strings.TrimSpace(e.Action+" "+e.Kind+": "+e.As+" "+e.Role)] = true
		if special[e.Action] && !ordinary[e.Action] && e.As == "" {
			t.Errorf("entry %d, %s: it does not say by which authority", e.Seq, e.Action)
		}
	}
	for _, as := range []string{"", store.AsAuthor, store.AsSelf, store.AsRole, store.AsOwner, store.AsConsent, store.AsClock,
		store.AsRunner} {
		if seen[as] == 0 {
			t.Errorf("no entry has the authority %q", as)
		}
	}
	for _, want := range []string{
		"comment decision:", "cast_vote decision:", "create_note note:", "join commitment:", "post_message message:",
		"create_studio studio:", "create_role role:", // every member may take these
		"close_decision decision: author", "update_note note: author", "advance_topic topic: author",
		"accept_topic topic: author", "elect_candidate role: author", "delete_message message: author",
		"cancel_review review: author", "cast_deciding_vote decision: author",
		"create_token token: self", "approve_request approval: self", "withdraw_request approval: self",
		"update_note note: role Leader", "archive_studio studio: role Leader", "change_visibility studio: role Leader",
		"stop_session session: role Leader", "update_repo repo: role Leader", "revoke_link preview_link: role Leader",
		"rule_invalid topic: role Referee", "edit_policy policy: role Treasurer", "create_policy policy: role Host",
		"create_policy policy: role", // in a studio that not all members see
		"redact decision: owner", "remove_member member: owner", "create_webhook webhook: owner", "create_runner runner: owner",
		"update_studio studio: consent",
		"end_period topic: schedule", "end_period election: schedule",
		"ask_permission session: runner", "finish_turn session: runner",
	} {
		if !found[want] {
			t.Errorf("no entry is %q", want)
		}
	}
	for _, e := range allActed(t, w.As("carol")) {
		if strings.Contains(e.Said, "Caretaker") || e.Role == "" && e.RoleID != "" {
			t.Errorf("Carol reads of a role in a studio that she does not see, or its id: %+v", e)
		}
	}
}

// actingWorld creates roles, notes and tokens, lets actors edit notes, and compares the journal's entries.
type actingWorld struct {
	*webtest.World
	t     *testing.T
	noted []acted
}

// role creates a role in Commons, and returns its page.
func (w *actingWorld) role(title, kind, holder string) string {
	w.t.Helper()
	w.Clock.Advance(time.Minute)
	u := w.As("bob").Post(w.URL("commons")+"/roles", "create_role",
		param.Input{"title": title, "kind": kind, "holder": holder}).Location()
	if u == "" {
		w.t.Fatalf("no role %s", title)
	}
	return u
}

// note creates a note in Commons as this member, and returns its page.
func (w *actingWorld) note(by string) string {
	w.t.Helper()
	u := w.As(by).Post(w.URL("commons"), "create_note", param.Input{"title": "Tools", "text": "Ours."}).Location()
	if u == "" {
		w.t.Fatal("no note")
	}
	return u
}

// edits lets an actor edit a note. The journal's new entry must have this sentence and this authority.
func (w *actingWorld) edits(c *webtest.Client, note, sentence, as, role, roleURL string) {
	w.t.Helper()
	w.Clock.Advance(time.Minute)
	c.Get(note, "text/markdown") // an agent must have read what it changes
	r := c.JSON(note, "update_note", webtest.Call{Params: param.Input{"text": "At " + w.Clock.Now().String()}})
	if r.Status != http.StatusOK {
		w.t.Fatalf("%s does not edit: %d %s", sentence, r.Status, r.Body)
	}
	w.entry(note, sentence+" changed Tools, ", as, role, roleURL)
}

// entry checks the last entry of the journal. It keeps the entry in noted, because later actions must not change it.
func (w *actingWorld) entry(url, sentence, as, role, roleURL string) {
	w.t.Helper()
	e := allActed(w.t, w.As("alice"))[0]
	if e.URL != url || !strings.HasPrefix(plainLine(e.Said), sentence) || e.As != as || e.Role != role || e.RoleID != last(roleURL) {
		w.t.Errorf("%+v, want %q by %s %s %s", e, sentence, as, role, roleURL)
	}
	w.noted = append(w.noted, e)
}

// plainLine returns a line of markdown without its links.
func plainLine(line string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "](")
		out.WriteString(strings.ReplaceAll(before, "[", ""))
		if !ok {
			return out.String()
		}
		_, line, _ = strings.Cut(rest, ")")
	}
}

// token returns a client with a token of Mia. The token may use the given roles, or all roles if none is given.
func (w *actingWorld) token(label string, asks string, roles ...string) *webtest.Client {
	w.t.Helper()
	var secret string
	if err := w.Store.Write(w.t.Context(), func(tx *store.Tx) error {
		m, err := tx.FindMember(store.System(), "acme", "mia")
		if err != nil {
			return err
		}
		g := store.Grant{Label: label, Scopes: store.Scopes(), Roles: store.Set[string](roles)}
		if asks != "" {
			g.Asks = store.Set[string]{asks}
		}
		_, secret, err = tx.CreateToken(m, g)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return w.Bearer(secret)
}

func last(url string) string { return url[strings.LastIndexByte(url, '/')+1:] }

// TestActingRole lets members act while their roles are held beside other roles, used by agents, renamed, given to
// other members and deleted. Each journal entry names the role that gave the right, with the title it had at that time.
func TestActingRole(t *testing.T) {
	slow(t)
	w := &actingWorld{World: webtest.New(t), t: t}
	alice, bob, mia, carol := w.As("alice"), w.As("bob"), w.As("mia"), w.As("carol")
	commons, secretary := w.URL("commons"), w.URL("role term")
	carol.Post(commons, "join", nil)
	note := w.note("carol")
	as, text := store.AsRole, param.Input{"text": "Whose?"}
	w.edits(carol, note, "@carol", store.AsAuthor, "", "")
	w.edits(alice, note, "@alice, as owner,", store.AsOwner, "", "")
	w.edits(mia, note, "@mia, as Secretary,", as, "Secretary", secretary)
	entry := fmt.Sprint("/orgs/acme/journal/", w.noted[2].Seq)
	for media, says := range map[string]string{"text/html": ", a person, as Secretary, changed ",
		"text/markdown":    "**Allowed as**: Secretary",
		"application/json": `"role":"Secretary","role_id":`} {
		if r := alice.Get(entry, media); !strings.Contains(r.Body, says) {
			t.Errorf("%s of the entry does not say %q:\n%s", media, says, mainOf(r.Body))
		}
	}
	if html := alice.Get("/orgs/acme/journal", "text/html").Body; !strings.Contains(html, ", as Secretary, changed ") {
		t.Error("the page of the journal does not say so in HTML")
	}

	// Of several roles, a member acts in the one with the fewest rights, and of equal roles in the one held longest.
	recorder := w.role("Recorder", "secretary", "mia")
	w.role("Archivist", "none", "mia")
	greeter := w.role("Greeter", "referee", "mia")
	w.edits(mia, note, "@mia, as Secretary,", as, "Secretary", secretary)
	deputy := w.role("Deputy", "secretary", "bob")
	w.edits(bob, note, "@bob, as Deputy,", as, "Deputy", deputy)
	own := w.note("mia")
	w.edits(mia, own, "@mia", store.AsAuthor, "", "")

	// An agent acts in a role that its token may use.
	w.edits(w.token("Pen", ""), note, "Pen, agent of @mia, as Secretary,", as, "Secretary", secretary)
	w.edits(w.token("Quill", "", last(recorder), last(greeter)), note, "Quill, agent of @mia, as Recorder,", as, "Recorder", recorder)
	if r := w.token("Nib", "", last(greeter)).JSON(note, "update_note", webtest.Call{Params: text}); r.Status != http.StatusForbidden {
		t.Errorf("a token for a role without the right edits: %d %s", r.Status, r.Body)
	}
	var held struct{ URL string }
	ink := w.token("Ink", "update_note", last(recorder))
	ink.Get(note, "text/markdown")
	r := ink.JSON(note, "update_note", webtest.Call{Params: text})
	if json.Unmarshal([]byte(r.Body), &held); !strings.HasPrefix(held.URL, "/approvals/") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	does(t, mia, held.URL, "approve_request", nil, http.StatusOK, "")
	for action, want := range map[string]string{"ask_approval": "", "approve_request": store.AsSelf} {
		var got string
		w.Query(&got, `SELECT authority FROM journal WHERE action = ? ORDER BY at DESC, seq DESC LIMIT 1`, action)
		if got != want {
			t.Errorf("%s is taken by the authority %q, not %q", action, got, want)
		}
	}
	for _, e := range allActed(t, alice) {
		if e.By == "Ink, agent of @mia" && e.Action == "update_note" && e.Role != "Recorder" {
			t.Errorf("the approved call: %+v", e)
		}
	}

	// Every member may rename, give and vacate roles here, so the entries of these actions name no authority.
	does(t, mia, secretary, "update_role", param.Input{"title": "Clerk of records"}, http.StatusOK, "Clerk of records")
	w.entry(secretary, "@mia changed Clerk of records, ", "", "", "")
	w.edits(mia, note, "@mia, as Clerk of records,", as, "Clerk of records", secretary)
	does(t, bob, secretary, "assign_role", param.Input{"holder": "@carol"}, http.StatusOK, "")
	w.edits(carol, own, "@carol, as Clerk of records,", as, "Clerk of records", secretary)
	w.edits(mia, note, "@mia, as Recorder,", as, "Recorder", recorder)
	does(t, bob, recorder, "vacate_role", nil, http.StatusOK, "")
	does(t, mia, note, "update_note", text, http.StatusForbidden, "the studio's leader or secretary")
	does(t, bob, secretary, "delete_role", nil, http.StatusOK, "")
	does(t, bob, recorder, "delete_role", nil, http.StatusOK, "")

	now := allActed(t, alice)
	for _, e := range w.noted {
		if i := slices.IndexFunc(now, func(x acted) bool { return x.Seq == e.Seq }); e.URL != secretary && now[i] != e {
			t.Errorf("an entry has changed from %+v to %+v", e, now[i])
		}
	}
}

// TestActingRoleVerifies changes each byte of the role and the authority in a stored entry. Verification finds each
// change. Erasing the member removes the role's title from the entry, which stays valid.
func TestActingRoleVerifies(t *testing.T) {
	slow(t)
	w := &actingWorld{World: webtest.New(t), t: t}
	alice, secretary, note := w.As("alice"), w.URL("role term"), w.note("bob")
	w.edits(w.As("mia"), note, "@mia, as Secretary,", store.AsRole, "Secretary", secretary)
	entry := w.noted[0].Seq
	undone := store.Errorf(store.Conflict, "undone")
	verify := func(column, value string) (found string) {
		t.Helper()
		err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
			o, err := tx.FindOrganization(store.System(), "acme")
			if err == nil && column != "" {
				err = tx.Exec(`UPDATE journal SET `+column+` = ? WHERE org_id = ? AND seq = ?`, value, o.ID, entry)
			}
			if err != nil {
				return err
			}
			if _, err := tx.VerifyJournal(o); err != nil {
				found = err.Error()
			}
			return undone
		})
		if err != undone {
			t.Fatal(err)
		}
		return found
	}
	where := fmt.Sprintf("The journal of acme is damaged at entry %d: ", entry)
	for _, column := range []string{"authority", "role_id", "role"} {
		var now string
		w.Query(&now, `SELECT j.`+column+` FROM journal j JOIN organizations o ON o.id = j.org_id WHERE o.handle = 'acme' AND j.seq = ?`,
			entry)
		if now == "" {
			t.Fatal(column, "is empty")
		}
		changed := []string{now + "x", now[1:]}
		for i := range now {
			changed = append(changed, now[:i]+string(now[i]^1)+now[i+1:])
		}
		if column != "role" { // an erased title is empty
			changed = append(changed, "")
		}
		for _, value := range changed {
			if found := verify(column, value); !strings.HasPrefix(found, where) {
				t.Errorf("%s is changed from %q to %q: %q", column, now, value, found)
			}
		}
	}
	if found := verify("", ""); found != "" {
		t.Error(found)
	}
	does(t, alice, w.URL("@mia"), "remove_member", nil, http.StatusOK, "")
	does(t, alice, w.URL("@mia"), "erase_member", nil, http.StatusOK, "")
	for _, e := range allActed(t, alice) {
		if e.Seq == entry && (e.Role != "" || e.As != store.AsRole || e.RoleID != "" ||
			!strings.HasPrefix(e.Said, "a former member, as the holder of a role, changed ")) {
			t.Errorf("after the erasure: %+v", e)
		}
	}
	if found := verify("", ""); found != "" {
		t.Error("after the erasure:", found)
	}
}
