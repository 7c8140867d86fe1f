-- +goose Up

-- What an organization lists is found among however much it has: what is open, what is tied, and the grants in force, those
-- that last longest first (4611686018427387904 is forever).
CREATE INDEX items_open_in_org ON items (org_id, due_at, created_at DESC, id) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX decisions_tied ON decisions (org_id, id) WHERE outcome = 'tie' AND deciding IS NULL AND imported = '';
CREATE INDEX tokens_in_force ON tokens (org_id, coalesce(expires_at, 4611686018427387904) DESC, id) WHERE revoked_at IS NULL;

-- The call log says whose agent it was, so that it is listed for an agent, a member and an organization.
CREATE TABLE new_calls (
	token_id  TEXT NOT NULL,
	at        INTEGER NOT NULL,
	n         INTEGER NOT NULL,
	org_id    TEXT NOT NULL,
	member_id TEXT NOT NULL,
	agent_id  TEXT NOT NULL,
	url       TEXT NOT NULL,
	action    TEXT NOT NULL,
	code      TEXT NOT NULL,
	message   TEXT NOT NULL,
	PRIMARY KEY (token_id, at, n),
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_calls (token_id, at, n, org_id, member_id, agent_id, url, action, code, message)
	SELECT c.token_id, c.at, c.n, t.org_id, t.member_id, t.agent_id, c.url, c.action, c.code, c.message FROM calls c JOIN tokens t ON t.id = c.token_id;
DROP TABLE calls;
ALTER TABLE new_calls RENAME TO calls;
CREATE INDEX calls_by_age ON calls (at);
CREATE INDEX calls_by_org ON calls (org_id, at DESC, n DESC, token_id);
CREATE INDEX calls_by_member ON calls (member_id, at DESC, n DESC, token_id);
CREATE INDEX calls_by_agent ON calls (agent_id, at DESC, n DESC, token_id);
