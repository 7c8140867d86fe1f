package db

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Processes tell each other about changes with NOTIFY. They send it in a separate transaction after the commit, because
// commits of transactions with a NOTIFY wait for one lock of the whole server. They also poll, because a message may be
// lost.

const (
	notifyChannel = "samepage_changes"
	pollInterval  = 15 * time.Second
	maxPending    = 1000 // greatest number of unsent messages
)

type changeListener struct {
	server *postgresServer
	node   string // random id, by which this process ignores its own messages
	cancel context.CancelFunc
	group  sync.WaitGroup
	wake   chan struct{}

	mu      sync.Mutex
	pending map[string]struct{}
}

func startChangeListener(p *postgresServer) *changeListener {
	ctx, cancel := context.WithCancel(context.Background())
	l := &changeListener{server: p, node: rand.Text(), cancel: cancel, wake: make(chan struct{}, 1),
		pending: map[string]struct{}{}}
	l.group.Go(func() { l.send(ctx) })
	l.group.Go(func() { l.listen(ctx) })
	l.group.Go(func() { l.tick(ctx) })
	return l
}

func (l *changeListener) stop() {
	l.cancel()
	l.group.Wait()
}

// Send implements [DB].
func (p *postgresServer) Send(message string) {
	l := p.listener
	l.mu.Lock()
	if len(l.pending) >= maxPending {
		clear(l.pending)
		message = "" // an empty message means that anything may have changed
	}
	l.pending[message] = struct{}{}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // send was woken already and takes this message too
	}
}

// send sends all unsent messages to the other processes whenever it is woken.
func (l *changeListener) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
		l.mu.Lock()
		list := make([]string, 0, len(l.pending))
		for message := range l.pending {
			list = append(list, l.node+" "+message)
		}
		clear(l.pending)
		l.mu.Unlock()
		var err error
		for try := 0; try == 0 || err != nil && try < attempts; try++ { // an idle connection may have broken
			err = l.notify(ctx, list...)
		}
		if err != nil && ctx.Err() == nil {
			slog.Warn("other processes were not notified of a change; they poll for it", "error", err)
		}
	}
}

// notify sends messages, which must begin with the id of this process.
func (l *changeListener) notify(ctx context.Context, list ...string) error {
	_, err := l.server.readers.ExecContext(ctx, "SELECT pg_notify($1, message) FROM unnest($2::text[]) message", notifyChannel, list)
	return err
}

// listen receives the messages of other processes, and reconnects if the connection breaks.
func (l *changeListener) listen(ctx context.Context) {
	for pause := time.Duration(0); ctx.Err() == nil; pause = min(2*pause+100*time.Millisecond, 5*time.Second) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		connected, err := l.receiveAll(ctx)
		if connected {
			pause = 0
		}
		if ctx.Err() == nil {
			slog.Warn("the connection that listens for changes has ended; connecting again", "error", err)
		}
	}
}

func (l *changeListener) receiveAll(ctx context.Context) (connected bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, l.server.config.Copy())
	if err != nil {
		return false, err
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(ctx, "LISTEN "+notifyChannel); err != nil {
		return false, err
	}
	l.server.receive(ctx, "") // messages may have been sent before LISTEN
	for {
		got, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true, err
		}
		if node, message, _ := strings.Cut(got.Payload, " "); node != l.node {
			l.server.receive(ctx, message)
		}
	}
}

func (l *changeListener) tick(ctx context.Context) {
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			l.server.receive(ctx, "")
		}
	}
}

func (p *postgresServer) receive(ctx context.Context, message string) {
	if message == "" { // another process may have migrated the database, which a read notices
		p.Read(ctx, func(*Tx) error { return nil })
	}
	if p.options.Receive != nil {
		p.options.Receive(message)
	}
}
