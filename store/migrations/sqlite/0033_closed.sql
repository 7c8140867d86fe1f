-- +goose Up

-- What was closed after a cycle is gone through without looking at the items themselves.
DROP INDEX items_closed;
CREATE INDEX items_closed ON items (studio_id, closed_at, opened_at, id) WHERE closed_at > opened_at AND removed_at IS NULL;
