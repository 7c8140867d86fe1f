-- +goose Up
-- Links with which an account gets another address to sign in with. A link gets its key when it is mailed to that address.
CREATE TABLE address_changes (
	id         TEXT PRIMARY KEY,
	user_id    TEXT NOT NULL REFERENCES users (id),
	email      TEXT NOT NULL,
	hash       BLOB UNIQUE,
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX address_changes_by_user ON address_changes (user_id);
