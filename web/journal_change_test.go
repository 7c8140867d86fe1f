package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/store/governance"
	"samepage/store/notice"
	"samepage/web/webtest"
)

// folded finds the parts of a page that are folded at first.
var folded = regexp.MustCompile(`(?s)<details(?: class="[^"]*")?(?: data-extra)?>.*?</details>`)

// TestJournalFoldsChanges changes a long text in its middle. For people, the journal's list folds the old and the new
// text, and shows only the part that differs. The page of the entry and the exported files have both in full.
func TestJournalFoldsChanges(t *testing.T) {
	w := webtest.New(t)
	u := w.URL("note post")
	long := strings.Repeat(" and so on", 200)
	was, is := "First"+long+". The quince is ripe"+long+" in may.", "First"+long+". The quince is rotten"+long+" in june."
	for _, text := range []string{was, is} {
		does(t, w.As("alice"), u, "update_note", param.Input{"text": text}, http.StatusOK, "")
	}
	var seq int
	w.Query(&seq, `SELECT max(seq) FROM journal WHERE action = 'update_note'`)
	entry := fmt.Sprint("/orgs/acme/journal/", seq)
	list := w.As("bob").Get("/orgs/acme/journal", "text/html").Body
	i := slices.IndexFunc(folded.FindAllString(list, -1), func(s string) bool {
		first, second, both := strings.Cut(s, "quince is ripe")
		return both && !strings.Contains(first, "quince") && strings.Contains(second, "quince is rotten")
	})
	if open := folded.ReplaceAllString(list, ""); i < 0 || strings.Contains(open, "quince") ||
		strings.Contains(list, "in may") || strings.Contains(list, "in june") {
		t.Errorf("the list does not fold a short form of both: %d\n%s", i, mainOf(list))
	}
	for who, forms := range map[string][]string{"bob": media, "scribe": media[1:]} {
		for _, form := range forms {
			page := w.As(who).Get(entry+"?full=1", form).Body
			if form == "text/html" { // the words that differ are marked
				page = tags.ReplaceAllString(page, "")
			}
			for _, part := range []string{"is ripe", "is rotten", "in may.", "in june."} {
				if !strings.Contains(page, part) {
					t.Errorf("%s does not read %q in the entry as %s", who, part, form)
				}
			}
		}
	}
	found := false
	for line := range strings.Lines(w.As("scribe").Get("/orgs/acme/journal.jsonl?action=update_note", "*/*").Body) {
		var e struct {
			Seq           int
			Before, After struct{ Text string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq != seq {
			continue
		}
		found = true
		if e.Before.Text != was || e.After.Text != is {
			t.Errorf("JSON lines have %.80q and %.80q", e.Before.Text, e.After.Text)
		}
	}
	if !found {
		t.Errorf("JSON lines lack entry %d", seq)
	}
	rows, err := csv.NewReader(strings.NewReader(w.As("scribe").Get("/orgs/acme/journal.csv?action=update_note",
		"*/*").Body)).ReadAll()
	if err != nil || len(rows) < 3 {
		t.Fatalf("%v in %d rows", err, len(rows))
	}
	before, after := slices.Index(rows[0], "before"), slices.Index(rows[0], "after")
	if !strings.Contains(rows[1][before], was) || !strings.Contains(rows[1][after], is) {
		t.Errorf("CSV has %.120q and %.120q", rows[1][before], rows[1][after])
	}
}

// TestJournalHasNoSecrets creates and changes everything that has a secret. Neither the journal that the owner
// reads nor a row of its table contains a secret, or an address that only the owner of the address may see. The
// same is true for the secrets of the fixtures: tokens, receipts of anonymous ballots, invitations and links with
// a preview.
func TestJournalHasNoSecrets(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	alice := w.As("alice")
	var secrets []string
	take := func(url, action string, in param.Input) string {
		t.Helper()
		r := alice.PostJSON(url, action, in)
		var done struct{ URL, Secret string }
		if err := json.Unmarshal([]byte(r.Body), &done); err != nil || r.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", action, r.Status, r.Body)
		}
		if done.Secret != "" {
			secrets = append(secrets, done.Secret)
		}
		return strings.TrimPrefix(done.URL, webtest.Origin)
	}
	hook := take("/orgs/acme/webhooks", actions.CreateWebhook.Name,
		param.Input{"address": "https://hooks.example.org/in?key=quince1"})
	take(hook, actions.UpdateWebhook.Name, param.Input{"address": "https://hooks.example.org/quince2"})
	take(hook, actions.RotateSecret.Name, nil)
	take(notice.SettingsURL, actions.SetWebhook.Name, param.Input{"address": "https://own.example.org/in?key=quince4"})
	take(governance.OwnWebhookURL, actions.ChangeAddress.Name, param.Input{"address": "https://own.example.org/quince5"})
	take(governance.OwnWebhookURL, actions.RotateOwnSecret.Name, nil)
	take("/settings/tokens", actions.CreateToken.Name, param.Input{"label": "Quill", "scopes": []any{"read"}})
	take(w.URL("runner mill"), work.RenewRunner.Name, nil)
	take("/orgs/acme/invitations", "invite_member", param.Input{"email": "quince3@acme.example"})
	take(w.URL("note post"), "copy_link", nil)
	if len(secrets) != 8 {
		t.Fatalf("%d secrets were shown, not 8", len(secrets))
	}
	secrets = append(secrets, "quince1", "quince2", "quince3", "quince4", "quince5")
	secrets = append(secrets, fixtureSecrets(w)...)
	texts := map[string]string{}
	for _, u := range []string{"/orgs/acme/journal", "/orgs/acme/journal.csv", "/orgs/acme/journal.jsonl"} {
		texts[u] = alice.Get(u, "text/html").Body
	}
	var newest int
	w.Query(&newest, `SELECT max(seq) FROM journal`)
	for seq := newest - 8; seq <= newest; seq++ {
		for _, form := range media {
			u := fmt.Sprint("/orgs/acme/journal/", seq)
			texts[u+" as "+form] = alice.Get(u, form).Body
		}
	}
	if !strings.Contains(texts["/orgs/acme/journal.jsonl"], "hooks.example.org") {
		t.Error("the journal does not tell of the webhook, so the test finds nothing")
	}
	for _, row := range w.Rows("journal") {
		texts["a row: "+row[:min(len(row), 60)]] = row
	}
	for where, text := range texts {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%s has the secret %.12s…", where, s)
			}
		}
	}
}

// fixtureSecrets returns the secrets of the fixtures that are shown once.
func fixtureSecrets(w *webtest.World) (list []string) {
	for _, who := range []string{"scribe", "scout", "reader", "owl", "clerk"} {
		list = append(list, w.Token(who))
	}
	for _, name := range w.Fixtures() {
		if r := w.Receipt(w.URL(name)); r != "" {
			list = append(list, r)
		}
	}
	last := func(url string) string { return url[strings.LastIndexByte(url, '/')+1:] }
	return append(list, w.Secret("runner mill"), w.Secret("runner barn"), last(w.Invitation("acme link")),
		last(w.Invitation("acme gina")), last(w.Link("link to standups")), last(w.Link("link to note")))
}
