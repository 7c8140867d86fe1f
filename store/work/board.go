package work

import (
	"strconv"

	"samepage/store"
)

// BoardKind declares boards as a kind of item.
var BoardKind = store.DeclareKind(store.Kind{
	Name:   "board",
	Letter: "boards",
	States: []string{BoardDraft, BoardActive, BoardArchived, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN b.archived_at IS NOT NULL THEN 'archived' ELSE 'active' END,
		0, (SELECT count(*) FROM cards c WHERE c.board_id = b.id), 0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)
		FROM boards b WHERE b.id = items.id`,
	Delete: []string{`DELETE FROM cards WHERE board_id = ?`, `DELETE FROM zones WHERE board_id = ?`,
		`DELETE FROM boards WHERE id = ?`},
	Erase:    []string{`DELETE FROM cards WHERE board_id = ?`, `DELETE FROM zones WHERE board_id = ?`},
	Text:     `SELECT title FROM cards WHERE board_id = ?`,
	Standing: BoardActive,
})

// These are the states of a board, in addition to [store.Redacted].
const (
	BoardDraft    = "draft"
	BoardActive   = "active"
	BoardArchived = "archived" // the board cannot be changed
)

// These are the limits of one board.
const (
	MaxZones = 12
	MaxCards = 300
)

// Board has cards in zones. Members and agents move the cards between the zones.
type Board struct {
	store.Item
	ArchivedAt store.Time `db:"archived_at"` // zero unless the board is archived
	Last       int        `db:"last"`        // highest number of a zone or card so far
	Zones      []Zone     // in the order of the board
	Agents     []Manifest // agents that a zone can start; only loaded for people of the studio
}

// Zone is a column of a board.
type Zone struct {
	N     int    `db:"n"` // number among the zones and cards of the board; not reused after a removal
	Title string `db:"title"`
	Rule  string `db:"rule"` // text about the cards that belong in the zone; may be empty
	Trigger
	Cards []Card // in the order of the zone
}

// Card is a card on a board. It may represent a page of the site.
type Card struct {
	N        int    `db:"n"` // like [Zone.N]
	Zone     int    `db:"zone"`
	Title    string `db:"title"`
	Body     string `db:"body"`      // markdown; only loaded for the card's own page
	Noted    bool   `db:"noted"`     // has a text
	Page     string `db:"page"`      // path of the represented page; may be empty
	MemberID string `db:"member_id"` // of the author
	Member   string `db:"member"`    // handle of the author
	store.Agent
	CreatedAt store.Time `db:"created_at"`
	MovedAt   store.Time `db:"moved_at"` // when it came into its zone
	Waits     bool       `db:"waits"`    // a person is asked whether to start the [Trigger] of its zone
}

// State returns one of the states of [BoardKind].
func (b *Board) State() string {
	switch {
	case b.Removed():
		return store.Redacted
	case b.Draft():
		return BoardDraft
	case !b.ArchivedAt.IsZero():
		return BoardArchived
	}
	return BoardActive
}

// Cards returns the number of cards.
func (b *Board) Cards() (n int) {
	for i := range b.Zones {
		n += len(b.Zones[i].Cards)
	}
	return n
}

// Zone returns the zone with the number n, or nil.
func (b *Board) Zone(n int) *Zone {
	for i := range b.Zones {
		if b.Zones[i].N == n {
			return &b.Zones[i]
		}
	}
	return nil
}

// Card returns the card with the number n, or nil.
func (b *Board) Card(n int) *Card {
	for i := range b.Zones {
		for k := range b.Zones[i].Cards {
			if c := &b.Zones[i].Cards[k]; c.N == n {
				return c
			}
		}
	}
	return nil
}

// CardURL returns the path of the page of a card.
func (b *Board) CardURL(n int) string { return b.URL() + "/cards/" + strconv.Itoa(n) }

// Record returns the fields that the journal stores about a board.
func (b *Board) Record() any {
	return struct {
		Title    string `json:"title"`
		Text     string `json:"text,omitempty"`
		Zones    int    `json:"zones"`
		Cards    int    `json:"cards"`
		Comments int    `json:"comments"`
		Pinned   bool   `json:"pinned"`
		State    string `json:"state"`
	}{b.Title, b.Body, len(b.Zones), b.Cards(), b.Comments, b.Pinned, b.State()}
}

type zoneRecord struct {
	Zone   int    `json:"zone"`
	Title  string `json:"title,omitempty"`
	Rule   string `json:"rule,omitempty"`
	After  string `json:"after,omitempty"` // title of the previous zone
	Does   string `json:"does,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Prompt string `json:"prompt,omitempty"`
	AtOnce bool   `json:"at_once,omitempty"`
}

// ZoneRecord returns the fields that the journal stores about the zone with the number n. If there is no such zone, the
// record has only the number.
func (b *Board) ZoneRecord(n int) any {
	r := zoneRecord{Zone: n}
	for i := range b.Zones {
		if z := &b.Zones[i]; z.N == n {
			r.Title, r.Rule, r.Does, r.Agent, r.Prompt, r.AtOnce = z.Title, z.Rule, z.Does, z.Agent, z.Template, z.AtOnce
			if i > 0 {
				r.After = b.Zones[i-1].Title
			}
		}
	}
	return r
}

type cardRecord struct {
	Card  int    `json:"card"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	Page  string `json:"page,omitempty"`
	Zone  string `json:"zone,omitempty"`
	Above string `json:"above,omitempty"` // title of the next card
}

// CardRecord returns the fields that the journal stores about the card with the number n. If there is no such card, the
// record has only the number.
func (b *Board) CardRecord(n int) any {
	r := cardRecord{Card: n}
	for i := range b.Zones {
		z := &b.Zones[i]
		for k := range z.Cards {
			if c := &z.Cards[k]; c.N == n {
				r.Title, r.Text, r.Page, r.Zone = c.Title, c.Body, c.Page, z.Title
				if k+1 < len(z.Cards) {
					r.Above = z.Cards[k+1].Title
				}
			}
		}
	}
	return r
}

var boardFinder = store.NewFinder(`b.archived_at, b.last`, `JOIN boards b ON b.id = i.id `)

// FindBoard finds a board of a studio with its zones and cards. It returns [store.Missing] if there is none, or if the
// actor may not see it.
func FindBoard(tx *store.Tx, by store.Actor, studio, id string) (*Board, error) {
	var row struct {
		Board
		Home store.Studio `db:"home"`
	}
	if err := tx.Locate(boardFinder, by, &row, &row.Item, &row.Home, studio, id); err != nil {
		return nil, err
	}
	b := &row.Board
	var err error
	if err = tx.Select(&b.Zones, `SELECT n, title, rule, does, agent, template, at_once, coalesce(set_by, '') AS set_by,
		coalesce((SELECT m.handle FROM members m WHERE m.id = set_by), '') AS author FROM zones WHERE board_id = ? ORDER BY place, n`,
		b.ID); err != nil {
		return nil, err
	}
	var cards []Card
	if err := tx.Select(&cards, `SELECT c.n, c.zone, c.title, c.body <> '' AS noted, c.page, c.member_id,
		m.handle AS member, c.agent_id, a.label AS agent, c.created_at, c.moved_at, c.asked_by IS NOT NULL AS waits
		FROM cards c
		JOIN members m ON m.id = c.member_id LEFT JOIN agents a ON a.id = c.agent_id
		WHERE c.board_id = ? ORDER BY c.zone, c.place, c.n`, b.ID); err != nil {
		return nil, err
	}
	for i := range cards {
		if z := b.Zone(cards[i].Zone); z != nil {
			z.Cards = append(z.Cards, cards[i])
		}
	}
	if b.Relation(by)&store.InStudio != 0 && !by.IsAgent() && b.MustHaveZones() == nil {
		b.Agents, err = startable(tx, b.OrgID)
	}
	return b, err
}

// BoardPage is a board with the data of its page.
type BoardPage struct {
	*Board
	store.Discussion
	States map[int]CardState // by card number; nil for a reader outside the organization
	Places Places            // only loaded for people who may change the board
}

// ShowBoard loads the data of the page of a board.
func ShowBoard(tx *store.Tx, by store.Actor, b *Board) (*BoardPage, error) {
	d, err := tx.ShowDiscussion(by, &b.Item)
	v := &BoardPage{Board: b, Discussion: d}
	if err == nil && by.In(b.OrgID).Member != nil {
		v.States, err = showCards(tx, b)
	}
	if err == nil && !by.IsAgent() && b.Relation(by)&store.InStudio != 0 && b.MustBeActive() == nil {
		v.Places, err = placesIn(tx, b.Studio)
	}
	return v, err
}

// CardPage is a card with its board. The board is the target of journal entries about the card, because a card can be
// removed.
type CardPage struct {
	OnIt *Card
	*Board
	Target  *Target // worktree or session of a card that waits; nil for none, and outside the organization
	Starts  string  // prompt of the zone's [Trigger], rendered by [ShowCard]; may be empty
	Problem string  // why [ShowCard] could not render the prompt; may be empty
}

// Record returns the fields that the journal stores about the card.
func (v *CardPage) Record() any { return v.CardRecord(v.OnIt.N) }

// FindCard finds a card by its number, with its text. It returns [store.Missing] if there is no such card, and the
// errors of [FindBoard].
func FindCard(tx *store.Tx, by store.Actor, studio, id string, number string) (*CardPage, error) {
	b, err := FindBoard(tx, by, studio, id)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(number)
	if err != nil || strconv.Itoa(n) != number {
		return nil, store.Missing()
	}
	c := b.Card(n)
	if c == nil {
		return nil, store.Missing()
	}
	v := &CardPage{Board: b, OnIt: c}
	if c.Waits && by.In(b.OrgID).Member != nil {
		if v.Target, err = TargetOf(tx, by, b, c); err != nil {
			return nil, err
		}
	}
	return v, tx.Get(&c.Body, `SELECT body FROM cards WHERE board_id = ? AND n = ?`, b.ID, c.N)
}

// MustBeActive returns [store.Conflict] if the board is archived, and an error for an actor outside the studio.
func (b *Board) MustBeActive() error {
	if err := b.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !b.ArchivedAt.IsZero() {
		return store.Errorf(store.Conflict, "This board is archived, so it stays as it is. Restore it first.")
	}
	return nil
}

// MustTakeZones returns the errors of [Board.MustBeActive], and [store.Conflict] if the board has [MaxZones] zones.
func (b *Board) MustTakeZones() error {
	if err := b.MustBeActive(); err != nil {
		return err
	}
	if len(b.Zones) >= MaxZones {
		return store.Errorf(store.Conflict, "This board has %d zones, the most there may be.", MaxZones)
	}
	return nil
}

// MustHaveZones returns the errors of [Board.MustBeActive], and [store.Conflict] if the board has no zones.
func (b *Board) MustHaveZones() error {
	if err := b.MustBeActive(); err != nil {
		return err
	}
	if len(b.Zones) == 0 {
		return store.Errorf(store.Conflict, "This board has no zone yet. Add one first.")
	}
	return nil
}

// MustTakeCards returns the errors of [Board.MustHaveZones], and [store.Conflict] if the board has [MaxCards] cards.
func (b *Board) MustTakeCards() error {
	if err := b.MustHaveZones(); err != nil {
		return err
	}
	if b.Cards() >= MaxCards {
		return store.Errorf(store.Conflict, "This board has %d cards, the most there may be. Remove some first.",
			MaxCards)
	}
	return nil
}

// MustHaveCards returns the errors of [Board.MustHaveZones], and [store.Conflict] if the board has no cards.
func (b *Board) MustHaveCards() error {
	if err := b.MustHaveZones(); err != nil {
		return err
	}
	if b.Cards() == 0 {
		return store.Errorf(store.Conflict, "This board has no card yet. Add one first.")
	}
	return nil
}

// EmptyZones returns the zones without cards.
func (b *Board) EmptyZones() (list []Zone) {
	for i := range b.Zones {
		if len(b.Zones[i].Cards) == 0 {
			list = append(list, b.Zones[i])
		}
	}
	return list
}

// MustHaveEmptyZones returns the errors of [Board.MustHaveZones], and [store.Conflict] if every zone has cards.
func (b *Board) MustHaveEmptyZones() error {
	if err := b.MustHaveZones(); err != nil {
		return err
	}
	if len(b.EmptyZones()) == 0 {
		return store.Errorf(store.Conflict,
			"Every zone of this board has cards. Move or remove the cards of one first.")
	}
	return nil
}

// MustBeRestorable returns [store.Conflict] unless the board is archived, and an error for an actor outside the studio.
func (b *Board) MustBeRestorable() error {
	if err := b.Studio.MustBeJoined(); err != nil {
		return err
	}
	if b.ArchivedAt.IsZero() {
		return store.Errorf(store.Conflict, "This board is not archived.")
	}
	return nil
}

// MustBeArchivable returns the errors of [Board.MustBeActive], and [store.Conflict] for a draft.
func (b *Board) MustBeArchivable() error {
	if err := b.MustBeActive(); err != nil {
		return err
	}
	if b.Draft() {
		return store.Errorf(store.Conflict, "This board is a draft. Discard it instead, and nothing of it stays.")
	}
	return nil
}
