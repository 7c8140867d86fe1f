package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// attempts is how often a write is run that runs into others or finds its connection broken.
const attempts = 5

// Write implements [DB].
func (p *postgresServer) Write(ctx context.Context, fn func(tx *Tx) error) error {
	p.accepted.RLock()
	defer p.accepted.RUnlock()
	t := &turn{all: &p.turns}
	defer t.release()
	for n := 1; ; {
		err, again := p.attempt(ctx, t, fn)
		switch {
		case t.needs != "":
			if err := t.wait(ctx); err != nil {
				return err
			}
			continue
		case err == nil || !again || n == attempts:
			return Explain(err)
		}
		n++
	}
}

// errUncertain is said when nobody can know whether a commit went through.
var errUncertain = Errorf(Uncertain,
	"The connection to the database was lost while this was being saved. It may have been done: read the page "+
		"again before you repeat it. With the same idempotency key it is done once.")

// errTurn breaks a write off that will be run again.
var errTurn = errors.New("it is somebody else's turn")

// attempt runs fn in a transaction. Again reports that nothing was changed and that another attempt may go through.
func (p *postgresServer) attempt(ctx context.Context, t *turn, fn func(tx *Tx) error) (err error, again bool) {
	conn, err := p.begin(ctx, p.writers, "BEGIN")
	if err != nil {
		return err, false
	}
	defer end(conn)
	tx := &Tx{Now: p.options.Clock().UTC(), ctx: context.Background(), conn: conn, words: postgresWords, turn: t}
	err = guarded(tx, fn)
	if t.needs != "" {
		return errTurn, false
	}
	broken := status(conn) == 0
	switch _, meant := errors.AsType[*Error](err); {
	case err != nil:
		return err, ranInto(err) || broken && !meant
	case tx.poison != nil: // even if fn thinks nothing of it
		return tx.poison, false
	case broken:
		return driver.ErrBadConn, true
	case status(conn) != 'T':
		return errors.New("a statement failed and its error was dropped, so nothing of the transaction was kept"), false
	}
	if _, err := conn.ExecContext(context.Background(), "COMMIT"); err != nil {
		if c := sqlClass(err); c == classConstraint || c == "40" || sqlState(err) == stateIdle {
			return fmt.Errorf("commit: %w", err), ranInto(err)
		}
		return fmt.Errorf("commit: %w: %w", errUncertain, err), false
	}
	announce(tx.after)
	return nil, false
}

// Read implements [DB].
func (p *postgresServer) Read(ctx context.Context, fn func(tx *Tx) error) error {
	conn, err := p.begin(ctx, p.readers, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	if err != nil {
		return Explain(err)
	}
	defer end(conn)
	return Explain(fn(&Tx{Now: p.options.Clock().UTC(), ctx: ctx, conn: conn, words: postgresWords}))
}

// Alone implements [DB].
func (p *postgresServer) Alone(ctx context.Context, name string, fn func()) error {
	// In a transaction, so that the server ends it for a process that stands still.
	conn, err := p.begin(ctx, p.readers, "BEGIN")
	if err != nil {
		return Explain(err)
	}
	defer end(conn)
	var first bool
	if err := conn.QueryRowContext(context.Background(), "SELECT pg_try_advisory_xact_lock($1)",
		lockKey(name)).Scan(&first); err != nil {
		return Explain(err)
	}
	if first {
		fn()
	}
	return nil
}

// begin begins a transaction on a connection of the pool. Those that broke while they waited there are passed over.
func (p *postgresServer) begin(ctx context.Context, pool *sqlx.DB, statement string) (*sqlx.Conn, error) {
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
		if _, err = conn.ExecContext(context.Background(), statement); err == nil {
			return conn, nil
		}
		stale := status(conn) == 0 && n < pool.Stats().MaxOpenConnections
		end(conn)
		if !stale {
			return nil, fmt.Errorf("begin: %w", err)
		}
	}
}

// end gives a connection back; what was not committed is undone. However it was used, nobody gets one within a transaction.
func end(conn *sqlx.Conn) {
	if s := status(conn); s == 'T' || s == 'E' {
		conn.ExecContext(context.Background(), "ROLLBACK")
	}
	if status(conn) != 'I' {
		conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	conn.Close()
}

// status is what the server last said of the connection: I outside of a transaction, T within, E within one that has failed;
// 0 if it is broken.
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

// Serialize makes this transaction the only one that writes under the names, from now on until it ends, so that its reads stay
// true. Waited reports that another may have written there since it began, so that rows read before must be read again.
// Where there is one writer, nothing needs to be done.
func (tx *Tx) Serialize(names ...string) (waited bool, err error) {
	if tx.turn == nil {
		return false, nil
	}
	slices.Sort(names) // every process in the same order, so that no two wait for each other
	before := len(tx.held)
	for _, name := range names {
		if err := tx.Lock(name); err != nil {
			return false, err
		}
	}
	return len(tx.held) > before, nil
}

// Lock waits until no other transaction holds the name, and holds it until this one ends.
func (tx *Tx) Lock(name string) error {
	if tx.turn == nil || slices.Contains(tx.held, name) {
		return nil
	}
	if tx.poison == nil && !tx.turn.try(name) {
		tx.poison = errTurn
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

// lockKey is the number of an advisory lock. Two names with one number only wait more than they need.
func lockKey(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte("samepage " + name))
	return int64(h.Sum64())
}
