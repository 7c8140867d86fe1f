package store

import (
	"slices"
	"strings"
	"sync"
)

// watchers has the functions that [Store.Watch] registered.
type watchers struct {
	mu   sync.Mutex
	next int
	list map[int]func(topics []Topic)
}

// Watch registers fn. After every durable change, fn is called with the topics of the change. This includes
// changes by other processes that use the same database. They may be reported late, and several changes in one
// call. A call without topics means that anything may have changed. The returned function ends the calls.
func (s *Store) Watch(fn func(topics []Topic)) (stop func()) {
	w := &s.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = map[int]func([]Topic){}
	}
	w.next++
	n := w.next
	w.list[n] = fn
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.list, n)
	}
}

func (w *watchers) tell(topics []Topic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fn := range w.list {
		fn(topics)
	}
}

// announce adds a topic to those that the watchers receive after the commit.
func (tx *Tx) announce(t Topic) { tx.topics = append(tx.topics, t) }

// tellTopics passes each announced topic once to the watchers of this process and to other processes, after the
// commit.
func (tx *Tx) tellTopics() {
	if len(tx.topics) == 0 {
		return
	}
	slices.Sort(tx.topics)
	topics := slices.Compact(tx.topics)
	tx.AfterCommit(func() {
		tx.store.watchers.tell(topics)
		for _, message := range messages(topics) {
			tx.store.DB.Send(message)
		}
	})
}

// maxMessage is the greatest length, in bytes, of a message to other processes. PostgreSQL permits less than
// 8,000 bytes.
const maxMessage = 7500

// messages packs topics into as few messages as possible.
func messages(topics []Topic) (list []string) {
	for _, t := range topics {
		if last := len(list) - 1; last >= 0 && len(list[last])+1+len(t) <= maxMessage {
			list[last] += " " + string(t)
		} else {
			list = append(list, string(t))
		}
	}
	return list
}

// received passes the topics in a message of another process to the watchers. An empty message means that
// anything may have changed.
func (w *watchers) received(message string) {
	var topics []Topic
	for t := range strings.FieldsSeq(message) {
		topics = append(topics, Topic(t))
	}
	w.tell(topics)
}
