// Package sqlitemem has SQLite keep no account of how much memory it uses. It does so under one lock for all connections,
// which those that read side by side wait for at every allocation: eight or nine times a page. The driver does not offer it,
// and SQLite takes it before its first use only (SQLITE_CONFIG_MEMSTATUS).
package sqlitemem

// extern int sqlite3_config(int, ...);
// static int without_account(void) { return sqlite3_config(9, 0); } // SQLITE_CONFIG_MEMSTATUS
import "C"

import (
	"fmt"

	_ "github.com/mattn/go-sqlite3" // whose SQLite it is
)

func init() {
	if code := C.without_account(); code != 0 {
		panic(fmt.Sprintf("sqlitemem: SQLite is in use already (code %d)", code))
	}
}
