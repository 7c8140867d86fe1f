// Package walindex tells whether anything was committed to an SQLite database, by any process, for the price of reading 96
// bytes: the header of the index of its write-ahead log, which every commit changes before it returns, and which SQLite
// itself compares to find out whether what it has in memory is still so (https://sqlite.org/walformat.html#the_wal_index_file_format).
package walindex

// // What is needed of https://sqlite.org/c3ref/io_methods.html: who includes the driver's header has a second copy of it.
// typedef struct sqlite3 sqlite3;
// typedef struct sqlite3_context sqlite3_context;
// typedef struct sqlite3_file sqlite3_file;
// struct sqlite3_file {
//   const struct {
//     int version;
//     void *of_version_1[12];
//     int (*shm_map)(sqlite3_file *, int region, int size, int extend, void volatile **);
//   } *methods;
// };
// extern int sqlite3_auto_extension(void (*)(void));
// extern int sqlite3_create_function(sqlite3 *, const char *, int, int, void *, void (*)(sqlite3_context *, int, void *), void *, void *);
// extern sqlite3 *sqlite3_context_db_handle(sqlite3_context *);
// extern int sqlite3_file_control(sqlite3 *, const char *, int, void *);
// extern void sqlite3_result_int64(sqlite3_context *, long long);
// extern void sqlite3_result_error_code(sqlite3_context *, int);
//
// // wal_index() is where the database's index is in memory.
// static void wal_index(sqlite3_context *context, int n, void *args) {
//   sqlite3_file *file = 0;
//   void volatile *at = 0;
//   int code = sqlite3_file_control(sqlite3_context_db_handle(context), "main", 7 /* SQLITE_FCNTL_FILE_POINTER */, &file);
//   if (code == 0 && file->methods && file->methods->version >= 2)
//     code = file->methods->shm_map(file, 0, 32768, 0, &at); // it is mapped already
//   if (code) sqlite3_result_error_code(context, code); else sqlite3_result_int64(context, (long long)at);
// }
//
// static int extend(sqlite3 *db, char **message, const void *routines) {
//   return sqlite3_create_function(db, "wal_index", 0, 1 | 0x80000 /* SQLITE_UTF8 | SQLITE_DIRECTONLY */, 0, wal_index, 0, 0);
// }
//
// static int extend_all(void) { return sqlite3_auto_extension((void (*)(void))extend); }
import "C"

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	_ "github.com/mattn/go-sqlite3" // whose SQLite it is
)

func init() {
	if code := C.extend_all(); code != 0 {
		panic(fmt.Sprintf("walindex: SQLite takes no extension (code %d)", code))
	}
}

// Header names a state of a database. While it stays the same, nothing is committed.
type Header [6]uint64

// Index is that of one database. It is safe for concurrent use.
type Index struct {
	db *sql.DB

	mu sync.RWMutex
	at *[2]Header // nil once it is closed
}

// Open finds the index of a database in WAL mode. It takes db for itself, closes it when it is closed, and keeps its one
// connection open until then: so long the index stays where it is.
func Open(db *sql.DB) (*Index, error) {
	db.SetMaxOpenConns(1)
	var at int64
	err := db.QueryRow(`SELECT wal_index() FROM (SELECT count(*) FROM sqlite_schema)`).Scan(&at) // whoever reads opens the log
	if err == nil && at == 0 {
		err = errors.New("there is no write-ahead log")
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("walindex: %w", err)
	}
	return &Index{db: db, at: *(**[2]Header)(unsafe.Pointer(&at))}, nil
}

// Header is that of now. It is zero, which no header is, just while a commit changes it, and after Close.
func (x *Index) Header() Header {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.at == nil {
		return Header{}
	}
	// There are two copies; who writes begins with the second, and who reads with the first.
	var first, second Header
	for i := range first {
		first[i] = atomic.LoadUint64(&x.at[0][i])
	}
	for i := range second {
		second[i] = atomic.LoadUint64(&x.at[1][i])
	}
	if first != second {
		return Header{}
	}
	return first
}

// Close lets go of the database.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at == nil {
		return nil
	}
	x.at = nil
	return x.db.Close()
}
