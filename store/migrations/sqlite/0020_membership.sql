-- +goose Up
-- A membership that ended keeps its row, so that what the member wrote keeps its name; who comes back finds it again.
ALTER TABLE members ADD COLUMN ended_at INTEGER;
ALTER TABLE members ADD COLUMN ended_by TEXT;

-- Handles that members had before, which lead to them and which nobody else can take.
CREATE TABLE former_handles (
	org_id    TEXT NOT NULL,
	handle    TEXT NOT NULL,
	member_id TEXT NOT NULL,
	at        INTEGER NOT NULL,
	PRIMARY KEY (org_id, handle),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_handles_by_member ON former_handles (member_id);

-- Who left the studio of a commitment that binds them, before they said whether they did it. The others settle it without them.
ALTER TABLE participants ADD COLUMN gone_at INTEGER;
ALTER TABLE commitments ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;

-- People with a verified address of one of an organization's domains may join it by themselves.
CREATE TABLE email_domains (
	domain TEXT NOT NULL,
	org_id TEXT NOT NULL REFERENCES organizations (id),
	PRIMARY KEY (domain, org_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_domains_by_org ON email_domains (org_id, domain);
ALTER TABLE organizations ADD COLUMN inviters TEXT NOT NULL DEFAULT 'owner' CHECK (inviters IN ('owner', 'members'));

CREATE INDEX items_by_author ON items (member_id, created_at DESC, id) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
