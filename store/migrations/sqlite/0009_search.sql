-- +goose Up
-- A document is what can be found: an item (seq 0), a comment on one (its seq), a studio or a member (seq 0). Its number begins
-- with the milliseconds since 1970 at which it was made, so documents are in the order of their age; 16384 fit in one. The
-- full-text index over them is made where the database has one, and documents that it does not have yet have no indexed_at.

CREATE TABLE documents (
	n          INTEGER PRIMARY KEY,
	org_id     TEXT NOT NULL,
	kind       TEXT NOT NULL,
	id         TEXT NOT NULL,
	seq        INTEGER NOT NULL,
	studio_id  TEXT,
	member_id  TEXT NOT NULL,
	agent_id   TEXT,
	indexed_at INTEGER,
	UNIQUE (id, seq),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT;

INSERT INTO documents (n, org_id, kind, id, seq, studio_id, member_id, agent_id)
	SELECT at * 16384 + row_number() OVER (PARTITION BY at ORDER BY id, seq) - 1, org_id, kind, id, seq, studio_id, member_id, agent_id FROM (
		SELECT created_at AS at, org_id, kind, id, 0 AS seq, studio_id, member_id, agent_id FROM items WHERE removed_at IS NULL
		UNION ALL SELECT c.at, c.org_id, 'comment', c.item_id, c.seq, i.studio_id, c.member_id, c.agent_id FROM comments c JOIN items i ON i.id = c.item_id WHERE c.removed_at IS NULL
		UNION ALL SELECT created_at, org_id, 'studio', id, 0, id, created_by, NULL FROM studios
		UNION ALL SELECT joined_at, org_id, 'member', id, 0, NULL, id, NULL FROM members) sub;

CREATE INDEX documents_waiting ON documents (n) WHERE indexed_at IS NULL;
