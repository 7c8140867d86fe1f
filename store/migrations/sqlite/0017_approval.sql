-- +goose Up
-- What an organization says about its members' agents: whether their ballots count, wait or are refused, and which actions
-- wait for a person whatever the token.
ALTER TABLE organizations ADD COLUMN agent_ballots TEXT NOT NULL DEFAULT 'allowed' CHECK (agent_ballots IN ('allowed', 'ask', 'off'));
ALTER TABLE organizations ADD COLUMN agent_asks TEXT NOT NULL DEFAULT '';

-- An action that an agent has asked for and a person must approve. Its digest covers what was asked for: url, action, params
-- and version. What a ballot says is taken out once it is settled.
CREATE TABLE approvals (
	id          TEXT PRIMARY KEY,
	org_id      TEXT NOT NULL,
	studio_id   TEXT,
	member_id   TEXT NOT NULL,
	agent_id    TEXT NOT NULL,
	token_id    TEXT NOT NULL,
	url         TEXT NOT NULL,
	action      TEXT NOT NULL,
	title       TEXT NOT NULL,
	target      TEXT NOT NULL,
	params      TEXT NOT NULL,
	version     TEXT NOT NULL,
	digest      BLOB NOT NULL,
	preview     TEXT NOT NULL,
	why         TEXT NOT NULL,
	rule        TEXT NOT NULL CHECK (rule IN ('grant', 'organization', 'action')),
	private     INTEGER NOT NULL,
	discreet    INTEGER NOT NULL,
	asked_at    INTEGER NOT NULL,
	expires_at  INTEGER NOT NULL,
	verdict     TEXT NOT NULL DEFAULT '' CHECK (verdict IN ('', 'approved', 'rejected', 'withdrawn', 'expired')),
	settled_at  INTEGER,
	settled_by  TEXT,
	comment     TEXT NOT NULL DEFAULT '',
	outcome     TEXT NOT NULL DEFAULT '',
	outcome_url TEXT NOT NULL DEFAULT '',
	failure     TEXT NOT NULL DEFAULT '',
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, settled_by) REFERENCES members (org_id, id)
) STRICT;
CREATE INDEX approvals_by_member ON approvals (member_id, asked_at DESC, id);
CREATE INDEX approvals_by_agent ON approvals (agent_id, asked_at DESC, id);
CREATE INDEX approvals_by_org ON approvals (org_id, asked_at DESC, id);
CREATE INDEX approvals_pending ON approvals (member_id, asked_at DESC, id) WHERE settled_at IS NULL;
CREATE INDEX approvals_waiting ON approvals (org_id, asked_at DESC, id) WHERE settled_at IS NULL;
CREATE INDEX approvals_asked ON approvals (agent_id, digest) WHERE settled_at IS NULL;
CREATE INDEX approvals_by_url ON approvals (url);
CREATE INDEX approvals_by_outcome ON approvals (outcome_url) WHERE outcome_url <> '';
CREATE INDEX approvals_due ON approvals (expires_at) WHERE settled_at IS NULL;

CREATE INDEX agents_by_org ON agents (org_id, created_at DESC, id);
CREATE INDEX journal_by_agent ON journal (org_id, agent_id, seq) WHERE agent_id <> '';
CREATE INDEX calls_by_age ON calls (at);
