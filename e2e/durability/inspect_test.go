//go:build linux

package durability

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"samepage/actions/tally"
)

// found holds, for each kind of trace, the number of traces that each action of the writers has left in a database.
type found struct {
	journal, comments, answers, files map[string]int
}

// inspect checks a data folder that no server uses, with the program and by direct queries. inspect returns the
// traces and the errors. It changes the folder, because the command doctor checkpoints the log. The parameter head is
// the head of the journal from an earlier call, or empty; newHead is the present head.
func inspect(t *testing.T, dir, head string) (f *found, newHead string, wrong []string) {
	t.Helper()
	if out, code := samepage(t, "doctor", "--data", dir); code != 0 || panicked(out) {
		wrong = append(wrong, fmt.Sprintf("samepage doctor exited with %d: %s", code, out))
	}
	args := []string{"journal", "verify", "--data", dir}
	if head != "" {
		args = append(args, "--head", head)
	}
	out, code := samepage(t, args...)
	if code != 0 || panicked(out) {
		wrong = append(wrong, fmt.Sprintf("samepage journal verify exited with %d: %s", code, out))
	}
	if m := headPrinted.FindStringSubmatch(out); m != nil {
		newHead = m[1]
	}
	db := open(t, filepath.Join(dir, "samepage.db"))
	defer db.Close()
	f = &found{}
	for _, check := range []func(*sql.DB, *found) ([]string, error){soundFile, countedRows,
		countedTraces, lastBallots, recounted} {
		list, err := check(db, f)
		if err != nil {
			list = append(list, err.Error())
		}
		wrong = append(wrong, list...)
	}
	return f, newHead, wrong
}

var headPrinted = regexp.MustCompile(`Head: (\S+)`)

// texts runs a query that returns one text per row, such as the description of an error.
func texts(db *sql.DB, query string) (list []string, err error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

func soundFile(db *sql.DB, _ *found) ([]string, error) {
	list, err := texts(db, `PRAGMA integrity_check`)
	if err != nil {
		return nil, err
	}
	if len(list) == 1 && list[0] == "ok" {
		list = nil
	}
	broken, err := texts(db,
		`SELECT 'a row of ' || "table" || ' refers to nothing in ' || parent FROM pragma_foreign_key_check`)
	return append(list, broken...), err
}

// countedRows checks that the stored counts are equal to the numbers of rows.
func countedRows(db *sql.DB, _ *found) ([]string, error) {
	return texts(db, `SELECT kind || ' ' || id || ' says it has ' || comments || ' comments' FROM items i
			WHERE comments <> (SELECT count(*) FROM comments WHERE item_id = i.id)
		UNION ALL SELECT kind || ' ' || id || ' says it has ' || remarks || ' remarks' FROM items i
			WHERE remarks <> (SELECT count(*) FROM comments WHERE item_id = i.id AND removed_at IS NULL)
		UNION ALL SELECT kind || ' ' || id || ' says it has ' || versions || ' versions' FROM items i
			WHERE versions <> (SELECT coalesce(max(n), 0) FROM versions WHERE item_id = i.id)
		UNION ALL SELECT 'decision ' || id || ' says it has ' || ballots || ' ballots' FROM decisions d
			WHERE ballots <> (SELECT coalesce(sum(weight), 0) FROM ballots WHERE decision_id = d.id)
				OR anonymous = 1 AND ballots <> (SELECT count(*) FROM sealed_ballots WHERE decision_id = d.id)
		UNION ALL SELECT kind || ' ' || id || ' numbers its comments wrongly' FROM items i
			WHERE comments <> (SELECT coalesce(max(seq), 0) FROM comments WHERE item_id = i.id)
		UNION ALL SELECT 'organization ' || handle || ' says its journal ends at ' || journal_seq FROM organizations o
			WHERE journal_seq <> (SELECT max(seq) FROM journal WHERE org_id = o.id)`)
}

// countedTraces counts the traces of each action in the database.
func countedTraces(db *sql.DB, f *found) ([]string, error) {
	for _, trace := range []struct {
		into  *map[string]int
		query string
	}{
		{&f.journal, `SELECT why, count(*) FROM journal WHERE why LIKE 'act-%' GROUP BY 1`},
		{&f.answers, `SELECT key, count(*) FROM answers WHERE key LIKE 'act-%' GROUP BY 1`},
		{&f.comments, `SELECT substr(text, 1, instr(text || ' ', ' ') - 1), count(*) FROM comments WHERE text LIKE 'act-%' GROUP BY 1`},
		{&f.files, `SELECT name, count(*) FROM files WHERE name LIKE 'act-%' GROUP BY 1`},
	} {
		*trace.into = map[string]int{}
		rows, err := db.Query(trace.query)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var id string
			var n int
			if err := rows.Scan(&id, &n); err != nil {
				rows.Close()
				return nil, err
			}
			(*trace.into)[id] = n
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// lastBallots checks that every ballot is the one from the voter's last vote in the journal, because a later ballot
// replaces an earlier one.
func lastBallots(db *sql.DB, _ *found) ([]string, error) {
	return texts(db,
		`SELECT 'the last ballot of ' || member || ' on ' || target_id || ' should be ' || why ||
			' and is ' || coalesce(b.reason, 'missing')
		FROM (SELECT target_id, member_id, member, why, max(seq) FROM journal
			WHERE action = 'cast_vote' GROUP BY target_id, member_id) j
		LEFT JOIN ballots b ON b.decision_id = j.target_id AND b.voter = j.member_id
		WHERE j.why LIKE 'act-%' AND coalesce(b.reason, '') <> j.why
		UNION ALL SELECT 'ballot ' || reason || ' is in no entry' FROM ballots
			WHERE reason LIKE 'act-%' AND reason NOT IN (SELECT why FROM journal)`)
}

// recounted counts the ballots of every open decision again and compares the result with the stored
// running tally.
func recounted(db *sql.DB, _ *found) (wrong []string, err error) {
	rows, err := db.Query(`SELECT d.id, d.method, d.rules, d.options, d.tally, b.marks, b.weight
		FROM decisions d JOIN ballots b ON b.decision_id = d.id
		WHERE d.anonymous = 0
			AND d.id IN (SELECT id FROM items WHERE opened_at IS NOT NULL AND closed_at IS NULL)
		ORDER BY d.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type count struct {
		kept    string
		running tally.Running
	}
	counts := map[string]*count{}
	for rows.Next() {
		var id, method, rules, kept, marks string
		var r tally.Rules
		var options, weight int
		if err := rows.Scan(&id, &method, &rules, &options, &kept, &marks, &weight); err != nil {
			return nil, err
		}
		c := counts[id]
		if c == nil {
			c = &count{kept: kept}
			if err := json.Unmarshal([]byte(rules), &r); err != nil {
				return nil, err
			}
			if c.running, err = r.Running(tally.Method(method), options); err != nil {
				return nil, err
			}
			counts[id] = c
		}
		b, err := tally.ParseMarks(marks, options)
		if err != nil {
			return nil, err
		}
		if err := c.running.Add(b, weight); err != nil {
			return nil, err
		}
	}
	for id, c := range counts {
		text, err := json.Marshal(c.running)
		if err != nil {
			return nil, err
		}
		if string(text) != c.kept {
			wrong = append(wrong, fmt.Sprintf("the tally of %s is kept as %s and recounted as %s", id, c.kept, text))
		}
	}
	return wrong, rows.Err()
}
