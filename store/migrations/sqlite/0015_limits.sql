-- +goose Up
-- What an organization lets itself be asked a minute, as JSON; empty is the default. What was asked is counted in memory;
-- servers that share a database tell each other here.
ALTER TABLE organizations ADD COLUMN limits TEXT NOT NULL DEFAULT '';

CREATE TABLE use_counts (
	key    TEXT NOT NULL,
	minute INTEGER NOT NULL,
	n      INTEGER NOT NULL,
	PRIMARY KEY (key, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX use_counts_by_minute ON use_counts (minute);
