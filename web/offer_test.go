package web

import "testing"

// TestUndoNamesAnInverse checks that only a text about undoing names the action of the Undo button.
func TestUndoNamesAnInverse(t *testing.T) {
	for undo, want := range map[string]string{
		"Undo: unpin.":                "unpin",
		"Undo until it binds: leave.": "leave",
		"Stop it: stop_session.":      "",
		"The agent acts on it at once. Stop it: stop_session.": "",
		"Say otherwise: mark_missed.":                          "",
		"Undo: follow, or mute.":                               "",
		"It cannot be taken back.":                             "",
	} {
		if got := undoneBy(undo); got != want {
			t.Errorf("%q is undone by %q, not %q", undo, got, want)
		}
	}
}
