-- +goose Up
-- An invitation to an organization: to whoever has the link, or to one address. Nobody invited who asked for it with an address of
-- one of the organization's domains. It is pending until one of its times has come.
CREATE TABLE invitations (
	id          TEXT PRIMARY KEY,
	org_id      TEXT NOT NULL REFERENCES organizations (id),
	email       TEXT NOT NULL,
	invited_by  TEXT,
	created_at  INTEGER NOT NULL,
	expires_at  INTEGER NOT NULL,
	accepted_at INTEGER,
	member_id   TEXT,
	declined_at INTEGER,
	revoked_at  INTEGER,
	revoked_by  TEXT,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, invited_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, revoked_by) REFERENCES members (org_id, id)
) STRICT;
CREATE INDEX invitations_by_org ON invitations (org_id, created_at DESC, id);
CREATE INDEX invitations_pending ON invitations (org_id, email) WHERE accepted_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL;

-- The hashes of the secrets that open an invitation. A mail carries one of its own, made when it is sent, so that none is kept.
CREATE TABLE invitation_keys (
	hash          BLOB PRIMARY KEY,
	org_id        TEXT NOT NULL,
	invitation_id TEXT NOT NULL,
	FOREIGN KEY (org_id, invitation_id) REFERENCES invitations (org_id, id)
) STRICT, WITHOUT ROWID;

-- What is to be mailed: its kind and what it is about. The words are made when it is sent. It belongs to the installation.
CREATE TABLE mails (
	id         TEXT PRIMARY KEY,
	kind       TEXT NOT NULL,
	subject_id TEXT NOT NULL,
	address    TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	due_at     INTEGER NOT NULL,
	attempts   INTEGER NOT NULL DEFAULT 0,
	sent_at    INTEGER,
	failed_at  INTEGER,
	problem    TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX mails_due ON mails (due_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mails_given_up ON mails (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX mails_by_subject ON mails (subject_id);
CREATE INDEX mails_by_age ON mails (created_at);
