-- +goose Up
-- How a tie is broken; whether ballots are kept apart from voters; the promise and, once it is closed, the secret of its lot.
ALTER TABLE decisions ADD COLUMN tie TEXT NOT NULL DEFAULT 'casting_vote' CHECK (tie IN ('casting_vote', 'lot'));
ALTER TABLE decisions ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN commitment TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN secret TEXT NOT NULL DEFAULT '';

-- The moment that an option of a time poll stands for.
ALTER TABLE options ADD COLUMN at INTEGER;

-- Who has the casting vote, where it is not who asked.
CREATE TABLE casters (
	decision_id TEXT NOT NULL PRIMARY KEY,
	org_id      TEXT NOT NULL,
	member_id   TEXT NOT NULL,
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

-- The secrets of lots that nobody may know yet. Nothing that makes a page, an entry or an answer reads this table.
CREATE TABLE lots (
	decision_id TEXT NOT NULL PRIMARY KEY,
	org_id      TEXT NOT NULL,
	secret      TEXT NOT NULL,
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id)
) STRICT, WITHOUT ROWID;

-- The ballots of anonymous votes: whose they are is nowhere, and who has voted is in ballots, without marks and time. A line
-- is the part of a receipt that everybody may see; the receipt itself is hashed.
CREATE TABLE sealed_ballots (
	decision_id TEXT NOT NULL,
	line        TEXT NOT NULL,
	org_id      TEXT NOT NULL,
	receipt     BLOB NOT NULL,
	marks       TEXT NOT NULL,
	reason      TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (decision_id, line),
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id)
) STRICT, WITHOUT ROWID;
