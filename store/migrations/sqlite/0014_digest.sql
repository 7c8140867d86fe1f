-- +goose Up
-- Until when a studio's cycles have been summed up for its members.
ALTER TABLE studios ADD COLUMN digested_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX studios_by_digest ON studios (tempo, digested_at) WHERE archived_at IS NULL;
