package store

import "time"

// AnswerLife is how long the first answer to a call with an idempotency key is kept.
const AnswerLife = 24 * time.Hour

// Answer is the first answer to a call that carried an idempotency key. Call is the digest of what was asked.
type Answer struct {
	Call []byte `db:"call"`
	Text string `db:"answer"`
}

// FindAnswer finds the first answer to this actor's call with this key. None: [Missing].
func (tx *Tx) FindAnswer(by Actor, key string) (*Answer, error) {
	var a Answer
	err := tx.get(&a, `SELECT call, answer FROM answers WHERE actor = ? AND key = ? AND at > ?`, by.Key(), key, At(tx.Now.Add(-AnswerLife)))
	return &a, err
}

// KeepAnswer keeps the first answer to a call, and forgets a few that are too old.
func (tx *Tx) KeepAnswer(by Actor, key string, a Answer) error {
	if err := tx.exec(`DELETE FROM answers WHERE (actor, key) IN (SELECT actor, key FROM answers WHERE at <= ? LIMIT 4)`, At(tx.Now.Add(-AnswerLife))); err != nil {
		return err
	}
	return tx.exec(`INSERT INTO answers (actor, key, call, answer, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (actor, key) DO UPDATE SET call = excluded.call, answer = excluded.answer, at = excluded.at`, by.Key(), key, a.Call, a.Text, At(tx.Now))
}

// Refusal is a call by a token that was refused or failed.
type Refusal struct {
	At      Time   `db:"at"`
	URL     string `db:"url"`
	Action  string `db:"action"`
	Code    string `db:"code"`
	Message string `db:"message"`
}

// LogRefusal keeps a refused or failed call of a token: not in the journal, because nothing changed.
func (tx *Tx) LogRefusal(by Actor, r Refusal) error {
	return tx.exec(`INSERT INTO calls (token_id, at, n, url, action, code, message)
		SELECT ?, ?, coalesce(max(n), 0) + 1, ?, ?, ?, ? FROM calls WHERE token_id = ? AND at = ?`,
		by.Token, At(tx.Now), r.URL, r.Action, r.Code, r.Message, by.Token, At(tx.Now))
}

// Refusals lists the latest refused or failed calls of a token, newest first.
func (tx *Tx) Refusals(tokenID string, limit int) ([]Refusal, error) {
	return tx.refusals(`c.token_id = ?`, tokenID, limit)
}

func (tx *Tx) refusals(which, id string, limit int) ([]Refusal, error) {
	var list []Refusal
	err := tx.all(&list, `SELECT c.at, c.url, c.action, c.code, c.message FROM calls c WHERE `+which+` ORDER BY c.at DESC, c.n DESC`+atMost, id, limit)
	return list, err
}

// CallLife is how long the call log keeps a refused call.
const CallLife = 90 * 24 * time.Hour

// PruneCalls forgets the refused calls that are too old, at most so many at once, and reports whether there were any.
func (tx *Tx) PruneCalls(limit int) (some bool, err error) {
	return tx.changed(`DELETE FROM calls WHERE (token_id, at, n) IN (SELECT token_id, at, n FROM calls WHERE at <= ? ORDER BY at`+atMost+`)`, At(tx.Now.Add(-CallLife)), limit)
}
