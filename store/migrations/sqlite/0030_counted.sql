-- +goose Up

-- An item's own page needs to know of its versions and remarks only how many there are.
ALTER TABLE items ADD COLUMN versions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN remarks INTEGER NOT NULL DEFAULT 0;
UPDATE items SET versions = (SELECT coalesce(max(n), 0) FROM versions WHERE item_id = items.id),
	remarks = (SELECT count(*) FROM comments WHERE item_id = items.id AND removed_at IS NULL);
