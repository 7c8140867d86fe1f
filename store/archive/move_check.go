package archive

import (
	"fmt"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/db"
)

// Imported is the action name of the journal entry about an import.
var Imported = store.DeclareEvent("import_organization", "imported")

// own collects facts about the imported rows, to check that all of them belong to the imported organization. Foreign
// keys do not check this, because they compare only the org_id of a row with that of the row to which it refers, and
// both may be of another organization.
type own struct {
	org     string            // id of the organization
	people  map[string]string // user ids in the file → ids of the same users in this database
	made    map[string]bool   // new users without a membership in the file so far
	tokens  map[string]bool   // for each token in the file, "token:" and its id
	answers []string          // for each row of the table answers in the file, "token:" and the id of its token
}

// check returns an error if a row belongs to another organization or to a user that is not in the file. It replaces
// user ids in the row by the ids in this database.
func (m *mover) check(t *db.TableSchema, row []any, at func(string) int) error {
	text := func(name string) string {
		v, _ := row[at(name)].(string)
		return v
	}
	switch t.Name {
	case "organizations":
		if m.own.org != "" || text("handle") != m.head.Org {
			return m.damaged("it has another organization than %s", m.head.Org)
		}
		m.own.org = text("id")
	case "tokens":
		m.own.tokens["token:"+text("id")] = true
	case "answers":
		m.own.answers = append(m.own.answers, text("actor"))
	}
	if at("org_id") >= 0 && (m.own.org == "" || text("org_id") != m.own.org) {
		return m.damaged("a row of %s is of another organization than %s", t.Name, m.head.Org)
	}
	for _, k := range t.Keys {
		if k.Table != "users" {
			continue
		}
		i := at(k.Columns[0])
		id, _ := row[i].(string)
		known, ok := m.own.people[id]
		if !ok {
			return m.damaged("a row of %s names a person that is not in the file", t.Name)
		}
		row[i] = known
		delete(m.own.made, id)
	}
	return nil
}

func (m *mover) checkRest() error {
	if len(m.own.made) > 0 {
		return m.damaged("%d people in it are no members", len(m.own.made))
	}
	for _, actor := range m.own.answers {
		if !m.own.tokens[actor] {
			return m.damaged("an answer in it is to another token than those in it")
		}
	}
	all, err := m.tx.Tables()
	if err != nil {
		return err
	}
	var named []string
	for i := range all {
		if all[i].Column("org_id") != nil && all[i].Column("id") != nil {
			named = append(named, all[i].Name)
		}
	}
	for _, t := range m.order {
		for _, c := range freeReferences(t) {
			for _, to := range targets(c, named) {
				var n int
				err := m.tx.Get(&n, `SELECT count(*) FROM `+t.Name+` r JOIN `+to+` x ON x.id = r.`+c+`
					WHERE r.org_id = ? AND x.org_id <> ?`, m.own.org, m.own.org)
				if err != nil {
					return err
				}
				if n > 0 {
					return m.damaged("%d rows of %s name something of another organization", n, t.Name)
				}
			}
		}
	}
	return nil
}

// freeReferences returns the columns that, by their names, have the id of another row, but are in no foreign key. It
// returns none for a table without a column org_id.
func freeReferences(t *db.TableSchema) []string {
	var list []string
	for _, c := range t.Columns {
		names := strings.HasSuffix(c.Name, "_id") || strings.HasSuffix(c.Name, "_by") || c.Name == "private_to"
		key := slices.ContainsFunc(t.Keys, func(k db.Reference) bool { return slices.Contains(k.Columns, c.Name) })
		if t.Column("org_id") != nil && names && !key && c.Kind == "text" && c.Name != "org_id" {
			list = append(list, c.Name)
		}
	}
	return list
}

// targets returns the tables to which a column from freeReferences may refer: the table that the column name suggests,
// or all tables in named if that table is not among them.
func targets(column string, named []string) []string {
	if to := strings.TrimSuffix(column, "_id") + "s"; slices.Contains(named, to) {
		return []string{to}
	}
	return named
}

// endTokens revokes the tokens of runners, and of the turns of sessions, because these are not in the file.
func (m *mover) endTokens(orgID string) error {
	return m.tx.Exec(`UPDATE tokens SET revoked_at = ?, revoked_by = NULL WHERE org_id = ? AND revoked_at IS NULL
		AND (turn = 1 OR agent_id IN (SELECT id FROM agents WHERE org_id = ? AND runs = 1))`, store.At(m.tx.Now), orgID, orgID)
}

func (m *mover) record(o *store.Organization) error {
	_, err := m.tx.Journal(store.System(), store.Change{Action: Imported, Target: o.Ref(),
		Why: fmt.Sprintf("from a file with %d rows, at the command line", m.rows)})
	return err
}
