package archive

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/blob"
	"samepage/store/db"
)

// An organization moves to another database in a file of JSON lines. The first line is the head, with the version of
// the schema and the organization's handle. The organization's rows of each table follow, and the last line has digests
// of the lines before it. The schema determines the tables, the columns and their order.

// rowConditions has the SQL condition for an organization's rows in each exported table without a column org_id.
var rowConditions = map[string]string{
	"organizations": `id = ?`,
	"users":         `id IN (SELECT user_id FROM members WHERE org_id = ?)`,
	"answers":       `actor IN (SELECT 'token:' || id FROM tokens WHERE org_id = ?)`,
}

// Stays lists the tables that are not exported. Some belong to the installation. The cookies of logins and the
// encrypted secrets of webhooks would be useless on another server. Runners, repositories and the work of agents belong
// to one machine. The import builds the search index anew. Direct messages belong only to the two members that wrote
// them.
var Stays = []string{"instance", "logins", "passkeys", "identities", "spent", "blobs", "documents", "use_counts",
	"resets", "address_changes", "oauth_clients", "oauth_grants", "oauth_refreshes", "oauth_keys", "mails", "leases",
	"notification_settings", "notification_ways",
	"webhooks", "deliveries", "own_webhooks", "own_deliveries", "direct_talks", "direct_messages", "runners", "repos",
	"worktrees", "worktree_files", "jobs", "manifests", "sessions", "turns", "turn_events", "permissions",
	"permission_rules", "reviews", "review_comments", "pulls", "issues", "agent_costs"}

// MovedRows returns the SQL condition for an organization's rows of a table, or "" for a table that is not exported.
func MovedRows(t *db.TableSchema) string {
	if slices.Contains(Stays, t.Name) {
		return ""
	}
	if t.Column("org_id") != nil {
		return `org_id = ?`
	}
	return rowConditions[t.Name]
}

// movedTables returns the exported tables in insertion order: each table comes after the tables to which its NOT NULL
// columns refer. The result later maps a table's name to its nullable columns that refer to the same or later tables.
func movedTables(tx *store.Tx) (order []*db.TableSchema, later map[string][]string, err error) {
	all, err := tx.Tables()
	if err != nil {
		return nil, nil, err
	}
	var left []*db.TableSchema
	for i := range all {
		if t := &all[i]; MovedRows(t) != "" {
			left = append(left, t)
		}
	}
	later = map[string][]string{}
	placed := map[string]bool{}
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(t *db.TableSchema) bool { return !dependsOnUnplaced(t, placed) })
		if i < 0 {
			return nil, nil, fmt.Errorf("the table %s and others refer to each other by columns that may not be empty", left[0].Name)
		}
		t := left[i]
		for _, k := range t.Keys {
			if !placed[k.Table] {
				later[t.Name] = append(later[t.Name], nullableColumns(t, k)...)
			}
		}
		placed[t.Name] = true
		order, left = append(order, t), slices.Delete(left, i, i+1)
	}
	return order, later, nil
}

func dependsOnUnplaced(t *db.TableSchema, placed map[string]bool) bool {
	return slices.ContainsFunc(t.Keys,
		func(k db.Reference) bool { return !placed[k.Table] && len(nullableColumns(t, k)) == 0 })
}

// nullableColumns returns the columns of a foreign key that may be NULL. If they are NULL, the row refers to no other
// row.
func nullableColumns(t *db.TableSchema, k db.Reference) []string {
	var list []string
	for _, name := range k.Columns {
		if !t.Column(name).Required {
			list = append(list, name)
		}
	}
	return list
}

type moveHead struct {
	Samepage string `json:"samepage"`
	Schema   int64  `json:"schema"`
	Org      string `json:"organization"`
}

// moveLine is a line of an exported file after the head: the beginning of a table, a row, or the last line.
type moveLine struct {
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Row     []any    `json:"row,omitempty"`
	Rows    *int     `json:"rows,omitempty"`
	Digest  string   `json:"sha256,omitempty"` // SHA-256 of all lines before this one
	// Frame is the SHA-256 of the same lines without the bytes of attached files. If only Frame matches, only those
	// bytes are damaged.
	Frame string `json:"frame,omitempty"`
}

const moveKind = "organization"

// SchemaVersion returns the number of the last migration.
func SchemaVersion(tx *store.Tx) (v int64, err error) {
	err = tx.Get(&v, `SELECT max(version_id) FROM goose_db_version WHERE version_id > 0`)
	return v, err
}

// Export writes an organization to w from one snapshot of the database. It returns the attached files that are missing
// or damaged; they do not stop the export. It returns [store.Missing] for an unknown handle.
func Export(ctx context.Context, s *store.Store, handle string, w io.Writer) (found *store.FileCheck, err error) {
	defer s.LongRead()()
	err = s.Read(ctx, func(tx *store.Tx) error {
		o, err := tx.FindOrganization(store.System(), handle)
		if err != nil {
			return err
		}
		out := newMoveWriter(w)
		head := moveHead{Samepage: moveKind, Org: handle}
		if head.Schema, err = SchemaVersion(tx); err != nil {
			return err
		}
		if err := out.line.Encode(head); err != nil {
			return err
		}
		order, _, err := movedTables(tx)
		if err != nil {
			return err
		}
		for _, t := range order {
			if err := exportTable(tx, o, t, out); err != nil {
				return err
			}
		}
		if found, err = exportBlobs(ctx, tx, o, out); err != nil {
			return err
		}
		return out.end()
	})
	return found, err
}

type moveWriter struct {
	all, frame       hash.Hash
	line, blob, last *json.Encoder // for ordinary lines, lines with bytes of files, and the last line
	rows             int
}

func newMoveWriter(w io.Writer) *moveWriter {
	m := &moveWriter{all: sha256.New(), frame: sha256.New()}
	m.line, m.blob, m.last = json.NewEncoder(io.MultiWriter(w, m.all, m.frame)), json.NewEncoder(io.MultiWriter(w,
		m.all)), json.NewEncoder(w)
	m.line.SetEscapeHTML(false)
	return m
}

func (m *moveWriter) writeRow(row []any) error {
	m.rows++
	return m.line.Encode(moveLine{Row: row})
}

// writeBlob writes the bytes of an attached file. The digest frame covers only the file's hash.
func (m *moveWriter) writeBlob(hash, data []byte) error {
	m.rows++
	name := base64.StdEncoding.EncodeToString(hash)
	io.WriteString(m.frame, name)
	return m.blob.Encode(moveLine{Row: []any{name, base64.StdEncoding.EncodeToString(data)}})
}

func (m *moveWriter) end() error {
	return m.last.Encode(moveLine{Rows: &m.rows, Digest: hex.EncodeToString(m.all.Sum(nil)),
		Frame: hex.EncodeToString(m.frame.Sum(nil))})
}

func exportTable(tx *store.Tx, o *store.Organization, t *db.TableSchema, out *moveWriter) error {
	if err := out.line.Encode(moveLine{Table: t.Name, Columns: t.ColumnNames()}); err != nil {
		return err
	}
	query := `SELECT ` + quoted(t.ColumnNames()) + ` FROM ` + t.Name + ` WHERE ` + MovedRows(t) + `
		ORDER BY ` + quoted(t.PrimaryKey())
	return tx.EachRow(query, []any{o.ID}, func(row []any) error {
		for i, v := range row {
			if b, ok := v.([]byte); ok && t.Columns[i].Kind == "blob" {
				row[i] = base64.StdEncoding.EncodeToString(b)
			}
		}
		return out.writeRow(row)
	})
}

// The bytes of attached files follow the tables as two more tables. BlobTable has the undamaged bytes. missingTable
// lists the files that were missing or damaged during the export; it is left out if there are none.
const (
	BlobTable    = "blobs"
	missingTable = "blobs_missing"
)

var (
	blobColumns    = []string{"hash", "data"}
	missingColumns = []string{"hash", "reason"}
)

func exportBlobs(ctx context.Context, tx *store.Tx, o *store.Organization, out *moveWriter) (*store.FileCheck, error) {
	if err := out.line.Encode(moveLine{Table: BlobTable, Columns: blobColumns}); err != nil {
		return nil, err
	}
	var missing [][]any
	found, err := store.CheckBlobs(ctx, tx.Select, o.ID, func(hash []byte, size int64) (int64, error) {
		data, err := blob.Read(tx.Blobs(), tx.Tx, hash, size)
		if fault, ok := blob.AsFault(err); ok {
			missing = append(missing, []any{base64.StdEncoding.EncodeToString(hash), fault.Clause})
		}
		if err != nil {
			return 0, err
		}
		return int64(len(data)), out.writeBlob(hash, data)
	})
	if err != nil || len(missing) == 0 {
		return found, err
	}
	if err := out.line.Encode(moveLine{Table: missingTable, Columns: missingColumns}); err != nil {
		return nil, err
	}
	for _, row := range missing {
		if err := out.writeRow(row); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func quoted(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }
