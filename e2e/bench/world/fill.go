package world

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// Most rows of a world are written directly into the tables.

// filler writes rows in one transaction. After its first error, in err, it writes nothing.
type filler struct {
	tx    *sql.Tx
	ready map[string]*sql.Stmt
	err   error

	runner string // id of the runner, for turns
}

// rows inserts n rows with one statement. The arguments are the values of all rows, row after row.
func (f *filler) rows(table, columns string, n int, args ...any) {
	if f.err != nil {
		return
	}
	key := table + columns + strconv.Itoa(n)
	stmt := f.ready[key]
	if stmt == nil {
		one := "(" + strings.Repeat("?, ", strings.Count(columns, ",")) + "?)"
		stmt, f.err = f.tx.Prepare("INSERT INTO " + table + " (" + columns + ") VALUES " +
			strings.Repeat(one+", ", n-1) + one)
		if f.err != nil {
			return
		}
		f.ready[key] = stmt
	}
	_, f.err = stmt.Exec(args...)
}

func (f *filler) exec(query string, args ...any) {
	if f.err == nil {
		_, f.err = f.tx.Exec(query, args...)
	}
}

// raw runs fn in one transaction on the database file, which nothing else may have open. To save time, it drops the
// indexes of the given tables and creates them again at the end. It does not synchronize the file to disk, because an
// interrupted world is not used.
func (m *maker) raw(indexed []string, fn func(f *filler) error) (err error) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(m.Folder,
		store.FileName)+"?_journal_mode=OFF&_synchronous=OFF&_cache_size=-1500000&_foreign_keys=0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(m.ctx, nil)
	if err != nil {
		return err
	}
	f := &filler{tx: tx, ready: map[string]*sql.Stmt{}}
	var indexes []string
	for _, table := range indexed {
		list, err := dropIndexes(m.ctx, tx, table)
		if err != nil {
			return err
		}
		indexes = append(indexes, list...)
	}
	if err := fn(f); err != nil {
		return err
	}
	for _, index := range indexes {
		f.exec(index)
	}
	if f.err != nil {
		return f.err
	}
	for _, stmt := range f.ready {
		stmt.Close()
	}
	return tx.Commit()
}

// dropIndexes drops the indexes of a table, except those of its keys, and returns the statements that create them
// again.
func dropIndexes(ctx context.Context, tx *sql.Tx, table string) ([]string, error) {
	rows, err := tx.QueryContext(ctx,
		"SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
		table)
	if err != nil {
		return nil, err
	}
	var names, made []string
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		names, made = append(names, name), append(made, text)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := tx.ExecContext(ctx, "DROP INDEX "+name); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// fill writes most rows of a world. Half of the decisions are in the measured studio. Their ids are random as in the
// product, so that the rows of one page are spread over the file.
func (m *maker) fill() error {
	return m.raw([]string{"items", "journal"}, func(f *filler) error {
		m.Cycle = "/studios/" + Studio + "/cycles/" +
			m.start.Add(time.Duration(m.decisions/2)*pace).Format(time.DateOnly)
		chain, err := m.chain(f)
		if err != nil {
			return err
		}
		counted := map[int]int{}
		first := chain.seq + 1
		for i := range m.decisions {
			s := m.studios[0]
			if i%2 == 1 {
				s = m.studios[1+i/2%(len(m.studios)-1)]
			}
			d := filling{id: store.NewID(), studio: s, at: m.start.Add(pace * time.Duration(i+1)), n: i}
			m.decision(f, &d)
			for range entriesEach {
				chain.vote(f, &d)
			}
			for k := range notesEach {
				m.note(f, &d, k)
			}
			f.rows("notifications", "member_id, seq, org_id, reason, actor, did, item_id, url, title, at, read_at", 1,
				m.owner.MemberID(), chain.seq, m.org.ID, string(store.ReasonOutcome), "@m0001",
				"closed", d.id, "/studios/"+s.Handle+"/d/"+d.id, d.question(), d.at.UnixMilli(),
				d.at.UnixMilli())
			if f.err != nil {
				return f.err
			}
			counted[i%2]++
			if i%2 == 0 {
				m.sample(&d, counted[0])
			}
		}
		m.LastJournal = fmt.Sprintf("/orgs/%s/journal?before=%d", Org, first+30)
		f.exec("UPDATE organizations SET journal_seq = ?, journal_hash = ? WHERE id = ?", chain.seq,
			chain.hash, m.org.ID)
		return nil
	})
}

// sample records the address of the decision d, the n-th oldest of the measured studio, if the random selection of
// closed decisions includes it. If n is 51, it also records the address of the list's last full page, which shows the
// 50 older decisions.
func (m *maker) sample(d *filling, n int) {
	const most = 4096
	url := "/studios/" + Studio + "/d/" + d.id
	if len(m.Closed) < most {
		m.Closed = append(m.Closed, url)
	} else if i := rand.IntN(n); i < most {
		m.Closed[i] = url // reservoir sampling selects every decision with the same probability
	}
	if n == 51 {
		m.LastDecisions = fmt.Sprintf("/studios/%s/decisions?after=%d-%s", Studio, d.at.UnixMilli(), d.id)
	}
}

// filling is the decision, or the unit of a year, that is being written.
type filling struct {
	id     string
	studio *store.Studio
	at     time.Time
	n      int
}

func (d *filling) question() string {
	return fmt.Sprintf("Question number %d: what do we do next?", d.n)
}

// note writes note k beside the decision d, into the same studio.
func (m *maker) note(f *filler, d *filling, k int) {
	n := d.n*notesEach + k
	id, by, at := store.NewID(), &m.people[1+n%(len(m.people)-1)], d.at.Add(time.Duration(k)*time.Minute).UnixMilli()
	f.rows("items", "id, org_id, studio_id, kind, title, body, member_id, created_at, opened_at, closed_at, version", 1,
		id, m.org.ID, d.studio.ID, "note", fmt.Sprintf("Note number %d", n), letter(n), by.ID, at, at, at, 2)
	f.rows("notes", "id, org_id, type", 1, id, m.org.ID, governance.Post)
	if d.studio == m.studios[0] && len(m.Notes) < 4096 && (k == 0 || m.Rows < 10_000) {
		m.Notes = append(m.Notes, "/studios/"+Studio+"/n/"+id)
	}
}

func (m *maker) decision(f *filler, d *filling) {
	running, err := tally.Rules{}.Running(tally.Acceptance, optionsEach)
	f.err = errors.Join(f.err, err)
	end := d.at.Add(72 * time.Hour)
	var ballots, comments, options []any
	crowd := m.people[1:][:2*ballotsEach]
	for i := range ballotsEach {
		by := &crowd[(d.n+i)%len(crowd)]
		b := tally.Ballot{Marks: []int{(d.n + i) % 3, 1, (d.n * i) % 2}}
		f.err = errors.Join(f.err, running.Add(b, 1))
		ballots = append(ballots, d.id, by.ID, m.org.ID, by.ID, b.String(), "", d.at.Add(time.Hour).UnixMilli())
	}
	for i := range commentsEach {
		by := &crowd[(d.n+3*i)%len(crowd)]
		comments = append(comments, d.id, i+1, m.org.ID, by.ID, remark(d.n*commentsEach+i),
			d.at.Add(time.Hour).UnixMilli())
	}
	by := &crowd[d.n%len(crowd)]
	for i := range optionsEach {
		options = append(options, d.id, i+1, m.org.ID, option(i), by.ID)
	}
	result, err := running.Result(tally.Acceptance, tally.Rules{})
	f.err = errors.Join(f.err, err)
	f.rows("items", "id, org_id, studio_id, kind, title, body, member_id, created_at, opened_at, due_at, "+
		"closed_at, comments, remarks, version", 1,
		d.id, m.org.ID, d.studio.ID, "decision", d.question(), body(d.n), by.ID, d.at.UnixMilli(),
		d.at.UnixMilli(), end.UnixMilli(), end.UnixMilli(), commentsEach, commentsEach, 20)
	f.rows("decisions", "id, org_id, method, results, reasons, electorate, options, ballots, tally, result, outcome", 1,
		d.id, m.org.ID, string(tally.Acceptance), "after_closing", "optional", 2*ballotsEach,
		optionsEach, ballotsEach, text(f, running), text(f, result), string(result.Outcome))
	f.rows("options", "decision_id, n, org_id, title, member_id", optionsEach, options...)
	f.rows("ballots", "decision_id, voter, org_id, member_id, marks, reason, cast_at", ballotsEach, ballots...)
	f.rows("comments", "item_id, seq, org_id, member_id, text, at", commentsEach, comments...)
}

func text(f *filler, v any) string {
	b, err := json.Marshal(v)
	f.err = errors.Join(f.err, err)
	return string(b)
}

// chain continues the journal that the product began, with the hashes that the product would compute.
type chain struct {
	m    *maker
	seq  int64
	hash []byte
}

func (m *maker) chain(f *filler) (*chain, error) {
	c := &chain{m: m}
	return c, f.tx.QueryRowContext(m.ctx,
		"SELECT journal_seq, journal_hash FROM organizations WHERE id = ?", m.org.ID).Scan(&c.seq, &c.hash)
}

func (c *chain) vote(f *filler, d *filling) {
	c.seq++
	by := &c.m.people[1+int(c.seq)%(2*ballotsEach)]
	at := d.at.Add(time.Hour).UnixMilli()
	url := "/studios/" + d.studio.Handle + "/d/" + d.id
	before, after := `{"state":"open","ballots":`+strconv.Itoa(int(c.seq)%8)+
		`}`, `{"state":"open","ballots":`+strconv.Itoa(int(c.seq)%8+1)+`}`
	was, is, title := sha256.Sum256([]byte(before)), sha256.Sum256([]byte(after)), sha256.Sum256([]byte(d.question()))
	prev := c.hash
	h := sha256.New()
	field := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	field(prev)
	for _, s := range []string{strconv.FormatInt(c.seq, 10), strconv.FormatInt(at, 10), c.m.org.ID,
		by.ID, by.Handle, "", "", "", "", "", "", d.studio.ID, "", "cast_vote",
		"decision", d.id, url, string(title[:]), "", ""} {
		field([]byte(s))
	}
	field(was[:])
	field(is[:])
	c.hash = h.Sum(nil)
	f.rows("journal", "org_id, seq, at, member_id, member, agent_id, agent, token_id, "+
		"authority, role_id, role, role_digest, studio_id, private_to, action, kind, target_id, url, title, "+
		"title_digest, before, after, before_digest, after_digest, why, request, prev, hash", 1,
		c.m.org.ID, c.seq, at, by.ID, by.Handle, "", "", "", "", "", "", []byte{}, d.studio.ID, "", "cast_vote",
		"decision", d.id, url, d.question(),
		title[:], before, after, was[:], is[:], "", "", prev, c.hash)
}

// enlarge gives the large decision its comments and its ballots. Their voters do not exist as members.
func (m *maker) enlarge() error {
	id := m.Large[strings.LastIndex(m.Large, "/")+1:]
	return m.raw(nil, func(f *filler) error {
		running, err := tally.Rules{}.Running(tally.Acceptance, optionsEach)
		if err != nil {
			return err
		}
		now := time.Now().UnixMilli()
		for i := range largeBallots {
			b := tally.Ballot{Marks: []int{i % 3, (i / 3) % 3, (i / 9) % 2}}
			f.err = errors.Join(f.err, running.Add(b, 1))
			f.rows("ballots", "decision_id, voter, org_id, marks, reason, cast_at", 1, id,
				fmt.Sprintf("line-%08d", i+1), m.org.ID, b.String(), "", now)
		}
		for i := range largeComments {
			f.rows("comments", "item_id, seq, org_id, member_id, text, at", 1, id, i+1, m.org.ID,
				m.people[1+i%len(m.people[1:])].ID, remark(i), now)
		}
		f.exec("UPDATE decisions SET ballots = ?, electorate = ?, tally = ? WHERE id = ?",
			largeBallots, 2*largeBallots, text(f, running), id)
		f.exec("UPDATE items SET comments = ?, remarks = ? WHERE id = ?", largeComments, largeComments, id)
		m.LastComments = m.Large + "/comments?before=21"
		return f.err
	})
}

// remark returns a comment that differs for each n.
func remark(n int) string {
	return fmt.Sprintf("Comment %d: I would try it for a month first, and then look at what it has "+
		"changed for those who were against it.", n)
}

// letter returns a text of several paragraphs that differs for each n.
func letter(n int) string {
	return remark(n) + "\n\nWhat I have seen so far: people who **work apart** hear of each other too " +
		"late, and those who sit together hear the same three times. " +
		"A short text that one can read when it suits would help the first and spare the second. It has " +
		"to be short, though; nobody reads an essay every Monday.\n\n" +
		"- What did I finish?\n- What is next?\n- Where am I stuck?\n\n" +
		"If we cannot agree, let us at least write down *why*, so that we need not begin again in spring."
}

func body(n int) string {
	return fmt.Sprintf("We meet too rarely to notice when someone is stuck (case %d).\n\n"+
		"A stand-up is **fifteen minutes**, no more. What we want to know:\n\n- how often\n- live or in writing", n)
}

func option(i int) string {
	return []string{"Yes, every Monday", "Yes, as written updates", "No change needed"}[i]
}
