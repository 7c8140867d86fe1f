package store

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// document is one entry of the search index. The index has the words of the document's texts and its tags.
type document struct {
	N        int64  `db:"n"` // number of the document, higher for a newer document; see [perMilli]
	OrgID    string `db:"org_id"`
	Kind     string `db:"kind"` // a kind of item, or "comment", "studio", "member" or "role"
	ID       string `db:"id"`   // id of the item, studio, member or role; for a comment, of its item
	Seq      int    `db:"seq"`  // number of a comment; roleSeq for a role; 0 for others
	StudioID string `db:"studio_id"`
	MemberID string `db:"member_id"` // id of the author
	AgentID  string `db:"agent_id"`
	At       Time   `db:"at"`
	Title    string `db:"title"`
	Text     string `db:"text"`
	OpenedAt Time   `db:"opened_at"`
	ClosedAt Time   `db:"closed_at"`
	Pinned   bool   `db:"pinned"`
}

// A tag is a word that the index stores with a document, for filters and for the organizations and studios that an
// actor may see. Each tag begins with a letter for its type.
// Comments do not have the tags for the state of their item.
func orgTag(id string) string     { return "o" + id }
func studioTag(id string) string  { return "s" + id }
func peopleTag(org string) string { return "m" + org } // for documents about members, which belong to no studio
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

// documentSort is a class of documents, by the table that has their texts.
type documentSort int

const (
	itemDocument documentSort = iota
	commentDocument
	studioDocument
	memberDocument
	roleDocument
)

// roleSeq is the seq of every role's document. It keeps the pair of id and seq unique even if an item and a role have
// the same id.
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

// documentSource has a SELECT for each sort of document, with the arguments id and seq. It finds no row for a removed
// document.
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

var documentTables = map[string]documentSort{"items": itemDocument, "comments": commentDocument,
	"studios": studioDocument, "members": memberDocument, "roles": roleDocument}

// IndexRow indexes a row at once, for an import. The parameter seq is the number of a comment on its item, or 0 for
// other rows. IndexRow does nothing for a table without documents.
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

// mark identifies a document that has changed.
type mark struct {
	sort documentSort
	id   string
	seq  int
}

// index marks a document as changed. At the end of the transaction, the document is indexed again, or removed from the
// index if it no longer exists.
func (tx *Tx) index(sort documentSort, id string, seq int) {
	if m := (mark{sort, id, seq}); !slices.Contains(tx.marks, m) {
		tx.marks = append(tx.marks, m)
	}
}

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

// perMilli is the greatest number of documents in one millisecond; the next millisecond takes the rest. A document's
// number is its time of creation in Unix milliseconds, times perMilli, plus its place among the documents of that
// millisecond.
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

// fullText is a full-text index, which identifies documents by their numbers.
type fullText interface {
	// put adds or replaces the entry of a document, and drop deletes one.
	put(tx *Tx, d *document) error
	drop(tx *Tx, n int64) error
	// find lists the numbers of up to limit matching documents, the newest first, or the oldest first if in.oldest is
	// set.
	find(tx *Tx, c criteria, in span, limit int) ([]int64, error)
	// tidy does one step of maintenance of the index. It reports whether there may be more to do.
	tidy(tx *Tx) (some bool, err error)
}

// TidySearch merges the segments of the full-text index, because a search must read every segment. It uses several
// short transactions, so that other writers do not have to wait long.
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

// criteria are the words and tags of a search, in a form that every full-text index understands.
type criteria struct {
	words   []SearchWord // a document has all words without Not and no word with Not
	tags    [][]string   // a document has at least one tag of each list
	without []string     // a document has none of these tags
}

// span is a range of document numbers, without its two ends. The order is newest first, or oldest first if oldest is
// set.
type span struct {
	above, below int64
	oldest       bool
}

// indexer indexes in the background the documents that are not indexed yet, such as those that a program without a
// full-text index has stored. It indexes a few in each transaction, so that writers do not have to wait long.
type indexer struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// indexStep is the number of documents indexed in one transaction, which takes about ten milliseconds.
const indexStep = 100

// startIndexer starts an indexer. It returns nil if every document is indexed or the program has no full-text index.
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
		s.indexRest(ctx)
	}()
	return x, nil
}

// After a fault the indexer waits for indexPause before it goes on, and after each further fault twice as long, up to
// maxIndexPause.
const (
	indexPause    = time.Second
	maxIndexPause = time.Minute
)

// indexRest indexes all documents that are not indexed yet. It returns when all are indexed or the context is canceled.
func (s *Store) indexRest(ctx context.Context) {
	pause := indexPause
	for more := true; more; {
		err := s.Write(ctx, func(tx *Tx) (err error) {
			more, err = tx.indexWaiting(indexStep)
			return err
		})
		if err == nil {
			pause = indexPause
			continue
		}
		if ctx.Err() != nil {
			return
		}
		slog.Error("the search index is not complete; the server goes on with it after a pause", "pause", pause, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		more, pause = true, min(2*pause, maxIndexPause)
	}
}

func (x *indexer) stop() {
	x.cancel()
	<-x.done
}

// indexWaiting indexes up to limit documents that are not indexed yet. It reports whether more of them may remain.
func (tx *Tx) indexWaiting(limit int) (more bool, err error) {
	if err := tx.Lock("index"); err != nil { // several processes must not index the same documents
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

// lockOrganizations locks the organizations of the documents. Without the locks, another writer could index a newer
// text of a document, and this transaction would then overwrite it with the older text.
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

// SearchState describes whether a search can find every document.
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
