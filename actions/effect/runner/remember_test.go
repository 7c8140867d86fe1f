package runner_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
)

// TestRememberedAnswers checks that an agent's repeated request gets the remembered answer, and that a person is
// asked about another request. A remembered answer must not be used after it was forgotten, or after its author has
// left the studio.
func TestRememberedAnswers(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	ask := "ask Open the paint\nallowed say I may.\ndenied say I may not.\n"
	key := y.agent("one", ask+ask+"ask Throw it away\nallowed say Gone.\ndenied say Kept.\nturn\n"+ask+"turn\n"+ask)
	s := y.do("bob", tree, "start_session", param.Input{"agent": key, "prompt": "Paint."})
	becomes(t, y.World, s, "waits for an answer")
	first := s + "/permissions/1"
	y.refused("bob", first, "forget_answer", nil, "not remembered")
	y.do("bob", first, "answer_permission", param.Input{"choice": "once", "remember": "true"})
	becomes(t, y.World, s, "Throw it away")
	says(t, y.World, s+"/permissions/2", "Allowed", "It is the answer to [request 1]")
	says(t, y.World, s, "Remembered answers", "[Open the paint](")
	if r := y.As("bob").Get("/inbox", "text/markdown"); strings.Count(r.Body, "Open the paint") != 1 {
		t.Errorf("bob is told of a request that has its answer:\n%s", r.Body)
	}
	y.do("bob", s+"/permissions/3", "answer_permission", param.Input{"choice": "no"})
	becomes(t, y.World, s, "Done")
	y.refused("scribe", first, "forget_answer", nil, "person")
	y.do("bob", first, "forget_answer", nil)
	y.do("bob", s, "prompt_session", param.Input{"prompt": "Again."})
	becomes(t, y.World, s, "waits for an answer")
	y.do("bob", s+"/permissions/4", "answer_permission", param.Input{"choice": "once", "remember": "true"})
	becomes(t, y.World, s, "Done")
	if err := y.Store.Write(t.Context(), func(tx *store.Tx) error { // carol is not in the studio
		return tx.Exec(`UPDATE permissions SET answered_by = (SELECT id FROM members WHERE handle = 'carol') WHERE n = 4`)
	}); err != nil {
		t.Fatal(err)
	}
	y.do("bob", s, "prompt_session", param.Input{"prompt": "Once more."})
	becomes(t, y.World, s, "waits for an answer")
}
