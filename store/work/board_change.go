package work

import (
	"slices"

	"samepage/store"
)

// CreateBoard adds a draft of a board, with zones that have these titles, to the studio.
func CreateBoard(tx *store.Tx, by store.Actor, s *store.Studio, title, body string, zones []string) (*Board, error) {
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: BoardKind.Name, Title: title, Body: body})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO boards (id, org_id, last) VALUES (?, ?, ?)`, id, s.OrgID, len(zones)); err != nil {
		return nil, err
	}
	for i, title := range zones {
		if err := tx.Exec(`INSERT INTO zones (board_id, n, org_id, place, title) VALUES (?, ?, ?, ?, ?)`, id, i+1,
			s.OrgID, i,
			title); err != nil {
			return nil, err
		}
	}
	return FindBoard(tx, by, s.Handle, id)
}

// PublishBoard opens a draft, so that the studio can see it. The board also counts as closed, so that lists of open
// items leave it out.
func PublishBoard(tx *store.Tx, b *Board) error {
	if err := tx.OpenItem(&b.Item); err != nil {
		return err
	}
	return tx.Exec(`UPDATE items SET closed_at = opened_at WHERE id = ?`, b.ID)
}

// CopyBoard adds a draft with the zones and cards of the board b to the same studio. The actor is the author of all
// cards, and none of them waits for a person.
func CopyBoard(tx *store.Tx, by store.Actor, b *Board) (*Board, error) {
	made, err := CreateBoard(tx, by, b.Studio, b.Title, b.Body, nil)
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO zones (board_id, n, org_id, place, title, rule, `+triggerColumns+`)
		SELECT CAST(? AS TEXT), n, org_id, place, title, rule, `+triggerColumns+` FROM zones WHERE board_id = ?`, made.ID,
		b.ID); err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO cards (board_id, n, org_id, zone, place, title, body, page, member_id, agent_id,
			created_at, moved_at)
		SELECT CAST(? AS TEXT), n, org_id, zone, place, title, body, page, CAST(? AS TEXT), CAST(? AS TEXT),
			CAST(? AS BIGINT), CAST(? AS BIGINT) FROM cards WHERE board_id = ?`,
		made.ID, by.MemberID(), store.Null(by.Agent.ID), store.At(tx.Now), store.At(tx.Now), b.ID); err != nil {
		return nil, err
	}
	if err := tx.Exec(`UPDATE boards SET last = ? WHERE id = ?`, b.Last, made.ID); err != nil {
		return nil, err
	}
	return FindBoard(tx, by, b.Studio.Handle, made.ID)
}

// ArchiveBoard archives a board. It cannot be changed then.
func ArchiveBoard(tx *store.Tx, b *Board) error {
	if err := tx.Exec(`UPDATE boards SET archived_at = ? WHERE id = ?`, store.At(tx.Now), b.ID); err != nil {
		return err
	}
	return tx.TouchItem(&b.Item)
}

// RestoreBoard makes an archived board active again.
func RestoreBoard(tx *store.Tx, b *Board) error {
	if err := tx.Exec(`UPDATE boards SET archived_at = NULL WHERE id = ?`, b.ID); err != nil {
		return err
	}
	return tx.TouchItem(&b.Item)
}

func nextNumber(tx *store.Tx, b *Board) (int, error) {
	b.Last++
	return b.Last, tx.Exec(`UPDATE boards SET last = ? WHERE id = ?`, b.Last, b.ID)
}

// AddZone adds a zone and returns its number. The zone goes directly before another, or to the end if before is nil.
func AddZone(tx *store.Tx, b *Board, z Zone, before *Zone) (int, error) {
	n, err := nextNumber(tx, b)
	if err != nil {
		return 0, err
	}
	if err := tx.Exec(`INSERT INTO zones (board_id, n, org_id, place, title, rule) VALUES (?, ?, ?, ?, ?, ?)`,
		b.ID, n, b.OrgID, len(b.Zones), z.Title, z.Rule); err != nil {
		return 0, err
	}
	return n, placeZone(tx, b, n, before)
}

// IsLeftOf reports whether the zone z is next to the zone right, on its left.
func (b *Board) IsLeftOf(z, right *Zone) bool {
	for i := 1; i < len(b.Zones); i++ {
		if b.Zones[i].N == right.N {
			return b.Zones[i-1].N == z.N
		}
	}
	return false
}

// UpdateZone changes the texts of a zone, and moves it directly before another unless before is nil.
func UpdateZone(tx *store.Tx, b *Board, z *Zone, title, rule string, before *Zone) error {
	if err := tx.Exec(`UPDATE zones SET title = ?, rule = ? WHERE board_id = ? AND n = ?`, title, rule, b.ID,
		z.N); err != nil {
		return err
	}
	if before == nil {
		return tx.TouchItem(&b.Item)
	}
	return placeZone(tx, b, z.N, before)
}

func placeZone(tx *store.Tx, b *Board, n int, before *Zone) error {
	var order []int
	for i := range b.Zones {
		if b.Zones[i].N != n {
			order = append(order, b.Zones[i].N)
		}
	}
	right := 0
	if before != nil {
		right = before.N
	}
	return setPlaces(tx, b, `UPDATE zones SET place = ? WHERE board_id = ? AND n = ? AND place <> ?`, order, n, right)
}

// setPlaces stores the order of the zones of a board, or of the cards of a zone. It inserts the number n of a zone or
// card into order, the list of the other numbers: directly before the number next, or at the end if next is not in the
// list.
func setPlaces(tx *store.Tx, b *Board, update string, order []int, n, next int) error {
	at := slices.Index(order, next)
	if at < 0 {
		at = len(order)
	}
	for place, each := range slices.Insert(order, at, n) {
		if err := tx.Exec(update, place, b.ID, each, place); err != nil {
			return err
		}
	}
	return tx.TouchItem(&b.Item)
}

// RemoveZone removes an empty zone. Its number is never used again.
func RemoveZone(tx *store.Tx, b *Board, z *Zone) error {
	if err := tx.Exec(`DELETE FROM zones WHERE board_id = ? AND n = ?`, b.ID, z.N); err != nil {
		return err
	}
	return tx.TouchItem(&b.Item)
}

// AddCard adds a card at the end of a zone and returns its number.
func AddCard(tx *store.Tx, by store.Actor, b *Board, z *Zone, c Card) (int, error) {
	n, err := nextNumber(tx, b)
	if err != nil {
		return 0, err
	}
	if err := tx.Exec(`INSERT INTO cards (board_id, n, org_id, zone, place, title, body, page, member_id, agent_id,
		created_at, moved_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, b.ID, n, b.OrgID, z.N, len(z.Cards),
		c.Title,
		c.Body, c.Page, by.MemberID(), store.Null(by.Agent.ID), store.At(tx.Now), store.At(tx.Now)); err != nil {
		return 0, err
	}
	tx.IndexItem(b.ID)
	return n, tx.TouchItem(&b.Item)
}

// UpdateCard changes the texts of a card.
func UpdateCard(tx *store.Tx, b *Board, c *Card, title, body, page string) error {
	if err := tx.Exec(`UPDATE cards SET title = ?, body = ?, page = ? WHERE board_id = ? AND n = ?`, title, body, page,
		b.ID, c.N); err != nil {
		return err
	}
	tx.IndexItem(b.ID)
	return tx.TouchItem(&b.Item)
}

// MoveCard moves a card into zone z, directly before another, or to the end of the zone if above is nil.
func MoveCard(tx *store.Tx, b *Board, c *Card, z *Zone, above *Card) error {
	var order []int
	for i := range z.Cards {
		if z.Cards[i].N != c.N {
			order = append(order, z.Cards[i].N)
		}
	}
	if c.Zone != z.N {
		if err := tx.Exec(`UPDATE cards SET zone = ?, moved_at = ? WHERE board_id = ? AND n = ?`, z.N, store.At(tx.Now), b.ID,
			c.N); err != nil {
			return err
		}
		if err := stopWaiting(tx, b, c); err != nil {
			return err
		}
	}
	below := 0
	if above != nil {
		below = above.N
	}
	return setPlaces(tx, b, `UPDATE cards SET place = ? WHERE board_id = ? AND n = ? AND place <> ?`, order, c.N, below)
}

// RemoveCard removes a card. Its number is never used again.
func RemoveCard(tx *store.Tx, b *Board, c *Card) error {
	if err := tx.Exec(`DELETE FROM cards WHERE board_id = ? AND n = ?`, b.ID, c.N); err != nil {
		return err
	}
	tx.IndexItem(b.ID)
	return tx.TouchItem(&b.Item)
}
