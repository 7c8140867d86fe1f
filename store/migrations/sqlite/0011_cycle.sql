-- +goose Up
-- A heartbeat says that somebody was there in a cycle of a studio.
CREATE TABLE heartbeats (
	studio_id TEXT NOT NULL,
	cycle     TEXT NOT NULL,
	member_id TEXT NOT NULL,
	org_id    TEXT NOT NULL,
	agent_id  TEXT,
	text      TEXT NOT NULL DEFAULT '',
	at        INTEGER NOT NULL,
	PRIMARY KEY (studio_id, cycle, member_id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX heartbeats_in_order ON heartbeats (studio_id, at);
ALTER TABLE studio_members ADD COLUMN heartbeat_at INTEGER;

-- What was opened, due and closed in a stretch of time. What asks for nothing is closed when it is opened, and is not in the last.
CREATE INDEX items_opened ON items (studio_id, opened_at) WHERE opened_at IS NOT NULL;
CREATE INDEX items_left_open ON items (studio_id, opened_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX items_by_due ON items (studio_id, due_at) WHERE opened_at IS NOT NULL AND due_at IS NOT NULL;
CREATE INDEX items_closed ON items (studio_id, closed_at) WHERE closed_at > opened_at;
