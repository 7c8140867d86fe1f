package store

import (
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TokenPrefix is the beginning of every token, with which secret scanners recognize leaked tokens. The end of a token
// is a checksum.
const TokenPrefix = "sp_"

// Token is a credential of one agent. It grants the agent a part of the authority of its member in one
// organization.
type Token struct {
	Turns    int    `db:"-"` // number of turns that [Tx.RevokeToken] or [Tx.PauseToken] ended; set only by these
	ID       string `db:"id"`
	OrgID    string `db:"org_id"`
	MemberID string `db:"member_id"`
	Member   string `db:"member"` // handle of the member
	AgentID  string `db:"agent_id"`
	Grant
	CreatedAt Time   `db:"created_at"`
	UsedFrom  string `db:"used_from"` // IP address of the client at the last recorded use; empty if there was none
	UsedWith  string `db:"used_with"` // User-Agent of that client
	PausedAt  Time   `db:"paused_at"`
	PausedBy  string `db:"paused_by"` // id of the member who paused the token
	RevokedAt Time   `db:"revoked_at"`
	Now       time.Time

	// The fields below are set only by [Tx.tokenList].
	ClientName string   `db:"client_name"`
	ClientHost string   `db:"client_host"` // host of the redirect URL of the client
	RoleNames  []string // roles to which the token is restricted and that the actor may see, each as "Title of Studio"
}

// TokenColumns are the columns of a [Token]. The aliases are t for the token, a for the agent and m for the member.
const (
	grantColumns = `a.label AS agent, t.scopes, t.roles, t.kinds, t.asks, t.public, t.client, t.expires_at, t.used_at`
	TokenColumns = `t.id, t.org_id, t.member_id, m.handle AS member, t.agent_id, ` + grantColumns +
		`, t.created_at, t.used_from, t.used_with, t.paused_at,
		t.paused_by, t.revoked_at`
)

// TokenStates returns the possible states of a token.
func TokenStates() []string { return []string{"active", "paused", "expired", "revoked"} }

// State returns one of [TokenStates].
func (t *Token) State() string {
	switch {
	case !t.RevokedAt.IsZero():
		return "revoked"
	case !t.Expires.IsZero() && !t.Now.Before(t.Expires.Time):
		return "expired"
	case !t.PausedAt.IsZero():
		return "paused"
	}
	return "active"
}

// Ref returns the token as the target of a journal entry.
func (t *Token) Ref() Ref {
	return Ref{OrgID: t.OrgID, Kind: "token", ID: t.ID, URL: TokensURL, Title: "Token of " + t.Label,
		PrivateTo: t.MemberID}
}

// Record returns the fields that the journal stores about a token.
func (t *Token) Record() any {
	return struct {
		Label   string      `json:"label"`
		Scopes  string      `json:"scopes"`
		Kinds   Set[string] `json:"kinds,omitempty"`
		Asks    Set[string] `json:"asks,omitempty"`
		Public  bool        `json:"public"`
		Expires Time        `json:"expires,omitzero"`
		State   string      `json:"state"`
	}{t.Label, t.Scopes.String(), t.Kinds, t.Asks, t.Public, t.Expires, t.State()}
}

// TokensURL returns the path of the actor's page of tokens in the organization of the present page.
func (a Actor) TokensURL() string {
	if len(a.Members) > 1 && a.Member != nil {
		return TokensURL + "?org=" + a.Member.Org
	}
	return TokensURL
}

// TokensURL is the path of the page with the reader's tokens in the reader's first organization.
const TokensURL = "/settings/tokens"

// Tokens is the page of one member's tokens.
type Tokens struct {
	Member *Member
	List   []Token
	Roles  []Role // the roles that the member can permit a token to use
}

// Ref returns the page of tokens as the target of journal entries, which are private to the member.
func (t *Tokens) Ref() Ref {
	r := t.Member.Ref()
	r.URL = TokensURL
	r.PrivateTo = t.Member.ID
	return r
}

// Record returns nil, since the page has no fields of its own.
func (t *Tokens) Record() any { return nil }

// FindTokens loads up to 100 of the actor's tokens in the organization with the handle org, or in the actor's first
// organization if org is empty. It leaves out tokens made for one turn of an agent. Revoked tokens come last.
// FindTokens returns [Missing] if the actor is not a member of the organization.
func (tx *Tx) FindTokens(by Actor, org string) (*Tokens, error) {
	for i := range by.Members {
		if m := &by.Members[i]; m.Org == org || org == "" && i == 0 {
			by.Member = m
			return tx.findTokens(by)
		}
	}
	return nil, Missing()
}

// noTurn is the SQL condition that excludes tokens made for one turn of an agent, because a member may have thousands
// of them.
const noTurn = ` AND t.turn = 0`

func (tx *Tx) findTokens(by Actor) (*Tokens, error) {
	t := &Tokens{Member: by.Member}
	var err error
	if t.List, err = tx.tokens(by, `t.member_id = ?`+noTurn, by.MemberID()); err != nil || by.IsAgent() {
		return t, err
	}
	t.Roles, err = tx.MyRoles(by.only(by.Member.OrgID))
	return t, err
}

func (tx *Tx) token(id string) (*Token, error) {
	t := Token{Now: tx.Now}
	err := tx.Get(&t, `SELECT `+TokenColumns+` FROM tokens t JOIN members m ON m.id = t.member_id
		JOIN agents a ON a.id = t.agent_id WHERE t.id = ?`, id)
	return &t, err
}

// CreateToken adds a token with the grant g for the member's agent with the label g.Label, and creates the agent if
// necessary. It returns the token and its secret. The secret cannot be read again later; for an OAuth client it is
// empty. CreateToken returns [Invalid] if the label of a new agent is not valid or looks like another name.
func (tx *Tx) CreateToken(m *Member, g Grant) (*Token, string, error) {
	agent, err := tx.agent(m, g.Label, slices.Contains(g.Scopes, ScopeRunner))
	if err != nil {
		return nil, "", err
	}
	secret, hash := "", []byte(nil)
	if g.Client == "" {
		body := TokenPrefix + RandomText(32)
		secret = string(appendChecksum([]byte(body), body))
		hash = SecretHash(secret)
	}
	turn := 0
	if g.Turn {
		turn = 1
	}
	if g.Asks == nil {
		g.Asks = Set[string]{}
	}
	id := NewID()
	if err := tx.Exec(`INSERT INTO tokens (id, org_id, member_id, agent_id, hash, scopes, roles, kinds, asks, public,
		client, turn, begun_by, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, m.OrgID, m.ID, agent, hash, g.Scopes, g.Roles, g.Kinds, g.Asks, g.Public, g.Client, turn,
		Null(g.BegunBy), At(tx.Now), g.Expires); err != nil {
		return nil, "", err
	}
	t, err := tx.token(id)
	return t, secret, err
}

// agent returns the id of the member's agent with this label, and creates the agent if necessary. It returns the errors
// of [Tx.MustBeLabel] for a new agent. Studios do not count runners as agents, because a runner cannot read their
// pages.
func (tx *Tx) agent(m *Member, label string, runner bool) (string, error) {
	var id string
	err := tx.Get(&id, `SELECT id FROM agents WHERE member_id = ? AND label = ?`, m.ID, label)
	if CodeOf(err) != NotFound {
		return id, err
	}
	if err := tx.MustBeLabel(m, label); err != nil {
		return "", err
	}
	id = NewID()
	runs := 0
	if runner {
		runs = 1
	}
	if err := tx.Exec(`INSERT INTO agents (id, org_id, member_id, label, created_at, runs) VALUES (?, ?, ?, ?, ?, ?)`,
		id, m.OrgID, m.ID, label, At(tx.Now), runs); err != nil || runner {
		return id, err
	}
	return id, tx.Exec(`UPDATE studios SET agents = agents + 1
		WHERE id IN (SELECT studio_id FROM studio_members WHERE member_id = ?)`, m.ID)
}

// askedByRevoked is the reason for the end of a request for approval.
const askedByRevoked = "The token with which it was asked for was revoked."

// RevokeToken revokes a token, and the tokens of turns that began with it ([Grant.BegunBy]). Requests for approval that
// were made with these tokens end. It returns [Missing] if the token is revoked already.
func (tx *Tx) RevokeToken(by Actor, id string) (*Token, error) {
	t, err := tx.haltToken(id, `revoked_at = ?, revoked_by = ?`, `revoked_at IS NULL`, At(tx.Now), Null(by.MemberID()))
	if err != nil {
		return nil, err
	}
	return t, tx.endRequests(by, askedByRevoked, `a.agent_id = ? AND a.token_id = ?`, t.AgentID, id)
}

// PauseToken pauses a token, and revokes the tokens of turns that began with it ([Grant.BegunBy]). It returns [Missing]
// if the token is paused or revoked already.
func (tx *Tx) PauseToken(by Actor, id string) (*Token, error) {
	return tx.haltToken(id, `paused_at = ?, paused_by = ?`, `revoked_at IS NULL AND paused_at IS NULL`,
		At(tx.Now), by.MemberID())
}

func (tx *Tx) haltToken(id, set, where string, args ...any) (*Token, error) {
	t, err := tx.changeToken(id, set, where, args...)
	if err == nil {
		t.Turns, err = tx.endTurnTokens(`id = ?`, id)
	}
	return t, err
}

// endTurnTokens revokes the tokens of the turns that began with tokens (alias b) that meet the condition, and returns
// the number of these turns.
func (tx *Tx) endTurnTokens(condition, arg string) (int, error) {
	ids, err := All[string](tx, `SELECT t.id FROM tokens t WHERE t.begun_by IN (SELECT b.id FROM tokens b WHERE b.`+
		condition+`) AND t.revoked_at IS NULL AND t.expires_at > ? ORDER BY t.id`, arg, At(tx.Now))
	for _, id := range ids {
		if err == nil {
			err = tx.EndToken(id)
		}
	}
	return len(ids), err
}

// HasLapsed reports whether a turn's token was revoked, or the token with which the turn began is not in force.
func (tx *Tx) HasLapsed(id string) (lapsed bool, err error) {
	err = tx.Get(&lapsed, `SELECT EXISTS (SELECT 1 FROM tokens k WHERE k.id = ? AND (k.revoked_at IS NOT NULL
		OR k.begun_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tokens t WHERE t.id = k.begun_by`+TokenActive+`)))`,
		id, At(tx.Now))
	return lapsed, err
}

// ResumeToken resumes a paused token. It returns [Missing] if the token is not paused.
func (tx *Tx) ResumeToken(id string) (*Token, error) {
	return tx.changeToken(id, `paused_at = NULL, paused_by = NULL`, `revoked_at IS NULL AND paused_at IS NOT NULL`)
}

func (tx *Tx) changeToken(id, set, where string, args ...any) (*Token, error) {
	ok, err := tx.Changed(`UPDATE tokens SET `+set+` WHERE id = ? AND `+where, append(args, id)...)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, Missing()
	}
	tx.announce(tokenRights.of(id))
	return tx.token(id)
}

// ExtendToken sets the time at which a token expires, which may also be earlier than before.
func (tx *Tx) ExtendToken(id string, until Time) error {
	return tx.Exec(`UPDATE tokens SET expires_at = ? WHERE id = ?`, until, id)
}

// GrantInForce returns the authority of a token. It returns [Missing] if the token is revoked, paused, expired or
// unknown.
func (tx *Tx) GrantInForce(id string) (Grant, error) {
	t, err := tx.token(id)
	if err == nil && t.State() != "active" {
		err = Missing()
	}
	if err != nil {
		return Grant{}, err
	}
	return t.Grant, nil
}

// IsAgentPaused reports whether the member's agent with this label has a paused token. An expired token counts too,
// because an agent stays paused until somebody resumes the agent.
func (tx *Tx) IsAgentPaused(m *Member, label string) (paused bool, err error) {
	err = tx.Get(&paused, `SELECT EXISTS (SELECT 1 FROM agents a JOIN tokens t ON t.agent_id = a.id
		WHERE a.member_id = ? AND a.label = ? AND t.revoked_at IS NULL AND t.paused_at IS NOT NULL)`, m.ID, label)
	return paused, err
}

// EndToken revokes a token unless it is paused. A paused token is left to expire, because its row is the record that the
// agent is paused. Requests for approval that were made with the token end.
func (tx *Tx) EndToken(id string) error {
	t, err := tx.changeToken(id, `revoked_at = ?, revoked_by = ?`, `revoked_at IS NULL AND paused_at IS NULL`, At(tx.Now), nil)
	if CodeOf(err) == NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.endRequests(System(), "The turn of the agent in which it was asked for has ended.", `a.agent_id = ? AND a.token_id = ?`,
		t.AgentID, id)
}

// TouchToken records the use of a token, with the IP address and the User-Agent of the client.
func (tx *Tx) TouchToken(id, from, with string) error {
	return tx.Exec(`UPDATE tokens SET used_at = ?, used_from = ?, used_with = ? WHERE id = ?`,
		At(tx.Now), from, with, id)
}

// ActorByToken returns the agent of the token with this secret. It returns [Missing] if the token is revoked, paused,
// expired or unknown.
func (tx *Tx) ActorByToken(secret string) (Actor, error) {
	if !WellFormedToken(secret) {
		return Actor{}, Missing()
	}
	return tx.actorBy(actorQuery+`t.hash = ?`+TokenActive, SecretHash(secret))
}

// ActorByGrant returns the agent of the token with this id. It returns [Missing] if the token is revoked, paused,
// expired or unknown.
func (tx *Tx) ActorByGrant(id string) (Actor, error) {
	return tx.actorBy(actorQuery+`t.id = ?`+TokenActive, id)
}

const actorQuery = `SELECT ` + ActingColumns + `, t.agent_id, t.id AS token, o.agent_ballots, o.agent_asks, ` +
	grantColumns + `
	FROM tokens t JOIN members m ON m.id = t.member_id JOIN organizations o ON o.id = m.org_id
	JOIN agents a ON a.id = t.agent_id
	WHERE m.ended_at IS NULL AND `

func (tx *Tx) actorBy(query string, arg any) (Actor, error) {
	var row struct {
		Member
		AgentID string `db:"agent_id"`
		Token   string `db:"token"`
		Grant
		Rules
	}
	if err := tx.Get(&row, query, arg, At(tx.Now)); err != nil {
		return Actor{}, err
	}
	by := Actor{UserID: row.Member.UserID, Members: []Member{row.Member}, Token: row.Token,
		Agent: Agent{row.AgentID, row.Label}, Grant: &row.Grant, Rules: &row.Rules,
		Seen: row.UsedAt.Time}
	by.Member = &by.Members[0]
	return by, nil
}

// TokenActive is the SQL condition that a token is in force. Its argument is the present time.
const TokenActive = ` AND t.revoked_at IS NULL AND t.paused_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?)`

// KeyByToken returns the [Actor.Key] of the agent of the token with this secret, with a cheaper query than
// [Tx.ActorByToken]. It returns [Missing] if the token is revoked, paused, expired or unknown.
func (tx *Tx) KeyByToken(secret string) (string, error) {
	if !WellFormedToken(secret) {
		return "", Missing()
	}
	var id string
	err := tx.Get(&id, `SELECT t.id FROM tokens t WHERE t.hash = ?`+TokenActive, SecretHash(secret), At(tx.Now))
	return Actor{Token: id}.Key(), err
}

// WellFormedToken reports whether s has the form and the checksum of a token. The check saves a query for most
// other strings.
func WellFormedToken(s string) bool {
	n := len(s) - checksumLength
	return n > len(TokenPrefix) && strings.HasPrefix(s, TokenPrefix) &&
		s[n:] == string(appendChecksum(make([]byte, 0, checksumLength), s[:n]))
}

const checksumLength = 7

// appendChecksum appends the checksum of s, as seven digits and letters, to b.
func appendChecksum(b []byte, s string) []byte {
	var digits [checksumLength]byte
	sum := strconv.AppendUint(digits[:0], uint64(crc32.ChecksumIEEE([]byte(s))), 36)
	for range checksumLength - len(sum) {
		b = append(b, '0')
	}
	return append(b, sum...)
}

// TokenMember returns the member of a token's agent. It returns [Missing] for an unknown token.
func (tx *Tx) TokenMember(id string) (*Member, error) {
	t, err := tx.token(id)
	if err != nil {
		return nil, err
	}
	return tx.member(t.MemberID)
}
