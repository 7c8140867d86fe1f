-- +goose Up
-- OAuth: clients that registered themselves, what was granted to clients, the tokens with which they ask for fresh ones, and
-- the keys that sign what they show. Of codes and tokens only hashes are kept.

CREATE TABLE oauth_clients (
	id        TEXT PRIMARY KEY,
	name      TEXT NOT NULL,
	redirects TEXT NOT NULL,
	made_at   INTEGER NOT NULL,
	used_at   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_clients_unused ON oauth_clients (made_at) WHERE used_at IS NULL;

CREATE UNIQUE INDEX tokens_in_org ON tokens (org_id, id);

CREATE TABLE oauth_grants (
	token_id     TEXT PRIMARY KEY,
	org_id       TEXT NOT NULL,
	name         TEXT NOT NULL,
	host         TEXT NOT NULL,
	verified     INTEGER NOT NULL,
	code         BLOB NOT NULL UNIQUE,
	redirect     TEXT NOT NULL,
	challenge    TEXT NOT NULL,
	code_ends_at INTEGER NOT NULL,
	ends_at      INTEGER NOT NULL,
	redeemed_at  INTEGER,
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_refreshes (
	hash     BLOB PRIMARY KEY,
	org_id   TEXT NOT NULL,
	token_id TEXT NOT NULL,
	made_at  INTEGER NOT NULL,
	ends_at  INTEGER NOT NULL,
	used_at  INTEGER,
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_refreshes_by_end ON oauth_refreshes (ends_at);

CREATE TABLE oauth_keys (
	id       TEXT PRIMARY KEY,
	private  BLOB NOT NULL,
	made_at  INTEGER NOT NULL,
	signs_at INTEGER NOT NULL,
	ends_at  INTEGER
) STRICT, WITHOUT ROWID;
