-- +goose Up
-- What is attached to an item. The bytes are kept outside of the database, under their hash.
CREATE TABLE files (
	id        TEXT PRIMARY KEY,
	org_id    TEXT NOT NULL,
	item_id   TEXT NOT NULL,
	name      TEXT NOT NULL,
	type      TEXT NOT NULL,
	size      INTEGER NOT NULL,
	hash      BLOB NOT NULL,
	member_id TEXT NOT NULL,
	agent_id  TEXT,
	at        INTEGER NOT NULL,
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_item ON files (item_id, at, id);
CREATE INDEX files_by_hash ON files (hash);

-- How much all files of an organization take, in bytes; and how many an item has, so that only the page of one with files
-- looks for them.
ALTER TABLE organizations ADD COLUMN file_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN files INTEGER NOT NULL DEFAULT 0;
