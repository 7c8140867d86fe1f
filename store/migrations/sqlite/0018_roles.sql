-- +goose Up
-- Whoever holds a role is in its studio: the database holds to that.
CREATE UNIQUE INDEX studio_members_whole ON studio_members (org_id, studio_id, member_id);

-- What a studio asks of one of its members. One that mirrors another, its source in the parent studio, says what that says
-- and is held by whom that is held. Who holds it only until somebody is assigned does so since acting_since.
CREATE TABLE roles (
	id           TEXT PRIMARY KEY,
	org_id       TEXT NOT NULL,
	studio_id    TEXT NOT NULL,
	kind         TEXT NOT NULL CHECK (kind IN ('leader', 'secretary', 'referee', 'none')),
	title        TEXT NOT NULL,
	mission      TEXT NOT NULL DEFAULT '',
	duties       TEXT NOT NULL DEFAULT '',
	source_id    TEXT,
	holder_id    TEXT,
	held_since   INTEGER,
	acting_since INTEGER,
	ends_at      INTEGER,
	told_at      INTEGER,
	created_by   TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	deleted_by   TEXT,
	deleted_at   INTEGER,
	version      INTEGER NOT NULL DEFAULT 1,
	UNIQUE (org_id, id),
	CHECK (source_id IS NULL OR kind = 'leader'),
	CHECK (deleted_at IS NULL OR holder_id IS NULL),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, source_id) REFERENCES roles (org_id, id),
	FOREIGN KEY (org_id, studio_id, holder_id) REFERENCES studio_members (org_id, studio_id, member_id),
	FOREIGN KEY (org_id, created_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, deleted_by) REFERENCES members (org_id, id)
) STRICT;
CREATE UNIQUE INDEX roles_leader ON roles (studio_id) WHERE kind = 'leader' AND deleted_at IS NULL;
CREATE INDEX roles_by_studio ON roles (studio_id, title, id) WHERE deleted_at IS NULL;
CREATE INDEX roles_by_holder ON roles (holder_id, studio_id) WHERE holder_id IS NOT NULL;
CREATE INDEX roles_by_source ON roles (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX roles_vacant ON roles (org_id, title, created_at, id) WHERE holder_id IS NULL AND deleted_at IS NULL;
CREATE INDEX roles_held ON roles (org_id, title, created_at, id) WHERE holder_id IS NOT NULL;
CREATE INDEX roles_over ON roles (ends_at) WHERE ends_at IS NOT NULL AND told_at IS NULL;

-- Who held a role, from when to when.
CREATE TABLE terms (
	role_id    TEXT NOT NULL,
	n          INTEGER NOT NULL,
	org_id     TEXT NOT NULL,
	member_id  TEXT NOT NULL,
	acting     INTEGER NOT NULL DEFAULT 0,
	started_at INTEGER NOT NULL,
	ends_at    INTEGER,
	ended_at   INTEGER,
	PRIMARY KEY (role_id, n),
	FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

-- Who made a studio leads it, if they are still in it. Its id serves for the role too: they are ids of different tables.
INSERT INTO roles (id, org_id, studio_id, kind, title, holder_id, held_since, created_by, created_at)
	SELECT s.id, s.org_id, s.id, 'leader', 'Leader', x.member_id, x.joined_at, s.created_by, s.created_at
	FROM studios s LEFT JOIN studio_members x ON x.studio_id = s.id AND x.member_id = s.created_by;
INSERT INTO terms (role_id, n, org_id, member_id, started_at)
	SELECT id, 1, org_id, holder_id, held_since FROM roles WHERE holder_id IS NOT NULL;

-- Who has the casting vote, where it is not who asked: a member, or whoever holds a role when the vote is closed.
CREATE TABLE new_casters (
	decision_id TEXT NOT NULL PRIMARY KEY,
	org_id      TEXT NOT NULL,
	member_id   TEXT,
	role_id     TEXT,
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_casters (decision_id, org_id, member_id) SELECT decision_id, org_id, member_id FROM casters;
DROP TABLE casters;
ALTER TABLE new_casters RENAME TO casters;
