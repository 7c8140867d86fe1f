-- +goose Up

-- What was opened or is due in a cycle is found, and counted, without looking at the items themselves.
DROP INDEX items_opened;
DROP INDEX items_by_due;
CREATE INDEX items_opened ON items (studio_id, opened_at, id) WHERE opened_at IS NOT NULL AND removed_at IS NULL;
CREATE INDEX items_by_due ON items (studio_id, due_at, id) WHERE opened_at IS NOT NULL AND due_at IS NOT NULL AND removed_at IS NULL;
