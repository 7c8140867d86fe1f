-- +goose Up

-- How well a title matches is told from its words, as the index has them, without going to where the title is. They are filled
-- in as the documents are indexed again.
ALTER TABLE documents ADD COLUMN title TEXT NOT NULL DEFAULT '';
UPDATE documents SET indexed_at = NULL WHERE seq <= 0;
