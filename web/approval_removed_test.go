package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestRedactedPagesAreForgotten redacts an item after an agent has asked for actions on the item's pages: on the page of
// a part, and on the item's page with a query. Nothing of the requests may stay, and none of them still waits.
func TestRedactedPagesAreForgotten(t *testing.T) {
	for name, query := range map[string]string{"note table": "?sort=Worth", "board": "/cards/5", "open single": ""} {
		t.Run(name, func(t *testing.T) {
			w := webtest.New(t)
			page := w.URL(name)
			action, in := "comment", param.Input{"text": "Unsayable, asked."}
			if name == "board" {
				action, in = "update_card", param.Input{"title": "Unsayable, asked."}
			}
			var made struct{ Secret string }
			if r := w.As("erin").PostJSON("/settings/tokens", "create_token", param.Input{"label": "Helper",
				"scopes": []any{"read", "write"}, "asks": []any{action}}); json.Unmarshal([]byte(r.Body),
				&made) != nil {
				t.Fatal(r.Body)
			}
			var asked struct{ URL string }
			helper := w.Bearer(made.Secret)
			helper.Get(page+query, "text/markdown")
			if r := helper.PostJSON(page+query, action, in); json.Unmarshal([]byte(r.Body),
				&asked) != nil ||
				r.Status != 202 {
				t.Fatal(r.Status, r.Body)
			}
			waits := asked.URL
			var title string
			w.Query(&title, `SELECT target FROM approvals ORDER BY asked_at DESC LIMIT 1`)
			if got := w.As("erin").Get(page+query, "text/markdown").Body; !strings.Contains(got, "Not done yet") {
				t.Error("the page does not say what waits:", got)
			}
			if r := w.As("alice").PostJSON(page, "redact", nil); r.Status != 200 {
				t.Fatal(r.Body)
			}
			for _, dump := range w.Rows("approvals", "notifications", "journal") {
				if strings.Contains(dump, "Unsayable") {
					t.Errorf("kept: %s", dump)
				}
			}
			for _, url := range []string{waits, "/inbox", "/orgs/acme/journal"} {
				got := w.As("erin").Get(url, "text/markdown")
				if got.Status != 200 || strings.Contains(got.Body, "asks for your approval of: "+title) {
					t.Errorf("%s: %d %s", url, got.Status, got.Body)
				}
			}
			if got := w.As("erin").Get(waits, "text/markdown").Body; !strings.Contains(got, "Removed with the page") ||
				strings.Contains(got, "approve_request") || strings.Contains(got, title) {
				t.Errorf("the request: %s", got)
			}
			if got := w.As("erin").Get(page, "text/markdown").Body; strings.Contains(got, "Not done yet") {
				t.Errorf("the page says that something waits: %s", got)
			}
			w.VerifyJournal()
		})
	}
}

// TestRedactedCommentOfAViewIsForgotten removes an agent's comment that was asked for at an address with a query.
func TestRedactedCommentOfAViewIsForgotten(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("note table")
	done := held(t, w, "clerk", page+"?sort=Worth", "comment",
		webtest.Call{Params: param.Input{"text": "Unsayable, said."}})
	redactedComment(t, w, page, done)
	if got := w.As("erin").Get(done, "application/json").Body; !strings.Contains(got, store.ApprovalDone) {
		t.Error(got)
	}
}

// redactedComment lets Erin approve the comment "Unsayable, said." on a page, and Alice remove it. Afterwards no request
// for approval has its text.
func redactedComment(t *testing.T, w *webtest.World, page, asked string) {
	t.Helper()
	if r := w.As("erin").PostJSON(asked, "approve_request", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	var seq string
	w.Query(&seq, `SELECT seq FROM comments WHERE text = 'Unsayable, said.'`)
	if r := w.As("alice").PostJSON(page, "redact", param.Input{"comment": seq}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	for _, dump := range w.Rows("approvals") {
		if strings.Contains(dump, "Unsayable") {
			t.Errorf("kept: %s", dump)
		}
	}
}
