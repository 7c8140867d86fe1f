package store

import (
	"encoding/json"
	"strings"
	"time"
)

// NoteKind is the kind of item that a [Note] is.
var NoteKind = DeclareKind(Kind{
	Name:   "note",
	Letter: "n",
	States: []string{NoteDraft, NotePosted, NoteDue, NoteDone, Deleted, Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL AND items.removed_by = items.member_id THEN 'deleted'
			WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN n.type = 'reminder' AND items.closed_at IS NOT NULL THEN 'done' ELSE 'posted' END,
		n.readers, 0, 0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM notes n WHERE n.id = items.id`,
	Delete: []string{`DELETE FROM note_rows WHERE note_id = ?`, `DELETE FROM notes WHERE id = ?`},
	Erase: []string{`DELETE FROM note_rows WHERE note_id = ?`,
		`UPDATE notes SET fields = '', row_count = 0 WHERE id = ?`},
	Waits: []Wait{{
		For:   WaitsForReminder,
		From:  openAround,
		Where: `i.kind || '' = 'note' AND i.due_at + 0 <= ?`,
		Ahead: DueSoon,
		Due:   true,
	}},
	Overdue: true,
})

// The types of a note.
const (
	Post     = "post"     // says something
	Reminder = "reminder" // is due at a time, and open until somebody has done it
	Table    = "table"    // has rows
)

// Note is something written down in a studio.
type Note struct {
	Item
	Type    string `db:"type"`
	Readers int    `db:"readers"` // how many have confirmed to have read it
	Fields  string `db:"fields"`  // of a table: its columns as they are stored
	Rows    int    `db:"row_count"`
	LastRow int    `db:"last_row"` // the highest number that a row ever had
	Mine    Reader // the actor's own; At is zero if they have not

	Columns []Column // of a table
}

// The states of a note, beside [Deleted] and [Redacted]. Due is a reminder whose time has come and that nobody has done.
const (
	NoteDraft  = "draft"
	NotePosted = "posted"
	NoteDue    = "due"
	NoteDone   = "done"
)

// NoteStates are the states of a note.
func NoteStates() []string { return NoteKind.States }

// State is one of [NoteStates], at the time it was loaded.
func (n *Note) State() string {
	switch {
	case n.Removed():
		return n.Removal()
	case n.Draft():
		return NoteDraft
	case n.Type != Reminder:
		return NotePosted
	case !n.ClosedAt.IsZero():
		return NoteDone
	case n.Due():
		return NoteDue
	}
	return NotePosted
}

// Audience is how many are asked to read it: those in the studio but for who wrote it.
func (n *Note) Audience() int {
	people := n.Studio.People
	if !n.AuthorGone && n.Agent.ID == "" {
		people--
	}
	return max(people, n.Readers)
}

// words are what its versions keep.
func (n *Note) words() Words {
	return NewNote{Title: n.Title, Body: n.Body, DueAt: n.DueAt.Time, Columns: n.Columns}.words()
}

// Record is what the journal keeps of a note.
func (n *Note) Record() any {
	state := n.State()
	if state == NoteDue {
		state = NotePosted // being due is not a change that anybody made
	}
	return struct {
		Title    string   `json:"title"`
		Text     string   `json:"text,omitempty"`
		Kind     string   `json:"kind"`
		Due      Time     `json:"due,omitzero"`
		Columns  []Column `json:"columns,omitempty"`
		Rows     int      `json:"rows,omitempty"`
		Readers  int      `json:"readers"`
		Comments int      `json:"comments"`
		Pinned   bool     `json:"pinned"`
		State    string   `json:"state"`
	}{n.Title, n.Body, n.Type, n.DueAt, n.Columns, n.Rows, n.Readers, n.Comments, n.Pinned, state}
}

// FindNote finds a note of a studio the actor may see. A draft of somebody else, and any other: [Missing].
func (tx *Tx) FindNote(by Actor, studio, id string) (*Note, error) {
	var row struct {
		Note
		Home Studio `db:"home"`
	}
	err := tx.locate(noteFinder, by, &row, &row.Item, &row.Home, studio, id)
	n := &row.Note
	if err == nil && n.Fields != "" {
		err = json.Unmarshal([]byte(n.Fields), &n.Columns)
	}
	return n, err
}

var noteFinder = newFinder(itemListColumns+itemOwnColumns+`, n.type, n.readers, n.fields, n.row_count, n.last_row,
	x.agent_id AS "mine.agent_id", x.at AS "mine.at"`,
	`JOIN notes n ON n.id = i.id LEFT JOIN readers x ON x.item_id = i.id AND x.member_id = mm.id `)

// NotePage is a note with what its page shows.
type NotePage struct {
	*Note
	Latest *Version  // nil if it was never changed
	Table  TableView // of a table
	Discussion
}

// ShowNote loads the rest of what a note's page shows; of a table the rows that are asked for.
func (tx *Tx) ShowNote(by Actor, n *Note, q TableQuery) (*NotePage, error) {
	p := &NotePage{Note: n}
	if len(n.Columns) > 0 {
		list, err := tx.rows(n)
		if err != nil {
			return nil, err
		}
		if p.Table, err = n.query(list, q); err != nil {
			return nil, err
		}
	}
	if n.Versions > 0 {
		p.Latest = &Version{}
		if err := tx.Get(p.Latest, `SELECT `+versionColumns+` FROM`+versionFrom+`WHERE v.item_id = ? AND v.n = ?`,
			n.ID, n.Versions); err != nil {
			return nil, err
		}
	}
	var err error
	p.Discussion, err = tx.ShowDiscussion(by, &n.Item)
	return p, err
}

// NewNote is a note to be made, or what is to become of one.
type NewNote struct {
	Type, Title, Body string
	DueAt             time.Time // of a reminder
	Columns           []Column  // of a table
}

func (n NewNote) words() Words {
	w := Words{Title: n.Title, Body: n.Body}
	if !n.DueAt.IsZero() {
		w.Details = "Due: " + n.DueAt.UTC().Format("2006-01-02 15:04 UTC")
	}
	lines := make([]string, len(n.Columns))
	for i, c := range n.Columns {
		lines[i] = c.String()
	}
	w.Details += strings.Join(lines, "\n")
	return w
}

// CreateNote makes a draft in the studio, written by the actor.
func (tx *Tx) CreateNote(by Actor, s *Studio, n NewNote) (*Note, error) {
	id, err := tx.insertItem(by, s, NewItem{Kind: NoteKind.Name, Title: n.Title, Body: n.Body, DueAt: n.DueAt})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO notes (id, org_id, type) VALUES (?, ?, ?)`, id, s.OrgID, n.Type); err != nil {
		return nil, err
	}
	made, err := tx.FindNote(by, s.Handle, id)
	if err != nil || len(n.Columns) == 0 {
		return made, err
	}
	if err := tx.setColumns(by, made, n.Columns); err != nil {
		return nil, err
	}
	return tx.FindNote(by, s.Handle, id)
}

// CopyNote makes a draft that says the same.
func (tx *Tx) CopyNote(by Actor, n *Note) (*Note, error) {
	return tx.CreateNote(by, n.Studio, NewNote{Type: n.Type, Title: n.Title, Body: n.Body, Columns: n.Columns})
}

// PublishNote shows a draft to the studio. A note that asks for nothing is closed from the start.
func (tx *Tx) PublishNote(n *Note) error {
	if err := tx.openItem(&n.Item); err != nil || n.Type == Reminder {
		return err
	}
	return tx.Exec(`UPDATE items SET closed_at = opened_at WHERE id = ?`, n.ID)
}

// EditNote changes what a note says. What it said before is kept as a version, unless it is a draft.
func (tx *Tx) EditNote(by Actor, n *Note, to NewNote) error {
	if !n.Draft() && to.words() != n.words() {
		if err := tx.revise(by, &n.Item, n.words(), to.words()); err != nil {
			return err
		}
	}
	if len(to.Columns) > 0 {
		if err := tx.setColumns(by, n, to.Columns); err != nil {
			return err
		}
	}
	return tx.updateItem(&n.Item, to.Title, to.Body, to.DueAt)
}

// MarkNoteDone ends a reminder.
func (tx *Tx) MarkNoteDone(by Actor, n *Note) error {
	if err := tx.touchStudio(n.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET closed_at = ?, closed_by = ? WHERE id = ?`,
		At(tx.Now), by.MemberID(), n.ID); err != nil {
		return err
	}
	return tx.touchItem(&n.Item)
}
