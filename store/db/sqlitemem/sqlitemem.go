// Package sqlitemem says how SQLite uses memory, where the driver does not let us and SQLite takes it before its first use
// only (https://sqlite.org/c3ref/c_config_covering_index_scan.html).
package sqlitemem

// extern int sqlite3_config(int, ...);
//
// // The account of how much is used is kept under one lock for all connections, which those that read side by side wait for
// // at every allocation: eight or nine times a page.
// static int without_account(void) { return sqlite3_config(9 /* SQLITE_CONFIG_MEMSTATUS */, 0); }
//
// // What a savepoint would have to undo goes into a file beyond so many bytes. A vote changes some 20 pages.
// static int savepoints_up_to(int bytes) { return sqlite3_config(26 /* SQLITE_CONFIG_STMTJRNL_SPILL */, bytes); }
import "C"

import (
	"fmt"

	_ "github.com/mattn/go-sqlite3" // whose SQLite it is
)

// savepoints is in bytes.
const savepoints = 8 << 20

func init() {
	for _, code := range []C.int{C.without_account(), C.savepoints_up_to(savepoints)} {
		if code != 0 {
			panic(fmt.Sprintf("sqlitemem: SQLite is in use already (code %d)", code))
		}
	}
}
