package db

// extern int sqlite3_config(int, ...);
//
// static int without_statistics(void) { return sqlite3_config(9 /* SQLITE_CONFIG_MEMSTATUS */, 0); }
import "C"

import "fmt"

// SQLite's statistics of memory have one lock for all connections, and each allocation takes it. Samepage does not
// read them, so they are turned off. The driver does not offer this setting, and SQLite accepts it only before its
// first use (https://sqlite.org/c3ref/c_config_covering_index_scan.html).
//
// On two processors, 16 clients that read the start page of a member with 84 pull requests cost the server 400 µs of
// processor time a request without the statistics, and 530 µs with them.
func init() {
	if code := C.without_statistics(); code != 0 {
		panic(fmt.Sprintf("db: SQLite is in use before its memory is configured (code %d)", code))
	}
}
