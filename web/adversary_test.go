package web_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"samepage/actions/param"
)

// row is one row of the database. Its cells are text, with bytes in hexadecimal.
type row struct {
	table string
	cells []string
	words [][]string // the words in each cell: its runs of ASCII letters and digits, and the whole cell
	of    string     // the only voter that the row is about; empty if there are none or several
	line  string     // the ballot that the row is about
}

// onServer reports whether the database is on a server and not in a file.
func onServer(db *sqlx.DB) bool { return db.DriverName() == "pgx" }

// dump returns all rows of all tables, in the order in which the database stores them.
func dump(t *testing.T, db *sqlx.DB) (rows []row, columns map[string][]string) {
	t.Helper()
	list := `SELECT name FROM sqlite_schema WHERE type = 'table'`
	if onServer(db) {
		list = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	}
	var names []string
	if err := db.Select(&names, list); err != nil {
		t.Fatal(err)
	}
	columns = map[string][]string{}
	for _, name := range names {
		list, err := db.Query(`SELECT * FROM "` + name + `"`)
		if err != nil {
			t.Fatal(err)
		}
		columns[name], _ = list.Columns()
		values, to := make([]any, len(columns[name])), make([]any, len(columns[name]))
		for i := range values {
			to[i] = &values[i]
		}
		for list.Next() {
			if err := list.Scan(to...); err != nil {
				t.Fatal(err)
			}
			r := row{table: name}
			for _, v := range values {
				if b, ok := v.([]byte); ok {
					v = hexed(b)
				}
				text := fmt.Sprint(v)
				r.cells = append(r.cells, text)
				r.words = append(r.words, append(strings.FieldsFunc(text, notInWord), text))
			}
			rows = append(rows, r)
		}
		list.Close()
	}
	return rows, columns
}

func notInWord(c rune) bool {
	return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// adversary tries to link the ballots of anonymous votes to their voters, and returns the links that it finds. It looks
// for equal values in the rows of a voter and a ballot, and for equal orders of rows. It also looks for digests that
// can be guessed, and for values that change with each ballot.
func adversary(t *testing.T, db *sqlx.DB, votes []*secretVote) (leaks []string) {
	rows, columns := dump(t, db)
	lines, voters := map[string]bool{}, map[string]string{} // short names of all ballots; the voter that each word identifies
	for _, v := range votes {
		for _, voter := range v.voters {
			lines[v.receipts[voter][:10]] = true
			voters[voter] = voter
		}
	}
	// Rows of several tables lead to a voter. Each pass finds one step more: a member by the handle, a user or an
	// agent by the member, a token or a login by the user or the agent.
	for range 3 {
		for _, r := range rows {
			if who := about(r, voters); who != "" &&
				slices.Contains([]string{"members", "users", "agents", "tokens", "logins"}, r.table) {
				for i, c := range columns[r.table] {
					if (c == "id" || strings.HasSuffix(c, "_id") && c != "org_id") && len(r.cells[i]) == 10 {
						voters[r.cells[i]] = who
					}
				}
			}
		}
	}
	places := map[string]map[string]bool{} // the tables and columns in which each word occurs
	for i := range rows {
		r := &rows[i]
		r.of = about(*r, voters)
		for k, c := range r.cells {
			if lines[c] {
				r.line = c
			}
			for _, w := range r.words[k] {
				if len(w) >= 5 {
					if places[w] == nil {
						places[w] = map[string]bool{}
					}
					places[w][r.table+"."+columns[r.table][k]] = true
				}
			}
		}
	}
	for _, r := range rows {
		if r.line == "" {
			continue
		}
		if r.of != "" {
			leaks = append(leaks, fmt.Sprintf("%s says whose %s is: @%s", r.table, r.line, r.of))
		}
		for i, c := range r.cells {
			if column := columns[r.table][i]; r.table == "sealed_ballots" && column != "decision_id" &&
				column != "org_id" && column != "marks" && len(places[c]) > 1 {
				leaks = append(leaks, fmt.Sprintf("%s of a ballot is elsewhere too: %v", column, sortedKeys(places[c])))
			}
		}
	}
	for _, v := range votes {
		leaks = append(leaks, guessed(rows, v)...)
		leaks = append(leaks, changing(rows, columns, v)...)
		for _, r := range rows {
			for voter, marks := range v.marks {
				if r.of == voter && slices.ContainsFunc(r.cells, func(c string) bool {
					return strings.Contains(c, v.id)
				}) && slices.ContainsFunc(r.cells, func(c string) bool { return strings.Contains(c, marks) }) {
					leaks = append(leaks, fmt.Sprintf("%s of @%s holds their marks", r.table, voter))
				}
			}
		}
	}
	return append(leaks, ordered(rows, columns, votes)...)
}

// about returns the voter that a row is about, or the empty string if it is about several or none.
func about(r row, voters map[string]string) string {
	who := ""
	for _, words := range r.words {
		for _, w := range words {
			name, ok := voters[w]
			if ok && who != "" && who != name {
				return ""
			}
			if ok {
				who = name
			}
		}
	}
	return who
}

// guessed computes the digest of every possible ballot, with and without keys from the database, and looks for it in
// the rows of voters.
func guessed(rows []row, v *secretVote) (leaks []string) {
	var keys []string
	for _, r := range rows {
		if r.table == "instance" {
			keys = append(keys, r.cells...)
		}
	}
	for _, marks := range v.marks {
		accept := []any{}
		for i, m := range strings.Split(marks, ",") {
			if m == "1" {
				accept = append(accept, fmt.Sprint(i+1))
			}
		}
		text, _ := json.Marshal([]any{v.url, "cast_vote",
			param.Input{"accept": accept, "reason": "Because of " + marks + "."}})
		sum := sha256.Sum256(text)
		guesses := []string{hexed(sum[:8])}
		for _, key := range keys {
			h := hmac.New(sha256.New, []byte(key))
			h.Write(sum[:])
			guesses = append(guesses, hexed(h.Sum(nil)))
		}
		for _, r := range rows {
			for _, c := range r.cells {
				for _, g := range guesses {
					if strings.Contains(c, g) {
						leaks = append(leaks,
							fmt.Sprintf("%s has a digest of the ballot %s: %v", r.table, marks, r.cells[:2]))
					}
				}
			}
		}
	}
	return leaks
}

// changing compares the journal entries of the ballots of a vote, without the numbers of ballots and comments in them.
// It returns a leak for each entry that differs from the first.
func changing(rows []row, columns map[string][]string, v *secretVote) (leaks []string) {
	first := ""
	count := regexp.MustCompile(`"(ballots|comments)":[0-9]+,?`)
	for _, r := range rows {
		cell := func(name string) string {
			i := slices.Index(columns[r.table], name)
			if i < 0 {
				return ""
			}
			return r.cells[i]
		}
		if r.table != "journal" || cell("target_id") != v.id || cell("action") != "cast_vote" {
			continue
		}
		said := count.ReplaceAllString(cell("after"), "") + cell("why") + cell("request")
		if first == "" {
			first = said
		}
		if said != first {
			leaks = append(leaks, "what the journal keeps differs from ballot to ballot: "+said)
		}
	}
	return leaks
}

// ordered pairs voters and ballots by their places in any two orders of rows. It returns the pairs of orders that give
// the right voter in all votes.
func ordered(rows []row, columns map[string][]string, votes []*secretVote) (leaks []string) {
	right := map[string]int{}
	for _, v := range votes {
		byVoter, byLine := map[string][]string{}, map[string][]string{}
		collect := func(into map[string][]string, names []string, of func(row) string) {
			for table, list := range columns {
				var mine []row
				for _, r := range rows {
					if r.table == table && slices.Contains(names, of(r)) &&
						(table != "journal" && table != "ballots" || slices.Contains(r.cells, v.id)) {
						mine = append(mine, r)
					}
				}
				for c := -1; c < len(list); c++ {
					sorted := slices.Clone(mine)
					if c >= 0 {
						slices.SortStableFunc(sorted, func(a, b row) int {
							return compareCells(a.cells[c], b.cells[c])
						})
					}
					var order []string
					for _, r := range sorted {
						if !slices.Contains(order, of(r)) {
							order = append(order, of(r))
						}
					}
					if len(order) == len(names) {
						into[fmt.Sprintf("%s by column %d", table, c)] = order
					}
				}
			}
		}
		linesOf := make([]string, len(v.voters))
		for i, voter := range v.voters {
			linesOf[i] = v.receipts[voter][:10]
		}
		collect(byVoter, v.voters, func(r row) string { return r.of })
		collect(byLine, linesOf, func(r row) string { return r.line })
		for a, people := range byVoter {
			for b, ballots := range byLine {
				forth, back := true, true
				for i, who := range people {
					forth = forth && v.receipts[who][:10] == ballots[i]
					back = back && v.receipts[who][:10] == ballots[len(ballots)-1-i]
				}
				if forth {
					right[a+" is "+b]++
				}
				if back {
					right[a+" is the reverse of "+b]++
				}
			}
		}
	}
	for how, n := range right {
		if n == len(votes) {
			leaks = append(leaks, how)
		}
	}
	return leaks
}

// compareCells compares two cells as text, or as numbers if both are.
func compareCells(a, b string) int {
	if len(a) != len(b) && strings.Trim(a+b, "0123456789") == "" {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
