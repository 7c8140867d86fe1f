-- +goose Up
-- When an item was put among its studio's templates, for others to start from.
ALTER TABLE items ADD COLUMN template_at INTEGER;
CREATE INDEX items_templates ON items (studio_id, template_at) WHERE template_at IS NOT NULL;
