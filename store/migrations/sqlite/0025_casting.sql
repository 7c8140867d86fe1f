-- +goose Up
-- Who broke a tie, when, and what they said of it, which is not the statement of who closed the vote. Of one broken before, only the journal tells who.
ALTER TABLE decisions ADD COLUMN decided_by TEXT;
ALTER TABLE decisions ADD COLUMN decided_at INTEGER;
ALTER TABLE decisions ADD COLUMN deciding_statement TEXT NOT NULL DEFAULT '';
