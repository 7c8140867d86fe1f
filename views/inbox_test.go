package views

import "testing"

// TestAlone checks the verbs of notifications where no title of a page follows the verb.
func TestAlone(t *testing.T) {
	for did, want := range map[string]string{
		"asked about":                     "asked",
		"commented on":                    "commented",
		"took you out of":                 "took you out",
		"says the term is over:":          "says the term is over",
		"left you to stand in as":         "left you to stand in",
		"let the parent studio decide":    "let the parent studio decide",
		"closed":                          "closed",
		"asked for":                       "asked for it",
		"asks for your approval of":       "asks for your approval",
		"answered a question about":       "answered a question",
		"accepted your invitation as":     "accepted your invitation",
		"ruled on an objection to":        "ruled on an objection",
		"ended the time to respond to":    "ended the time to respond",
		"changed who sees the results of": "changed who sees the results",
	} {
		if got := alone(did); got != want {
			t.Errorf("%q became %q, want %q", did, got, want)
		}
	}
}
