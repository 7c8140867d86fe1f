package governance

import (
	"strconv"

	"samepage/store"
)

// Version is the text of an item between two changes. The latest version has the present text.
type Version struct {
	N int `db:"n"` // from 1; version 1 has the text at the opening
	Words
	Member string `db:"member"` // handle of the author
	store.Agent
	At store.Time `db:"at"`
}

// Words are the texts of an item. Details has further lines, such as one with the deadline.
type Words struct {
	Title   string `db:"title"`
	Body    string `db:"body"`
	Details string `db:"details"`
	Reason  string `db:"reason"` // reason for the change to these texts; empty for most kinds
}

// Source returns the version as one text, for comparisons.
func (v *Version) Source() string {
	s := v.Title + "\n"
	if v.Details != "" {
		s += v.Details + "\n"
	}
	if v.Body != "" {
		s += "\n" + v.Body
	}
	return s
}

// Author returns the byline of the version's author.
func (v *Version) Author() string { return store.Byline(v.Member, v.Agent.Label) }

const versionColumns = `v.n, v.reason, m.handle AS member, v.agent_id, a.label AS agent, v.at`

const versionFrom = ` versions v JOIN members m ON m.id = v.member_id LEFT JOIN agents a ON a.id = v.agent_id `

// Revise stores the new texts of an item as a version. At the first change, it also stores the previous texts as
// version 1.
func Revise(tx *store.Tx, by store.Actor, i *store.Item, was, now Words) error {
	if i.Versions == 0 {
		if err := insertVersion(tx, i, 1, was, i.MemberID, i.Agent.ID, i.OpenedAt); err != nil {
			return err
		}
	}
	n := max(i.Versions, 1) + 1
	if err := insertVersion(tx, i, n, now, by.MemberID(), by.Agent.ID, store.At(tx.Now)); err != nil {
		return err
	}
	return tx.Exec(`UPDATE items SET versions = ? WHERE id = ?`, n, i.ID)
}

func insertVersion(tx *store.Tx, i *store.Item, n int, w Words, memberID, agentID string, at store.Time) error {
	return tx.Exec(`INSERT INTO versions (item_id, n, org_id, title, body, details, reason, member_id, agent_id, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		i.ID, n, i.OrgID, w.Title, w.Body, w.Details, w.Reason, memberID, store.Null(agentID), at)
}

// latestVersion loads the item's last version without its texts. It returns nil if the text never changed.
func latestVersion(tx *store.Tx, i *store.Item) (*Version, error) {
	if i.Versions == 0 {
		return nil, nil
	}
	return store.One[Version](tx, `SELECT `+versionColumns+` FROM`+versionFrom+`WHERE v.item_id = ? AND v.n = ?`, i.ID, i.Versions)
}

// ShownVersions is the greatest number of versions that the page of an item lists.
const ShownVersions = 3

// lastVersions loads the item's last [ShownVersions] versions, newest first. For a person, it also loads the version
// before these, for a comparison. For an agent, the versions have no texts. The list is nil if the text never changed.
func lastVersions(tx *store.Tx, by store.Actor, i *store.Item) ([]Version, error) {
	if i.Versions == 0 {
		return nil, nil
	}
	columns, n := versionColumns, ShownVersions
	if !by.IsAgent() {
		columns, n = columns+`, v.title, v.body, v.details`, n+1
	}
	return store.All[Version](tx, `SELECT `+columns+` FROM`+versionFrom+`WHERE v.item_id = ? AND v.n > ? ORDER BY v.n DESC`,
		i.ID, i.Versions-n)
}

// VersionsPage is one page of an item's versions, newest first, without their texts.
type VersionsPage struct {
	*store.Item
	List []Version
}

// ShowVersions loads the newest versions with numbers below `before`, or the newest of all if `before` is not a
// positive number.
func ShowVersions(tx *store.Tx, i *store.Item, before string) (*VersionsPage, error) {
	n, err := strconv.Atoi(before)
	if err != nil || n <= 0 {
		n = i.Versions + 1
	}
	list, err := store.All[Version](tx, `SELECT `+versionColumns+` FROM`+versionFrom+`WHERE v.item_id = ? AND v.n < ?
		ORDER BY v.n DESC`+store.AtMost, i.ID, n, 50)
	return &VersionsPage{i, list}, err
}

// VersionPage is one version of an item, with the previous version if there is one.
type VersionPage struct {
	*store.Item
	This   Version
	Before *Version
}

// ShowVersion loads the version with this number. It returns [store.Missing] if there is none.
func ShowVersion(tx *store.Tx, i *store.Item, number string) (*VersionPage, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || strconv.Itoa(n) != number {
		return nil, store.Missing()
	}
	var list []Version
	if err := tx.Select(&list, `SELECT `+versionColumns+`, v.title, v.body,
		v.details FROM`+versionFrom+`WHERE v.item_id = ? AND v.n IN (?, ?) ORDER BY v.n DESC`,
		i.ID, n, n-1); err != nil {
		return nil, err
	}
	if len(list) == 0 || list[0].N != n {
		return nil, store.Missing()
	}
	p := &VersionPage{Item: i, This: list[0]}
	if len(list) > 1 {
		p.Before = &list[1]
	}
	return p, nil
}
