-- +goose Up
-- A token is a grant: beside scopes it carries which of its member's roles it may use and which kinds of nouns it may touch
-- (NULL: all), which actions are held for approval, and whether it may write where the public reads. One that was granted to
-- a client by OAuth has no secret of its own.
CREATE TABLE new_tokens (
	id         TEXT PRIMARY KEY,
	org_id     TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	agent_id   TEXT NOT NULL,
	hash       BLOB UNIQUE,
	scopes     TEXT NOT NULL,
	roles      TEXT,
	kinds      TEXT,
	asks       TEXT NOT NULL DEFAULT '',
	public     INTEGER NOT NULL DEFAULT 0,
	client     TEXT NOT NULL DEFAULT '',
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	used_at    INTEGER,
	used_from  TEXT NOT NULL DEFAULT '',
	used_with  TEXT NOT NULL DEFAULT '',
	paused_at  INTEGER,
	paused_by  TEXT,
	revoked_at INTEGER,
	revoked_by TEXT,
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, paused_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, revoked_by) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_tokens (id, org_id, member_id, agent_id, hash, scopes, public, created_at, expires_at, revoked_at, revoked_by)
	SELECT id, org_id, member_id, agent_id, hash, scopes, 1, created_at, expires_at, revoked_at, CASE WHEN revoked_at IS NOT NULL THEN member_id END FROM tokens;
DROP TABLE tokens;
ALTER TABLE new_tokens RENAME TO tokens;
CREATE INDEX tokens_by_member ON tokens (member_id, id);
CREATE INDEX tokens_by_agent ON tokens (agent_id, id);
