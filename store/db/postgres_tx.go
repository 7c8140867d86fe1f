package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// attempts is how often a write is tried that collides with other writes or loses its connection. Runs that end with
// errBlocked do not count.
const attempts = 5

// retryPause is multiplied by the number of previous attempts. The product is the longest random pause before the next
// attempt. There is no pause before the second attempt.
const retryPause = 20 * time.Millisecond

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
			if _, refused := errors.AsType[*Error](err); err != nil && !refused || errors.Is(err, errUncertain) {
				p.doubt.Store(true)
			}
			return Explain(err)
		}
		if n > 1 { // writes that begin again together collide again
			time.Sleep(rand.N(time.Duration(n) * retryPause))
		}
		n++
	}
}

// errUncertain is the error for a commit with an unknown result.
var errUncertain = Errorf(Uncertain,
	"The connection to the database was lost while this was being saved. It may have been done: read the page "+
		"again before you repeat it. With the same idempotency key it is done once.")

// errBlocked ends an attempt of a write that must wait for a lock and run again.
var errBlocked = errors.New("another write holds the lock")

// attempt runs fn in a transaction. If again is true, nothing was changed and another attempt may succeed.
func (p *postgresServer) attempt(ctx context.Context, locks *heldLocks, fn func(tx *Tx) error) (err error, again bool) {
	conn, err := p.begin(ctx, p.writers, beginWrite)
	if err != nil {
		return err, false
	}
	defer release(conn)
	tx := &Tx{Now: p.options.Clock().UTC(), ctx: context.Background(), conn: conn, words: postgresWords, locks: locks}
	committed := false
	defer func() { p.counts.write(tx, committed) }()
	err = guarded(tx, fn)
	if locks.blockedOn != "" {
		return errBlocked, false
	}
	broken := status(conn) == 0
	switch _, meant := errors.AsType[*Error](err); {
	case tx.poison != nil && !errors.Is(err, tx.poison): // the transaction is unusable, even if fn ignores the error
		return tx.poison, isCollision(tx.poison) || broken
	case broken && (err == nil || IsRefusal(err)): // fn may have taken the lost connection for a missing row
		return driver.ErrBadConn, true
	case err != nil:
		return err, isCollision(err) || broken && !meant
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
	defer release(conn)
	tx := &Tx{Now: p.options.Clock().UTC(), ctx: ctx, conn: conn, words: postgresWords}
	defer p.counts.read(tx)
	return tx.outcome(fn(tx))
}

// These statements begin a transaction and select the version of the schema, in one message to the server. A write
// first locks the schema and selects the version in a later snapshot, so the version stays correct until the write
// ends.
var (
	beginWrite = fmt.Sprintf("BEGIN; SELECT pg_advisory_xact_lock_shared(%d); %s", schemaKey, versionQuery)
	beginRead  = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + versionQuery
)

// schemaKey is the number of the lock on the schema. Every write shares it, and a migration holds it exclusively.
var schemaKey = lockKey("schema")

// begin begins a transaction on a connection of the pool, and skips connections that broke while they were idle. It
// returns an error if the schema is newer than this program knows.
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
			release(conn)
			return nil, err
		}
		stale := status(conn) == 0 && n < pool.Stats().MaxOpenConnections
		release(conn)
		if !stale {
			return nil, fmt.Errorf("begin: %w", err)
		}
	}
}

// begun runs the statements, and returns the version of the schema, which the last one selects.
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

// release undoes uncommitted changes and returns the connection to the pool, or closes it if it is still inside a
// transaction.
func release(conn *sqlx.Conn) {
	if s := status(conn); s == 'T' || s == 'E' {
		conn.ExecContext(context.Background(), "ROLLBACK")
	}
	if status(conn) != 'I' {
		conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	conn.Close()
}

// status returns the transaction status that the server reported last: I outside of a transaction, T inside, and E
// inside a failed one. It is 0 for a broken connection.
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

// Serialize locks the names ([Tx.Lock]), so that data that is read afterwards stays valid. If waited is true, rows that
// were read before must be read again. Serialize does nothing in a read, and on SQLite, which has only one writer.
func (tx *Tx) Serialize(names ...string) (waited bool, err error) {
	if tx.locks == nil {
		return false, nil
	}
	slices.Sort(names) // the same order everywhere prevents deadlocks
	before := len(tx.held)
	for _, name := range names {
		if err := tx.Lock(name); err != nil {
			return false, err
		}
	}
	return len(tx.held) > before, nil
}

// Lock locks a name until this transaction ends. It waits for transactions of other processes. If another write of this
// process holds the lock, Lock returns errBlocked, and this write runs again later. Lock does nothing in a read and on
// SQLite.
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

// lockKey returns the number of the advisory lock for a name. If two names have the same number, their transactions
// wait for each other without need.
func lockKey(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte("samepage " + name))
	return int64(h.Sum64())
}
