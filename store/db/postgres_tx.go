package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// attempts is how often a write runs if it collides with others or finds its connection broken.
const attempts = 5

// Write implements [DB].
func (p *postgresServer) Write(ctx context.Context, fn func(tx *Tx) error) error {
	p.accepted.RLock()
	defer p.accepted.RUnlock()
	locks := &heldLocks{all: &p.locks}
	defer locks.release()
	for n := 1; ; {
		err, again := p.attempt(ctx, locks, fn)
		switch {
		case locks.blockedOn != "":
			if err := locks.wait(ctx); err != nil {
				return err
			}
			continue
		case err == nil || !again || n == attempts:
			return Explain(err)
		}
		n++
	}
}

// errUncertain is the error of a commit with an unknown outcome.
var errUncertain = Errorf(Uncertain,
	"The connection to the database was lost while this was being saved. It may have been done: read the page "+
		"again before you repeat it. With the same idempotency key it is done once.")

// errBlocked breaks off a write that will run again.
var errBlocked = errors.New("another write holds the lock")

// attempt runs fn in a transaction. Again reports that nothing was changed and that another attempt may succeed.
func (p *postgresServer) attempt(ctx context.Context, locks *heldLocks, fn func(tx *Tx) error) (err error, again bool) {
	conn, err := p.begin(ctx, p.writers, beginWrite)
	if err != nil {
		return err, false
	}
	defer end(conn)
	tx := &Tx{Now: p.options.Clock().UTC(), ctx: context.Background(), conn: conn, words: postgresWords, locks: locks}
	committed := false
	defer func() { p.counts.write(tx, committed) }()
	err = guarded(tx, fn)
	if locks.blockedOn != "" {
		return errBlocked, false
	}
	broken := status(conn) == 0
	switch _, meant := errors.AsType[*Error](err); {
	case err != nil:
		return err, isCollision(err) || broken && !meant
	case tx.poison != nil: // even if fn ignores it
		return tx.poison, false
	case broken:
		return driver.ErrBadConn, true
	case status(conn) != 'T':
		return errors.New("a statement failed and its error was dropped, so nothing of the transaction was kept"), false
	}
	if _, err := conn.ExecContext(context.Background(), "COMMIT"); err != nil {
		if c := sqlClass(err); c == classConstraint || c == "40" || sqlState(err) == stateIdle {
			return fmt.Errorf("commit: %w", err), isCollision(err)
		}
		return fmt.Errorf("commit: %w: %w", errUncertain, err), false
	}
	committed = true
	announce(tx.after)
	return nil, false
}

// Read implements [DB].
func (p *postgresServer) Read(ctx context.Context, fn func(tx *Tx) error) error {
	conn, err := p.begin(ctx, p.readers, beginRead)
	if err != nil {
		return Explain(err)
	}
	defer end(conn)
	tx := &Tx{Now: p.options.Clock().UTC(), ctx: ctx, conn: conn, words: postgresWords}
	defer p.counts.read(tx)
	return Explain(fn(tx))
}

// The statements that begin a transaction, sent as one message. A write locks the schema, and then each statement has
// a snapshot of its own, so the version is that of the tables to which it writes. A read has one snapshot for all.
var (
	beginWrite = fmt.Sprintf("BEGIN; SELECT pg_advisory_xact_lock_shared(%d); %s", schemaKey, versionQuery)
	beginRead  = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + versionQuery
)

// schemaKey is the number of the lock that a process holds while it migrates, and each write shares.
var schemaKey = lockKey("schema")

// begin begins a transaction on a connection of the pool, unless its tables are newer than this program. It skips
// connections that broke while idle.
func (p *postgresServer) begin(ctx context.Context, pool *sqlx.DB, statements string) (*sqlx.Conn, error) {
	for n := 0; ; n++ {
		conn, err := pool.Connx(ctx)
		switch {
		case err == nil:
		case p.stopping():
			return nil, errStopping
		case ctx.Err() != nil:
			return nil, ctx.Err()
		default:
			return nil, fmt.Errorf("connect: %w", err)
		}
		version, err := begun(conn, statements)
		if err == nil {
			if err = p.guard.check(version); err == nil {
				return conn, nil
			}
			end(conn)
			return nil, err
		}
		stale := status(conn) == 0 && n < pool.Stats().MaxOpenConnections
		end(conn)
		if !stale {
			return nil, fmt.Errorf("begin: %w", err)
		}
	}
}

// begun runs the statements that begin a transaction, and returns the schema version, their last result.
func begun(conn *sqlx.Conn, statements string) (version int64, err error) {
	err = conn.Raw(func(c any) error {
		pg := pgxConn(c)
		if pg == nil {
			return driver.ErrBadConn
		}
		results, err := pg.PgConn().Exec(context.Background(), statements).ReadAll()
		if err != nil {
			return err
		}
		last := results[len(results)-1]
		if version, err = strconv.ParseInt(string(last.Rows[0][0]), 10, 64); err != nil {
			return fmt.Errorf("read the schema version: %w", err)
		}
		return nil
	})
	return version, err
}

// end returns a connection to the pool and undoes uncommitted changes. The pool never gets a connection
// inside a transaction.
func end(conn *sqlx.Conn) {
	if s := status(conn); s == 'T' || s == 'E' {
		conn.ExecContext(context.Background(), "ROLLBACK")
	}
	if status(conn) != 'I' {
		conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	conn.Close()
}

// status returns the transaction status that the server last reported: I for idle, T inside a transaction,
// E inside a failed one; 0 for a broken connection.
func status(conn *sqlx.Conn) (s byte) {
	conn.Raw(func(c any) error {
		if pg := pgxConn(c); pg != nil && !pg.IsClosed() {
			s = pg.PgConn().TxStatus()
		}
		return nil
	})
	return s
}

func pgxConn(c any) *pgx.Conn {
	if conn, ok := c.(*stdlib.Conn); ok {
		return conn.Conn()
	}
	return nil
}

// Serialize locks the names until the transaction ends, so that no other transaction writes under them and
// later reads stay valid. Waited reports that another transaction may have written under them since this
// one began, so that rows must be read again. SQLite has one writer, so there it does nothing.
func (tx *Tx) Serialize(names ...string) (waited bool, err error) {
	if tx.locks == nil {
		return false, nil
	}
	slices.Sort(names) // the same order in every process, against deadlocks
	before := len(tx.held)
	for _, name := range names {
		if err := tx.Lock(name); err != nil {
			return false, err
		}
	}
	return len(tx.held) > before, nil
}

// Lock locks a name until this transaction ends, after waiting for transactions that hold it.
func (tx *Tx) Lock(name string) error {
	if tx.locks == nil || slices.Contains(tx.held, name) {
		return nil
	}
	if tx.poison == nil && !tx.locks.try(name) {
		tx.poison = errBlocked
	}
	if tx.poison != nil {
		return tx.poison
	}
	if _, err := tx.conn.ExecContext(context.Background(), "SELECT pg_advisory_xact_lock($1)",
		lockKey(name)); err != nil {
		return tx.failed(err)
	}
	tx.held = append(tx.held, name)
	return nil
}

// lockKey returns the number of a name's advisory lock. A collision of two names only adds waiting.
func lockKey(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte("samepage " + name))
	return int64(h.Sum64())
}
