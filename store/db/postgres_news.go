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

// Processes send each other messages about their changes, after the fact and in transactions of their own: told within the
// commit, all commits of the server would wait for each other. What is not told is healed by looking from time to time.

const (
	newsChannel = "samepage_changes"
	newsTick    = 15 * time.Second
	maxPending  = 1000 // messages that wait to be sent
)

type news struct {
	server *postgresServer
	node   string // so that nobody listens to themselves
	cancel context.CancelFunc
	group  sync.WaitGroup
	wake   chan struct{}

	mu      sync.Mutex
	pending map[string]struct{} // messages that are to be sent
}

func startNews(p *postgresServer) *news {
	ctx, cancel := context.WithCancel(context.Background())
	n := &news{server: p, node: rand.Text(), cancel: cancel, wake: make(chan struct{}, 1),
		pending: map[string]struct{}{}}
	n.group.Go(func() { n.send(ctx) })
	n.group.Go(func() { n.listen(ctx) })
	n.group.Go(func() { n.tick(ctx) })
	return n
}

func (n *news) stop() {
	n.cancel()
	n.group.Wait()
}

// Send implements [DB].
func (p *postgresServer) Send(message string) {
	n := p.news
	n.mu.Lock()
	if len(n.pending) >= maxPending {
		clear(n.pending)
		message = "" // which says that anything may have changed
	}
	n.pending[message] = struct{}{}
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default: // it will be looked at with what is there already
	}
}

// send tells others, many at once if they come fast.
func (n *news) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.wake:
		}
		n.mu.Lock()
		list := make([]string, 0, len(n.pending))
		for message := range n.pending {
			list = append(list, n.node+" "+message)
		}
		clear(n.pending)
		n.mu.Unlock()
		var err error
		for try := 0; try == 0 || err != nil && try < attempts; try++ { // a connection may have broken while it waited
			_, err = n.server.readers.ExecContext(ctx, "SELECT pg_notify($1, told) FROM unnest($2::text[]) told",
				newsChannel, list)
		}
		if err != nil && ctx.Err() == nil {
			slog.Warn("others were not told of a change; they will look", "error", err)
		}
	}
}

// listen hears of others' changes, on a connection of its own that is made again when it breaks.
func (n *news) listen(ctx context.Context) {
	for pause := time.Duration(0); ctx.Err() == nil; pause = min(2*pause+100*time.Millisecond, 5*time.Second) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		heard, err := n.hear(ctx)
		if heard {
			pause = 0
		}
		if ctx.Err() == nil {
			slog.Warn("listening to the database ended; trying again", "error", err)
		}
	}
}

func (n *news) hear(ctx context.Context) (heard bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, n.server.config.Copy())
	if err != nil {
		return false, err
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(ctx, "LISTEN "+newsChannel); err != nil {
		return false, err
	}
	n.server.receive("") // what was told while nobody listened
	for {
		told, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true, err
		}
		if node, message, _ := strings.Cut(told.Payload, " "); node != n.node {
			n.server.receive(message)
		}
	}
}

func (n *news) tick(ctx context.Context) {
	t := time.NewTicker(newsTick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			n.server.receive("")
		}
	}
}

func (p *postgresServer) receive(message string) {
	if p.options.Receive != nil {
		p.options.Receive(message)
	}
}
