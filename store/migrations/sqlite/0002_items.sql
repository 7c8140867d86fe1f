-- +goose Up
-- An item is what somebody puts into a studio: a decision, a note, a commitment. What all of them have is in one table, so
-- that comments, pins, links, search and the pages that list what happens need not know the kinds.
-- Children are copied before their parents are dropped, so that no foreign key is ever broken.

CREATE TABLE items (
	id         TEXT PRIMARY KEY,
	org_id     TEXT NOT NULL,
	studio_id  TEXT NOT NULL,
	kind       TEXT NOT NULL,
	title      TEXT NOT NULL,
	body       TEXT NOT NULL DEFAULT '',
	member_id  TEXT NOT NULL,
	agent_id   TEXT,
	created_at INTEGER NOT NULL,
	opened_at  INTEGER,
	due_at     INTEGER,
	closed_at  INTEGER,
	closed_by  TEXT,
	removed_at INTEGER,
	removed_by TEXT,
	comments   INTEGER NOT NULL DEFAULT 0,
	pinned     INTEGER NOT NULL DEFAULT 0,
	version    INTEGER NOT NULL DEFAULT 1,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, closed_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, removed_by) REFERENCES members (org_id, id)
) STRICT;

INSERT INTO items (id, org_id, studio_id, kind, title, body, member_id, agent_id, created_at, opened_at, due_at, closed_at, closed_by, comments, pinned, version)
	SELECT id, org_id, studio_id, 'decision', question, body, member_id, agent_id, created_at, opened_at, closes_at, closed_at, closed_by, comments, pinned, version
	FROM decisions;

CREATE TABLE new_decisions (
	id         TEXT PRIMARY KEY,
	org_id     TEXT NOT NULL,
	method     TEXT NOT NULL,
	rules      TEXT NOT NULL DEFAULT '{}',
	results    TEXT NOT NULL CHECK (results IN ('shown', 'after_voting', 'after_closing')),
	reasons    TEXT NOT NULL CHECK (reasons IN ('off', 'optional', 'required')),
	everyone   INTEGER NOT NULL DEFAULT 0,
	imported   TEXT NOT NULL DEFAULT '',
	statement  TEXT NOT NULL DEFAULT '',
	electorate INTEGER NOT NULL DEFAULT 0,
	options    INTEGER NOT NULL DEFAULT 0,
	ballots    INTEGER NOT NULL DEFAULT 0,
	tally      TEXT NOT NULL DEFAULT '',
	result     TEXT NOT NULL DEFAULT '',
	outcome    TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'result', 'tie', 'no_quorum')),
	deciding   INTEGER,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id)
) STRICT;
INSERT INTO new_decisions (id, org_id, method, rules, results, reasons, everyone, imported, statement, electorate, options, ballots, tally, result, outcome, deciding)
	SELECT id, org_id, method, rules, results, reasons, everyone, imported, statement, electorate, options, ballots, tally, result, outcome, deciding FROM decisions;

CREATE TABLE new_options (
	decision_id TEXT NOT NULL,
	n           INTEGER NOT NULL,
	org_id      TEXT NOT NULL,
	title       TEXT NOT NULL,
	member_id   TEXT NOT NULL,
	agent_id    TEXT,
	PRIMARY KEY (decision_id, n),
	FOREIGN KEY (org_id, decision_id) REFERENCES new_decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_options SELECT decision_id, n, org_id, title, member_id, agent_id FROM options;

CREATE TABLE new_ballots (
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
	FOREIGN KEY (org_id, decision_id) REFERENCES new_decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_ballots SELECT decision_id, voter, org_id, member_id, agent_id, marks, weight, reason, cast_at FROM ballots;

DROP TABLE options;
DROP TABLE ballots;
DROP TABLE decisions;
ALTER TABLE new_decisions RENAME TO decisions;
ALTER TABLE new_options RENAME TO options;
ALTER TABLE new_ballots RENAME TO ballots;

CREATE TABLE new_comments (
	item_id    TEXT NOT NULL,
	seq        INTEGER NOT NULL,
	org_id     TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	agent_id   TEXT,
	text       TEXT NOT NULL,
	at         INTEGER NOT NULL,
	removed_at INTEGER,
	removed_by TEXT,
	PRIMARY KEY (item_id, seq),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, removed_by) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_comments (item_id, seq, org_id, member_id, agent_id, text, at) SELECT subject_id, seq, org_id, member_id, agent_id, text, at FROM comments;
DROP TABLE comments;
ALTER TABLE new_comments RENAME TO comments;

CREATE TABLE new_pins (
	studio_id TEXT NOT NULL,
	item_id   TEXT NOT NULL,
	org_id    TEXT NOT NULL,
	member_id TEXT NOT NULL,
	at        INTEGER NOT NULL,
	PRIMARY KEY (studio_id, item_id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_pins SELECT studio_id, subject_id, org_id, member_id, at FROM pins;
DROP TABLE pins;
ALTER TABLE new_pins RENAME TO pins;

-- What somebody follows or mutes: a studio or an item.
CREATE TABLE follows (
	subject_id TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	org_id     TEXT NOT NULL,
	level      TEXT NOT NULL CHECK (level IN ('following', 'muted')),
	at         INTEGER NOT NULL,
	PRIMARY KEY (subject_id, member_id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

-- Which item's text, or comments, link to which page, by its path.
CREATE TABLE links (
	url     TEXT NOT NULL,
	item_id TEXT NOT NULL,
	org_id  TEXT NOT NULL,
	PRIMARY KEY (url, item_id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_item ON links (item_id);

CREATE INDEX items_by_studio ON items (studio_id, created_at DESC, id);
CREATE INDEX items_by_kind ON items (studio_id, kind, created_at DESC, id);
CREATE INDEX items_open ON items (studio_id, due_at, created_at DESC) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX items_due ON items (due_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL AND due_at IS NOT NULL;
