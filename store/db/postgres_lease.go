package db

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"
)

// Some work may be done by only one process at a time. That process holds a lease, which is a row with the name of the
// work and an end time. It renews the lease during the work, so that long work needs no open transaction, and the lease
// of a killed process ends by itself. The end time is by the server's clock, because the clocks of processes differ.

const (
	leaseLife    = 15 * time.Second
	leaseRenewal = leaseLife / 3
)

// lease is the right to do the work with the given name. Each call of Alone is a different holder, even in the same
// process.
type lease struct {
	server       *postgresServer
	name, holder string
}

// Alone implements [DB].
func (p *postgresServer) Alone(ctx context.Context, name string, fn func(ctx context.Context)) error {
	l := lease{p, name, rand.Text()}
	asked := time.Now()
	taken, err := l.changed(ctx, `INSERT INTO leases (name, holder, ends_at) VALUES ($1, $2, `+serverTime+` + $3)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
		WHERE leases.ends_at <= `+serverTime, leaseLife.Milliseconds())
	if err != nil || !taken {
		return Explain(err)
	}
	working, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.keep(working, end, asked)
	}()
	defer func() {
		end()
		<-ended
		if _, err := l.changed(context.Background(), `DELETE FROM leases WHERE name = $1 AND holder = $2`); err != nil &&
			!p.stopping() {
			slog.Warn("a lease was not given back and ends by itself", "name", name, "error", err)
		}
	}()
	fn(working)
	return nil
}

// serverTime is the SQL for the server's time in milliseconds.
const serverTime = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

// changed runs a statement with the arguments l.name, l.holder and `more`, and reports whether it changed a row.
func (l lease) changed(ctx context.Context, statement string, more ...any) (bool, error) {
	r, err := l.server.readers.ExecContext(ctx, statement, append([]any{l.name, l.holder}, more...)...)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// keep renews the lease until ctx ends. It calls end, which cancels the work, if the lease is lost or not renewed in
// time.
func (l lease) keep(ctx context.Context, end func(), renewed time.Time) {
	tick := time.NewTicker(leaseRenewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		held, err := l.changed(ctx, `UPDATE leases SET ends_at = `+serverTime+` + $3 WHERE name = $1 AND holder = $2`,
			leaseLife.Milliseconds())
		switch {
		case held:
			renewed = asked
		case err == nil || time.Since(renewed) >= leaseLife-leaseRenewal:
			slog.Warn("the lease on work that one process does alone was lost, so the work is broken off",
				"name", l.name, "error", err)
			end()
			return
		}
	}
}
