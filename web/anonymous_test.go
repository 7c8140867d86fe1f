package web_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// secretVote is a closed anonymous vote, with the facts that only its voters know.
type secretVote struct {
	id, url  string
	voters   []string          // handles, in the order in which they first voted
	marks    map[string]string // the choice of each voter, by handle
	receipts map[string]string
}

var receiptShape = regexp.MustCompile(`[0-9a-hjkmnp-tv-z]{10}-[0-9a-hjkmnp-tv-z]{16}`)

// holdSecretVote holds and closes an anonymous vote. The six people of Acme vote with forms, with JSON, with
// idempotency keys, through an agent, and with second ballots that replace the first.
func holdSecretVote(t *testing.T, w *webtest.World, question string) *secretVote {
	t.Helper()
	alice := w.As("alice")
	r := alice.PostJSON("/studios/acme", "create_decision", param.Input{"question": question, "method": "approval",
		"options": []any{"One", "Two", "Three"}, "anonymous": true})
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	v := &secretVote{url: made.URL, id: made.URL[strings.LastIndexByte(made.URL, '/')+1:], marks: map[string]string{},
		receipts: map[string]string{}}
	cast := func(voter, as, marks string, call webtest.Call, form bool) {
		t.Helper()
		w.Clock.Advance(7e9)
		// The marks of all ballots are turned by one option more in each further vote. Rows sorted by their marks may
		// then match an order of the voters in one vote by chance, but not in all votes.
		turned := strings.Split(marks, ",")
		turn := int(question[len(question)-2]) % len(turned)
		marks = strings.Join(append(turned[turn:len(turned):len(turned)], turned[:turn]...), ",")
		accept := []any{}
		for i, m := range strings.Split(marks, ",") {
			if m == "1" {
				accept = append(accept, fmt.Sprint(i+1))
			}
		}
		call.Params = param.Input{"accept": accept, "reason": "Because of " + marks + "."}
		if voter == "dave" && v.receipts[voter] == "" {
			call.Params["reason"] = "Because of 1,1,-. At first." + strings.Repeat(" I was not sure.", 20)
		}
		if old := v.receipts[voter]; old != "" {
			call.Params["receipt"] = old
		}
		answer := w.As(as).JSON
		if form {
			answer = w.As(as).Form
		}
		r := answer(v.url, "cast_vote", call)
		if r.Status >= 400 {
			t.Fatalf("%s: %d %s", as, r.Status, r.Body)
		}
		if receipt := receiptShape.FindString(r.Body); receipt != "" {
			v.receipts[voter] = receipt
			v.voters = append(v.voters, voter)
		}
		v.marks[voter] = marks
	}
	cast("mia", "mia", "1,-,1", webtest.Call{}, true)
	cast("bob", "bob", "1,-,-", webtest.Call{Key: "key of bob " + question}, false)
	cast("alice", "scribe", "-,1,-", webtest.Call{Key: question, Why: "I vote for -,1,- as told."}, false)
	cast("erin", "erin", "1,1,1", webtest.Call{Key: "form " + question}, true)
	cast("carol", "carol", "1,1,-", webtest.Call{}, false)
	cast("dave", "dave", "1,1,-", webtest.Call{}, true)
	cast("dave", "dave", "-,-,1", webtest.Call{}, true)
	cast("carol", "carol", "-,1,1", webtest.Call{Key: "again " + question}, false)
	if r := w.As("erin").Post(v.url, "cast_vote",
		param.Input{"accept": []any{"1"}, "receipt": "aaaaaaaaaa-aaaaaaaaaaaaaaaa"}); r.Status != 422 {
		t.Errorf("a wrong receipt: %d", r.Status)
	}
	if r := w.As("scout").JSON(v.url, "cast_vote",
		webtest.Call{Params: param.Input{"accept": []any{"1", "1"}}}); r.Status != 403 {
		t.Errorf("an agent over its member's own ballot: %d", r.Status)
	}
	for _, voter := range v.voters { // the results are hidden from every voter
		body := w.As(voter).Get(v.url, "application/json").Body
		if strings.Contains(body, `"result"`) || strings.Contains(body, "Because of") ||
			w.As(voter).Get(v.url+"/ballots", "text/html").Status != 404 {
			t.Errorf("@%s sees how it stands: %s", voter, body)
		}
	}
	if r := alice.Post(v.url, "close_decision", nil); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	alice.Post(v.url, "comment", param.Input{"text": "Done."})
	return v
}

// TestNobodyJoinsVotersAndBallots searches the whole database and the bytes of its files after anonymous votes. The
// search finds nothing that links a ballot to its voter, but finds each leak that the test plants in a copy.
func TestNobodyJoinsVotersAndBallots(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	var votes []*secretVote
	for i := range 4 {
		votes = append(votes, holdSecretVote(t, w, fmt.Sprintf("Secret question %d?", i)))
	}
	whole := w.Database()
	if leaks := adversary(t, whole, votes); len(leaks) > 0 {
		t.Errorf("found:\n%s", strings.Join(leaks, "\n"))
	}
	for _, v := range votes {
		_, list, _ := strings.Cut(w.As("bob").Get(v.url+"/ballots", "text/markdown").Body, "\n# ")
		for voter, receipt := range v.receipts {
			line := receipt[:10]
			row := regexp.MustCompile("(?m)^\\| `" + line + "` \\| (.*) \\|$").FindStringSubmatch(list)
			if row == nil || strings.Count(row[1], "approved") != strings.Count(v.marks[voter], "1") {
				t.Errorf("@%s, who marked %s, finds %q at %s", voter, v.marks[voter], row, line)
			}
			if strings.Contains(list, voter) || strings.Contains(list, receipt) {
				t.Errorf("the ballots name @%s, or a whole receipt:\n%s", voter, list)
			}
		}
	}
	if onServer(whole) {
		return // the files of a database server cannot be read here, and the leaks below are planted in a file
	}
	path := w.Store.Path()
	filesKeepNothing(t, path, votes)
	leaky := plantedLeaks(votes)
	for _, name := range slices.Sorted(maps.Keys(leaky)) {
		db := copiedDatabase(t, path)
		if err := leaky[name](db); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		leaks := adversary(t, sqlx.NewDb(db, "sqlite3"), votes)
		db.Close()
		if len(leaks) == 0 {
			t.Errorf("the adversary misses %s", name)
		} else {
			t.Logf("%s: %s", name, leaks[0])
		}
	}
}

// plantedLeaks returns changes of a database that allow a ballot to be linked to its voter.
func plantedLeaks(votes []*secretVote) map[string]func(db *sql.DB) error {
	truth := func(v *secretVote) (rows [][2]string) {
		for _, voter := range v.voters {
			rows = append(rows, [2]string{voter, v.receipts[voter][:10]})
		}
		return rows
	}
	return map[string]func(db *sql.DB) error{
		"a table of both": func(db *sql.DB) error {
			return each(votes, truth, db, `CREATE TABLE leak (voter TEXT, line TEXT)`,
				func(v *secretVote, r [2]string) (string, []any) {
					return `INSERT INTO leak VALUES (?, ?)`, []any{r[0], r[1]}
				})
		},
		"times": func(db *sql.DB) error {
			return each(votes, truth, db, `ALTER TABLE sealed_ballots ADD COLUMN cast_at INTEGER`,
				func(v *secretVote, r [2]string) (string, []any) {
					return `UPDATE sealed_ballots SET cast_at = (SELECT max(at) FROM journal
						WHERE member = ? AND action = 'cast_vote' AND target_id = ?)
						WHERE line = ?`, []any{r[0], v.id, r[1]}
				})
		},
		"the order of casting": func(db *sql.DB) error {
			err := each(votes, truth, db,
				`CREATE TABLE copied (decision_id TEXT, line TEXT, marks TEXT, reason TEXT, receipt BLOB)`,
				func(v *secretVote, r [2]string) (string, []any) {
					return `INSERT INTO copied SELECT decision_id, line, marks, reason, receipt FROM sealed_ballots
						WHERE line = ?`, []any{r[1]}
				})
			if err == nil {
				_, err = db.Exec(`DROP TABLE sealed_ballots; ALTER TABLE copied RENAME TO sealed_ballots`)
			}
			return err
		},
		"a digest that can be guessed": func(db *sql.DB) error {
			v := votes[0]
			text, _ := json.Marshal([]any{v.url, "cast_vote",
				param.Input{"accept": []any{"1"}, "reason": "Because of 1,-,-."}})
			sum := sha256.Sum256(text)
			_, err := db.Exec(`UPDATE answers SET call = ? WHERE key LIKE 'key of bob %0?'`, sum[:])
			return err
		},
		"a tally in the journal": func(db *sql.DB) error {
			_, err := db.Exec(
				`UPDATE journal SET after = json_set(after, '$.tally', seq)
					WHERE action = 'cast_vote' AND target_id = ?`, votes[1].id)
			return err
		},
		"the agent's words": func(db *sql.DB) error {
			_, err := db.Exec(
				`UPDATE journal SET why = 'I vote for -,1,- as told.'
					WHERE action = 'cast_vote' AND agent_id <> '' AND target_id = ?`, votes[2].id)
			return err
		},
	}
}

// copiedDatabase returns a copy of the database in this file.
func copiedDatabase(t *testing.T, path string) *sql.DB {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "leaky.db")
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`VACUUM INTO ?`, copied)
	db.Close()
	if err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("sqlite3", "file:"+copied); err != nil {
		t.Fatal(err)
	}
	return db
}

// each executes the SQL statement in first. Then it executes the statement that plant returns, once for each voter of
// each vote.
func each(votes []*secretVote, truth func(*secretVote) [][2]string, db *sql.DB, first string,
	plant func(*secretVote, [2]string) (string, []any)) error {
	if _, err := db.Exec(first); err != nil {
		return err
	}
	for _, v := range votes {
		for _, r := range truth(v) {
			query, args := plant(v, r)
			if _, err := db.Exec(query, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// filesKeepNothing checks that the files of the database contain no receipt, no replaced ballot and no text that
// an agent gave with a ballot. The files must contain each counted ballot once, and not in the order of voting.
func filesKeepNothing(t *testing.T, path string, votes []*secretVote) {
	t.Helper()
	var data []byte
	for _, file := range []string{path, path + "-wal"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, text...)
	}
	asCast := 0
	for _, v := range votes {
		last, sorted := -1, true
		for _, voter := range v.voters {
			line := []byte(v.receipts[voter][:10])
			if n := bytes.Count(data, line); n != 1 || bytes.Contains(data, []byte(v.receipts[voter])) {
				t.Errorf("%s: the line of @%s is %d times in the files, or the receipt is there", v.id, voter, n)
			}
			at := bytes.Index(data, line)
			sorted = sorted && (last < 0 || at < last) // a page of the database fills up from its end
			last = at
		}
		if sorted {
			asCast++
		}
	}
	if asCast == len(votes) {
		t.Error("the file has the ballots in the order in which they were cast")
	}
	if n := bytes.Count(data, []byte("Because of 1,1,-. At first.")); n != 0 {
		t.Errorf("a ballot that was replaced is %d times in the files", n)
	}
	if n := bytes.Count(data, []byte("as told.")); n != 0 {
		t.Errorf("an agent's words about a ballot are %d times in the files", n)
	}
}

func hexed(b []byte) string { return hex.EncodeToString(b) }

// sortedKeys returns the keys of a map in order, for messages that are always the same.
func sortedKeys(m map[string]bool) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
