package store

import (
	"regexp"
	"strings"
	"time"
	"unicode"
)

// AgentPage is an agent with the data of its page.
type AgentPage struct {
	Stopped int `db:"-"` // number of turns that [Tx.PauseAgent] or [Tx.RevokeAgent] ended; 0 before
	Agent
	OrgID     string `db:"org_id"`
	Org       string `db:"org"` // handle of the organization
	OrgName   string `db:"org_name"`
	OwnerID   string `db:"owner_id"`
	MemberID  string `db:"member_id"`
	Member    string `db:"member"` // handle of the agent's member
	CreatedAt Time   `db:"created_at"`
	UsedAt    Time   `db:"used_at"` // time of the last recorded use of any token; zero if there was none
	Active    int    `db:"active"`  // number of tokens in force: not revoked, paused or expired
	Paused    int    `db:"paused"`  // number of paused tokens, including expired ones

	Tokens   []Token    // nil unless the actor may see them ([AgentPage.Open])
	Entries  []Entry    // the latest of the agent's journal entries that the actor may see
	Refusals []Refusal  // latest refused or failed calls; nil unless the actor may see them ([AgentPage.Open])
	Lately   int        // number of all its entries in the last 24 hours, up to [Many]; 0 unless [AgentPage.Open]
	Refused  int        // number of refused or failed calls, counted like Lately
	Held     []Approval // pending approvals of the agent; nil unless the actor is the agent or its member
	Now      time.Time
}

// Many is the limit of counts on several pages, such as an agent's page. Counting stops there.
const Many = 1000

// agentColumns needs one query argument, the present time.
const agentColumns = ` a.id AS agent_id, a.label AS agent, a.org_id, o.handle AS org, o.name AS org_name, o.owner_id,
	a.member_id, m.handle AS member, a.created_at,
	(SELECT max(t.used_at) FROM tokens t WHERE t.agent_id = a.id) AS used_at,
	(SELECT count(*) FROM tokens t WHERE t.agent_id = a.id AND t.revoked_at IS NULL AND t.paused_at IS NULL
	AND (t.expires_at IS NULL OR t.expires_at > ?)) AS active,
	(SELECT count(*) FROM tokens t WHERE t.agent_id = a.id AND t.revoked_at IS NULL AND t.paused_at IS NOT NULL) AS paused`

const agentFrom = ` FROM agents a JOIN organizations o ON o.id = a.org_id JOIN members m ON m.id = a.member_id `

// MemberAgent is an agent with the handle of its member.
type MemberAgent struct {
	Agent
	Member string `db:"member"`
}

// MostMemberAgents is the greatest number of agents that a page lists beside its members.
const MostMemberAgents = 12

// AgentsOf lists the agents of some members of one organization, sorted by member and label. It leaves out agents
// without an unrevoked token. The list has up to [MostMemberAgents] + 1 agents, so that a page can tell that it leaves
// some out.
func (tx *Tx) AgentsOf(members []Member) ([]MemberAgent, error) {
	if len(members) == 0 {
		return nil, nil
	}
	args := make([]any, len(members), len(members)+1)
	for i := range members {
		args[i] = members[i].ID
	}
	return All[MemberAgent](tx, `SELECT a.id AS agent_id, a.label AS agent, m.handle AS member FROM members m CROSS JOIN agents a
		WHERE m.id IN (`+Placeholders(len(members))+`) AND a.member_id = m.id AND EXISTS (SELECT 1 FROM tokens t
		WHERE t.agent_id = a.id AND t.revoked_at IS NULL) ORDER BY m.handle, a.label, a.id`+AtMost, append(args, MostMemberAgents+1)...)
}

// AgentStates returns the possible states of an agent.
func AgentStates() []string { return []string{"active", "paused", "without a token"} }

// State returns one of [AgentStates].
func (a *AgentPage) State() string {
	switch {
	case a.Active > 0:
		return "active"
	case a.Paused > 0:
		return "paused"
	}
	return "without a token"
}

// URL returns the path of the agent's page.
func (a *AgentPage) URL() string { return AgentURL(a.Org, a.Agent.ID) }

// AgentURL returns the path of the page of an agent in an organization.
func AgentURL(org, id string) string { return "/orgs/" + org + "/agents/" + id }

// Ref returns the agent as the target of a journal entry.
func (a *AgentPage) Ref() Ref {
	return Ref{OrgID: a.OrgID, Kind: "agent", ID: a.Agent.ID, URL: a.URL(), Title: Byline(a.Member, a.Agent.Label),
		MemberID: a.MemberID}
}

// Record returns the fields that the journal stores about an agent.
func (a *AgentPage) Record() any {
	return struct {
		Label  string `json:"label"`
		Member string `json:"member"`
		State  string `json:"state"`
	}{a.Agent.Label, a.Member, a.State()}
}

// Open reports whether the actor may see the agent's tokens and refused calls. The agent itself, its member and
// the owner of the organization may.
func (a *AgentPage) Open(by Actor) bool {
	if by.IsAgent() {
		return by.Agent.ID == a.Agent.ID
	}
	return by.Is(a.MemberID) || by.Is(a.OwnerID)
}

// MustBeRuledBy returns [Forbidden] unless the acting member is the agent's member or the owner of the organization.
func (a *AgentPage) MustBeRuledBy(by Actor) error {
	if !by.Is(a.MemberID) && !by.Is(a.OwnerID) {
		return Errorf(Forbidden, "Only @%s, for whom it acts, and the owner of %s can do this.", a.Member, a.OrgName)
	}
	return nil
}

// FindAgent finds an agent, with its tokens if [AgentPage.Open] permits. It returns [Missing] if there is no such
// agent, or if the actor may not see the organization's agents.
func (tx *Tx) FindAgent(by Actor, org, id string) (*AgentPage, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	a := AgentPage{Now: tx.Now}
	if err := tx.Get(&a, `SELECT`+agentColumns+agentFrom+`WHERE a.org_id = ? AND a.id = ?`,
		At(tx.Now), o.ID, id); err != nil {
		return nil, err
	}
	if a.Open(by.In(o.ID)) {
		a.Tokens, err = tx.tokens(by, `t.agent_id = ?`, id)
	}
	return &a, err
}

// ShowAgent loads the data for the agent's page.
func (tx *Tx) ShowAgent(by Actor, a *AgentPage) (*AgentPage, error) {
	var err error
	if a.Entries, err = tx.journal(by, JournalQuery{OrgID: a.OrgID, AgentID: a.Agent.ID, Limit: 20}); err != nil ||
		!a.Open(by) {
		return a, err
	}
	day := At(tx.Now.Add(-24 * time.Hour))
	if err := tx.Get(&a.Lately, `SELECT count(*)
		FROM (SELECT 1 FROM (SELECT at FROM journal WHERE org_id = ? AND agent_id <> '' AND agent_id = ?
		ORDER BY seq DESC`+AtMost+`) stretch WHERE at > ?) sub`,
		a.OrgID, a.Agent.ID, Many, day); err != nil {
		return a, err
	}
	if err := tx.Get(&a.Refused, `SELECT count(*)
		FROM (SELECT 1 FROM calls c WHERE c.agent_id = ? AND c.at > ?`+AtMost+`) sub`,
		a.Agent.ID, day, Many); err != nil {
		return a, err
	}
	if a.Refusals, err = tx.refusals(by, `c.agent_id = ?`, a.Agent.ID, Cursor{}, 20); err != nil || !by.Is(a.MemberID) {
		return a, err
	}
	a.Held, err = tx.approvalsOf(a.Agent.ID, 20)
	return a, err
}

// AgentsPage is one page of the list of an organization's agents, newest first.
type AgentsPage struct {
	*Organization
	Listing[AgentPage]
}

// ShowAgents loads one page of an organization's agents. The parameter after is empty or a [Cursor].
func (tx *Tx) ShowAgents(_ Actor, o *Organization, after string) (*AgentsPage, error) {
	c, err := ReadCursor(after, o.URL()+"/agents")
	if err != nil {
		return nil, err
	}
	p := &AgentsPage{o, Listing[AgentPage]{Limit: usual}}
	args := append([]any{At(tx.Now)}, c.args(o.ID)...)
	err = tx.Select(&p.List, `SELECT`+agentColumns+agentFrom+`WHERE a.org_id = ? AND a.created_at <= ?
		AND (a.created_at < ? OR a.id > ?) ORDER BY a.created_at DESC, a.id`+AtMost, append(args, p.Limit)...)
	return p, err
}

// Cursor returns the position after this agent in a list.
func (a *AgentPage) Cursor() Cursor { return Cursor{At: a.CreatedAt.UnixMilli(), ID: a.Agent.ID} }

// PauseAgent pauses all tokens of the agent that are not revoked or paused, and revokes the tokens of turns
// ([Grant.Turn]) that began with any token of the agent.
func (tx *Tx) PauseAgent(by Actor, a *AgentPage) (err error) {
	tx.announce(agentRights.of(a.Agent.ID))
	if a.Stopped, err = tx.endTurnTokens(`agent_id = ?`, a.Agent.ID); err != nil {
		return err
	}
	return tx.Exec(`UPDATE tokens SET paused_at = ?, paused_by = ? WHERE agent_id = ? AND revoked_at IS NULL
		AND paused_at IS NULL`, At(tx.Now), by.MemberID(), a.Agent.ID)
}

// ResumeAgent resumes the agent's paused tokens that are not revoked.
func (tx *Tx) ResumeAgent(a *AgentPage) error {
	return tx.Exec(`UPDATE tokens SET paused_at = NULL, paused_by = NULL WHERE agent_id = ? AND revoked_at IS NULL
		AND paused_at IS NOT NULL`, a.Agent.ID)
}

// RevokeAgent revokes all tokens of the agent, and those of turns ([Grant.Turn]) that began with them. The agent's
// requests for approval end.
func (tx *Tx) RevokeAgent(by Actor, a *AgentPage) (err error) {
	tx.announce(agentRights.of(a.Agent.ID))
	if a.Stopped, err = tx.endTurnTokens(`agent_id = ?`, a.Agent.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE tokens SET revoked_at = ?, revoked_by = ? WHERE agent_id = ? AND revoked_at IS NULL`,
		At(tx.Now), by.MemberID(), a.Agent.ID); err != nil {
		return err
	}
	return tx.endRequests(by, askedByRevoked, `a.agent_id = ?`, a.Agent.ID)
}

// PlainLabel makes a label for an agent from the name that a program gives itself. Each run of spaces and invalid
// characters becomes one space. The result is no valid label if the name has no letter or digit.
func PlainLabel(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || !inLabel(r) })
	return strings.Join(words, " ")
}

func inLabel(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == ' ' || r == '-'
}

// CheckLabel returns [Invalid] if the text has characters that an agent's label cannot have, or no letter or digit.
func CheckLabel(label string) error {
	if strings.ContainsFunc(label, func(r rune) bool { return !inLabel(r) }) || skeleton(label) == "" {
		return Errorf(Invalid,
			"The name of an agent has letters, digits, spaces and hyphens only, such as Scribe. Choose another.")
	}
	return nil
}

// MustBeLabel returns [Invalid] for a label that [CheckLabel] rejects, and for one that looks like a member, a role or
// the product, because readers could mistake the agent for it.
func (tx *Tx) MustBeLabel(m *Member, label string) error {
	if err := CheckLabel(label); err != nil {
		return err
	}
	taken := []string{"samepage", "system", "scheduler"}
	var names []string
	if err := tx.Select(&names, `SELECT handle FROM members WHERE org_id = ? AND erased_at IS NULL
		UNION SELECT name FROM members WHERE org_id = ? AND erased_at IS NULL
		UNION SELECT title FROM roles WHERE org_id = ? AND deleted_at IS NULL`, m.OrgID, m.OrgID, m.OrgID); err != nil {
		return err
	}
	for _, name := range append(taken, names...) {
		if skeleton(name) == skeleton(label) {
			return Errorf(Invalid,
				"An agent cannot be named like a member, a role or the product. Choose another name, such as Scribe.")
		}
	}
	return nil
}

// MustNotBeLabel returns [Conflict] if a new name of a member or a role looks like the label of an agent.
func (tx *Tx) MustNotBeLabel(orgID, name string) error {
	var labels []string
	if err := tx.Select(&labels, `SELECT label FROM agents WHERE org_id = ?`, orgID); err != nil {
		return err
	}
	for _, label := range labels {
		if skeleton(label) == skeleton(name) {
			return Errorf(Conflict,
				"An agent here is named %s, and nobody could tell the two apart. Choose another name.", label)
		}
	}
	return nil
}

// MustBePersonal returns [Invalid] for a person's name that reads like the byline of an agent, such as "Scribe, agent
// of @alice" or "Scribe (agent)".
func MustBePersonal(name string) error {
	name = alike.Replace(strings.ToLower(name))
	if strings.ContainsAny(name, "@＠﹫") || agentOf.MatchString(name) || agentAside.MatchString(name) {
		return Errorf(Invalid, "Nobody could tell this name from an agent's, such as \"Scribe, agent of @alice\". "+
			"Write the person's name without @, and without \"agent\" after a sign or before \"of\".")
	}
	return nil
}

var (
	// agentOf matches "agent of", with any signs between the words.
	agentOf = regexp.MustCompile(`(^|[^\pL\pN])agents?[^\pL\pN]+of($|[^\pL\pN])`)
	// agentAside matches the word agent after a sign such as a bracket, a comma or a dash, with or without other words
	// in between.
	agentAside = regexp.MustCompile(`([\p{Ps}\p{Pi},;:|/<·•~–—]|\s-)\s*([\pL\pN]+\s+)*agents?($|[^\pL\pN])`)
)

// alike replaces letters that readers confuse. For example, 0 becomes o, rn becomes m, and the Cyrillic а becomes the
// Latin a.
var alike = strings.NewReplacer("0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w",
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "х", "x", "у", "y", "і", "l", "ј", "j", "ѕ", "s", "к", "k",
	"м", "m", "т", "t",
	"α", "a", "ο", "o", "ρ", "p", "ι", "l", "κ", "k", "ν", "v", "υ", "u")

// skeleton returns a key that is equal for names that look alike. The key ignores case, spaces, punctuation and
// combining accents.
func skeleton(name string) string {
	return alike.Replace(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, strings.ToLower(name)))
}

// AgentAtHome is an agent on its member's home page, with the last of its actions that the member may see.
type AgentAtHome struct {
	AgentPage
	Did      string `db:"did"`      // name of the last action; empty if there is none
	DidKind  string `db:"did_kind"` // kind of the page on which the agent acted
	DidURL   string `db:"did_url"`
	DidTitle string `db:"did_title"`
	DidAt    Time   `db:"did_at"`
	// Cost is the sum of [Tx.AddCost] for the days of the last [BriefingSpan], in millionths of Currency. It is nil if
	// the cost is unknown or in several currencies.
	Cost     *int64 `db:"cost"`
	Currency string `db:"currency"`
}

// costDay returns the number of days from the Unix epoch to t.
func costDay(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// AddCost adds an amount, in millionths of the currency, to today's cost of the agent with this token.
func (tx *Tx) AddCost(tokenID string, amount int64, currency string) error {
	return tx.Exec(`INSERT INTO agent_costs (agent_id, day, currency, org_id, cost) SELECT agent_id, ?, ?, org_id, ? FROM tokens
		WHERE id = ? ON CONFLICT (agent_id, day, currency) DO UPDATE SET cost = agent_costs.cost + excluded.cost`,
		costDay(tx.Now), currency, amount, tokenID)
}

// recentCosts is a FROM clause for the costs of the agent with the SQL alias a. The argument is a [costDay]; only later
// days count.
const recentCosts = ` FROM agent_costs c WHERE c.agent_id = a.id AND c.day > ?`

func (tx *Tx) agentsAtHome(by Actor, limit int) ([]AgentAtHome, error) {
	now, before := At(tx.Now), costDay(tx.Now.Add(-BriefingSpan))
	return All[AgentAtHome](tx, `SELECT`+agentColumns+`, (SELECT CAST(sum(c.cost) AS BIGINT)`+recentCosts+`
		HAVING min(c.currency) = max(c.currency)) AS cost,
		coalesce((SELECT c.currency`+recentCosts+` LIMIT 1), '') AS currency,
		j.action AS did, j.kind AS did_kind, j.url AS did_url, j.title AS did_title,
		j.at AS did_at`+agentFrom+`
		LEFT JOIN journal j ON j.org_id = a.org_id AND j.seq = (SELECT k.seq FROM journal k
		LEFT JOIN studios s ON s.id = k.studio_id
			WHERE k.org_id = a.org_id AND k.agent_id <> '' AND k.agent_id = a.id
			AND k.private_to IN ('', a.member_id) AND (k.studio_id = '' OR `+VisibleTo("a.member_id", "s")+`)
			ORDER BY k.seq DESC LIMIT 1)
		WHERE a.id IN (SELECT t.agent_id FROM members mm JOIN tokens t ON t.member_id = mm.id
			WHERE mm.user_id = ? AND mm.ended_at IS NULL AND t.revoked_at IS NULL
			AND (t.expires_at IS NULL OR t.expires_at > ?))
		ORDER BY a.created_at DESC, a.id`+AtMost, now, before, before, by.UserID, now, limit)
}
