-- +goose Up
-- A note is a post, a reminder or a table. The columns of a table are JSON; the next row gets the number last_row + 1.
CREATE TABLE notes (
	id        TEXT PRIMARY KEY,
	org_id    TEXT NOT NULL,
	type      TEXT NOT NULL CHECK (type IN ('post', 'reminder', 'table')),
	readers   INTEGER NOT NULL DEFAULT 0,
	fields    TEXT NOT NULL DEFAULT '',
	row_count INTEGER NOT NULL DEFAULT 0,
	last_row  INTEGER NOT NULL DEFAULT 0,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id)
) STRICT;

-- The rows of a table. Cells are a JSON object: the id of a column, and what it holds as text.
CREATE TABLE note_rows (
	note_id   TEXT NOT NULL,
	n         INTEGER NOT NULL,
	org_id    TEXT NOT NULL,
	cells     TEXT NOT NULL,
	member_id TEXT NOT NULL,
	agent_id  TEXT,
	at        INTEGER NOT NULL,
	PRIMARY KEY (note_id, n),
	FOREIGN KEY (org_id, note_id) REFERENCES notes (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;

-- Who has confirmed to have read an item.
CREATE TABLE readers (
	item_id   TEXT NOT NULL,
	member_id TEXT NOT NULL,
	org_id    TEXT NOT NULL,
	agent_id  TEXT,
	at        INTEGER NOT NULL,
	PRIMARY KEY (item_id, member_id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;

-- What an item said, each time from then until the next version. One that was never changed has none.
CREATE TABLE versions (
	item_id   TEXT NOT NULL,
	n         INTEGER NOT NULL,
	org_id    TEXT NOT NULL,
	title     TEXT NOT NULL,
	body      TEXT NOT NULL,
	details   TEXT NOT NULL,
	member_id TEXT NOT NULL,
	agent_id  TEXT,
	at        INTEGER NOT NULL,
	PRIMARY KEY (item_id, n),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;

-- Deleting an item looks for what refers to it.
CREATE INDEX pins_by_item ON pins (item_id);
CREATE INDEX notifications_by_item ON notifications (item_id) WHERE item_id IS NOT NULL;

-- The journal's chain covers a digest of the title, so that the title can be erased.
ALTER TABLE journal ADD COLUMN title_digest BLOB NOT NULL DEFAULT x'';
