package store

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Topic identifies a value that can change, such as the version of one item. The topic is announced when the value
// changes.
type Topic string

// topicKind is the prefix of a topic, which tells the kind of change.
type topicKind string

func (k topicKind) of(id string) Topic { return Topic(string(k) + id) }

// These are the kinds of topics that do not announce a new version of a row.
const (
	journalTopic  topicKind = "journal:"  // the organization's journal has a new entry
	entryTopic    topicKind = "entry:"    // new journal entry about the studio or, for an organization, about no studio
	approvalTopic topicKind = "approval:" // the state of the approval changed
	memberRights  topicKind = "rights:"   // a membership in the organization ended, or one in a studio began or ended
	tokenRights   topicKind = "token:"    // the token was revoked, paused or resumed
	agentRights   topicKind = "agent:"    // all tokens of the agent were revoked or paused
	directTopic   topicKind = "direct:"   // a message between the two members was sent, edited or deleted
	studioReaders topicKind = "readers:"  // the visibility of the studio changed
	webhookTopic  topicKind = "webhook:"  // the webhook has become active
)

// counter is a column that counts the changes of a row.
type counter struct {
	topicKind
	raise string
}

var (
	itemVersion         = counter{"item:", `UPDATE items SET version = version + 1 WHERE `}
	studioVersion       = counter{"studio:", `UPDATE studios SET version = version + 1 WHERE `}
	talkVersion         = counter{"talk:", `UPDATE studios SET talk_version = talk_version + 1 WHERE `}
	personVersion       = counter{"own:", `UPDATE members SET person_version = person_version + 1 WHERE `}
	roleVersion         = counter{"role:", `UPDATE roles SET version = version + 1 WHERE `}
	memberVersion       = counter{"member:", `UPDATE members SET version = version + 1 WHERE `}
	organizationVersion = counter{"organization:", `UPDATE organizations SET version = version + 1 WHERE `}
	ownVersion          = counter{"own:", `UPDATE members SET own_version = own_version + 1 WHERE `}
)

// Counter is the column version of a table that belongs to another package, such as governance.
type Counter struct{ counter }

// NewCounter returns the counter of a table. The name is the prefix of its topics and must be unique.
func NewCounter(name, table string) Counter {
	return Counter{counter{topicKind(name + ":"), `UPDATE ` + table + ` SET version = version + 1 WHERE `}}
}

// Topic returns the topic that is announced with each new version of the row with this id.
func (c Counter) Topic(id string) Topic { return c.of(id) }

// Raise gives the row with this id a new version.
func (tx *Tx) Raise(c Counter, id string) error { return tx.raise(c.counter, id) }

// raise adds one to the counter of the row with this id, and announces the row's topic.
func (tx *Tx) raise(c counter, id string) error {
	tx.announce(c.of(id))
	return tx.Exec(c.raise+`id = ?`, id)
}

// raiseAll adds one to the counters of all rows that meet the SQL condition, and announces the topics of the rows.
func (tx *Tx) raiseAll(c counter, condition string, args ...any) error {
	var ids []string
	if err := tx.Select(&ids, c.raise+condition+` RETURNING id`, args...); err != nil {
		return err
	}
	for _, id := range ids {
		tx.announce(c.of(id))
	}
	return nil
}

// RaiseItems raises the version of the items with the ids that the query selects. It must be called if the pages of
// these items show other rows that have changed.
func (tx *Tx) RaiseItems(query string, args ...any) error {
	return tx.raiseAll(itemVersion, `id IN (`+query+`)`, args...)
}

// Topics returns the topics that are announced when the version of the page rises, or when the visibility of its studio
// changes.
func (r Ref) Topics() []Topic {
	if r.StudioID == "" {
		return []Topic{r.Topic}
	}
	return []Topic{r.Topic, studioReaders.of(r.StudioID)}
}

// AccessTopics returns the topics that are announced when the actor may have lost a right to read.
func (a Actor) AccessTopics() []Topic {
	var list []Topic
	for i := range a.Members {
		list = append(list, memberRights.of(a.Members[i].ID))
	}
	if a.IsAgent() {
		list = append(list, tokenRights.of(a.Token), agentRights.of(a.Agent.ID))
	}
	return list
}

// EventsTopic returns the topic that is announced with every new entry of an organization's journal.
func EventsTopic(orgID string) Topic { return journalTopic.of(orgID) }

// BeginsWebhook reports whether the topic announces that a webhook has become active.
func (t Topic) BeginsWebhook() bool { return strings.HasPrefix(string(t), string(webhookTopic)) }

// AnnounceWebhook announces to all processes that the webhook with this id has become active.
func (tx *Tx) AnnounceWebhook(id string) { tx.announce(webhookTopic.of(id)) }

// OwnTopics returns the topics of the pages that only this actor sees, such as the inbox.
func (a Actor) OwnTopics() []Topic {
	list := make([]Topic, len(a.Members))
	for i := range a.Members {
		list[i] = ownVersion.of(a.Members[i].ID)
	}
	return list
}

// JournalTopics returns the topics of the journals of the actor's organizations.
func (a Actor) JournalTopics() []Topic {
	list := make([]Topic, len(a.Members))
	for i := range a.Members {
		list[i] = journalTopic.of(a.Members[i].OrgID)
	}
	return list
}

// Around tells whether the journal has new entries about an actor's studios and organizations.
type Around struct {
	versions map[string]uint64 // hashes that change with every such entry, by organization id
	Topics   []Topic           // topics that are announced with every such entry
}

// Version returns a string that changes with every entry about the organization or the actor's studios in it, and with
// the set of these studios. It has at most eight characters, because every answer to an agent contains it.
func (a Around) Version(orgID string) string { return strconv.FormatUint(a.versions[orgID]>>24, 36) }

// FindAround returns the versions and the topics of the journal entries about the actor's organizations and studios.
func (tx *Tx) FindAround(by Actor) (Around, error) {
	var list []struct {
		ID    string `db:"id"` // id of a studio or an organization
		OrgID string `db:"org_id"`
		Seq   int64  `db:"seq"` // number of the latest entry about it
	}
	args := by.studioArgs()
	err := tx.Select(&list, `SELECT me.studio_id AS id, mm.org_id, coalesce((SELECT max(j.seq) FROM journal j
			WHERE j.org_id = mm.org_id AND j.studio_id = me.studio_id), 0) AS seq
		FROM members mm JOIN studio_members me ON me.member_id = mm.id`+isMine+`
		UNION ALL SELECT mm.org_id, mm.org_id, coalesce((SELECT max(j.seq) FROM journal j
			WHERE j.org_id = mm.org_id AND j.studio_id = ''), 0)
		FROM members mm`+isMine+` ORDER BY 3`, slices.Concat(args, args)...)
	a := Around{versions: map[string]uint64{}}
	for i := range list {
		h := fnv.New64a()
		fmt.Fprintln(h, a.versions[list[i].OrgID], list[i].Seq)
		a.versions[list[i].OrgID] = h.Sum64()
		a.Topics = append(a.Topics, entryTopic.of(list[i].ID))
	}
	return a, err
}

// watchers has the functions that [Store.Watch] registered.
type watchers struct {
	mu   sync.Mutex
	next int
	list map[int]func(topics []Topic)
}

// Watch registers fn, which is called with the topics that a transaction announced, once its changes are durable. With
// PostgreSQL, this includes the transactions of other processes. One call may report several transactions. A call
// without topics means that anything may have changed. The returned function ends the calls. During a call a lock is
// held, so fn must return soon, and must call neither Watch nor the returned function.
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

func (w *watchers) wake(topics []Topic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fn := range w.list {
		fn(topics)
	}
}

// announce adds a topic to those that are announced after the commit.
func (tx *Tx) announce(t Topic) { tx.topics = append(tx.topics, t) }

// tellTopics passes each topic of [Tx.announce] once to the watchers of this process and to other processes, after the
// commit.
func (tx *Tx) tellTopics() {
	if len(tx.topics) == 0 {
		return
	}
	slices.Sort(tx.topics)
	topics := slices.Compact(tx.topics)
	tx.AfterCommit(func() {
		tx.store.watchers.wake(topics)
		for _, message := range messages(topics) {
			tx.store.DB.Send(message)
		}
	})
}

// maxMessage is the greatest length, in bytes, of a message to other processes. PostgreSQL permits less than
// 8,000 bytes.
const maxMessage = 7500

// messages packs topics into messages of up to [maxMessage] bytes.
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
	w.wake(topics)
}
