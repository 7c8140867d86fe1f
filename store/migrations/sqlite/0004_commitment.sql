-- +goose Up
-- A commitment binds those who joined it once they are as many as its critical mass. One that starts at a time is an event.
CREATE TABLE commitments (
	id            TEXT PRIMARY KEY,
	org_id        TEXT NOT NULL,
	studio_id     TEXT NOT NULL,
	critical_mass INTEGER NOT NULL CHECK (critical_mass > 0),
	capacity      INTEGER NOT NULL DEFAULT 0 CHECK (capacity = 0 OR capacity >= critical_mass),
	place         TEXT NOT NULL DEFAULT '',
	starts_at     INTEGER,
	ends_at       INTEGER CHECK (ends_at IS NULL OR ends_at > starts_at),
	joined        INTEGER NOT NULL DEFAULT 0 CHECK (capacity = 0 OR joined <= capacity),
	done          INTEGER NOT NULL DEFAULT 0,
	missed        INTEGER NOT NULL DEFAULT 0 CHECK (done + missed <= joined),
	revised_at    INTEGER NOT NULL,
	bound_at      INTEGER,
	settled_at    INTEGER,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id)
) STRICT;
CREATE INDEX commitments_settled ON commitments (studio_id, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX commitments_starting ON commitments (studio_id, starts_at) WHERE starts_at IS NOT NULL;

CREATE TABLE participants (
	commitment_id TEXT NOT NULL,
	member_id     TEXT NOT NULL,
	org_id        TEXT NOT NULL,
	agent_id      TEXT,
	joined_at     INTEGER NOT NULL,
	mark          TEXT NOT NULL DEFAULT '' CHECK (mark IN ('', 'done', 'missed')),
	note          TEXT NOT NULL DEFAULT '',
	marked_at     INTEGER,
	PRIMARY KEY (commitment_id, member_id),
	FOREIGN KEY (org_id, commitment_id) REFERENCES commitments (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX participants_in_order ON participants (commitment_id, joined_at, member_id);
