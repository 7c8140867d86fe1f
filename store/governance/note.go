package governance

import (
	"encoding/json"
	"strings"
	"time"

	"samepage/store"
)

// NoteKind declares notes as a kind of item.
var NoteKind = store.DeclareKind(store.Kind{
	Name:   "note",
	Letter: "n",
	States: []string{NoteDraft, NotePosted, NoteDue, NoteDone, store.Deleted, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL AND items.removed_by = items.member_id THEN 'deleted'
			WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN n.type = 'reminder' AND items.closed_at IS NOT NULL THEN 'done' ELSE 'posted' END,
		n.readers, 0, 0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM notes n WHERE n.id = items.id`,
	Delete: []string{`DELETE FROM note_rows WHERE note_id = ?`, `DELETE FROM notes WHERE id = ?`},
	Erase: []string{`DELETE FROM note_rows WHERE note_id = ?`,
		`UPDATE notes SET fields = '', row_count = 0 WHERE id = ?`},
	Waits: []store.Wait{{
		For:   store.WaitsForReminder,
		From:  store.OpenAround,
		Where: `i.kind || '' = 'note' AND i.due_at + 0 <= ?`,
		Ahead: store.DueSoon,
		Due:   true,
	}},
	Overdue: true,
})

// These are the types of notes.
const (
	Post     = "post"     // has only a text
	Reminder = "reminder" // has a deadline, and stays open until a member marks it as done
	Table    = "table"    // has rows
)

// Note is a text, a reminder or a table in a studio, depending on its Type.
type Note struct {
	store.Item
	Type    string `db:"type"`
	Readers int    `db:"readers"` // number of members who confirmed having read the note
	Gone    int    `db:"gone"`    // number of those members who have left the studio since
	Fields  string `db:"fields"`  // JSON of Columns
	Rows    int    `db:"row_count"`
	LastRow int    `db:"last_row"` // highest number of any row so far, including deleted rows
	Mine    Reader // the acting member's confirmation; At is zero if there is none

	Columns []Column // set for a table
}

// These are the states of a note, in addition to [store.Deleted] and [store.Redacted]. A due reminder has passed its
// deadline and is not done.
const (
	NoteDraft  = "draft"
	NotePosted = "posted"
	NoteDue    = "due"
	NoteDone   = "done"
)

// State returns one of the states of [NoteKind].
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

// Audience returns the number of members who are asked to read the note: all members of the studio, without an author
// who wrote the note in person, and the former members who have confirmed it.
func (n *Note) Audience() int {
	people := n.Studio.People
	if !n.AuthorGone && n.Agent.ID == "" {
		people--
	}
	return max(people+n.Gone, n.Readers)
}

func (n *Note) words() Words {
	return NewNote{Title: n.Title, Body: n.Body, DueAt: n.DueAt.Time, Columns: n.Columns}.words()
}

// Record returns the fields that the journal stores about a note.
func (n *Note) Record() any {
	state := n.State()
	if state == NoteDue {
		state = NotePosted // the journal stores only states that actions cause
	}
	return struct {
		Title    string     `json:"title"`
		Text     string     `json:"text,omitempty"`
		Kind     string     `json:"kind"`
		Due      store.Time `json:"due,omitzero"`
		Columns  []Column   `json:"columns,omitempty"`
		Rows     int        `json:"rows,omitempty"`
		Readers  int        `json:"readers"`
		Comments int        `json:"comments"`
		Pinned   bool       `json:"pinned"`
		State    string     `json:"state"`
	}{n.Title, n.Body, n.Type, n.DueAt, n.Columns, n.Rows, n.Readers, n.Comments, n.Pinned, state}
}

// FindNote finds a note in a studio. It returns [store.Missing] if there is none, if the actor may not see the
// studio, or if it is another member's draft.
func FindNote(tx *store.Tx, by store.Actor, studio, id string) (*Note, error) {
	var row struct {
		Note
		Home store.Studio `db:"home"`
	}
	err := tx.Locate(noteFinder, by, &row, &row.Item, &row.Home, studio, id)
	n := &row.Note
	if err == nil && n.Fields != "" {
		err = json.Unmarshal([]byte(n.Fields), &n.Columns)
	}
	return n, err
}

var noteFinder = store.NewFinder(`n.type, n.readers, (SELECT count(*) FROM readers g LEFT JOIN studio_members s
	ON s.studio_id = i.studio_id AND s.member_id = g.member_id WHERE g.item_id = i.id AND s.member_id IS NULL) AS gone,
	n.fields, n.row_count, n.last_row,
	x.agent_id AS "mine.agent_id", x.at AS "mine.at"`,
	`JOIN notes n ON n.id = i.id LEFT JOIN readers x ON x.item_id = i.id AND x.member_id = mm.id `)

// NotePage is a note with its last versions, the rows of a table, its turnout and its discussion.
type NotePage struct {
	*Note
	Last  []Version // the last [ShownVersions] versions, newest first; for a person one more, for a comparison
	Table TableView
	Read  Turnout
	store.Discussion
}

// Latest returns the latest version of the note, or nil if the text never changed.
func (p *NotePage) Latest() *Version {
	if len(p.Last) == 0 {
		return nil
	}
	return &p.Last[0]
}

// ShowNote loads the data for the note's page. The parameter q selects the rows of a table.
func ShowNote(tx *store.Tx, by store.Actor, n *Note, q TableQuery) (*NotePage, error) {
	p := &NotePage{Note: n}
	if len(n.Columns) > 0 {
		list, err := rows(tx, n)
		if err != nil {
			return nil, err
		}
		if p.Table, err = n.Query(list, q); err != nil {
			return nil, err
		}
	}
	var err error
	if p.Last, err = lastVersions(tx, by, &n.Item); err != nil {
		return nil, err
	}
	if p.Read, err = n.turnout(tx, by); err != nil {
		return nil, err
	}
	p.Discussion, err = tx.ShowDiscussion(by, &n.Item)
	return p, err
}

// NewNote has the fields of a note that its author writes.
type NewNote struct {
	Type, Title, Body string
	DueAt             time.Time // deadline of a reminder
	Columns           []Column  // set for a table
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

// CreateNote adds a draft of a note to the studio. The acting member is the author.
func CreateNote(tx *store.Tx, by store.Actor, s *store.Studio, n NewNote) (*Note, error) {
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: NoteKind.Name, Title: n.Title, Body: n.Body, DueAt: n.DueAt})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO notes (id, org_id, type) VALUES (?, ?, ?)`, id, s.OrgID, n.Type); err != nil {
		return nil, err
	}
	made, err := FindNote(tx, by, s.Handle, id)
	if err != nil || len(n.Columns) == 0 {
		return made, err
	}
	if err := setColumns(tx, by, made, n.Columns); err != nil {
		return nil, err
	}
	return FindNote(tx, by, s.Handle, id)
}

// CopyNote adds a draft with the note's type, title, text and columns to the same studio, without rows and deadline.
func CopyNote(tx *store.Tx, by store.Actor, n *Note) (*Note, error) {
	return CreateNote(tx, by, n.Studio, NewNote{Type: n.Type, Title: n.Title, Body: n.Body, Columns: n.Columns})
}

// PublishNote opens a draft, so that the studio can see it. A note that is not a reminder is closed at once.
func PublishNote(tx *store.Tx, n *Note) error {
	if err := tx.OpenItem(&n.Item); err != nil || n.Type == Reminder {
		return err
	}
	return tx.Exec(`UPDATE items SET closed_at = opened_at WHERE id = ?`, n.ID)
}

// Says reports whether the note has exactly these texts and columns, and a deadline in the same minute.
func (n *Note) Says(to NewNote) bool { return to.words() == n.words() }

// EditNote changes the texts, the columns and the deadline of a note. Unless the note is a draft or [Note.Says] is
// true, they are stored as a version.
func EditNote(tx *store.Tx, by store.Actor, n *Note, to NewNote) error {
	if !n.Draft() && to.words() != n.words() {
		if err := Revise(tx, by, &n.Item, n.words(), to.words()); err != nil {
			return err
		}
	}
	if len(to.Columns) > 0 {
		if err := setColumns(tx, by, n, to.Columns); err != nil {
			return err
		}
	}
	return tx.UpdateItem(&n.Item, to.Title, to.Body, to.DueAt)
}

// MarkNoteDone closes a reminder.
func MarkNoteDone(tx *store.Tx, by store.Actor, n *Note) error {
	if err := tx.TouchStudio(n.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET closed_at = ?, closed_by = ? WHERE id = ?`,
		store.At(tx.Now), by.MemberID(), n.ID); err != nil {
		return err
	}
	return tx.TouchItem(&n.Item)
}
