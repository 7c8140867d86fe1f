package store

import (
	"slices"
	"strings"
	"sync"
)

// watchers are told what has changed.
type watchers struct {
	mu   sync.Mutex
	next int
	list map[int]func(topics []Topic)
}

// Watch calls fn with the topics of every change that is durable, made here or in another process that shares the database, and
// without topics when anything may have changed. A change elsewhere may be told late, and several as one. It ends with stop.
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

// announce has the watchers told of a topic once this transaction is durable.
func (tx *Tx) announce(t Topic) { tx.topics = append(tx.topics, t) }

// tellTopics ends a transaction: what it announced is told at once, and each topic once.
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

// maxMessage is the length of a message between processes, in bytes. PostgreSQL takes less than 8,000.
const maxMessage = 7500

// messages names topics to other processes, in as few messages as they fit into.
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

// received tells what another process has announced. The empty message says that anything may have changed.
func (w *watchers) received(message string) {
	var topics []Topic
	for t := range strings.FieldsSeq(message) {
		topics = append(topics, Topic(t))
	}
	w.tell(topics)
}
