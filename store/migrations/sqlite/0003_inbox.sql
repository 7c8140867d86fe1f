-- +goose Up
-- What somebody is told of: at most one row for each event, which is a journal entry, and person.
CREATE TABLE notifications (
	member_id    TEXT NOT NULL,
	seq          INTEGER NOT NULL,
	org_id       TEXT NOT NULL,
	reason       TEXT NOT NULL CHECK (reason IN ('mention', 'reply', 'assignment', 'change', 'outcome', 'approval', 'due')),
	actor        TEXT NOT NULL,
	did          TEXT NOT NULL,
	item_id      TEXT,
	url          TEXT NOT NULL,
	title        TEXT NOT NULL,
	at           INTEGER NOT NULL,
	read_at      INTEGER,
	dismissed_at INTEGER,
	PRIMARY KEY (member_id, seq),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_by_time ON notifications (member_id, at DESC, seq DESC);
CREATE INDEX notifications_by_event ON notifications (org_id, seq);
CREATE INDEX notifications_unread ON notifications (member_id, item_id) WHERE read_at IS NULL AND dismissed_at IS NULL;

-- How many of their notifications somebody has neither read nor dismissed, so that no page counts them.
ALTER TABLE members ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
-- It grows with every change of what only the member sees: notifications, and what they follow.
ALTER TABLE members ADD COLUMN own_version INTEGER NOT NULL DEFAULT 0;

-- When those whom an item waits for were told that it is due soon.
ALTER TABLE items ADD COLUMN reminded_at INTEGER;
CREATE INDEX items_soon ON items (due_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL AND due_at IS NOT NULL AND reminded_at IS NULL;

-- How many other items link to an item, so that only the page of one that is linked looks for them. Which text a link is in
-- is told by seq: 0 is the item's own, any other the comment's.
ALTER TABLE items ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;
DROP TABLE links;
CREATE TABLE links (
	to_id   TEXT NOT NULL,
	from_id TEXT NOT NULL,
	seq     INTEGER NOT NULL,
	org_id  TEXT NOT NULL,
	PRIMARY KEY (to_id, from_id, seq),
	FOREIGN KEY (org_id, to_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, from_id) REFERENCES items (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_source ON links (from_id, seq);
