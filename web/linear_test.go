package web_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// ballotCall is a call on a vote with three options: cast a ballot (option 1 to 3), retract it (0), or read the results
// (-1).
type ballotCall struct{ voter, option int }

// ballotAnswer is the answer to a ballotCall: whether the voter had voted before and, for a reader,
// the votes of each option.
type ballotAnswer struct {
	had   bool
	votes [3]int
}

type ballotBox [6]int // the option of each voter; 0 if they have no ballot

// ballots is the model of a vote: the sequential behaviour of its calls. Some order of the concurrent calls must be
// valid in this model.
var ballots = porcupine.Model{
	Init: func() any { return ballotBox{} },
	Step: func(state, input, output any) (bool, any) {
		box, in, out := state.(ballotBox), input.(ballotCall), output.(ballotAnswer)
		if in.option < 0 {
			votes := [3]int{}
			for _, o := range box {
				if o > 0 {
					votes[o-1]++
				}
			}
			return votes == out.votes, box
		}
		had := box[in.voter] > 0
		box[in.voter] = in.option
		return had == out.had, box
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

// TestBallotsAreLinearizable lets voters cast, replace and retract ballots at the same time, each from two clients,
// while other clients read the results. Some order of all calls must explain every answer (linearizability, Herlihy
// and Wing 1990).
func TestBallotsAreLinearizable(t *testing.T) {
	w := webtest.New(t)
	r := w.As("alice").PostJSON("/studios/acme", "create_decision", param.Input{"question": "Which?",
		"method": "single", "options": []any{"One", "Two", "Three"}, "results": "shown"})
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil {
		t.Fatal(err)
	}
	voters := []string{"alice", "bob", "carol", "dave", "erin", "mia"}
	var mu sync.Mutex
	var history []porcupine.Operation
	start := time.Now()
	one := func(client int, call ballotCall) {
		c := w.As(voters[call.voter])
		from := time.Since(start)
		out, err := called(c, made.URL, call)
		to := time.Since(start)
		if err != nil {
			t.Errorf("%s: %+v: %v", c.Name, call, err)
		}
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: call, Call: int64(from), Output: out,
			Return: int64(to)})
	}
	var all sync.WaitGroup
	for client := range 3 * len(voters) { // for each voter, two clients that vote and one that reads
		all.Go(func() {
			seed := rand.New(rand.NewPCG(uint64(client), 1))
			for range 25 {
				call := ballotCall{voter: client % len(voters), option: seed.IntN(4)}
				if client >= 2*len(voters) {
					call.option = -1
				}
				one(client, call)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	if result := porcupine.CheckOperationsTimeout(ballots, history, time.Minute); result != porcupine.Ok {
		t.Fatalf("%d calls: %s", len(history), result)
	}
	// The check must detect a single wrong answer.
	i := slices.IndexFunc(history, func(o porcupine.Operation) bool { return o.Input.(ballotCall).option < 0 })
	out := history[i].Output.(ballotAnswer)
	out.votes[0] += 7
	history[i].Output = out
	if porcupine.CheckOperationsTimeout(ballots, history, time.Minute) != porcupine.Illegal {
		t.Error("a wrong answer is taken for right")
	}
	t.Logf("%d calls by %d clients", len(history), 3*len(voters))
}

// called makes a call to the site and returns its answer.
func called(c *webtest.Client, url string, call ballotCall) (out ballotAnswer, err error) {
	var r *webtest.Response
	switch {
	case call.option < 0:
		r = c.Get(url, "application/json")
		var page struct {
			Data struct {
				Result struct{ Counts struct{ Votes []int } }
			}
		}
		err = json.Unmarshal([]byte(r.Body), &page)
		copy(out.votes[:], page.Data.Result.Counts.Votes)
		return out, err
	case call.option == 0:
		r = c.PostJSON(url, "retract_vote", nil)
		out.had = r.Status == 200
		if r.Status != 200 && !strings.Contains(r.Body, "You have not voted") {
			err = fmt.Errorf("%d %s", r.Status, r.Body)
		}
	default:
		r = c.PostJSON(url, "cast_vote", param.Input{"option": fmt.Sprint(call.option)})
		out.had = strings.Contains(r.Body, "Your ballot is replaced.")
		if r.Status != 200 {
			err = fmt.Errorf("%d %s", r.Status, r.Body)
		}
	}
	return out, err
}
