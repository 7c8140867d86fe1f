package store

// The tests are in package store_test, because they use packages that import store, such as governance. The names below
// give the tests access to unexported parts of store.

// Constants and functions.
const (
	Crockford      = crockford
	EntryColumns   = entryColumns
	IndexStep      = indexStep
	ManyLists      = manyLists
	MaxMessage     = maxMessage
	MaxSearchTerms = maxSearchTerms
	NonceLength    = nonceLength
	PruneStep      = pruneStep
	SearchLimit    = searchLimit

	ChecksumLength  = checksumLength
	CommentDocument = commentDocument
)

var (
	EntryTopic          = entryTopic
	ItemVersion         = itemVersion
	JournalTopic        = journalTopic
	MemberRights        = memberRights
	MemberVersion       = memberVersion
	OrganizationVersion = organizationVersion
	OwnVersion          = ownVersion
	StudioReaders       = studioReaders
	StudioVersion       = studioVersion
	TokenRights         = tokenRights

	AppendChecksum = appendChecksum
	DigestOf       = digestOf
	Kinds          = kinds
	Messages       = messages
	MigrationFiles = migrationFiles
	Schema         = schema
	SignPreview    = signPreview
)

// SetWalkLength sets the number of documents that a query on a server reads by age before it uses the index. The
// function restore undoes this.
func SetWalkLength(n int) (restore func()) {
	was := walkLength
	walkLength = func(int) int { return n }
	return func() { walkLength = was }
}

// Methods.

func (k topicKind) Of(id string) Topic { return k.of(id) }

func (e *Entry) Sum() []byte { return e.sum() }

func (tx *Tx) CountFiles(i *Item, n int, bytes int64) error { return tx.countFiles(i, n, bytes) }

func (tx *Tx) MustBeAbove(parentID string, s *Studio) error { return tx.mustBeAbove(parentID, s) }

func (tx *Tx) DetachAll(i *Item) error { return tx.detachAll(i) }

func (tx *Tx) Index(sort documentSort, id string, seq int) { tx.index(sort, id, seq) }

func (tx *Tx) IndexWaiting(limit int) (more bool, err error) { return tx.indexWaiting(limit) }

func (tx *Tx) Invitation(where string, args ...any) (*Invitation, error) {
	return tx.invitation(where, args...)
}

func (tx *Tx) ListJournal(by Actor, q JournalQuery) ([]Entry, error) { return tx.journal(by, q) }

func (tx *Tx) LeaveOneStudio(m *Member, id string) error { return tx.leaveStudio(m, id) }

func (tx *Tx) Linking(by Actor, i *Item, limit int) ([]Item, error) { return tx.linking(by, i, limit) }

func (tx *Tx) Member(id string) (*Member, error) { return tx.member(id) }

func (tx *Tx) RevokeInvitationsOf(by Actor, m *Member) error { return tx.revokeInvitationsOf(by, m) }

// Indexing reports whether an indexer was started when the store was opened, because documents waited to be indexed.
func (s *Store) Indexing() bool { return s.index != nil }

// InColumn returns a copy of the query that looks for its words in one column.
func (q SearchQuery) InColumn(name string) SearchQuery {
	q.in = name
	return q
}

// IndexDone returns a channel that is closed when all waiting documents are indexed.
func (s *Store) IndexDone() <-chan struct{} { return s.index.done }

// HasText reports whether the program was built with a full-text index.
func (s *Store) HasText() bool { return s.text != nil }

// SwapText replaces the full-text index and returns the former one. Nil stands for no index.
func (s *Store) SwapText(text fullText) fullText {
	had := s.text
	s.text = text
	return had
}

// Watchers has the functions that are called after changes, for tests of messages from other processes.
type Watchers = watchers

func (w *watchers) SetList(list map[int]func([]Topic)) { w.list = list }

func (w *watchers) Received(message string) { w.received(message) }

// NoteHeads writes the heads of the journals to the file beside the database.
func (s *Store) NoteHeads() { s.heads.write() }
