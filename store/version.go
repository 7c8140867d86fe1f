package store

import "strconv"

// Version is the text of an item from one time until the next version. The last one is the present text.
type Version struct {
	N int `db:"n"` // counts from 1, the text at opening
	Words
	Member string `db:"member"` // handle of its author
	Agent
	At Time `db:"at"`
}

// Words are the texts of an item. Details has the other facts of its kind, one on each line, for example its deadline.
type Words struct {
	Title   string `db:"title"`
	Body    string `db:"body"`
	Details string `db:"details"`
}

// Source returns the version as one text, for comparison.
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

// Author returns the byline of the version.
func (v *Version) Author() string { return Byline(v.Member, v.Agent.Label) }

const versionColumns = `v.n, m.handle AS member, v.agent_id, a.label AS agent, v.at`

const versionFrom = ` versions v JOIN members m ON m.id = v.member_id LEFT JOIN agents a ON a.id = v.agent_id `

// Revise stores the new text of an item as a version; at the first change also the text before.
func (tx *Tx) Revise(by Actor, i *Item, was, now Words) error {
	if i.Versions == 0 {
		if err := tx.insertVersion(i, 1, was, i.MemberID, i.Agent.ID, i.OpenedAt); err != nil {
			return err
		}
	}
	n := max(i.Versions, 1) + 1
	if err := tx.insertVersion(i, n, now, by.MemberID(), by.Agent.ID, At(tx.Now)); err != nil {
		return err
	}
	return tx.Exec(`UPDATE items SET versions = ? WHERE id = ?`, n, i.ID)
}

func (tx *Tx) insertVersion(i *Item, n int, w Words, memberID, agentID string, at Time) error {
	return tx.Exec(`INSERT INTO versions (item_id, n, org_id, title, body, details, member_id, agent_id, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		i.ID, n, i.OrgID, w.Title, w.Body, w.Details, memberID, null(agentID), at)
}

// VersionsPage is one page of an item's versions, newest first, without their texts.
type VersionsPage struct {
	*Item
	List  []Version
	Limit int
}

// ShowVersions loads the versions before the given number; for other text the newest.
func (tx *Tx) ShowVersions(i *Item, before string) (*VersionsPage, error) {
	n, err := strconv.Atoi(before)
	if err != nil || n <= 0 {
		n = i.Versions + 1
	}
	p := &VersionsPage{Item: i, Limit: 50}
	err = tx.Select(&p.List, `SELECT `+versionColumns+` FROM`+versionFrom+`WHERE v.item_id = ? AND v.n < ?
		ORDER BY v.n DESC`+atMost, i.ID, n, p.Limit)
	return p, err
}

// VersionPage is one version of an item and the one before, if any.
type VersionPage struct {
	*Item
	This   Version
	Before *Version
}

// ShowVersion loads a version. Not found: [Missing].
func (tx *Tx) ShowVersion(i *Item, number string) (*VersionPage, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || strconv.Itoa(n) != number {
		return nil, Missing()
	}
	var list []Version
	if err := tx.Select(&list, `SELECT `+versionColumns+`, v.title, v.body,
		v.details FROM`+versionFrom+`WHERE v.item_id = ? AND v.n IN (?, ?) ORDER BY v.n DESC`,
		i.ID, n, n-1); err != nil {
		return nil, err
	}
	if len(list) == 0 || list[0].N != n {
		return nil, Missing()
	}
	p := &VersionPage{Item: i, This: list[0]}
	if len(list) > 1 {
		p.Before = &list[1]
	}
	return p, nil
}
