package store

// Topic names something that may change, for those who wait for it.
type Topic string

// topicKind is what changes of the row whose id follows in a topic.
type topicKind string

func (k topicKind) of(id string) Topic { return Topic(string(k) + id) }

// The kinds of topics that no version counts.
const (
	journalTopic  topicKind = "journal:"  // of an organization
	approvalTopic topicKind = "approval:" // its state
	memberRights  topicKind = "rights:"   // of a member: the membership has ended, or begun or ended in a studio
	tokenRights   topicKind = "token:"    // the token was revoked, paused or resumed
	agentRights   topicKind = "agent:"    // all tokens of the agent were
	studioReaders topicKind = "readers:"  // the studio's visibility
)

// counter is a column that counts the changes of its row. A page with a version shows what such a column counts.
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

// raiseAll does the same for every row that meets the condition.
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

// Topics are announced when Version is raised, and when those who may read the page become others.
func (r Ref) Topics() []Topic {
	if r.StudioID == "" {
		return []Topic{r.Topic}
	}
	return []Topic{r.Topic, studioReaders.of(r.StudioID)}
}

// AccessTopics are announced when the actor's right to read may have ended: the membership, the token, or the place in a studio.
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

// OwnTopics are announced when what only the actor sees changes.
func (a Actor) OwnTopics() []Topic {
	list := make([]Topic, len(a.Members))
	for i := range a.Members {
		list[i] = ownVersion.of(a.Members[i].ID)
	}
	return list
}

// JournalTopics are announced with every entry in the journals of the actor's organizations.
func (a Actor) JournalTopics() []Topic {
	list := make([]Topic, len(a.Members))
	for i := range a.Members {
		list[i] = journalTopic.of(a.Members[i].OrgID)
	}
	return list
}
