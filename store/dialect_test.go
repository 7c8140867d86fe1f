package store_test

import (
	"context"
	"testing"

	"samepage/store"
	"samepage/store/db"
)

func TestSchema(t *testing.T) {
	w := newFileWorld(t)
	w.read(func(tx *store.Tx) error {
		var tables []string
		if err := tx.Select(&tables, `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
			AND NOT strict AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%'`); err != nil {
			return err
		}
		if len(tables) > 0 {
			t.Errorf("not STRICT: %s", tables)
		}
		var sql []string
		if err := tx.Select(&sql, `SELECT name FROM sqlite_schema WHERE sql LIKE '%DEFERR%'`); err != nil {
			return err
		}
		if len(sql) > 0 {
			t.Errorf("a deferred reference fails the whole batch at its commit: %s", sql)
		}
		return nil
	})
}

// TestNothingCrossesOrganizations sets every reference of every table to a row of the other organization. The database
// must refuse every such statement.
func TestNothingCrossesOrganizations(t *testing.T) {
	w := newWorld(t)
	lab := w.studio("lab", "organization", w.oscar)
	theirs := w.decision(w.oscar, lab, "Why?", "Because")
	var agent string
	w.write(func(tx *store.Tx) error {
		token, _, err := tx.CreateToken(w.oscar.Member,
			store.Grant{Label: "Spy", Scopes: store.Scopes(), Expires: store.At(friday.AddDate(1, 0, 0))})
		agent = token.AgentID
		return err
	})
	mine, other := w.acme.ID, w.globex.ID
	alice, oscar, team := w.alice.MemberID(), w.oscar.MemberID(), w.team.ID
	for _, c := range []struct {
		what, query string
		args        []any
	}{
		{"owner", `UPDATE organizations SET owner_id = ? WHERE id = ?`, []any{oscar, mine}},
		{"agent's member", `INSERT INTO agents (id, org_id, member_id, label, created_at) VALUES ('x', ?, ?, 'x', 1)`,
			[]any{mine, oscar}},
		{"token's member", `UPDATE tokens SET member_id = ? WHERE org_id = ?`, []any{oscar, mine}},
		{"token's agent", `UPDATE tokens SET agent_id = ? WHERE org_id = ?`, []any{agent, mine}},
		{"token's organization", `UPDATE tokens SET org_id = ? WHERE org_id = ?`, []any{other, mine}},
		{"studio's parent", `UPDATE studios SET parent_id = ? WHERE id = ?`, []any{lab.ID, team}},
		{"studio's creator", `UPDATE studios SET created_by = ? WHERE id = ?`, []any{oscar, team}},
		{"studio's archiver", `UPDATE studios SET archived_by = ? WHERE id = ?`, []any{oscar, team}},
		{"studio's organization", `UPDATE studios SET org_id = ? WHERE id = ?`, []any{other, team}},
		{"studio's member", `INSERT INTO studio_members (studio_id, member_id, org_id, joined_at)
			VALUES (?, ?, ?, 1)`, []any{team, oscar, mine}},
		{"member's studio", `INSERT INTO studio_members (studio_id, member_id, org_id, joined_at)
			VALUES (?, ?, ?, 1)`, []any{lab.ID, alice, mine}},
		{"decision's studio", `UPDATE items SET studio_id = ? WHERE id = ?`, []any{lab.ID, w.standups.ID}},
		{"proposer", `UPDATE items SET member_id = ? WHERE id = ?`, []any{oscar, w.standups.ID}},
		{"proposing agent", `UPDATE items SET agent_id = ? WHERE id = ?`, []any{agent, w.standups.ID}},
		{"closer", `UPDATE items SET closed_by = ? WHERE id = ?`, []any{oscar, w.standups.ID}},
		{"option's decision", `UPDATE options SET decision_id = ?, n = 9 WHERE decision_id = ? AND n = 1`,
			[]any{theirs.ID, w.standups.ID}},
		{"option's member", `UPDATE options SET member_id = ? WHERE decision_id = ?`, []any{oscar, w.standups.ID}},
		{"option's agent", `UPDATE options SET agent_id = ? WHERE decision_id = ?`, []any{agent, w.standups.ID}},
		{"ballot's decision", `INSERT INTO ballots (decision_id, voter, org_id, member_id, marks, cast_at)
			VALUES (?, 'x', ?, ?, '', 1)`, []any{theirs.ID, mine, alice}},
		{"ballot's member", `INSERT INTO ballots (decision_id, voter, org_id, member_id, marks, cast_at)
			VALUES (?, 'x', ?, ?, '', 1)`, []any{w.standups.ID, mine, oscar}},
		{"ballot's agent", `INSERT INTO ballots (decision_id, voter, org_id, agent_id, marks, cast_at)
			VALUES (?, 'x', ?, ?, '', 1)`, []any{w.standups.ID, mine, agent}},
		{"comment's member", `INSERT INTO comments (item_id, seq, org_id, member_id, text, at)
			VALUES (?, 9, ?, ?, '', 1)`, []any{w.standups.ID, mine, oscar}},
		{"comment's agent", `INSERT INTO comments (item_id, seq, org_id, member_id, agent_id, text, at)
			VALUES (?, 9, ?, ?, ?, '', 1)`, []any{w.standups.ID, mine, alice, agent}},
		{"ender of a membership", `UPDATE members SET ended_by = ? WHERE id = ?`, []any{oscar, alice}},
		{"tie-breaker", `UPDATE decisions SET decided_by = ? WHERE id = ?`, []any{oscar, w.standups.ID}},
		{"pin's studio", `INSERT INTO pins (studio_id, item_id, org_id, member_id, at) VALUES (?, ?, ?, ?, 1)`,
			[]any{lab.ID, w.standups.ID, mine, alice}},
		{"pin's member", `INSERT INTO pins (studio_id, item_id, org_id, member_id, at) VALUES (?, ?, ?, ?, 1)`,
			[]any{team, w.standups.ID, mine, oscar}},
		{"journal's organization", `UPDATE journal SET org_id = 'nowhere' WHERE org_id = ? AND seq = 1`, []any{mine}},
	} {
		err := w.Write(context.Background(), func(tx *store.Tx) error { return tx.Exec(c.query, c.args...) })
		if !db.IsConstraint(err) {
			t.Errorf("%s of another organization: %v", c.what, err)
		}
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
