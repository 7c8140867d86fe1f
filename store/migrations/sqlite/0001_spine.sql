-- +goose Up
-- Times are milliseconds since 1970 UTC. Every row of an organization carries its org_id, and foreign keys include it, so
-- that a reference across organizations cannot exist. None is deferred: a deferred one is checked at the commit of a whole
-- batch, when nobody can tell whose it was. Tables that are read by subject are clustered on it; those with wide rows, of
-- which a page of a clustered one would hold four, are not.

CREATE TABLE instance (
	key   TEXT PRIMARY KEY,
	value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
	id         TEXT PRIMARY KEY,
	email      TEXT NOT NULL UNIQUE,
	password   TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE logins (
	hash       BLOB PRIMARY KEY,
	user_id    TEXT NOT NULL REFERENCES users (id),
	created_at INTEGER NOT NULL,
	seen_at    INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX logins_by_user ON logins (user_id);
CREATE INDEX logins_by_end ON logins (expires_at);

CREATE TABLE organizations (
	id           TEXT PRIMARY KEY,
	handle       TEXT NOT NULL UNIQUE,
	name         TEXT NOT NULL,
	accent       TEXT NOT NULL DEFAULT '',
	zone         TEXT NOT NULL DEFAULT 'UTC',
	owner_id     TEXT,
	journal_seq  INTEGER NOT NULL DEFAULT 0,
	journal_hash BLOB NOT NULL DEFAULT x'',
	version      INTEGER NOT NULL DEFAULT 1,
	created_at   INTEGER NOT NULL,
	FOREIGN KEY (id, owner_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
	id        TEXT PRIMARY KEY,
	org_id    TEXT NOT NULL REFERENCES organizations (id),
	user_id   TEXT NOT NULL REFERENCES users (id),
	handle    TEXT NOT NULL,
	name      TEXT NOT NULL,
	joined_at INTEGER NOT NULL,
	version   INTEGER NOT NULL DEFAULT 1,
	UNIQUE (org_id, id),
	UNIQUE (org_id, handle),
	UNIQUE (user_id, org_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
	id         TEXT PRIMARY KEY,
	org_id     TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	label      TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	UNIQUE (org_id, id),
	UNIQUE (member_id, label),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
	id         TEXT PRIMARY KEY,
	org_id     TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	agent_id   TEXT NOT NULL,
	hash       BLOB NOT NULL UNIQUE,
	scopes     TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	revoked_at INTEGER,
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_member ON tokens (member_id, id);

CREATE TABLE studios (
	id          TEXT PRIMARY KEY,
	org_id      TEXT NOT NULL REFERENCES organizations (id),
	handle      TEXT NOT NULL UNIQUE,
	name        TEXT NOT NULL,
	description TEXT NOT NULL DEFAULT '',
	parent_id   TEXT,
	visibility  TEXT NOT NULL CHECK (visibility IN ('members', 'organization', 'public')),
	tempo       TEXT NOT NULL CHECK (tempo IN ('daily', 'weekly', 'monthly')),
	general     INTEGER NOT NULL DEFAULT 0,
	people      INTEGER NOT NULL DEFAULT 0,
	agents      INTEGER NOT NULL DEFAULT 0,
	created_by  TEXT NOT NULL,
	created_at  INTEGER NOT NULL,
	archived_by TEXT,
	archived_at INTEGER,
	version     INTEGER NOT NULL DEFAULT 1,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, parent_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, created_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, archived_by) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX studios_by_parent ON studios (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX studios_by_org ON studios (org_id, visibility, handle);
CREATE INDEX studios_public ON studios (handle) WHERE visibility = 'public';
CREATE INDEX studios_general ON studios (org_id) WHERE general = 1;

CREATE TABLE studio_members (
	studio_id TEXT NOT NULL,
	member_id TEXT NOT NULL,
	org_id    TEXT NOT NULL,
	joined_at INTEGER NOT NULL,
	PRIMARY KEY (studio_id, member_id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX studio_members_by_member ON studio_members (member_id, studio_id);

CREATE TABLE decisions (
	id           TEXT PRIMARY KEY,
	org_id       TEXT NOT NULL,
	studio_id    TEXT NOT NULL,
	member_id    TEXT NOT NULL,
	agent_id     TEXT,
	question     TEXT NOT NULL,
	body         TEXT NOT NULL DEFAULT '',
	method       TEXT NOT NULL,
	rules        TEXT NOT NULL DEFAULT '{}',
	results      TEXT NOT NULL CHECK (results IN ('shown', 'after_voting', 'after_closing')),
	reasons      TEXT NOT NULL CHECK (reasons IN ('off', 'optional', 'required')),
	everyone     INTEGER NOT NULL DEFAULT 0,
	imported     TEXT NOT NULL DEFAULT '',
	created_at   INTEGER NOT NULL,
	opened_at    INTEGER,
	closes_at    INTEGER,
	closed_at    INTEGER,
	closed_by    TEXT,
	statement    TEXT NOT NULL DEFAULT '',
	electorate   INTEGER NOT NULL DEFAULT 0,
	options      INTEGER NOT NULL DEFAULT 0,
	ballots      INTEGER NOT NULL DEFAULT 0,
	comments     INTEGER NOT NULL DEFAULT 0,
	pinned       INTEGER NOT NULL DEFAULT 0,
	tally        TEXT NOT NULL DEFAULT '',
	result       TEXT NOT NULL DEFAULT '',
	outcome      TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'result', 'tie', 'no_quorum')),
	deciding     INTEGER,
	version      INTEGER NOT NULL DEFAULT 1,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, closed_by) REFERENCES members (org_id, id)
) STRICT;
CREATE INDEX decisions_by_studio ON decisions (studio_id, created_at DESC, id);
CREATE INDEX decisions_open ON decisions (studio_id, closes_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX decisions_due ON decisions (closes_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL AND closes_at IS NOT NULL;

CREATE TABLE options (
	decision_id TEXT NOT NULL,
	n           INTEGER NOT NULL,
	org_id      TEXT NOT NULL,
	title       TEXT NOT NULL,
	member_id   TEXT NOT NULL,
	agent_id    TEXT,
	PRIMARY KEY (decision_id, n),
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;

-- A member's ballot has the member as its voter; an imported one a line number, and a weight if the file gave a count.
CREATE TABLE ballots (
	decision_id TEXT NOT NULL,
	voter       TEXT NOT NULL,
	org_id      TEXT NOT NULL,
	member_id   TEXT,
	agent_id    TEXT,
	marks       TEXT NOT NULL,
	weight      INTEGER NOT NULL DEFAULT 1 CHECK (weight > 0),
	reason      TEXT NOT NULL DEFAULT '',
	cast_at     INTEGER NOT NULL,
	PRIMARY KEY (decision_id, voter),
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE comments (
	subject_id TEXT NOT NULL,
	seq        INTEGER NOT NULL,
	org_id     TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	agent_id   TEXT,
	text       TEXT NOT NULL,
	at         INTEGER NOT NULL,
	PRIMARY KEY (subject_id, seq),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pins (
	studio_id  TEXT NOT NULL,
	subject_id TEXT NOT NULL,
	org_id     TEXT NOT NULL,
	kind       TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	at         INTEGER NOT NULL,
	PRIMARY KEY (studio_id, subject_id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
	org_id        TEXT NOT NULL,
	seq           INTEGER NOT NULL,
	at            INTEGER NOT NULL,
	member_id     TEXT NOT NULL,
	member        TEXT NOT NULL,
	agent_id      TEXT NOT NULL,
	agent         TEXT NOT NULL,
	token_id      TEXT NOT NULL,
	studio_id     TEXT NOT NULL,
	private_to    TEXT NOT NULL,
	action        TEXT NOT NULL,
	kind          TEXT NOT NULL,
	target_id     TEXT NOT NULL,
	url           TEXT NOT NULL,
	title         TEXT NOT NULL,
	before        TEXT,
	after         TEXT,
	before_digest BLOB NOT NULL,
	after_digest  BLOB NOT NULL,
	why           TEXT NOT NULL,
	request       TEXT NOT NULL,
	prev          BLOB NOT NULL,
	hash          BLOB NOT NULL,
	PRIMARY KEY (org_id, seq),
	FOREIGN KEY (org_id) REFERENCES organizations (id)
) STRICT;
CREATE INDEX journal_by_studio ON journal (org_id, studio_id, seq);
CREATE INDEX journal_by_target ON journal (org_id, target_id, seq);
CREATE INDEX journal_by_member ON journal (org_id, member_id, seq);
CREATE INDEX journal_by_action ON journal (org_id, action, seq);
CREATE INDEX journal_by_agents ON journal (org_id, seq, agent_id) WHERE agent_id <> '';

-- The first answer to a call that carried an idempotency key, kept for 24 hours.
CREATE TABLE answers (
	actor  TEXT NOT NULL,
	key    TEXT NOT NULL,
	call   BLOB NOT NULL,
	answer TEXT NOT NULL,
	at     INTEGER NOT NULL,
	PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_age ON answers (at);

-- Every refused or failed call by a token.
CREATE TABLE calls (
	token_id TEXT NOT NULL,
	at       INTEGER NOT NULL,
	n        INTEGER NOT NULL,
	url      TEXT NOT NULL,
	action   TEXT NOT NULL,
	code     TEXT NOT NULL,
	message  TEXT NOT NULL,
	PRIMARY KEY (token_id, at, n)
) STRICT, WITHOUT ROWID;
