package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestNoChangeIsNone takes actions that change what is there, with the present values. The answer says so and names no
// way to undo it, and neither the journal nor the version of the page has anything new.
func TestNoChangeIsNone(t *testing.T) {
	w := webtest.New(t)
	entries := func() (n int) {
		w.Query(&n, `SELECT count(*) FROM journal`)
		return n
	}
	versionOf := func(page string) string {
		var p jsonPage
		if err := json.Unmarshal([]byte(w.As("bob").Get(page, "application/json").Body), &p); err != nil {
			t.Fatal(err)
		}
		return p.Version
	}
	table := urlIn(t, w.As("bob").PostJSON("/studios/team", "create_note", param.Input{"title": "Seeds",
		"kind":    "table",
		"columns": []any{"Name", "Beds: number"}}).Body)
	w.As("bob").PostJSON(strings.TrimPrefix(table, webtest.Origin), "add_row", param.Input{"cells": []any{"Name: a",
		"Beds: 1"}})
	board := urlIn(t, w.As("bob").PostJSON("/studios/team", "create_board", param.Input{"title": "Beds",
		"zones": []any{"One", "Two"}}).Body)
	made := func(action string, in param.Input) string {
		r := w.As("bob").PostJSON("/studios/team", action, in)
		if r.Status != 200 {
			t.Fatal(action, r.Status, r.Body)
		}
		return urlIn(t, r.Body)
	}
	for _, c := range []struct {
		page, action string
		same, other  param.Input
	}{
		{made("create_decision", param.Input{"question": "Tea?", "draft": true, "closes_at": "3d"}), "update_decision",
			param.Input{"question": "Tea?", "method": "acceptance"}, param.Input{"question": "Coffee?"}},
		{made("create_election", param.Input{"role": "Gardener", "term": "30d"}), "update_election",
			param.Input{"term": "30d"}, param.Input{"term": "31d"}},
		{made("create_commitment", param.Input{"title": "Bake", "critical_mass": 2, "closes_at": "3d"}),
			"update_commitment",
			param.Input{"title": " Bake "}, param.Input{"title": "Bake bread"}},
		{made("create_note", param.Input{"title": "Bread"}), "update_note", param.Input{"text": ""},
			param.Input{"text": "Rye."}},
		{made("create_topic", param.Input{"title": "Bread", "text": "Bake."}), "amend_topic",
			param.Input{"text": "Bake."},
			param.Input{"text": "Bake rye."}},
		{board, "update_board", param.Input{"title": "Beds"}, param.Input{"title": "All beds"}},
		{board, "update_zone", param.Input{"zone": "1", "title": "One"}, param.Input{"zone": "1", "rule": "New."}},
		{board, "update_zone", param.Input{"zone": "1", "before": "2"}, param.Input{"zone": "2", "before": "1"}},
		{table, "update_row", param.Input{"row": 1, "cells": []any{"name: a"}}, param.Input{"row": 1,
			"cells": []any{"Beds:"}}},
		{w.URL("pull approved"), "update_pull_request", nil, param.Input{"title": "Another"}},
	} {
		page := strings.TrimPrefix(c.page, webtest.Origin)
		version, before := versionOf(page), entries()
		for _, in := range []param.Input{c.same, {}} {
			if c.action == "update_zone" || c.action == "update_row" {
				in = c.same
			}
			r := w.As("bob").PostJSON(page, c.action, in)
			if r.Status != 200 || !strings.Contains(r.Body, "already.") || strings.Contains(r.Body, "Change again") {
				t.Errorf("%s with %v: %d %s", c.action, in, r.Status, r.Body)
			}
			if now := versionOf(page); now != version || entries() != before {
				t.Errorf("%s with %v: version %s after %s, %d entries after %d", c.action, in, now, version,
					entries(), before)
			}
		}
		if r := w.As("bob").PostJSON(page, c.action, c.other); r.Status != 200 || strings.Contains(r.Body, "already.") {
			t.Errorf("%s with %v: %d %s", c.action, c.other, r.Status, r.Body)
		}
		if now := versionOf(page); now == version || entries() != before+1 {
			t.Errorf("%s with %v: version %s after %s, %d entries after %d", c.action, c.other, now, version,
				entries(), before)
		}
	}
}
