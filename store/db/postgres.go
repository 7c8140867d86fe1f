package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// postgresServer is a database on a PostgreSQL server, which several processes can share. Each write is a transaction
// of its own. Writes to the same organization wait for each other in [Tx.Serialize].
type postgresServer struct {
	options  Options
	closed   sync.Once
	config   *pgx.ConnConfig
	name     string
	readers  *sqlx.DB
	writers  *sqlx.DB
	closing  chan struct{}
	listener *changeListener
	locks    orgLocks
	counts   counts
	guard    schemaGuard
	migrated bool // this process migrated the database
	// doubt is set if a write has failed since the last CheckWrite, with errUncertain or with an error that is no
	// [Error].
	doubt atomic.Bool

	accepted sync.RWMutex // every write holds a read lock, so that Close can wait for the writes
}

// postgresSettings are the settings of each connection, unless the URL of the database has others. A process that hangs
// inside a transaction blocks other processes, so the server ends its connection and undoes its changes.
var postgresSettings = map[string]string{
	"application_name":                    "samepage",
	"idle_in_transaction_session_timeout": "3000",  // milliseconds
	"lock_timeout":                        "15000", // milliseconds; longer than a hanging process can hold a lock
}

func openPostgres(ctx context.Context, o Options, where string) (DB, error) {
	config, err := pgx.ParseConfig(where)
	if err != nil {
		return nil, Errorf(Invalid,
			"The address of the database cannot be read. Write it as postgres://user@host/database.")
	}
	for key, value := range postgresSettings {
		if _, chosen := config.RuntimeParams[key]; !chosen {
			config.RuntimeParams[key] = value
		}
	}
	p := &postgresServer{options: o, config: config, closing: make(chan struct{})}
	p.name = (&url.URL{Scheme: "postgres", Host: config.Host + ":" +
		strconv.Itoa(int(config.Port)), Path: config.Database}).String()
	p.guard = schemaGuard{path: p.name, report: o.Outdated}
	p.readers, p.writers = p.pool(4*max(runtime.GOMAXPROCS(0), 2)), p.pool(16)
	if err := p.open(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return p, nil
}

// maxIdle is the time after which an unused connection is closed. The start page takes 70 ms on a new connection, 30 ms
// at the next four uses, for which the server plans each statement anew, and 4 ms then. A connection takes up to 30 MB
// of the server's memory.
const maxIdle = 10 * time.Minute

func (p *postgresServer) pool(n int) *sqlx.DB {
	db := sqlx.NewDb(stdlib.OpenDB(*p.config), "pgx")
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	db.SetConnMaxIdleTime(maxIdle)
	return db
}

func (p *postgresServer) open(ctx context.Context) error {
	var synchronous, encoding string
	if err := p.writers.QueryRowContext(ctx, `SELECT current_setting('synchronous_commit'),
		current_setting('server_encoding')`).Scan(&synchronous, &encoding); err != nil {
		return Explain(err)
	}
	if encoding != "UTF8" {
		return Errorf(Unavailable, "The database keeps text as %s. Make one with ENCODING 'UTF8'.", encoding)
	}
	if synchronous == "off" || synchronous == "local" {
		slog.Warn("synchronous_commit is weak: a power cut or a failover will lose what was acknowledged. Set "+
			"it to on.", "synchronous_commit", synchronous)
	}
	if err := p.migrate(ctx); err != nil {
		return err
	}
	p.listener = startChangeListener(p)
	if p.migrated { // other processes then check the schema at once and not only when they poll
		if err := p.listener.notify(ctx, p.listener.node+" "); err != nil {
			slog.Warn("other processes were not notified of the migration", "error", err)
		}
	}
	return nil
}

// migrate migrates the schema. If several processes start together, one of them migrates and the others wait.
func (p *postgresServer) migrate(ctx context.Context) error {
	conn, err := p.readers.Connx(ctx)
	if err != nil {
		return Explain(err)
	}
	defer conn.Close()
	// The connection is closed, which releases the lock in any case.
	defer conn.Raw(func(any) error { return driver.ErrBadConn })
	_, err = conn.ExecContext(ctx, "SET lock_timeout = 0")
	if err == nil {
		_, err = conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", lockKey("migrate"))
	}
	if err != nil {
		return Explain(err)
	}
	g, err := Migrations(p.options.Schema, goose.DialectPostgres, p.writers)
	if err != nil {
		return err
	}
	p.guard.known = newest(g)
	// Every write shares a lock with this key. So the exclusive lock waits for running writes, and new writes wait
	// until the tables have been changed.
	if err := migrate(ctx, g, p.name, func(int64) error {
		p.migrated = true
		_, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", schemaKey)
		return Explain(err)
	}); err != nil {
		return err
	}
	if p.options.Prepare == nil {
		return nil
	}
	return p.options.Prepare(ctx, conn, true)
}

// CheckWrite implements [DB]. It also returns an error if a write transaction is read-only, as on a standby.
func (p *postgresServer) CheckWrite(ctx context.Context, probe func(tx *Tx) error) error {
	doubt := p.doubt.Swap(false) // before the write, which sets doubt again if it fails
	return p.Write(ctx, func(tx *Tx) error {
		var readOnly string
		switch err := tx.Get(&readOnly, `SELECT current_setting('transaction_read_only')`); {
		case err != nil:
			return err
		case readOnly == "on":
			return Errorf(Unavailable, saysReadOnly)
		case doubt:
			return probe(tx)
		}
		return nil
	})
}

// Path implements [DB].
func (p *postgresServer) Path() string { return p.name }

// Folder implements [DB].
func (p *postgresServer) Folder() string { return "" }

// Close implements [DB].
func (p *postgresServer) Close() (err error) {
	p.closed.Do(func() { err = p.close() })
	return err
}

func (p *postgresServer) close() error {
	close(p.closing)
	p.accepted.Lock()
	defer p.accepted.Unlock()
	if p.listener != nil {
		p.listener.stop()
	}
	return errors.Join(p.writers.Close(), p.readers.Close())
}

// LongRead implements [DB]. It does nothing, because a long read does not disturb a server.
func (p *postgresServer) LongRead() (done func()) { return func() {} }

// Announce implements [DB]. It does nothing, because processes can share a server.
func (p *postgresServer) Announce(_, _ string) error { return nil }

// Backup implements [DB]. It refers the operator to the tools of the server.
func (p *postgresServer) Backup(context.Context, string, func(string) error) error {
	return Errorf(Invalid,
		"The server has its own tool for a copy of everything: pg_dump --format=custom --file=FILE URL, and "+
			"pg_restore --clean --if-exists --dbname=URL FILE to put it back. samepage export writes one "+
			"organization to a file.")
}

// Check implements [DB]. It looks for settings of the server that may lose data, and for constraints and indexes that
// are not valid. It leaves the pages of the database to the tools of the server.
func (p *postgresServer) Check(ctx context.Context) error {
	var unsafe []string
	err := p.readers.SelectContext(ctx, &unsafe, `SELECT name || ' is ' || setting FROM pg_settings
		WHERE (name IN ('fsync', 'full_page_writes') AND setting = 'off')
		OR (name = 'synchronous_commit' AND setting IN ('off', 'local'))
		UNION ALL SELECT 'the reference ' || conname || ' is not checked' FROM pg_constraint WHERE NOT convalidated
		UNION ALL SELECT 'the index ' || indexrelid::regclass || ' is not valid' FROM pg_index WHERE NOT indisvalid`)
	if err != nil {
		return Explain(err)
	}
	if len(unsafe) > 0 {
		return Errorf(Unavailable,
			"%s: %s. Acknowledged work may be lost or wrong; the operator of the server should change that.",
			p.name, unsafe[0])
	}
	return nil
}

func (p *postgresServer) stopping() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}
