package store

// Topic identifies something that can change, such as the version of one item. Requests wait for the changes of
// topics.
type Topic string

// topicKind is the part of a topic that precedes the id of the row.
type topicKind string

func (k topicKind) of(id string) Topic { return Topic(string(k) + id) }

// These are the kinds of topics that are not about the version of a row.
const (
	journalTopic  topicKind = "journal:"  // an entry was added to the organization's journal
	approvalTopic topicKind = "approval:" // the state of the approval changed
	memberRights  topicKind = "rights:"   // a membership ended, or one in a studio began or ended
	tokenRights   topicKind = "token:"    // the token was revoked, paused or resumed
	agentRights   topicKind = "agent:"    // all tokens of the agent were revoked or paused
	studioReaders topicKind = "readers:"  // the visibility of the studio changed
)

// counter is a column that counts the changes of a row, which is the version of the row.
type counter struct {
	topicKind
	raise string
}

var (
	itemVersion         = counter{"item:", `UPDATE items SET version = version + 1 WHERE `}
	studioVersion       = counter{"studio:", `UPDATE studios SET version = version + 1 WHERE `}
	roleVersion         = counter{"role:", `UPDATE roles SET version = version + 1 WHERE `}
	memberVersion       = counter{"member:", `UPDATE members SET version = version + 1 WHERE `}
	organizationVersion = counter{"organization:", `UPDATE organizations SET version = version + 1 WHERE `}
	ownVersion          = counter{"own:", `UPDATE members SET own_version = own_version + 1 WHERE `}
)

// raise adds one to the counter of the row with this id, and announces the topic of the row. All changes of
// counters are made by raise and raiseAll.
func (tx *Tx) raise(c counter, id string) error {
	tx.announce(c.of(id))
	return tx.Exec(c.raise+`id = ?`, id)
}

// raiseAll does the same as raise for all rows that meet the condition.
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

// Topics returns the topics that are announced when the page has a new version, or when the right to read it
// changes.
func (r Ref) Topics() []Topic {
	if r.StudioID == "" {
		return []Topic{r.Topic}
	}
	return []Topic{r.Topic, studioReaders.of(r.StudioID)}
}

// AccessTopics returns the topics that are announced when the actor may have lost a right to read something.
// This happens when the token ends, or a membership in the organization or a studio.
func (a Actor) AccessTopics() []Topic {
	var list []Topic
	if a.Member != nil {
		list = append(list, memberRights.of(a.Member.ID))
	}
	if a.IsAgent() {
		list = append(list, tokenRights.of(a.Token), agentRights.of(a.Agent.ID))
	}
	return list
}

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
