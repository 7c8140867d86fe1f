package store

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// document is one entry of the search index. Its texts stay in their own tables; the index holds their
// words, and a tag for each value that a filter can ask for.
type document struct {
	N        int64  `db:"n"`
	OrgID    string `db:"org_id"`
	Kind     string `db:"kind"` // a kind of item, comment, studio, member or role
	ID       string `db:"id"`   // of the item (also for a comment on it), studio, member or role
	Seq      int    `db:"seq"`  // number of a comment; roleSeq for a role, else 0
	StudioID string `db:"studio_id"`
	MemberID string `db:"member_id"` // the author
	AgentID  string `db:"agent_id"`
	At       Time   `db:"at"`
	Title    string `db:"title"`
	Text     string `db:"text"`
	OpenedAt Time   `db:"opened_at"`
	ClosedAt Time   `db:"closed_at"`
	Pinned   bool   `db:"pinned"`
}

// Each tag begins with a letter for its type. The tags of an item's state are not on its comments.
func orgTag(id string) string     { return "o" + id }
func studioTag(id string) string  { return "s" + id }
func peopleTag(org string) string { return "m" + org } // for documents of members, which belong to no studio
func authorTag(id string) string  { return "b" + id }
func kindTag(kind string) string  { return "k" + kind }

const (
	agentsTag = "byagent"
	humansTag = "bypeople"
)

func (d *document) tags() []string {
	tags := []string{orgTag(d.OrgID), kindTag(d.Kind), authorTag(d.MemberID)}
	if d.StudioID != "" {
		tags = append(tags, studioTag(d.StudioID))
	}
	switch {
	case d.Kind == "member":
		return append(tags, peopleTag(d.OrgID))
	case d.AgentID != "":
		tags = append(tags, agentsTag)
	default:
		tags = append(tags, humansTag)
	}
	if kinds[d.Kind] == nil {
		return tags
	}
	switch {
	case d.OpenedAt.IsZero():
		tags = append(tags, "isdraft")
	case d.ClosedAt.IsZero():
		tags = append(tags, "isopen")
	case d.ClosedAt != d.OpenedAt:
		tags = append(tags, "isclosed")
	}
	if d.Pinned {
		tags = append(tags, "ispinned")
	}
	return tags
}

// documentSort tells the table that holds the texts of a document.
type documentSort int

const (
	itemDocument documentSort = iota
	commentDocument
	studioDocument
	memberDocument
	roleDocument
)

// roleSeq is the seq of all roles, since an id is unique only within its own table.
const roleSeq = -1

func (d *document) sort() documentSort {
	switch {
	case d.Seq > 0:
		return commentDocument
	case d.Kind == "studio":
		return studioDocument
	case d.Kind == "member":
		return memberDocument
	case d.Kind == "role":
		return roleDocument
	}
	return itemDocument
}

// documentSource has the SELECT that loads a document of each sort; the arguments are its id and its seq. A
// removed row yields no document.
var documentSource = [...]string{
	itemDocument: `SELECT i.org_id, i.kind, i.id, 0 AS seq, i.studio_id, i.member_id,
		coalesce(i.agent_id, '') AS agent_id, i.created_at AS at, i.title, i.body AS text,
		i.opened_at, i.closed_at, i.pinned FROM items i WHERE i.id = ? AND 0 = ? AND i.removed_at IS NULL`,
	commentDocument: `SELECT c.org_id, 'comment' AS kind, c.item_id AS id, c.seq, i.studio_id, c.member_id,
		coalesce(c.agent_id, '') AS agent_id, c.at, c.text
		FROM comments c JOIN items i ON i.id = c.item_id WHERE c.item_id = ? AND c.seq = ? AND c.removed_at IS NULL`,
	studioDocument: `SELECT s.org_id, 'studio' AS kind, s.id, 0 AS seq, s.id AS studio_id, s.created_by AS member_id,
		s.created_at AS at, s.name || ' ' || s.handle AS title,
		s.description AS text FROM studios s WHERE s.id = ? AND 0 = ?`,
	memberDocument: `SELECT m.org_id, 'member' AS kind, m.id, 0 AS seq, m.id AS member_id, m.joined_at AS at,
		m.name || ' ' || m.handle AS title
		FROM members m WHERE m.id = ? AND 0 = ? AND m.ended_at IS NULL`,
	roleDocument: `SELECT r.org_id, 'role' AS kind, r.id, -1 AS seq, r.studio_id, r.created_by AS member_id,
		r.created_at AS at, r.title, r.mission || ' ' || r.duties AS text
		FROM roles r WHERE r.id = ? AND -1 = ? AND r.deleted_at IS NULL`,
}

// documentTables are the tables whose rows are documents.
var documentTables = map[string]documentSort{"items": itemDocument, "comments": commentDocument,
	"studios": studioDocument, "members": memberDocument, "roles": roleDocument}

// IndexRow indexes a row at once, for an import. Seq is the number of a comment in its item, otherwise 0.
// Rows of tables without documents are ignored.
func (tx *Tx) IndexRow(table, id string, seq int) error {
	sort, ok := documentTables[table]
	if !ok {
		return nil
	}
	if sort == roleDocument {
		seq = roleSeq
	}
	return tx.indexDocument(mark{sort, id, seq})
}

// mark names a document that has changed.
type mark struct {
	sort documentSort
	id   string
	seq  int
}

// index marks a document, which is indexed, or deleted from the index, when the transaction ends.
func (tx *Tx) index(sort documentSort, id string, seq int) {
	if m := (mark{sort, id, seq}); !slices.Contains(tx.marks, m) {
		tx.marks = append(tx.marks, m)
	}
}

// indexMarked indexes the documents that [Tx.index] marked.
func (tx *Tx) indexMarked() error {
	for _, m := range tx.marks {
		if err := tx.indexDocument(m); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	return nil
}

func (tx *Tx) indexDocument(m mark) error {
	var known int64
	if err := tx.Get(&known, `SELECT n FROM documents WHERE id = ? AND seq = ?`,
		m.id, m.seq); err != nil && CodeOf(err) != NotFound {
		return err
	}
	var d document
	err := tx.Get(&d, documentSource[m.sort], m.id, m.seq)
	if CodeOf(err) == NotFound {
		return tx.forgetDocument(known)
	}
	if err != nil {
		return err
	}
	if k := kinds[d.Kind]; k != nil && k.Text != "" {
		query := k.Text
		args := make([]any, strings.Count(query, "?"))
		for i := range args {
			args[i] = d.ID
		}
		var more []string
		if err := tx.Select(&more, query, args...); err != nil {
			return err
		}
		d.Text = strings.Join(append(more, d.Text), "\n")
	}
	if d.N = known; known == 0 {
		if err := tx.insertDocument(&d); err != nil {
			return err
		}
	}
	if tx.text == nil {
		return tx.Exec(`UPDATE documents SET indexed_at = NULL WHERE n = ?`, d.N)
	}
	if err := tx.text.put(tx, &d); err != nil {
		return err
	}
	return tx.Exec(`UPDATE documents SET indexed_at = ?, title = ? WHERE n = ?`, At(tx.Now), termText(d.Title), d.N)
}

// The number of a document is the Unix time of its creation in milliseconds, times perMilli, plus its place
// among the documents of that millisecond.
const perMilli = 1 << 14

func documentsAt(t time.Time) int64 { return t.UnixMilli() * perMilli }

func (tx *Tx) insertDocument(d *document) error {
	for first := documentsAt(d.At.Time); ; first += perMilli {
		if err := tx.Get(&d.N, `SELECT coalesce(max(n) + 1, ?) FROM documents WHERE n >= ? AND n < ?`,
			first, first, first+perMilli); err != nil {
			return err
		}
		if d.N < first+perMilli {
			break
		}
	}
	return tx.Exec(`INSERT INTO documents (n, org_id, kind, id, seq, studio_id, member_id, agent_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		d.N, d.OrgID, d.Kind, d.ID, d.Seq, Null(d.StudioID), d.MemberID, Null(d.AgentID))
}

func (tx *Tx) forgetDocument(n int64) error {
	if n == 0 {
		return nil
	}
	if tx.text != nil {
		if err := tx.text.drop(tx, n); err != nil {
			return err
		}
	}
	return tx.Exec(`DELETE FROM documents WHERE n = ?`, n)
}

// fullText is a full-text index over documents by their numbers. Each database driver has its own.
type fullText interface {
	// put adds or replaces the entry of a document; drop deletes it.
	put(tx *Tx, d *document) error
	drop(tx *Tx, n int64) error
	// find lists up to limit matching documents: the newest first, or the oldest.
	find(tx *Tx, c criteria, in span, limit int) ([]int64, error)
	// tidy does one step of maintenance of the index, and reports whether there was anything to do.
	tidy(tx *Tx) (some bool, err error)
}

// TidySearch merges the segments of the full-text index, since every search reads each of them. Each step
// is a transaction of its own, so that other writers do not wait long.
func (s *Store) TidySearch(ctx context.Context) error {
	for some := s.text != nil; some; {
		if err := s.Write(ctx, func(tx *Tx) (err error) {
			some, err = tx.text.tidy(tx)
			return err
		}); err != nil {
			return fmt.Errorf("tidy the search index: %w", err)
		}
	}
	return nil
}

// criteria is a search in terms that every full-text index has.
type criteria struct {
	words   []SearchWord // all words without Not, and none with Not
	tags    [][]string   // at least one tag of each list
	without []string     // none of these tags
}

// span is an open range of document numbers, and the end at which a walk begins.
type span struct {
	above, below int64
	oldest       bool
}

// indexer indexes, in the background, the documents that a program without a full-text index or of an older
// version left unindexed: the newest first, a few in each transaction, so that writers do not wait and it
// can stop at any time.
type indexer struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// indexStep is the number of documents indexed in one transaction, which takes about ten milliseconds.
const indexStep = 100

// startIndexer starts an indexer, or returns nil if no document is unindexed.
func (s *Store) startIndexer(ctx context.Context) (*indexer, error) {
	var state SearchState
	err := s.Read(ctx, func(tx *Tx) (err error) {
		state, err = tx.SearchState()
		return err
	})
	if err != nil || !state.Built || state.Complete {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	x := &indexer{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(x.done)
		for more := true; more; {
			err := s.Write(ctx, func(tx *Tx) (err error) {
				more, err = tx.indexWaiting(indexStep)
				return err
			})
			if err != nil {
				if ctx.Err() == nil {
					slog.Error("the search index is not complete; it goes on at the next start", "error", err)
				}
				return
			}
		}
	}()
	return x, nil
}

func (x *indexer) stop() {
	x.cancel()
	<-x.done
}

// indexWaiting indexes up to limit unindexed documents, and reports whether there may be more.
func (tx *Tx) indexWaiting(limit int) (more bool, err error) {
	if err := tx.Lock("index"); err != nil { // so that several processes do not index the same documents
		return false, err
	}
	var list []document
	if err := tx.Select(&list, `SELECT n, org_id, kind, id, seq FROM documents WHERE indexed_at IS NULL
		ORDER BY n DESC`+AtMost, limit); err != nil {
		return false, err
	}
	if err := tx.lockOrganizations(list); err != nil {
		return false, err
	}
	for i := range list {
		d := &list[i]
		if err := tx.indexDocument(mark{d.sort(), d.ID, d.Seq}); err != nil {
			return false, err
		}
	}
	return len(list) == limit, nil
}

// lockOrganizations locks the organizations of the documents, so that no writer indexes a newer text before an older
// one.
func (tx *Tx) lockOrganizations(list []document) error {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].OrgID
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := tx.Lock(id); err != nil {
			return err
		}
	}
	return nil
}

// SearchState reports whether every document can be found.
type SearchState struct {
	Built    bool // this program was built with a full-text index
	Complete bool // the index has every document
}

// SearchState reads the state of the search index.
func (tx *Tx) SearchState() (s SearchState, err error) {
	s.Built = tx.text != nil
	var waiting bool
	err = tx.Get(&waiting, `SELECT EXISTS (SELECT 1 FROM documents WHERE indexed_at IS NULL)`)
	s.Complete = s.Built && !waiting
	return s, err
}
