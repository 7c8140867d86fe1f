package web

import (
	"crypto/sha256"
	"sync"
	"time"

	"samepage/store"
)

// known is who showed what in the latest state of the database in which somebody was looked up. What it says is as good as
// asking again a database that has not changed.
type known struct {
	mu     sync.RWMutex
	at     store.Moment
	actors map[shown]store.Actor
}

// maxKnown is how many are kept, each of which takes about 2 KB.
const maxKnown = 2000

// shown is the hash of what somebody has shown, and what that is.
type shown struct {
	hash [sha256.Size]byte
	what int
}

const (
	shownNothing = iota
	shownLogin
	shownToken
	shownSigned // a token whose signature is valid at present
)

func (c *credentials) shown() shown {
	switch {
	case c.access != nil:
		return shown{sha256.Sum256([]byte(c.token)), shownSigned}
	case c.token != "":
		return shown{sha256.Sum256([]byte(c.token)), shownToken}
	case c.login != "":
		return shown{sha256.Sum256([]byte(c.login)), shownLogin}
	}
	return shown{}
}

// actor is who shows this, if that was found out at this moment and has not ended by itself since. Who is to be seen again is
// not known.
func (k *known) actor(key shown, at store.Moment, now time.Time) (by store.Actor, ok bool) {
	k.mu.RLock()
	if k.at == at {
		by, ok = k.actors[key]
	}
	k.mu.RUnlock()
	return by, ok && !by.Ended(now) && !by.Unseen(now)
}

// keep notes who has shown this at this moment, if it is somebody.
func (k *known) keep(key shown, at store.Moment, by store.Actor) {
	if key.what == shownNothing || by.Anonymous() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.at != at || len(k.actors) >= maxKnown {
		k.at = at
		k.actors = map[shown]store.Actor{}
	}
	k.actors[key] = by
}
