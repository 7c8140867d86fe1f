package governance

import (
	"samepage/store"
)

// TopicBriefing is a summary of a topic.
type TopicBriefing struct {
	*Topic
	Texts  []Version // the latest versions, newest first; nil if the text never changed
	Silent []string  // handles of members without a response in the open round, at most [MostSilent]
}

// ElectionBriefing is a summary of an election. It contains no secret nomination, not even the reader's own.
type ElectionBriefing struct {
	*Election
	Silent []string // handles of members without a response in the open round, at most [MostSilent]
}

// MostSilent is the greatest number of members in a list of those without a response, and in a [Turnout].
const MostSilent = 50

// mostRetold is the greatest number of revisions of a proposal that a briefing shows, the latest ones.
const mostRetold = 5

// BriefTopic loads the briefing of a topic.
func BriefTopic(tx *store.Tx, by store.Actor, t *Topic) (*TopicBriefing, error) {
	b := &TopicBriefing{Topic: t}
	if t.Versions > 0 {
		if err := tx.Select(&b.Texts, `SELECT `+versionColumns+`, v.title, v.body, v.details FROM`+versionFrom+`
			WHERE v.item_id = ? ORDER BY v.n DESC`+store.AtMost, t.ID, mostRetold+1); err != nil {
			return nil, err
		}
	}
	var err error
	b.Silent, err = silent(tx, by, t)
	return b, err
}

// BriefElection loads the briefing of an election.
func BriefElection(tx *store.Tx, by store.Actor, e *Election) (*ElectionBriefing, error) {
	e.Own.NomineeID, e.Own.Nominee, e.Own.Reason = "", "", ""
	list, err := silent(tx, by, e)
	return &ElectionBriefing{Election: e, Silent: list}, err
}

// silent lists the handles of members without a response in the open round of consent, at most [MostSilent]. The list
// is empty for readers outside the organization, because they must not see the studio's members.
func silent(tx *store.Tx, by store.Actor, a Asked) ([]string, error) {
	i, c := a.Common(), a.Asks()
	if by.In(i.OrgID).Member == nil || !c.Asking || !i.ClosedAt.IsZero() || c.Answered >= c.Electorate {
		return nil, nil
	}
	return store.All[string](tx, `SELECT m.handle FROM`+unanswered+`JOIN members m ON m.id = x.member_id`+isUnanswered+`
		ORDER BY m.handle`+store.AtMost, append(unansweredArgs(i, c), MostSilent)...)
}
