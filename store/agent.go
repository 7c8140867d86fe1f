package store

import "time"

// AgentPage is an agent with what its page shows to an actor.
type AgentPage struct {
	Agent
	OrgID     string `db:"org_id"`
	Org       string `db:"org"` // handle
	OrgName   string `db:"org_name"`
	OwnerID   string `db:"owner_id"`
	MemberID  string `db:"member_id"` // for whom it acts
	Member    string `db:"member"`    // handle
	CreatedAt Time   `db:"created_at"`
	UsedAt    Time   `db:"used_at"` // when a token of it was last used
	Active    int    `db:"active"`  // how many of its tokens can be used now
	Paused    int    `db:"paused"`

	Tokens   []Token    // nil where the actor is neither its member nor the owner
	Entries  []Entry    // what it did, as far as the actor may see
	Refusals []Refusal  // what it was refused
	Lately   int        // how much it did within a day, up to [Many]
	Refused  int        // how often it was refused within a day, up to [Many]
	Held     []Approval // what it asked for and waits; its member's alone
	Now      time.Time
}

// Many is as far as things are counted.
const Many = 1000

// The arguments are the time, twice.
const agentColumns = ` a.id AS agent_id, a.label AS agent, a.org_id, o.handle AS org, o.name AS org_name, o.owner_id,
	a.member_id, m.handle AS member, a.created_at,
	(SELECT max(t.used_at) FROM tokens t WHERE t.agent_id = a.id) AS used_at,
	(SELECT count(*) FROM tokens t WHERE t.agent_id = a.id AND t.revoked_at IS NULL AND t.paused_at IS NULL
	AND (t.expires_at IS NULL OR t.expires_at > ?)) AS active,
	(SELECT count(*) FROM tokens t WHERE t.agent_id = a.id AND t.revoked_at IS NULL AND t.paused_at IS NOT NULL
	AND (t.expires_at IS NULL OR t.expires_at > ?)) AS paused`

const agentFrom = ` FROM agents a JOIN organizations o ON o.id = a.org_id JOIN members m ON m.id = a.member_id `

// AgentStates are the states of an agent.
func AgentStates() []string { return []string{"active", "paused", "without a token"} }

// State is one of [AgentStates].
func (a *AgentPage) State() string {
	switch {
	case a.Active > 0:
		return "active"
	case a.Paused > 0:
		return "paused"
	}
	return "without a token"
}

// URL is the agent's page.
func (a *AgentPage) URL() string { return AgentURL(a.Org, a.Agent.ID) }

// AgentURL is the page of an agent in an organization.
func AgentURL(org, id string) string { return "/orgs/" + org + "/agents/" + id }

// By names the agent as every byline does.
func (a *AgentPage) By() string { return Byline(a.Member, a.Agent.Label) }

// Ref names the agent for the journal.
func (a *AgentPage) Ref() Ref {
	return Ref{OrgID: a.OrgID, Kind: "agent", ID: a.Agent.ID, URL: a.URL(), Title: a.By()}
}

// Record is what the journal keeps of an agent.
func (a *AgentPage) Record() any {
	return struct {
		Label  string `json:"label"`
		Member string `json:"member"`
		State  string `json:"state"`
	}{a.Agent.Label, a.Member, a.State()}
}

// Open reports that the actor sees the agent's tokens and what it was refused: its member, the owner, and the agent itself.
func (a *AgentPage) Open(by Actor) bool {
	if by.IsAgent() {
		return by.Agent.ID == a.Agent.ID
	}
	return by.Is(a.MemberID) || by.Is(a.OwnerID)
}

// MustBeRuledBy refuses all but its member and the owner.
func (a *AgentPage) MustBeRuledBy(by Actor) error {
	if !by.Is(a.MemberID) && !by.Is(a.OwnerID) {
		return Errorf(Forbidden, "Only @%s, for whom it acts, and the owner of %s can do this.", a.Member, a.OrgName)
	}
	return nil
}

// FindAgent finds an agent in an organization that the actor is a member of, with its tokens. Any other: [Missing].
func (tx *Tx) FindAgent(by Actor, org, id string) (*AgentPage, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	a := AgentPage{Now: tx.Now}
	if err := tx.Get(&a, `SELECT`+agentColumns+agentFrom+`WHERE a.org_id = ? AND a.id = ?`,
		At(tx.Now), At(tx.Now), o.ID, id); err != nil {
		return nil, err
	}
	if a.Open(by.In(o.ID)) {
		a.Tokens, err = tx.tokens(by, `t.agent_id = ?`, id)
	}
	return &a, err
}

// ShowAgent loads what else an agent's page shows.
func (tx *Tx) ShowAgent(by Actor, a *AgentPage) (*AgentPage, error) {
	var err error
	if a.Entries, err = tx.journal(by, JournalQuery{OrgID: a.OrgID, AgentID: a.Agent.ID, Limit: 20}); err != nil ||
		!a.Open(by) {
		return a, err
	}
	day := At(tx.Now.Add(-24 * time.Hour))
	if err := tx.Get(&a.Lately, `SELECT count(*)
		FROM (SELECT 1 FROM (SELECT at FROM journal WHERE org_id = ? AND agent_id <> '' AND agent_id = ?
		ORDER BY seq DESC`+atMost+`) stretch WHERE at > ?) sub`,
		a.OrgID, a.Agent.ID, Many, day); err != nil {
		return a, err
	}
	if err := tx.Get(&a.Refused, `SELECT count(*)
		FROM (SELECT 1 FROM calls c WHERE c.agent_id = ? AND c.at > ?`+atMost+`) sub`,
		a.Agent.ID, day, Many); err != nil {
		return a, err
	}
	if a.Refusals, err = tx.refusals(`c.agent_id = ?`, a.Agent.ID, Cursor{}, 20); err != nil || !by.Is(a.MemberID) {
		return a, err
	}
	a.Held, err = tx.approvalsOf(a.Agent.ID, 20)
	return a, err
}

// AgentsPage is a stretch of the agents of an organization, newest first.
type AgentsPage struct {
	*Organization
	List  []AgentPage
	Limit int
}

// ShowAgents loads a stretch of an organization's agents; after is empty or a [Cursor].
func (tx *Tx) ShowAgents(_ Actor, o *Organization, after string) (*AgentsPage, error) {
	c, err := ReadCursor(after, o.URL()+"/agents")
	if err != nil {
		return nil, err
	}
	p := &AgentsPage{Organization: o, Limit: 50}
	args := append([]any{At(tx.Now), At(tx.Now)}, c.args(o.ID)...)
	err = tx.Select(&p.List, `SELECT`+agentColumns+agentFrom+`WHERE a.org_id = ? AND a.created_at <= ?
		AND (a.created_at < ? OR a.id > ?) ORDER BY a.created_at DESC, a.id`+atMost, append(args, p.Limit)...)
	return p, err
}

// Cursor is where a list goes on after this agent.
func (a *AgentPage) Cursor() Cursor { return Cursor{At: a.CreatedAt.UnixMilli(), ID: a.Agent.ID} }

// PauseAgent pauses every token of the agent that is in force.
func (tx *Tx) PauseAgent(by Actor, a *AgentPage) error {
	tx.announce(agentRights.of(a.Agent.ID))
	return tx.Exec(`UPDATE tokens SET paused_at = ?, paused_by = ? WHERE agent_id = ? AND revoked_at IS NULL
		AND paused_at IS NULL`, At(tx.Now), by.MemberID(), a.Agent.ID)
}

// ResumeAgent lets every paused token of the agent be used again.
func (tx *Tx) ResumeAgent(a *AgentPage) error {
	return tx.Exec(`UPDATE tokens SET paused_at = NULL, paused_by = NULL WHERE agent_id = ? AND revoked_at IS NULL
		AND paused_at IS NOT NULL`, a.Agent.ID)
}

// RevokeAgent ends every token of the agent.
func (tx *Tx) RevokeAgent(by Actor, a *AgentPage) error {
	tx.announce(agentRights.of(a.Agent.ID))
	return tx.Exec(`UPDATE tokens SET revoked_at = ?, revoked_by = ? WHERE agent_id = ? AND revoked_at IS NULL`,
		At(tx.Now), by.MemberID(), a.Agent.ID)
}
