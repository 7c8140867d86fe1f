package store

import (
	"hash/crc32"
	"strconv"
	"strings"
	"time"
)

// TokenPrefix begins every token, so that leaked ones can be scanned for; a checksum ends it.
const TokenPrefix = "sp_"

// Token is a grant: it acts for one member of one organization, under an agent's label.
type Token struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	MemberID  string `db:"member_id"`
	Member    string `db:"member"` // handle
	AgentID   string `db:"agent_id"`
	Label     string `db:"agent"`
	ScopeList string `db:"scopes"` // separated by spaces
	CreatedAt Time   `db:"created_at"`
	ExpiresAt Time   `db:"expires_at"`
	RevokedAt Time   `db:"revoked_at"`
	Now       time.Time
}

const tokenColumns = `t.id, t.org_id, t.member_id, m.handle AS member, t.agent_id, a.label AS agent, t.scopes, t.created_at, t.expires_at, t.revoked_at`

// TokenStates are the states of a token.
func TokenStates() []string { return []string{"active", "expired", "revoked"} }

// State is one of [TokenStates].
func (t *Token) State() string {
	switch {
	case !t.RevokedAt.IsZero():
		return "revoked"
	case !t.ExpiresAt.IsZero() && !t.Now.Before(t.ExpiresAt.Time):
		return "expired"
	}
	return "active"
}

// Ref names the token for the journal.
func (t *Token) Ref() Ref {
	return Ref{OrgID: t.OrgID, Kind: "token", ID: t.ID, URL: "/settings/tokens", Title: "Token of " + t.Label, PrivateTo: t.MemberID}
}

// Record is what the journal keeps of a token.
func (t *Token) Record() any {
	return struct {
		Label   string `json:"label"`
		Scopes  string `json:"scopes"`
		Expires Time   `json:"expires,omitzero"`
		State   string `json:"state"`
	}{t.Label, t.ScopeList, t.ExpiresAt, t.State()}
}

// Tokens is the page of one member's tokens.
type Tokens struct {
	Member *Member
	List   []Token
}

// Ref names the list for the journal: its entries belong to the member.
func (t *Tokens) Ref() Ref {
	r := t.Member.Ref()
	r.URL = "/settings/tokens"
	r.PrivateTo = t.Member.ID
	return r
}

// Record is empty: what changes is a token, and it has a record of its own.
func (t *Tokens) Record() any { return nil }

// FindTokens loads the actor's tokens, newest first: every active one and the latest others, 100 in all.
func (tx *Tx) FindTokens(by Actor) (*Tokens, error) {
	if by.Member == nil {
		return nil, Missing()
	}
	t := &Tokens{Member: by.Member}
	err := tx.all(&t.List, `SELECT `+tokenColumns+` FROM tokens t JOIN members m ON m.id = t.member_id JOIN agents a ON a.id = t.agent_id
		WHERE t.member_id = ? ORDER BY t.revoked_at IS NOT NULL, t.created_at DESC, t.id LIMIT 100`, by.MemberID())
	for i := range t.List {
		t.List[i].Now = tx.Now
	}
	return t, err
}

func (tx *Tx) token(id string) (*Token, error) {
	t := Token{Now: tx.Now}
	err := tx.get(&t, `SELECT `+tokenColumns+` FROM tokens t JOIN members m ON m.id = t.member_id JOIN agents a ON a.id = t.agent_id WHERE t.id = ?`, id)
	return &t, err
}

// CreateToken makes a token for the member under the label and returns it with its secret, which is shown once. A zero
// expires never expires.
func (tx *Tx) CreateToken(m *Member, label string, scopes []Scope, expires time.Time) (*Token, string, error) {
	agent, err := tx.agent(m, label)
	if err != nil {
		return nil, "", err
	}
	list := make([]string, len(scopes))
	for i, s := range scopes {
		list[i] = string(s)
	}
	body := TokenPrefix + randomText(32)
	secret := body + checksum(body)
	id := NewID()
	if err := tx.exec(`INSERT INTO tokens (id, org_id, member_id, agent_id, hash, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		id, m.OrgID, m.ID, agent, SecretHash(secret), strings.Join(list, " "), At(tx.Now), At(expires)); err != nil {
		return nil, "", err
	}
	t, err := tx.token(id)
	return t, secret, err
}

// agent finds or makes the member's agent with this label.
func (tx *Tx) agent(m *Member, label string) (string, error) {
	var id string
	err := tx.get(&id, `SELECT id FROM agents WHERE member_id = ? AND label = ?`, m.ID, label)
	if KindOf(err) != NotFound {
		return id, err
	}
	id = NewID()
	if err := tx.exec(`INSERT INTO agents (id, org_id, member_id, label, created_at) VALUES (?, ?, ?, ?, ?)`, id, m.OrgID, m.ID, label, At(tx.Now)); err != nil {
		return "", err
	}
	return id, tx.exec(`UPDATE studios SET agents = agents + 1 WHERE id IN (SELECT studio_id FROM studio_members WHERE member_id = ?)`, m.ID)
}

// RevokeToken ends a token of the member; the very next request with it is refused. Not theirs or not active: [Missing].
func (tx *Tx) RevokeToken(m *Member, id string) (*Token, error) {
	ok, err := tx.changed(`UPDATE tokens SET revoked_at = ? WHERE id = ? AND member_id = ? AND revoked_at IS NULL`, At(tx.Now), id, m.ID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, Errorf(NotFound, "You have no such active token. Choose one of those listed.")
	}
	return tx.token(id)
}

// ActorByToken is the agent that holds this secret. Revoked, expired, unknown: [Missing].
func (tx *Tx) ActorByToken(secret string) (Actor, error) {
	if !WellFormedToken(secret) {
		return Actor{}, Missing()
	}
	var row struct {
		Member
		Agent
		Token  string `db:"token"`
		Scopes string `db:"scopes"`
	}
	err := tx.get(&row, `SELECT `+memberColumns+`, a.id AS agent_id, a.label AS agent, t.id AS token, t.scopes
		FROM tokens t JOIN members m ON m.id = t.member_id JOIN organizations o ON o.id = m.org_id JOIN agents a ON a.id = t.agent_id
		WHERE`+tokenActive, SecretHash(secret), At(tx.Now))
	if err != nil {
		return Actor{}, err
	}
	by := Actor{UserID: row.Member.UserID, Members: []Member{row.Member}, Token: row.Token, Agent: row.Agent}
	for _, s := range strings.Fields(row.Scopes) {
		by.Scopes = append(by.Scopes, Scope(s))
	}
	by.Member = &by.Members[0]
	return by, nil
}

// tokenActive is the condition that a token is in force; its arguments are the secret's hash and the time.
const tokenActive = ` t.hash = ? AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?)`

// KeyByToken is [Actor.Key] of the agent that holds this secret, for who needs no more. Revoked, expired, unknown: [Missing].
func (tx *Tx) KeyByToken(secret string) (string, error) {
	if !WellFormedToken(secret) {
		return "", Missing()
	}
	var id string
	err := tx.get(&id, `SELECT t.id FROM tokens t WHERE`+tokenActive, SecretHash(secret), At(tx.Now))
	return Actor{Token: id}.Key(), err
}

// WellFormedToken reports whether s has the shape and checksum of a token, so that most rubbish costs no query.
func WellFormedToken(s string) bool {
	n := len(s) - checksumLength
	return n > len(TokenPrefix) && strings.HasPrefix(s, TokenPrefix) && checksum(s[:n]) == s[n:]
}

const checksumLength = 7

func checksum(s string) string {
	sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(s))), 36)
	return strings.Repeat("0", checksumLength-len(sum)) + sum
}

// TokenMember is the member that a token acts for. Not found: [Missing].
func (tx *Tx) TokenMember(id string) (*Member, error) {
	t, err := tx.token(id)
	if err != nil {
		return nil, err
	}
	return tx.member(t.MemberID)
}

// AllTokens lists every token of the installation, for its operator.
func (tx *Tx) AllTokens() ([]Token, error) {
	var list []Token
	err := tx.all(&list, `SELECT `+tokenColumns+` FROM tokens t JOIN members m ON m.id = t.member_id JOIN agents a ON a.id = t.agent_id ORDER BY t.created_at, t.id`)
	for i := range list {
		list[i].Now = tx.Now
	}
	return list, err
}
