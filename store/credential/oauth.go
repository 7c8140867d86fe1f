package credential

import (
	"time"

	"samepage/store"
)

// CodeLife is how long an authorization code is valid. RefreshGrace is how long after its first use a refresh token can
// be used again. MaxGrantLife is the longest possible validity of a grant (OAuth 2.1, OWASP ASVS 10.4).
const (
	CodeLife     = 60 * time.Second
	RefreshGrace = 60 * time.Second
	MaxGrantLife = 30 * 24 * time.Hour
)

// These prefixes let secret scanners recognize leaked codes and refresh tokens.
const (
	CodePrefix    = store.TokenPrefix + "c_"
	RefreshPrefix = store.TokenPrefix + "r_"
)

// OAuthGrant is a member's grant to an OAuth client.
type OAuthGrant struct {
	TokenID    string     `db:"token_id"`
	OrgID      string     `db:"org_id"`
	Client     string     `db:"client"`
	Redirect   string     `db:"redirect"`
	Challenge  string     `db:"challenge"` // base64url of the SHA-256 of the code verifier (RFC 7636)
	EndsAt     store.Time `db:"ends_at"`
	RedeemedAt store.Time `db:"redeemed_at"`
}

// Consent is the content of a member's consent to a client.
type Consent struct {
	Client    *OAuthClient
	Grant     store.Grant // authority of the client, with its end
	Redirect  string
	Host      string // host of Redirect
	Challenge string
}

// GrantAccess stores a grant and returns its token and its code. The grant expires with the code unless the client
// redeems the code. GrantAccess also deletes up to 100 expired refresh tokens.
func GrantAccess(tx *store.Tx, m *store.Member, c Consent) (t *store.Token, code string, err error) {
	code, hash := newSecret(CodePrefix)
	ends, codeEnds := c.Grant.Expires, store.At(tx.Now.Add(CodeLife))
	c.Grant.Client, c.Grant.Expires = c.Client.ID, codeEnds
	if t, _, err = tx.CreateToken(m, c.Grant); err != nil {
		return nil, "", err
	}
	if err := tx.Exec(`INSERT INTO oauth_grants (token_id, org_id, name, host, verified, code, redirect, challenge,
		code_ends_at, ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.ID, m.OrgID, c.Client.Name, c.Host, c.Client.Verified, hash, c.Redirect, c.Challenge, codeEnds,
		ends); err != nil {
		return nil, "", err
	}
	if err := tx.Exec(`UPDATE oauth_clients SET used_at = ? WHERE id = ? AND used_at IS NULL`,
		store.At(tx.Now), c.Client.ID); err != nil {
		return nil, "", err
	}
	if err := tx.Exec(`DELETE FROM oauth_refreshes
		WHERE hash IN (SELECT hash FROM oauth_refreshes WHERE ends_at <= ? LIMIT 100)`, store.At(tx.Now)); err != nil {
		return nil, "", err
	}
	t.Expires = ends
	return t, code, nil
}

// FindGrant finds the grant with a code, redeemed or not. It returns [store.Missing] for an unknown code.
func FindGrant(tx *store.Tx, code string) (*OAuthGrant, error) {
	var g OAuthGrant
	err := tx.GetLocked(&g, &g.OrgID, `SELECT g.token_id, g.org_id, t.client, g.redirect, g.challenge, g.ends_at, g.redeemed_at
		FROM oauth_grants g JOIN tokens t ON t.id = g.token_id WHERE g.code = ?`, store.SecretHash(code))
	return &g, err
}

// RedeemCode activates a grant and returns its agent and the first refresh token. It returns [store.Missing] if the
// code was redeemed before or has expired, or if the grant was revoked. It returns [ErrPaused] if the grant is paused.
func RedeemCode(tx *store.Tx, g *OAuthGrant) (by store.Actor, refresh string, err error) {
	first, err := tx.Changed(`UPDATE oauth_grants SET redeemed_at = ? WHERE token_id = ? AND redeemed_at IS NULL
		AND code_ends_at > ?`, store.At(tx.Now), g.TokenID, store.At(tx.Now))
	if err != nil {
		return by, "", err
	}
	if !first {
		return by, "", store.Missing()
	}
	if err := tx.Exec(`UPDATE tokens SET expires_at = ? WHERE id = ?`, g.EndsAt, g.TokenID); err != nil {
		return by, "", err
	}
	if by, err = grantActor(tx, g.TokenID); err != nil {
		return by, "", err
	}
	refresh, hash := newSecret(RefreshPrefix)
	return by, refresh, addRefresh(tx, by, hash)
}

// ErrPaused is the error for a grant that is paused, and can be resumed.
var ErrPaused = store.Errorf(store.Conflict, "It is paused, and not lost: once it is resumed at "+store.TokensURL+
	", or on the page of the agent, it works again.")

// grantActor returns the agent of a grant. It returns [ErrPaused] if the grant is paused, and [store.Missing] if it has
// ended.
func grantActor(tx *store.Tx, tokenID string) (store.Actor, error) {
	by, err := tx.ActorByGrant(tokenID)
	if store.CodeOf(err) != store.NotFound {
		return by, err
	}
	paused, perr := tx.IsTokenPaused(tokenID)
	if perr != nil {
		return by, perr
	}
	if paused {
		return by, ErrPaused
	}
	return by, err
}

// SupersededTokens returns the ids of the actor's earlier tokens for the same client that permit nothing beyond the
// actor's present token. It moves their pending approvals, and the turns that began with them, to the present token.
func SupersededTokens(tx *store.Tx, by store.Actor) (ids []string, err error) {
	var list []store.Token
	if err := tx.Select(&list, `SELECT `+store.TokenColumns+` FROM tokens t JOIN members m ON m.id = t.member_id
		JOIN agents a ON a.id = t.agent_id JOIN oauth_grants g ON g.token_id = t.id
		WHERE t.member_id = ? AND t.agent_id = ? AND t.client = ? AND t.id <> ?
		AND g.redeemed_at IS NOT NULL`+store.TokenActive, by.MemberID(), by.Agent.ID, by.Grant.Client, by.Token,
		store.At(tx.Now)); err != nil {
		return nil, err
	}
	for i := range list {
		if !by.Grant.Holds(&list[i].Grant) {
			continue
		}
		if err := tx.Exec(`UPDATE approvals SET token_id = ? WHERE org_id = ? AND agent_id = ? AND token_id = ?
			AND settled_at IS NULL`, by.Token, by.Member.OrgID, by.Agent.ID, list[i].ID); err != nil {
			return nil, err
		}
		if err := tx.Exec(`UPDATE tokens SET begun_by = ? WHERE begun_by = ? AND revoked_at IS NULL`, by.Token,
			list[i].ID); err != nil {
			return nil, err
		}
		ids = append(ids, list[i].ID)
	}
	return ids, nil
}

func addRefresh(tx *store.Tx, by store.Actor, hash []byte) error {
	return tx.Exec(`INSERT INTO oauth_refreshes (hash, org_id, token_id, made_at, ends_at) VALUES (?, ?, ?, ?, ?)`,
		hash, by.Member.OrgID, by.Token, store.At(tx.Now), by.Grant.Expires)
}

// RefreshGrant marks a refresh token as used, stores its successor, and returns the agent. A client may use the token
// again within [RefreshGrace], because the first answer may have been lost; the successor is then ignored. After a
// later use, stolen is true, because somebody may have copied the token. RefreshGrant returns [store.Missing] if the
// token is unknown or its grant has ended, and [ErrPaused] if the grant is paused.
func RefreshGrant(tx *store.Tx, secret, successor string) (by store.Actor, stolen bool, err error) {
	var r struct {
		OrgID   string     `db:"org_id"`
		TokenID string     `db:"token_id"`
		UsedAt  store.Time `db:"used_at"`
	}
	if err := tx.GetLocked(&r, &r.OrgID, `SELECT org_id, token_id, used_at FROM oauth_refreshes
		WHERE hash = ? AND ends_at > ?`, store.SecretHash(secret), store.At(tx.Now)); err != nil {
		return by, false, err
	}
	if by, err = grantActor(tx, r.TokenID); err != nil {
		return by, false, err
	}
	if !r.UsedAt.IsZero() {
		return by, tx.Now.Sub(r.UsedAt.Time) > RefreshGrace, nil
	}
	if err := tx.Exec(`UPDATE oauth_refreshes SET used_at = ? WHERE hash = ?`,
		store.At(tx.Now), store.SecretHash(secret)); err != nil {
		return by, false, err
	}
	return by, false, addRefresh(tx, by, store.SecretHash(successor))
}

// RefreshOwner returns the agent of a refresh token, used or not. It returns [store.Missing] if the token is unknown,
// or if its grant has ended or is paused.
func RefreshOwner(tx *store.Tx, secret string) (store.Actor, error) {
	var id string
	if err := tx.Get(&id, `SELECT token_id FROM oauth_refreshes WHERE hash = ? AND ends_at > ?`,
		store.SecretHash(secret), store.At(tx.Now)); err != nil {
		return store.Actor{}, err
	}
	return tx.ActorByGrant(id)
}

// Agreed is a member's last consent to a client.
type Agreed struct {
	At     store.Time             `db:"created_at"`
	Label  string                 `db:"label"`
	Scopes store.Set[store.Scope] `db:"scopes"`
}

// LastConsent returns the member's last consent to this client with a redirect to this host and a redeemed code, or
// [store.Missing].
func LastConsent(tx *store.Tx, m *store.Member, client, host string) (*Agreed, error) {
	return store.One[Agreed](tx, `SELECT t.created_at, a.label, t.scopes FROM tokens t JOIN oauth_grants g ON g.token_id = t.id
		JOIN agents a ON a.id = t.agent_id
		WHERE t.member_id = ? AND t.client = ? AND g.host = ? AND g.redeemed_at IS NOT NULL
		ORDER BY t.created_at DESC, t.id LIMIT 1`, m.ID, client, host)
}

func newSecret(prefix string) (secret string, hash []byte) {
	secret, _ = store.NewSecret()
	secret = prefix + secret
	return secret, store.SecretHash(secret)
}
