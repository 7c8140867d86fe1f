package actions_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// refused returns two texts from an answer: the names of the bad fields, and the messages about them, both in the
// order of the answer.
func refused(t *testing.T, r *webtest.Response) (names, says string) {
	t.Helper()
	var p struct{ Error struct{ Fields param.Errors } }
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil || r.Status != 422 {
		t.Fatalf("%d: %s", r.Status, r.Body)
	}
	for _, f := range p.Error.Fields {
		names += " " + f.Field
	}
	return strings.TrimSpace(names), p.Error.Fields.Error()
}

// TestEveryBadField checks that all errors of decoding and of checking are reported together, in the order of
// the form. A check that depends on a bad field must be skipped.
func TestEveryBadField(t *testing.T) {
	w := webtest.New(t)
	org, team := w.URL("acme organization"), w.URL("team")
	file := param.Upload{Name: "votes.json", Data: []byte("{")}
	for _, c := range []struct {
		page, action string
		in           param.Input
		want         string
	}{
		{org, "create_studio",
			param.Input{"handle": "Bad One", "name": "", "visibility": "zzz", "parent": "nowhere"},
			"handle name parent visibility"},
		{org, "create_studio", param.Input{"handle": "fine", "name": "Fine", "parent": "/studios/lab"}, "parent"},
		{team, "update_studio", param.Input{"name": "", "tempo": "never", "parent": "nowhere"}, "name tempo parent"},
		{org + "/settings", "update_settings", param.Input{"name": "", "accent": "red", "zone": "Mars/Base"},
			"name accent zone"},
		{team, "create_decision", param.Input{
			"question": "", "closes_at": "2020-01-01", "quorum": "x",
			"options": []any{"One", " one"}, "majority": []any{"2"},
		}, "question closes_at options quorum majority"},
		{team, "create_decision", param.Input{
			"question": "", "method": "guess", "default_option": "Neither", "majority": []any{"x"},
		}, "question method"},
		{team, "create_decision", param.Input{
			"question": "", "default_option": "Neither", "options": []any{"One", "Two"},
		}, "question default_option"},
		{team, "create_decision", param.Input{
			"question": "Which?", "method": "schulze", "default_option": "Neither",
			"majority": []any{"2", "x"}, "options": []any{strings.Repeat("o", 201)},
		}, "options majority"},
		{team, "create_decision", param.Input{
			"question": "Which?", "method": "lottery", "options": []any{"One", "Two"},
			"quorum": "50%", "anonymous": true, "dots": 5, "casting_vote": "bob",
		}, "anonymous quorum casting_vote dots"},
		{team, "create_decision", param.Input{
			"question": "Which?", "method": "dots", "options": []any{"One", "Two"},
			"quorum": "101%", "dots": 21, "casting_vote": "carol",
		}, "quorum casting_vote dots"},
		{team, "create_decision", param.Input{
			"question": "When?", "method": "time", "options": []any{"2027-01-01 10:00", "noon"},
		}, "options"},
		{team, "create_decision", param.Input{
			"question": "When?", "method": "time",
			"options": []any{"2027-01-01 10:00", "2027-01-01T09:00Z"},
		}, "options"},
		{team, "create_decision", param.Input{
			"question": "When?", "method": "time",
			"options": []any{"2027-01-01", "2027-01-01 UTC"},
		}, "options"},
		{team, "create_decision", param.Input{
			"question": "When?", "method": "time",
			"options": []any{"2027-01-01 10:00", "2019-01-01 10:00"},
		}, "options"},
		{team, "create_decision", param.Input{
			"question": "Which?", "options": []any{"One"}, "anonymous": true, "results": "shown",
			"tie": "lot", "casting_vote": "bob",
		}, "results casting_vote"},
		{w.URL("draft dots"), "update_decision", param.Input{"method": "approval", "dots": 7}, "dots"},
		{team, "create_decision", param.Input{"question": "Which?", "method": "schulze", "options": []any{"One"}},
			"options"},
		{team, "create_decision", param.Input{
			"question": "Which?", "method": "schulze", "default_option": "NEITHER ",
			"options": []any{"One", "Neither"},
		}, "options"},
		{w.URL("draft"), "update_decision",
			param.Input{"question": "", "closes_at": "2020-01-01", "reasons": "x"},
			"question closes_at reasons"},
		{w.URL("draft time"), "add_option", param.Input{"title": "noon"}, "title"},
		{w.URL("open dots"), "cast_vote", param.Input{"dots": map[string]any{"1": 3, "2": 3}}, "dots"},
		{w.URL("open anonymous"), "cast_vote", param.Input{"accept": []any{"1"}}, "receipt"},
		{w.URL("open anonymous"), "retract_vote", param.Input{"receipt": "0123456789-0123456789012345"}, "receipt"},
		{w.URL("open approval"), "extend_decision", param.Input{"closes_at": "1h", "x": 1}, "closes_at x"},
		{w.URL("talk"), "add_option", param.Input{"title": " IN person", "x": 1}, "title x"},
		{"/settings/tokens", "create_token", param.Input{"label": "", "scopes": []any{"write"}, "expires_in": "366d"},
			"label expires_in"},
		{team, "import_decisions", param.Input{"file": file, "method": "guess"}, "file method"},
		{team, "import_decisions", param.Input{"file": file}, "file"},
	} {
		by := "alice"
		if c.page == w.URL("talk") || c.action == "extend_decision" {
			by = "erin"
		}
		if got, says := refused(t, w.As(by).PostJSON(c.page, c.action, c.in)); got != c.want {
			t.Errorf("%s %v: %s, want %s\n%s", c.action, c.in, got, c.want, says)
		}
	}
}

// TestLeftOutStays checks that a change of one field leaves the other fields unchanged, and that an empty value clears
// a field. Both must hold for JSON and for forms.
func TestLeftOutStays(t *testing.T) {
	w := webtest.New(t)
	alice, bob := w.As("alice"), w.As("bob")
	made := func(c *webtest.Client, page, action string, in param.Input) string {
		t.Helper()
		r := c.PostJSON(page, action, in)
		var p struct{ URL string }
		if err := json.Unmarshal([]byte(r.Body), &p); err != nil || r.Status != 200 {
			t.Fatalf("%s %v: %d %s", action, in, r.Status, r.Body)
		}
		return p.URL
	}
	shows := func(page, action string, want ...string) {
		t.Helper()
		body := alice.Get(page+"/actions/"+action, "text/markdown").Body
		for _, says := range want {
			if absent, ok := strings.CutPrefix(says, "not "); ok == strings.Contains(body, absent) {
				t.Errorf("%s after a change: want %s\n%s", action, says, body)
			}
		}
	}
	studio := made(alice, w.URL("acme organization"), "create_studio", param.Input{
		"handle": "vault", "name": "Vault", "description": "Hidden things.",
		"visibility": "members", "tempo": "daily", "parent": "commons",
	})
	made(alice, studio, "update_studio", param.Input{"name": "Secret"})
	if r := bob.Get(studio, ""); r.Status != 404 && r.Status != 303 {
		t.Errorf("a studio of its members, renamed, shows itself to others: %d", r.Status)
	}
	shows(studio, "update_studio", "Secret", "Hidden things.", "commons")
	made(alice, studio, "update_studio", param.Input{"description": "", "parent": nil, "tempo": ""})
	shows(studio, "update_studio", "Secret", "not Hidden things.", "not commons")
	if r := bob.Get(studio, ""); r.Status == 200 {
		t.Error("a studio of its members, moved, shows itself to others")
	}
	r := alice.Form(studio, "update_studio", webtest.Call{
		Params: param.Input{"name": "Secret", "description": "Again."},
		Accept: "application/json",
	})
	if r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	r = alice.Form(studio, "update_studio", webtest.Call{
		Params: param.Input{"name": "Secret", "description": ""},
		Accept: "application/json",
	})
	if r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	shows(studio, "update_studio", "not Again.")

	draft := made(alice, w.URL("team"), "create_decision", param.Input{"draft": true,
		"question": "Which way?", "text": "Left or right.", "method": "schulze",
		"options": []any{"Left", "Right"},
		"results": "shown", "reasons": "required", "quorum": 3, "everyone": true, "closes_at": "5d"})
	kept := []string{"Left or right.", "`schulze`", "`shown`", "`required`", "`3`", "2026-11-25 09:00 UTC"}
	made(alice, draft, "update_decision", param.Input{"question": "Where to?"})
	shows(draft, "update_decision", append(kept, "Where to?", "`true`")...)
	made(alice, draft, "update_decision", param.Input{"text": "", "quorum": nil, "closes_at": ""})
	shows(draft, "update_decision", "not Left or right.", "not `3`", "not 2026-11-25", "`shown`", "`required`")
	version := regexp.MustCompile(`version: "(\d+)"`).FindStringSubmatch(alice.Get(draft, "text/markdown").Body)[1]
	r = alice.Form(draft, "update_decision", webtest.Call{
		Version: version,
		Params:  param.Input{"question": "Where to?", "text": "As sent."},
		Accept:  "application/json",
	})
	if r.Status != 200 {
		t.Fatalf("a form with a box that was unticked: %d %s", r.Status, r.Body)
	}
	shows(draft, "update_decision", "As sent.", "not `true`", "`schulze`")

	made(alice, w.URL("acme organization")+"/settings", "update_settings", param.Input{"accent": "#2b6cb0"})
	shows(w.URL("acme organization")+"/settings", "update_settings", "Acme", "#2b6cb0", "Europe/Berlin")
	made(alice, w.URL("@alice"), "update_profile", param.Input{})
	shows(w.URL("@alice"), "update_profile", "Alice Anders")
}

// TestChoicesAreNamed checks that the error about a bad choice lists the titles of the options.
func TestChoicesAreNamed(t *testing.T) {
	w := webtest.New(t)
	_, says := refused(t, w.As("bob").PostJSON(w.URL("open single"), "cast_vote", param.Input{"option": "b"}))
	if says != `option: cannot be "b"; the options are 1 (Carol), 2 (Dave), 3 (Erin)` {
		t.Error(says)
	}
}

// TestRevokeAgain revokes tokens that have ended. The error must say whether the token was revoked or has expired.
func TestRevokeAgain(t *testing.T) {
	w := webtest.New(t)
	alice := w.As("alice")
	ids := map[string]string{}
	for _, label := range []string{"One", "Two"} {
		if r := alice.PostJSON("/settings/tokens", "create_token", param.Input{
			"label": label, "scopes": []any{"read"}, "expires_in": "1h",
		}); r.Status != 200 {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.AllTokens()
		for _, token := range list {
			ids[token.Label] = token.ID
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if r := alice.PostJSON("/settings/tokens", "revoke_token", param.Input{"token": ids["One"]}); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	w.Clock.Advance(2 * time.Hour)
	for label, want := range map[string]string{"One": "has been revoked already", "Two": "has expired already"} {
		if _, says := refused(t, alice.PostJSON("/settings/tokens", "revoke_token",
			param.Input{"token": ids[label]})); says != `token: cannot be "`+ids[label]+`": it `+want {
			t.Error(says)
		}
	}
}

// TestHandOver checks the answer to an agent that may not take an action. The answer must contain a link to the form
// of the action, so that the agent can hand the link to a person.
func TestHandOver(t *testing.T) {
	w := webtest.New(t)
	link := regexp.MustCompile(`Give them this link: ` + regexp.QuoteMeta(webtest.Origin) + `(/[^\s"]+)`)
	for page, action := range map[string]string{
		w.URL("team"):                            "update_studio",
		w.URL("acme organization") + "/settings": "update_settings",
		"/settings/tokens":                       "create_token",
		w.URL("standups"):                        "close_decision",
		w.URL("@alice"):                          "update_profile",
	} {
		r := w.As("scribe").PostJSON(page, action, nil)
		m := link.FindStringSubmatch(r.Body)
		if m == nil || m[1] != page+"/actions/"+action {
			t.Errorf("%s: %s", action, r.Body)
			continue
		}
		if form := w.As("alice").Get(m[1], "text/html"); form.Status != 200 {
			t.Errorf("%s: %d", m[1], form.Status)
		}
	}
}

// TestRefusalsNameTheCause refuses input that was once accepted in silence, or for another reason.
func TestRefusalsNameTheCause(t *testing.T) {
	w := webtest.New(t)
	made := w.As("alice").PostJSON(w.URL("team"), "create_note", param.Input{"title": "Seeds", "kind": "table",
		"columns": []any{"Name", "Beds: number"}})
	var out struct{ URL string }
	if err := json.Unmarshal([]byte(made.Body), &out); err != nil || out.URL == "" {
		t.Fatal(made.Status, made.Body)
	}
	table := strings.TrimPrefix(out.URL, webtest.Origin)
	ask := func(more param.Input) param.Input {
		in := param.Input{"question": "Which?", "options": []any{"One", "Two"}}
		for name, v := range more {
			in[name] = v
		}
		return in
	}
	for _, c := range []struct {
		page, action string
		in           param.Input
		want         string
	}{
		{table, "add_row", param.Input{"cells": []any{"Name: a", "name : b"}}, "two lines for Name"},
		{table, "add_row", param.Input{"cells": []any{"Name: a", "Beds: 1"}}, ""},
		{table, "update_row", param.Input{"row": 1, "cells": []any{"Beds: 2", "Beds: "}}, "two lines for Beds"},
		{table, "update_note", param.Input{"columns": []any{"Name"}}, "The column Beds has cells in 1 of 1 rows"},
		{table, "update_row", param.Input{"row": 1, "cells": []any{"Beds:"}}, ""},
		{table, "update_note", param.Input{"columns": []any{"Name"}}, ""},
		{w.URL("team"), "create_decision", ask(param.Input{"method": "schulze", "default_option": "two "}),
			`The default option "two" is added by itself`},
		{w.URL("team"), "create_decision", ask(param.Input{"method": "guess", "default_option": "Two"}),
			`The default option "Two" is added by itself`},
		{w.URL("team"), "create_decision", ask(param.Input{"method": "schulze", "default_option": "Two",
			"options": []any{"One", "one"}}), "Two options have the same title"},
	} {
		r := w.As("alice").PostJSON(c.page, c.action, c.in)
		if c.want == "" {
			if r.Status != 200 {
				t.Errorf("%s %v: %d %s", c.action, c.in, r.Status, r.Body)
			}
			continue
		}
		if _, says := refused(t, r); !strings.Contains(says, c.want) {
			t.Errorf("%s %v: %s, want %s", c.action, c.in, says, c.want)
		}
	}
	const warning = "Its quorum is 5 ballots, which is more than the voters, the 4 members of Team."
	for _, c := range []struct {
		more  param.Input
		warns bool
	}{
		{param.Input{"quorum": "5"}, true}, {param.Input{"quorum": "5", "draft": true}, true},
		{param.Input{"quorum": "4"}, false},
		{param.Input{"quorum": "100%"}, false}, {param.Input{"quorum": "5", "everyone": true}, false}, {nil, false},
	} {
		r := w.As("alice").PostJSON(w.URL("team"), "create_decision", ask(c.more))
		if r.Status != 200 || strings.Contains(r.Body, warning) != c.warns {
			t.Errorf("%v: %d %s", c.more, r.Status, r.Body)
		}
		if c.more["draft"] == nil {
			continue
		}
		if err := json.Unmarshal([]byte(r.Body), &out); err != nil {
			t.Fatal(err)
		}
		page := strings.TrimPrefix(out.URL, webtest.Origin)
		if r := w.As("alice").PostJSON(page, "open_decision", nil); r.Status != 200 || !strings.Contains(r.Body,
			warning) {
			t.Errorf("a draft with this quorum: %d %s", r.Status, r.Body)
		}
	}
}
