package store

import (
	"cmp"
	"slices"
)

// tokens lists up to 100 tokens that meet the SQL condition, newest first, with the revoked ones at the end.
func (tx *Tx) tokens(by Actor, condition, arg string) ([]Token, error) {
	return tx.tokenList(by, condition, `t.revoked_at IS NOT NULL, t.created_at DESC, t.id`, 100, arg)
}

// tokenList lists tokens with the names of their OAuth clients and roles. It leaves out tokens of OAuth grants with an
// authorization code that was not redeemed yet.
func (tx *Tx) tokenList(by Actor, condition, order string, limit int, args ...any) ([]Token, error) {
	list, err := All[Token](tx, `SELECT `+TokenColumns+`, g.name AS client_name, g.host AS client_host
		FROM tokens t JOIN members m ON m.id = t.member_id JOIN agents a ON a.id = t.agent_id
		LEFT JOIN oauth_grants g ON g.token_id = t.id
		WHERE `+condition+` AND (g.token_id IS NULL OR g.redeemed_at IS NOT NULL) ORDER BY `+order+AtMost,
		append(args, limit)...)
	if err != nil {
		return nil, err
	}
	var ids []any
	for i := range list {
		list[i].Now = tx.Now
		for _, id := range list[i].Roles {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return list, nil
	}
	roles, err := tx.rolesWhere(by, `r.id IN (`+Placeholders(len(ids))+`)`, `r.title, s.handle`, len(ids), ids...)
	for i := range list {
		for _, r := range roles {
			if slices.Contains(list[i].Roles, r.ID) {
				list[i].RoleNames = append(list[i].RoleNames, r.Title+" of "+r.Studio.Name)
			}
		}
	}
	return list, err
}

// UserTokens lists the tokens of a user's agents in all organizations, without revoked ones.
func (tx *Tx) UserTokens(userID string) ([]Token, error) {
	list, err := All[Token](tx, `SELECT `+TokenColumns+` FROM members m JOIN tokens t ON t.member_id = m.id
		JOIN agents a ON a.id = t.agent_id
		WHERE m.user_id = ? AND t.revoked_at IS NULL ORDER BY t.created_at, t.id`, userID)
	for i := range list {
		list[i].Now = tx.Now
	}
	return list, err
}

// OrganizationTokens is one page of an organization's tokens that are in force or paused.
type OrganizationTokens struct {
	*Organization
	All bool // the page has the tokens of all members, not only the actor's own
	Listing[Token]
}

// ShowTokens loads one page of the organization's tokens that are in force or paused, sorted by expiry, latest first.
// The owner sees all tokens, another member those of the member's agents, and an agent its own. The parameter after is
// empty or a [Token.Cursor].
func (tx *Tx) ShowTokens(by Actor, o *Organization, after string) (*OrganizationTokens, error) {
	c, err := ReadCursor(after, o.URL()+"/tokens")
	if err != nil {
		return nil, err
	}
	by = by.In(o.ID)
	p := &OrganizationTokens{Organization: o, Listing: Listing[Token]{Limit: usual}, All: by.Is(o.OwnerID) &&
		!by.IsAgent()}
	condition, args := `t.org_id = ?`, []any{o.ID}
	switch {
	case by.IsAgent():
		condition, args = `t.agent_id = ?`, []any{by.Agent.ID}
	case !p.All:
		condition, args = `t.member_id = ?`, []any{by.MemberID()}
	}
	c.At = cmp.Or(c.At, forever)
	const ends = `coalesce(t.expires_at, 4611686018427387904)`
	p.List, err = tx.tokenList(by, condition+` AND t.revoked_at IS NULL AND `+ends+` > ? AND `+ends+` <= ?
		AND (`+ends+` < ? OR t.id > ?)`, ends+` DESC, t.id`, p.Limit,
		append(args, At(tx.Now), c.At, c.At, c.ID)...)
	return p, err
}

// forever stands in the list's order for the expiry of a token that never expires.
const forever = 1 << 62

// Cursor returns the position after this token in the list of an organization's tokens.
func (t *Token) Cursor() Cursor {
	if t.Expires.IsZero() {
		return Cursor{At: forever, ID: t.ID}
	}
	return Cursor{At: t.Expires.UnixMilli(), ID: t.ID}
}

// Exposure shows the operator how open an installation is.
type Exposure struct {
	Users         int      `db:"users"`
	Tokens        int      `db:"tokens"`  // number of tokens neither revoked nor expired, including paused ones
	Forever       int      `db:"forever"` // number of those tokens without an expiry
	Writing       int      `db:"writing"` // number of those tokens that may write on public pages
	PublicStudios []string `db:"-"`       // handles, at most 20
}

// Exposure counts the users with a password, and the tokens that are neither revoked nor expired, and lists the public studios.
func (tx *Tx) Exposure() (*Exposure, error) {
	e := &Exposure{}
	if err := tx.Get(e, `SELECT (SELECT count(*) FROM users WHERE password <> '') AS users, count(*) AS tokens,
		count(CASE WHEN expires_at IS NULL THEN 1 END) AS forever,
		count(CASE WHEN public = 1 THEN 1 END) AS writing FROM tokens
		WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`, At(tx.Now)); err != nil {
		return nil, err
	}
	return e, tx.Select(&e.PublicStudios, `SELECT handle FROM studios WHERE visibility = 'public'
		ORDER BY handle`+AtMost, 20)
}

// IsTokenPaused reports whether a token is paused and would be in force without the pause.
func (tx *Tx) IsTokenPaused(id string) (bool, error) {
	t, err := tx.token(id)
	return err == nil && t.State() == "paused", err
}

// AllTokens lists all tokens of the installation for its operator. It checks no rights.
func (tx *Tx) AllTokens() ([]Token, error) {
	list, err := All[Token](tx, `SELECT `+TokenColumns+` FROM tokens t JOIN members m ON m.id = t.member_id
		JOIN agents a ON a.id = t.agent_id ORDER BY t.created_at, t.id`)
	for i := range list {
		list[i].Now = tx.Now
	}
	return list, err
}
