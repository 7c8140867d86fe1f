-- +goose Up
-- Links with which somebody who has lost their password sets another one. A link gets its key when it is mailed.
CREATE TABLE resets (
	id         TEXT PRIMARY KEY,
	user_id    TEXT NOT NULL REFERENCES users (id),
	hash       BLOB UNIQUE,
	created_at INTEGER NOT NULL,
	expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX resets_by_user ON resets (user_id);
