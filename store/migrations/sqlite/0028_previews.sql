-- +goose Up
-- What links into a studio show elsewhere; NULL follows who can see the studio.
ALTER TABLE studios ADD COLUMN previews TEXT CHECK (previews IN ('off', 'title', 'card'));

-- How many links with a preview were ever made to an item.
ALTER TABLE items ADD COLUMN preview_links INTEGER NOT NULL DEFAULT 0;

-- A link to an item whose key unlocks its preview, and nothing else, for whoever has it. Of the key there is only the hash.
CREATE TABLE preview_links (
	id         TEXT PRIMARY KEY,
	org_id     TEXT NOT NULL,
	item_id    TEXT NOT NULL,
	hash       BLOB NOT NULL UNIQUE,
	member_id  TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER,
	revoked_by TEXT,
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, revoked_by) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX preview_links_by_item ON preview_links (item_id, created_at DESC, id);
