package store

// Exposure shows the operator how open an installation is.
type Exposure struct {
	Users         int      `db:"users"`
	Tokens        int      `db:"tokens"`  // number of tokens neither revoked nor expired, including paused ones
	Forever       int      `db:"forever"` // number of those tokens without an expiry
	Writing       int      `db:"writing"` // number of those tokens that may write on public pages
	PublicStudios []string `db:"-"`       // handles, at most 20
}

// Exposure counts the users, and the tokens that are neither revoked nor expired, and lists the public studios.
func (tx *Tx) Exposure() (*Exposure, error) {
	e := &Exposure{}
	if err := tx.Get(e, `SELECT (SELECT count(*) FROM users) AS users, count(*) AS tokens,
		count(CASE WHEN expires_at IS NULL THEN 1 END) AS forever,
		count(CASE WHEN public = 1 THEN 1 END) AS writing FROM tokens
		WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`, At(tx.Now)); err != nil {
		return nil, err
	}
	return e, tx.Select(&e.PublicStudios, `SELECT handle FROM studios WHERE visibility = 'public'
		ORDER BY handle`+AtMost, 20)
}
