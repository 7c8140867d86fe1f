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
	"samepage/web/webtest"
)

var folded = regexp.MustCompile(`(?s)<details.*?</details>`)

// TestJournalFoldsChanges changes a long text. For people, the journal's list folds and shortens the old and the new
// text. The page of the entry and the exported files have both in full.
func TestJournalFoldsChanges(t *testing.T) {
	w := webtest.New(t)
	u := w.URL("note post")
	long := strings.Repeat(" and so on", 200)
	was, is := "The quince is ripe"+long+" in may.", "The quince is rotten"+long+" in june."
	for _, text := range []string{was, is} {
		does(t, w.As("alice"), u, "update_note", param.Input{"text": text}, http.StatusOK, "")
	}
	var seq int
	w.Query(&seq, `SELECT max(seq) FROM journal WHERE action = 'update_note'`)
	entry := fmt.Sprint("/orgs/acme/journal/", seq)
	list := w.As("bob").Get("/orgs/acme/journal", "text/html").Body
	i := slices.IndexFunc(folded.FindAllString(list, -1), func(s string) bool {
		return strings.Contains(s, "quince is ripe") && strings.Contains(s, "quince is rotten")
	})
	if open := folded.ReplaceAllString(list, ""); i < 0 || strings.Contains(open, "quince") ||
		strings.Contains(list, "in june") {
		t.Errorf("the list does not fold a short form of both: %d\n%s", i, mainOf(list))
	}
	for who, forms := range map[string][]string{"bob": media, "scribe": media[1:]} {
		for _, form := range forms {
			page := w.As(who).Get(entry+"?full=1", form).Body
			for _, part := range []string{"is ripe", "is rotten", "in may.", "in june."} {
				if !strings.Contains(page, part) {
					t.Errorf("%s does not read %q in the entry as %s", who, part, form)
				}
			}
		}
	}
	for line := range strings.Lines(w.As("scribe").Get("/orgs/acme/journal.jsonl?action=update_note", "*/*").Body) {
		var e struct {
			Seq           int
			Before, After struct{ Text string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq == seq && (e.Before.Text != was || e.After.Text != is) {
			t.Errorf("JSON lines have %.80q and %.80q", e.Before.Text, e.After.Text)
		}
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

// TestJournalHasNoSecrets creates and changes everything that has a secret. Neither what the owner reads of the journal
// nor a row of it contains a secret.
func TestJournalHasNoSecrets(t *testing.T) {
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
	take("/settings/tokens", actions.CreateToken.Name, param.Input{"label": "Quill", "scopes": []any{"read"}})
	take(w.URL("runner mill"), work.RenewRunner.Name, nil)
	take("/orgs/acme/invitations", "invite_member", param.Input{"email": "quince3@acme.example"})
	if len(secrets) < 4 {
		t.Fatalf("only %d secrets were shown", len(secrets))
	}
	secrets = append(secrets, "quince1", "quince2")
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
