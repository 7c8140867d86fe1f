-- +goose Up
-- Why something was done can be taken out of the journal: the chain covers a digest of it. An entry from before has none, and its words stay.
ALTER TABLE journal ADD COLUMN why_digest BLOB NOT NULL DEFAULT x'';
