package web_test

import (
	"fmt"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/web/webtest"
)

// TestALateCheckIsForgotten reports the result of a check of a commit after a newer commit has arrived. The page does
// not show it as the result for the newest commit.
func TestALateCheckIsForgotten(t *testing.T) {
	w := webtest.Of(t, "work")
	pull, mill := w.URL("pull conflicts"), w.URL("runner mill")
	does(t, w.As("bob"), pull, work.RunCheck.Name, nil, 200, "is asked to check it")
	var job string
	w.Query(&job, `SELECT id FROM jobs WHERE kind = 'check' AND ended_at IS NULL`)
	runner := w.Bearer(w.Secret("runner mill"))
	does(t, runner, mill, work.ClaimJob.Name, param.Input{"job": job, "claim": "0"}, 200, "")
	for _, facts := range []string{`{"commit":"short","passed":true,"said":""}`,
		fmt.Sprintf(`{"commit":%q,"passed":true,"said":%q}`, strings.Repeat("a", 40), strings.Repeat("x", 20_001))} {
		does(t, runner, mill, work.FinishJob.Name, param.Input{"job": job, "claim": "1", "facts": facts}, 422,
			"20000 bytes")
	}
	does(t, runner, mill, work.FinishJob.Name, param.Input{"job": job, "claim": "1",
		"facts": fmt.Sprintf(`{"commit":%q,"passed":true,"said":"It ended with the code 0."}`, strings.Repeat("a", 40))}, 200, "")
	page := w.As("bob").Get(pull, "text/markdown").Body
	if !strings.Contains(page, "**Check**: it has not run on the last commit") || strings.Contains(page, "code 0") {
		t.Errorf("the page takes the result for that of another commit:\n%s", page)
	}
}
