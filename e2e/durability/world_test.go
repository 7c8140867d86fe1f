//go:build linux

package durability

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	_ "github.com/mattn/go-sqlite3" // to read and edit the database directly
)

// world holds the files of the demo workspace, a token for each writer, and the polls.
type world struct {
	files  map[string][]byte
	tokens []string
	polls  []poll
}

// poll is an open decision on which only the writers vote. If people voted too, the ballots of their agents would not
// replace theirs.
type poll struct {
	url, method string
	options     int
}

const writers = 16

var demo struct {
	sync.Once
	*world
}

// seeded returns the world, which is made once for all tests.
func seeded(t *testing.T) *world {
	t.Helper()
	demo.Do(func() { demo.world = seedWorld(t) })
	if demo.world == nil {
		t.Fatal("there is no world")
	}
	return demo.world
}

func seedWorld(t *testing.T) *world {
	dir := filepath.Join(memory(t), "data")
	must(t, "demo", "--data", dir, "--json")
	w := &world{}
	people := []string{"alice", "bob", "carol", "dave", "erin", "frank"}
	for i := range writers {
		token := must(t, "token", "create", "--data", dir, "--member", people[i%len(people)],
			"--label", fmt.Sprintf("Writer %d", i+1))
		w.tokens = append(w.tokens, strings.TrimSpace(token))
	}
	s := serve(t, dir)
	for _, method := range []string{"acceptance", "approval", "single", "schulze", "irv", "score", "star"} {
		options := []string{"The first", "The second", "The third", "The fourth"}
		status, body := s.post(&act{url: "/studios/team", name: "create_decision", token: w.tokens[0],
			params: map[string]any{
				"question": "Which of these, by " + method + "?", "method": method,
				"options": options,
			}})
		var made struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal([]byte(body), &made); status != http.StatusOK || err != nil {
			t.Fatalf("create_decision: %d %s", status, body)
		}
		w.polls = append(w.polls, poll{made.URL, method, len(options)})
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("the server exited with %d:\n%s", code, s.output)
	}
	w.files = load(t, dir)
	return w
}

// folder creates a data folder with a copy of the world.
func (w *world) folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	store(t, dir, w.files)
	return dir
}

// open opens a database file directly, so that the test can read or damage it.
func open(t *testing.T, path string) *sql.DB {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// act is one action of a writer. The id is the idempotency key of the action and its reason in the journal. The id is
// also in the text of the comment, in the reason of the ballot or in the name of the file, so that the tests find
// each trace of the action.
type act struct {
	id     string
	url    string // address of the page
	name   string
	params map[string]any
	file   []byte // content of the attached file; nil for other actions
	token  string

	fate   fate
	answer string // text of the refusal; empty if it was not refused
}

type fate int

const (
	unknown fate = iota // there was no answer, or the outcome is unknown
	acknowledged
	refused
)

// prefix is the beginning of every id.
const prefix = "act-"

// think invents a random action.
func (w *world) think(r *rand.Rand, id, token string) *act {
	p := w.polls[r.IntN(len(w.polls))]
	a := &act{id: id, url: p.url, token: token}
	if r.IntN(6) == 0 {
		a.name, a.file = "attach", []byte(strings.Repeat(id+" ", 1+r.IntN(4000)))
		return a
	}
	if r.IntN(3) > 0 {
		length := r.IntN(300)
		if r.IntN(10) == 0 {
			length = 9000
		}
		a.name, a.params = "comment", map[string]any{"text": id + " " + strings.Repeat("word ", length/5)}
		return a
	}
	a.name, a.params = "cast_vote", map[string]any{"reason": id}
	chosen := []string{} // an empty ballot must be an empty list, and not null
	grid := map[string]int{}
	for i := range p.options {
		option := strconv.Itoa(i + 1)
		if r.IntN(2) == 0 {
			chosen = append(chosen, option)
		}
		grid[option] = 1 + r.IntN(p.options)
	}
	switch p.method {
	case "acceptance":
		a.params["accept"], a.params["prefer"] = chosen, chosen[:len(chosen)/2]
	case "approval":
		a.params["accept"] = chosen
	case "single":
		a.params["option"] = strconv.Itoa(1 + r.IntN(p.options))
	case "schulze", "irv":
		a.params["ranking"] = grid
	default:
		a.params["points"] = grid
	}
	return a
}
