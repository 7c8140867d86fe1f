package store

import (
	"strconv"
	"strings"
	"time"
)

// Request is something that waits for a person and is neither an item nor an approval, such as a question of an agent
// at work.
type Request struct {
	Act          string `db:"act"` // label of the answer, such as Review
	Title        string `db:"title"`
	URL          string `db:"url"`    // path of the page on which the request is answered
	Member       string `db:"handle"` // handle of the asking member, or of the asking agent's member
	Agent        string `db:"label"`  // label of the asking agent; empty if a person asks
	At           Time   `db:"at"`
	OrgID        string `db:"org_id"`
	StudioHandle string `db:"studio_handle"`
	StudioName   string `db:"studio_name"`

	Step     string `db:"step"`      // the agent's last step before the request, in the agent's words; empty if unknown
	StepRuns bool   `db:"step_runs"` // the step is a command
	StepAt   Time   `db:"step_at"`
}

// NoStep has the last columns of a [RequestQuery] for requests without a step.
const NoStep = `'', 0, CAST(NULL AS BIGINT)`

// IsOf reports whether the request is from the actor's agent with this label in the organization with the handle org.
func (r *Request) IsOf(by Actor, org, label string) bool {
	m := by.In(r.OrgID).Member
	return m != nil && m.Org == org && m.Handle == r.Member && r.Agent == label
}

// Answerer is a person that requests may wait for.
type Answerer struct {
	Members []any // ids of the person's memberships
	Most    int   // greatest number of requests to load, newest first
	Now     time.Time
}

// RequestQuery returns a SELECT statement for the requests of one kind, with its arguments. Its columns are, in this
// order: the label of the answer, the title, the path, the time, the id of the studio, the id of the asking member, the
// label of the asking agent, and the three columns of the agent's step, see [Request] and [NoStep]. The path is
// relative to the studio's path. The agent's label is empty if a person asks. The store leaves out requests in archived
// studios and in studios to which the person does not belong. The statement should begin with an index that has few
// rows for the person, because an organization can have very many requests for other people.
type RequestQuery func(who Answerer) (query string, args []any)

var requestQueries []RequestQuery

// DeclareRequests adds the query for one kind of requests, while packages are initialized. It returns true, so that a
// variable's declaration can call it.
func DeclareRequests(q RequestQuery) bool {
	requestQueries = append(requestQueries, q)
	return true
}

// requests lists the requests of all kinds that wait for the actor, newest first. No request waits for an agent. Each
// kind has its own LIMIT, so that the database can stop early in an index sorted by time.
func (tx *Tx) requests(by Actor, limit int) ([]Request, error) {
	if by.IsAgent() || len(by.Members) == 0 || len(requestQueries) == 0 {
		return nil, nil
	}
	who := Answerer{Now: tx.Now, Most: limit}
	for i := range by.Members {
		who.Members = append(who.Members, by.Members[i].ID)
	}
	var tables, stretches []string
	var args, others []any
	for n, query := range requestQueries {
		q, some := query(who)
		name := "asked" + strconv.Itoa(n)
		tables = append(tables, name+` (act, title, path, at, studio_id, member_id, label, step, step_runs, step_at) AS (`+q+`)`)
		args = append(args, some...)
		stretches = append(stretches, `SELECT * FROM (SELECT w.act, w.title, '/studios/' || h.handle || w.path AS url,
				m.handle, w.label, w.at, w.step, w.step_runs, w.step_at, h.org_id, h.handle AS studio_handle, h.name AS studio_name
			FROM `+name+` w CROSS JOIN studios h CROSS JOIN members m
			WHERE h.id = w.studio_id AND h.archived_at IS NULL AND m.id = w.member_id
				AND EXISTS (SELECT 1 FROM studio_members x
					WHERE x.studio_id = h.id AND x.member_id IN (`+Placeholders(len(who.Members))+`))
			`+newestRequests+`) AS stretch`+strconv.Itoa(n))
		others = append(append(others, who.Members...), limit)
	}
	return All[Request](tx, `WITH `+strings.Join(tables, `, `)+` SELECT * FROM (`+strings.Join(stretches, ` UNION ALL `)+
		`) AS w `+newestRequests, append(append(args, others...), limit)...)
}

const newestRequests = `ORDER BY w.at DESC, url` + AtMost
