// Package sqlitemem configures SQLite's use of memory. SQLite accepts these settings only before its first use, and the
// driver does not offer them (https://sqlite.org/c3ref/c_config_covering_index_scan.html).
package sqlitemem

// extern int sqlite3_config(int, ...);
//
// // The statistics of memory have one lock for all connections. Parallel readers would wait for it at every allocation,
// // eight or nine times a page.
// static int without_account(void) { return sqlite3_config(9 /* SQLITE_CONFIG_MEMSTATUS */, 0); }
//
// // Beyond this number of bytes the undo data of a savepoint goes into a file. A vote changes some 20 pages.
// static int savepoints_up_to(int bytes) { return sqlite3_config(26 /* SQLITE_CONFIG_STMTJRNL_SPILL */, bytes); }
import "C"

import (
	"fmt"

	_ "github.com/mattn/go-sqlite3" // compiles SQLite into the program
)

// savepoints is the size in bytes up to which undo data stays in memory.
const savepoints = 8 << 20

func init() {
	for _, code := range []C.int{C.without_account(), C.savepoints_up_to(savepoints)} {
		if code != 0 {
			panic(fmt.Sprintf("sqlitemem: SQLite is in use already (code %d)", code))
		}
	}
}
