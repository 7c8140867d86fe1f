package runner

import (
	"fmt"
	"testing"
)

// TestPullRequestsAreSeenInTurn has more published pull requests than the runner looks at in one check. The runner
// must look at each of them within a few checks. New pull requests, or the end of the last one in a check, must not
// disturb the order.
func TestPullRequestsAreSeenInTurn(t *testing.T) {
	list := make([]copied, 71)
	for i := range list {
		list[i].ID = fmt.Sprint("q", i)
	}
	seen, last := map[string]int{}, ""
	for range 3 {
		round := inTurn(list, last, watchAtOnce)
		if len(round) != watchAtOnce {
			t.Errorf("a check looks at %d", len(round))
		}
		for _, q := range round {
			seen[q.ID]++
			last = q.ID
		}
	}
	for _, q := range list {
		if n := seen[q.ID]; n < 1 || n > 2 {
			t.Errorf("%s was looked at %d times in three checks", q.ID, n)
		}
	}
	if round := inTurn(list[:2], "gone", watchAtOnce); len(round) != 2 || round[0].ID != "q0" {
		t.Errorf("a short list is looked at as %v", round)
	}
	if round := inTurn(nil, "gone", watchAtOnce); len(round) != 0 {
		t.Errorf("an empty list is looked at as %v", round)
	}
}
