package store

// Topic names an observable change, for requests that wait for it.
type Topic string

// topicKind is the part of a topic before the id of the row.
type topicKind string

func (k topicKind) of(id string) Topic { return Topic(string(k) + id) }

// The kinds of topics without a version.
const (
	journalTopic  topicKind = "journal:"  // an entry in the organization's journal
	approvalTopic topicKind = "approval:" // the approval's state
	memberRights  topicKind = "rights:"   // the member's memberships: ended, or begun or ended in a studio
	tokenRights   topicKind = "token:"    // the token was revoked, paused or resumed
	agentRights   topicKind = "agent:"    // all tokens of the agent were revoked or paused
	studioReaders topicKind = "readers:"  // the studio's visibility
)

// counter is a column with the version of a row, which counts its changes.
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

// raise adds one to the counter of the row with this id and announces its topic. No other statement changes a counter.
func (tx *Tx) raise(c counter, id string) error {
	tx.announce(c.of(id))
	return tx.Exec(c.raise+`id = ?`, id)
}

// raiseAll does the same for all rows that meet the condition.
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

// Topics returns the topics that are announced with each new Version and with changes of the right to read the page.
func (r Ref) Topics() []Topic {
	if r.StudioID == "" {
		return []Topic{r.Topic}
	}
	return []Topic{r.Topic, studioReaders.of(r.StudioID)}
}

// AccessTopics returns the topics that are announced when the actor may have lost a right to read: by the
// end of the token, or of a membership in the organization or in a studio.
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

// OwnTopics returns the topics of the pages that only the actor sees.
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
