-- +goose Up
-- The tables of Samepage in PostgreSQL. The same tables in SQLite are in migrations/sqlite; a change is made in both files.
-- Until the first release there is one file for each database, and a change gives both the next number. So a database that was
-- made by an earlier file is refused, and is not taken for one of this file. Released files are never edited.
--
-- An id is ten random letters and digits, except that of a policy. A time is in milliseconds since 1970 UTC, and a flag is 0 or 1: statements are the same
-- for both databases. COLLATE "C" compares texts by their bytes, as SQLite does.
--
-- Every row of an organization has its org_id, and foreign keys include it: a row cannot refer to a row of another organization.

--
-- The installation
--

-- Values of the installation as a whole, such as the fingerprint of its keys, which are in a file.
CREATE TABLE instance (
	key   TEXT COLLATE "C" PRIMARY KEY,
	value BYTEA NOT NULL
);

-- Mails that wait to be sent, and those that were sent or given up in the last 90 days. Subject_id is the id of the invitation, the
-- reset or the change of address that a mail is about, or that of the user if it tells of notifications. The text is written when
-- the mail is sent. The process that sends a mail leases it first, so that no other process sends it meanwhile.
CREATE TABLE mails (
	id         TEXT COLLATE "C" PRIMARY KEY,
	kind       TEXT COLLATE "C" NOT NULL,
	subject_id TEXT COLLATE "C" NOT NULL,
	address    TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	due_at     BIGINT NOT NULL,
	attempts   BIGINT NOT NULL DEFAULT 0,
	sent_at    BIGINT,
	failed_at  BIGINT,
	problem    TEXT COLLATE "C" NOT NULL DEFAULT '',
	leased_by  TEXT COLLATE "C" NOT NULL DEFAULT '',
	leased_to  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX mails_due ON mails (due_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mails_given_up ON mails (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX mails_by_subject ON mails (subject_id);
CREATE INDEX mails_by_address ON mails (address);
CREATE INDEX mails_by_age ON mails (created_at);

-- Hashes of secrets that work once and were used. A hash is kept until its secret would have expired.
CREATE TABLE spent (
	hash       BYTEA PRIMARY KEY,
	expires_at BIGINT NOT NULL
);
CREATE INDEX spent_by_end ON spent (expires_at);

-- The number of requests in a minute, by the token, member, organization or address that made them. Each server counts in memory;
-- servers that share a database add their counts here.
CREATE TABLE use_counts (
	key    TEXT COLLATE "C" NOT NULL,
	minute BIGINT NOT NULL,
	n      BIGINT NOT NULL,
	PRIMARY KEY (key, minute)
);
CREATE INDEX use_counts_by_minute ON use_counts (minute);

--
-- Accounts
--

-- A user is the account with which a person signs in. Password is a hash, or empty for an account without a password.
CREATE TABLE users (
	id          TEXT COLLATE "C" PRIMARY KEY,
	email       TEXT COLLATE "C" NOT NULL UNIQUE,
	password    TEXT COLLATE "C" NOT NULL,
	password_at BIGINT,
	created_at  BIGINT NOT NULL
);

-- A login is a browser that is signed in: agent is its User-Agent and address its IP address. Proved_at is the last time at which
-- the person proved to be the user, with a password or a passkey.
CREATE TABLE logins (
	hash       BYTEA PRIMARY KEY,
	user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
	agent      TEXT COLLATE "C" NOT NULL DEFAULT '',
	address    TEXT COLLATE "C" NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL,
	proved_at  BIGINT,
	seen_at    BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX logins_by_user ON logins (user_id);
CREATE INDEX logins_by_end ON logins (expires_at);

-- A passkey is a public key that signs its user in. Credential is its name at the authenticator; record has the key as JSON.
CREATE TABLE passkeys (
	id         TEXT COLLATE "C" PRIMARY KEY,
	user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
	name       TEXT COLLATE "C" NOT NULL,
	credential BYTEA NOT NULL UNIQUE,
	record     TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	used_at    BIGINT
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- An identity is an account at an OpenID provider that signs the user in here.
CREATE TABLE identities (
	issuer     TEXT COLLATE "C" NOT NULL,
	subject    TEXT COLLATE "C" NOT NULL,
	user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
	email      TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL,
	PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_by_user ON identities (user_id);

-- Links that set another password. Hash is that of the link's key, which is made when the link is mailed.
CREATE TABLE resets (
	id         TEXT COLLATE "C" PRIMARY KEY,
	user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
	hash       BYTEA UNIQUE,
	created_at BIGINT NOT NULL,
	expires_at BIGINT
);
CREATE INDEX resets_by_user ON resets (user_id);

-- Links that give a user another email address. The key of a link is made when the link is mailed to that address.
CREATE TABLE address_changes (
	id         TEXT COLLATE "C" PRIMARY KEY,
	user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
	email      TEXT COLLATE "C" NOT NULL,
	hash       BYTEA UNIQUE,
	created_at BIGINT NOT NULL,
	expires_at BIGINT,
	used_at    BIGINT
);
CREATE INDEX address_changes_by_user ON address_changes (user_id);

-- The choices of a person about mails. Times of day are minutes after midnight in the zone, and quiet hours whose start is their end
-- are none. Quiet_days are the days on which they begin, NULL for every day. Digest_due is the time of the next digest.
CREATE TABLE notification_settings (
	user_id    TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id),
	zone       TEXT COLLATE "C" NOT NULL DEFAULT '',
	quiet_from BIGINT NOT NULL DEFAULT 0,
	quiet_to   BIGINT NOT NULL DEFAULT 0,
	quiet_days TEXT COLLATE "C",
	digest     TEXT COLLATE "C" NOT NULL DEFAULT 'off' CHECK (digest IN ('off', 'daily', 'weekly')),
	digest_at  BIGINT NOT NULL DEFAULT 480,
	digest_day BIGINT NOT NULL DEFAULT 1,
	digest_due BIGINT
);
CREATE INDEX notification_settings_due ON notification_settings (digest_due) WHERE digest_due IS NOT NULL;

-- Where the notifications with a reason go. Those of a reason without a row are in the inbox and in the digest. Those of a hooked one
-- also go to the person's webhook.
CREATE TABLE notification_ways (
	user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id),
	reason  TEXT COLLATE "C" NOT NULL CHECK (reason IN ('mention', 'assignment', 'approval', 'security', 'reply', 'outcome', 'due', 'message', 'change')),
	way     TEXT COLLATE "C" NOT NULL CHECK (way IN ('inbox', 'digest', 'mail', 'off')),
	hooked  BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (user_id, reason)
);
CREATE INDEX notification_ways_by_way ON notification_ways (way, user_id);

--
-- Organizations and their members
--

-- Journal_seq and journal_hash are the last entry of the journal, to which the next one is chained. File_bytes is the size of all
-- attached files. Limits is the number of requests a minute, as JSON, or empty for the default. Agent_ballots says if a ballot
-- of an agent counts, and agent_asks names the actions that wait for a person when any agent asks for them.
CREATE TABLE organizations (
	id            TEXT COLLATE "C" PRIMARY KEY,
	handle        TEXT COLLATE "C" NOT NULL UNIQUE,
	name          TEXT COLLATE "C" NOT NULL,
	accent        TEXT COLLATE "C" NOT NULL DEFAULT '',
	zone          TEXT COLLATE "C" NOT NULL DEFAULT 'UTC',
	owner_id      TEXT COLLATE "C",
	inviters      TEXT COLLATE "C" NOT NULL DEFAULT 'owner' CHECK (inviters IN ('owner', 'members')),
	governance    TEXT COLLATE "C" NOT NULL DEFAULT 'open' CHECK (governance IN ('open', 'consent')),
	agent_ballots TEXT COLLATE "C" NOT NULL DEFAULT 'allowed' CHECK (agent_ballots IN ('allowed', 'ask', 'off')),
	agent_asks    TEXT COLLATE "C" NOT NULL DEFAULT '',
	limits        TEXT COLLATE "C" NOT NULL DEFAULT '',
	file_bytes    BIGINT NOT NULL DEFAULT 0,
	journal_seq   BIGINT NOT NULL DEFAULT 0,
	journal_hash  BYTEA NOT NULL DEFAULT ''::bytea,
	version       BIGINT NOT NULL DEFAULT 1,
	created_at    BIGINT NOT NULL
);

-- A person with a verified email address of one of these domains may join the organization.
CREATE TABLE email_domains (
	domain TEXT COLLATE "C" NOT NULL,
	org_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
	PRIMARY KEY (domain, org_id)
);
CREATE INDEX email_domains_by_org ON email_domains (org_id, domain);

-- A membership that ended keeps its row, so that the texts of the member keep their name. A person that comes back gets the row again.
-- Unread counts the notifications that are neither read nor dismissed, so that no page counts them. Own_version is raised by each
-- change of something that only the member sees, such as notifications. Person_version is the same for what the member's agents never
-- see: direct messages, which direct_unread counts, and quiet notifications, which quiet_unread counts. Mailed_seq is the journal entry
-- up to which notifications were looked at for mails, and hooked_seq the same for the person's webhook.
CREATE TABLE members (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
	user_id     TEXT COLLATE "C" NOT NULL REFERENCES users (id),
	handle      TEXT COLLATE "C" NOT NULL,
	name        TEXT COLLATE "C" NOT NULL,
	contact     TEXT COLLATE "C" NOT NULL DEFAULT '',
	unread      BIGINT NOT NULL DEFAULT 0,
	quiet_unread BIGINT NOT NULL DEFAULT 0,
	joined_at   BIGINT NOT NULL,
	ended_at    BIGINT,
	ended_by    TEXT COLLATE "C",
	erased_at   BIGINT,
	version     BIGINT NOT NULL DEFAULT 1,
	own_version BIGINT NOT NULL DEFAULT 0,
	direct_unread BIGINT NOT NULL DEFAULT 0,
	person_version BIGINT NOT NULL DEFAULT 0,
	mailed_seq  BIGINT NOT NULL DEFAULT 0,
	hooked_seq  BIGINT NOT NULL DEFAULT 0,
	UNIQUE (org_id, id),
	UNIQUE (org_id, handle),
	UNIQUE (user_id, org_id),
	FOREIGN KEY (org_id, ended_by) REFERENCES members (org_id, id)
);
-- The two tables refer to each other, so this foreign key comes after both.
ALTER TABLE organizations ADD FOREIGN KEY (id, owner_id) REFERENCES members (org_id, id);

-- Handles that members had before. They lead to the member, and no other member can take them.
CREATE TABLE former_handles (
	org_id    TEXT COLLATE "C" NOT NULL,
	handle    TEXT COLLATE "C" NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	at        BIGINT NOT NULL,
	PRIMARY KEY (org_id, handle),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);
CREATE INDEX former_handles_by_member ON former_handles (member_id);

-- An invitation is for one email address, or for each person that has its link; then email is empty. Invited_by is empty for an
-- invitation that a person with an address of one of the organization's domains asked for. An invitation is pending until it is
-- accepted, declined, revoked or expired.
CREATE TABLE invitations (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
	email       TEXT COLLATE "C" NOT NULL,
	invited_by  TEXT COLLATE "C",
	created_at  BIGINT NOT NULL,
	expires_at  BIGINT NOT NULL,
	accepted_at BIGINT,
	member_id   TEXT COLLATE "C",
	declined_at BIGINT,
	revoked_at  BIGINT,
	revoked_by  TEXT COLLATE "C",
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, invited_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, revoked_by) REFERENCES members (org_id, id)
);
CREATE INDEX invitations_by_org ON invitations (org_id, created_at DESC, id);
CREATE INDEX invitations_pending ON invitations (org_id, email) WHERE accepted_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL;

-- Hashes of the secrets that open an invitation. Each mail carries a secret of its own, because none is kept to be sent again.
CREATE TABLE invitation_keys (
	hash          BYTEA PRIMARY KEY,
	org_id        TEXT COLLATE "C" NOT NULL,
	invitation_id TEXT COLLATE "C" NOT NULL,
	FOREIGN KEY (org_id, invitation_id) REFERENCES invitations (org_id, id)
);

--
-- Agents and their tokens
--

-- An agent is a label under which programs act for a member.
CREATE TABLE agents (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	label      TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
		runs       BIGINT NOT NULL DEFAULT 0, -- it is a runner, which reads no studio
UNIQUE (org_id, id),
	UNIQUE (member_id, label),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);
CREATE INDEX agents_by_org ON agents (org_id, created_at DESC, id);

-- A token is a grant to an agent. Roles and kinds restrict it to some of the member's roles and to some kinds of nouns; NULL is
-- all of them. Asks names the actions that wait for approval, and public allows to write where everybody can read. A token that
-- was granted to an OAuth client has the client's id and no hash, because it has no secret of its own.
CREATE TABLE tokens (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C" NOT NULL,
	hash       BYTEA UNIQUE,
	scopes     TEXT COLLATE "C" NOT NULL,
	roles      TEXT COLLATE "C",
	kinds      TEXT COLLATE "C",
	asks       TEXT COLLATE "C" NOT NULL DEFAULT '',
	public     BIGINT NOT NULL DEFAULT 0,
	client     TEXT COLLATE "C" NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL,
	turn        BIGINT NOT NULL DEFAULT 0,
	expires_at BIGINT,
	used_at    BIGINT,
	used_from  TEXT COLLATE "C" NOT NULL DEFAULT '',
	used_with  TEXT COLLATE "C" NOT NULL DEFAULT '',
	paused_at  BIGINT,
	paused_by  TEXT COLLATE "C",
	revoked_at BIGINT,
	revoked_by TEXT COLLATE "C",
	begun_by   TEXT COLLATE "C",
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, paused_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, revoked_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, begun_by) REFERENCES tokens (org_id, id)
);
CREATE INDEX tokens_by_member ON tokens (member_id, id);
CREATE INDEX tokens_by_agent ON tokens (agent_id, id);
-- The tokens of turns that began with a token: they end with it.
CREATE INDEX tokens_by_beginning ON tokens (begun_by) WHERE begun_by IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX tokens_by_hand ON tokens (member_id, id) WHERE turn = 0;
CREATE INDEX tokens_of_agents ON tokens (agent_id) WHERE revoked_at IS NULL;
CREATE INDEX tokens_used ON tokens (agent_id, used_at);
-- The organization's list has the tokens that last longest first; the number stands for one that never expires.
CREATE INDEX tokens_in_force ON tokens (org_id, coalesce(expires_at, 4611686018427387904) DESC, id) WHERE revoked_at IS NULL;

-- What the turns of an agent have cost on a day, in millionths of the currency. Day counts from 1970.
CREATE TABLE agent_costs (
	agent_id TEXT COLLATE "C" NOT NULL,
	day      BIGINT NOT NULL,
	currency TEXT COLLATE "C" NOT NULL,
	org_id   TEXT COLLATE "C" NOT NULL,
	cost     BIGINT NOT NULL,
	PRIMARY KEY (agent_id, day, currency),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- Every call by a token that was refused or failed. N tells calls in the same millisecond apart.
CREATE TABLE calls (
	token_id  TEXT COLLATE "C" NOT NULL,
	at        BIGINT NOT NULL,
	n         BIGINT NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C" NOT NULL,
	url       TEXT COLLATE "C" NOT NULL,
	action    TEXT COLLATE "C" NOT NULL,
	code      TEXT COLLATE "C" NOT NULL,
	message   TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (token_id, at, n),
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);
CREATE INDEX calls_by_age ON calls (at);
CREATE INDEX calls_by_org ON calls (org_id, at DESC, n DESC, token_id);
CREATE INDEX calls_by_member ON calls (member_id, at DESC, n DESC, token_id);
CREATE INDEX calls_by_agent ON calls (agent_id, at DESC, n DESC, token_id);

-- The first answer to a call with an idempotency key, kept for 24 hours. Actor is a token or a login, so there is no org_id.
CREATE TABLE answers (
	actor  TEXT COLLATE "C" NOT NULL,
	key    TEXT COLLATE "C" NOT NULL,
	call   BYTEA NOT NULL,
	answer TEXT COLLATE "C" NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (actor, key)
);
CREATE INDEX answers_by_age ON answers (at);

-- An OAuth client that registered itself.
CREATE TABLE oauth_clients (
	id        TEXT COLLATE "C" PRIMARY KEY,
	name      TEXT COLLATE "C" NOT NULL,
	redirects TEXT COLLATE "C" NOT NULL,
	made_at   BIGINT NOT NULL,
	used_at   BIGINT
);
CREATE INDEX oauth_clients_unused ON oauth_clients (made_at) WHERE used_at IS NULL;

-- The grant of a token to an OAuth client: the name and the host of the client as the member saw them, and the hash of the code
-- that the client redeems for its first tokens.
CREATE TABLE oauth_grants (
	token_id     TEXT COLLATE "C" PRIMARY KEY,
	org_id       TEXT COLLATE "C" NOT NULL,
	name         TEXT COLLATE "C" NOT NULL,
	host         TEXT COLLATE "C" NOT NULL,
	verified     BIGINT NOT NULL,
	redirect     TEXT COLLATE "C" NOT NULL,
	challenge    TEXT COLLATE "C" NOT NULL,
	code         BYTEA NOT NULL UNIQUE,
	code_ends_at BIGINT NOT NULL,
	redeemed_at  BIGINT,
	ends_at      BIGINT NOT NULL,
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id)
);

-- Hashes of the tokens with which a client asks for fresh access tokens.
CREATE TABLE oauth_refreshes (
	hash     BYTEA PRIMARY KEY,
	org_id   TEXT COLLATE "C" NOT NULL,
	token_id TEXT COLLATE "C" NOT NULL,
	made_at  BIGINT NOT NULL,
	used_at  BIGINT,
	ends_at  BIGINT NOT NULL,
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id)
);
CREATE INDEX oauth_refreshes_by_end ON oauth_refreshes (ends_at);

-- The private keys that sign access tokens, encrypted with the keys of the installation, which are in a file. A key signs
-- from signs_at on, and its signatures are valid until ends_at.
CREATE TABLE oauth_keys (
	id       TEXT COLLATE "C" PRIMARY KEY,
	sealed   BYTEA NOT NULL,
	made_at  BIGINT NOT NULL,
	signs_at BIGINT NOT NULL,
	ends_at  BIGINT
);

--
-- Studios
--

-- Handles of studios are unique in the installation, because the URL of a studio does not name its organization. People and agents
-- count the studio's members and their agents. Previews is the preview of links into the studio; NULL follows its visibility.
-- Digested_at is the end of the last cycle that was summed up for the members. Said counts the spoken items ever made here,
-- agent_run those of agents in a row with their replies, and talk_version the changes of spoken items.
CREATE TABLE studios (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
	parent_id   TEXT COLLATE "C",
	handle      TEXT COLLATE "C" NOT NULL UNIQUE,
	name        TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C" NOT NULL DEFAULT '',
	visibility  TEXT COLLATE "C" NOT NULL CHECK (visibility IN ('members', 'organization', 'public')),
	previews    TEXT COLLATE "C" CHECK (previews IN ('off', 'title', 'card')),
	tempo       TEXT COLLATE "C" NOT NULL CHECK (tempo IN ('daily', 'weekly', 'monthly')),
	general     BIGINT NOT NULL DEFAULT 0,
	people      BIGINT NOT NULL DEFAULT 0,
	agents      BIGINT NOT NULL DEFAULT 0,
	digested_at BIGINT NOT NULL DEFAULT 0,
	said        BIGINT NOT NULL DEFAULT 0,
	agent_run   BIGINT NOT NULL DEFAULT 0,
	talk_version BIGINT NOT NULL DEFAULT 1,
	created_by  TEXT COLLATE "C" NOT NULL,
	created_at  BIGINT NOT NULL,
	archived_by TEXT COLLATE "C",
	archived_at BIGINT,
	version     BIGINT NOT NULL DEFAULT 1,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, parent_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, created_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, archived_by) REFERENCES members (org_id, id)
);
CREATE INDEX studios_by_org ON studios (org_id, visibility, handle);
CREATE INDEX studios_by_parent ON studios (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX studios_public ON studios (handle) WHERE visibility = 'public';
CREATE INDEX studios_general ON studios (org_id) WHERE general = 1;
CREATE INDEX studios_by_digest ON studios (tempo, digested_at) WHERE archived_at IS NULL;

-- Heartbeat_at is the last heartbeat of the member in the studio, and heard the number of the last spoken item that they have
-- read. The second key, with org_id, is for the holder of a role.
CREATE TABLE studio_members (
	studio_id    TEXT COLLATE "C" NOT NULL,
	member_id    TEXT COLLATE "C" NOT NULL,
	org_id       TEXT COLLATE "C" NOT NULL,
	joined_at    BIGINT NOT NULL,
	heartbeat_at BIGINT,
	heard        BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (studio_id, member_id),
	UNIQUE (org_id, studio_id, member_id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);
CREATE INDEX studio_members_by_member ON studio_members (member_id, studio_id);

-- A heartbeat says that a member was there in a cycle of a studio.
CREATE TABLE heartbeats (
	studio_id TEXT COLLATE "C" NOT NULL,
	cycle     TEXT COLLATE "C" NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C",
	text      TEXT COLLATE "C" NOT NULL DEFAULT '',
	at        BIGINT NOT NULL,
	PRIMARY KEY (studio_id, cycle, member_id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);
CREATE INDEX heartbeats_in_order ON heartbeats (studio_id, at);

-- A role is work that a studio asks of one of its members; the foreign key of the holder makes sure of the membership. A role
-- with a source mirrors a role of the parent studio: it has the same texts and the same holder. A holder with acting_since stands
-- in until a member is assigned. Told_at is the time at which the studio was told that the term is over.
CREATE TABLE roles (
	id           TEXT COLLATE "C" PRIMARY KEY,
	org_id       TEXT COLLATE "C" NOT NULL,
	studio_id    TEXT COLLATE "C" NOT NULL,
	kind         TEXT COLLATE "C" NOT NULL CHECK (kind IN ('leader', 'secretary', 'referee', 'none')),
	source_id    TEXT COLLATE "C",
	holder_id    TEXT COLLATE "C",
	held_since   BIGINT,
	acting_since BIGINT,
	ends_at      BIGINT,
	told_at      BIGINT,
	warned_at    BIGINT,
	created_by   TEXT COLLATE "C" NOT NULL,
	created_at   BIGINT NOT NULL,
	deleted_by   TEXT COLLATE "C",
	deleted_at   BIGINT,
	version      BIGINT NOT NULL DEFAULT 1,
	title        TEXT COLLATE "C" NOT NULL,
	mission      TEXT COLLATE "C" NOT NULL DEFAULT '',
	duties       TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	CHECK (source_id IS NULL OR kind = 'leader'),
	CHECK (deleted_at IS NULL OR holder_id IS NULL),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, source_id) REFERENCES roles (org_id, id),
	FOREIGN KEY (org_id, studio_id, holder_id) REFERENCES studio_members (org_id, studio_id, member_id),
	FOREIGN KEY (org_id, created_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, deleted_by) REFERENCES members (org_id, id)
);
-- A studio has at most one leader.
CREATE UNIQUE INDEX roles_leader ON roles (studio_id) WHERE kind = 'leader' AND deleted_at IS NULL;
CREATE INDEX roles_by_studio ON roles (studio_id, title, id) WHERE deleted_at IS NULL;
CREATE INDEX roles_by_holder ON roles (holder_id, studio_id) WHERE holder_id IS NOT NULL;
CREATE INDEX roles_by_source ON roles (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX roles_vacant ON roles (org_id, title, created_at, id) WHERE holder_id IS NULL AND deleted_at IS NULL;
CREATE INDEX roles_held ON roles (org_id, title, created_at, id) WHERE holder_id IS NOT NULL;
CREATE INDEX roles_over ON roles (ends_at) WHERE ends_at IS NOT NULL AND told_at IS NULL;
CREATE INDEX roles_ending ON roles (ends_at) WHERE ends_at IS NOT NULL AND warned_at IS NULL;

--
-- Items
--

-- An item is a decision, a note or a commitment. This table has the columns that all of them have, so that comments, pins, links,
-- search and lists do not depend on the kind. An item without opened_at is a draft. Pinned, linked, files, comments, remarks (the
-- comments that were not removed), versions and preview_links tell the item's own page if there is more to load from other tables.
-- Reminded_at is the time at which the members that the item waits for were told that it is due soon, and template_at the time at
-- which it was put among the templates of its studio. A spoken item is part of a conversation, and is on no list of pages. Agent_run
-- counts the last comments, as far as agents wrote them one after the other. Replied_at is the time of the last comment.
CREATE TABLE items (
	id            TEXT COLLATE "C" PRIMARY KEY,
	org_id        TEXT COLLATE "C" NOT NULL,
	studio_id     TEXT COLLATE "C" NOT NULL,
	kind          TEXT COLLATE "C" NOT NULL,
	member_id     TEXT COLLATE "C" NOT NULL,
	agent_id      TEXT COLLATE "C",
	created_at    BIGINT NOT NULL,
	opened_at     BIGINT,
	due_at        BIGINT,
	reminded_at   BIGINT,
	closed_at     BIGINT,
	closed_by     TEXT COLLATE "C",
	removed_at    BIGINT,
	removed_by    TEXT COLLATE "C",
	template_at   BIGINT,
	pinned        BIGINT NOT NULL DEFAULT 0,
	linked        BIGINT NOT NULL DEFAULT 0,
	files         BIGINT NOT NULL DEFAULT 0,
	comments      BIGINT NOT NULL DEFAULT 0,
	remarks       BIGINT NOT NULL DEFAULT 0,
	versions      BIGINT NOT NULL DEFAULT 0,
	preview_links BIGINT NOT NULL DEFAULT 0,
	spoken        BIGINT NOT NULL DEFAULT 0,
	agent_run     BIGINT NOT NULL DEFAULT 0,
	replied_at    BIGINT,
	version       BIGINT NOT NULL DEFAULT 1,
	-- What lists show of it, as its noun says after every change.
	state         TEXT COLLATE "C" NOT NULL DEFAULT '',
	answered      BIGINT NOT NULL DEFAULT 0,
	asked         BIGINT NOT NULL DEFAULT 0,
	undecided     BIGINT NOT NULL DEFAULT 0,
	awaits        TEXT COLLATE "C" NOT NULL DEFAULT '',
	starts_at     BIGINT,
	settled_at    BIGINT,
	headline      TEXT COLLATE "C" NOT NULL DEFAULT '',
	title         TEXT COLLATE "C" NOT NULL,
	body          TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, closed_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, removed_by) REFERENCES members (org_id, id)
);
-- The lists of a studio, and the open items of a studio, of an organization and of an author.
CREATE INDEX items_by_studio ON items (studio_id, created_at DESC, id) WHERE spoken = 0;
CREATE INDEX items_undecided ON items (org_id, closed_at DESC, id) WHERE undecided = 1;
CREATE INDEX items_starting ON items (studio_id, starts_at) WHERE starts_at IS NOT NULL;
CREATE INDEX items_settled ON items (studio_id, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX items_by_kind ON items (studio_id, kind, created_at DESC, id);
CREATE INDEX items_templates ON items (studio_id, template_at) WHERE template_at IS NOT NULL;
CREATE INDEX items_open ON items (studio_id, due_at, created_at DESC) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX items_open_in_org ON items (org_id, due_at, created_at DESC, id) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX items_by_author ON items (member_id, created_at DESC, id) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
-- The messages with replies, by the time of the last one.
CREATE INDEX items_replied ON items (studio_id, replied_at DESC, id) WHERE spoken = 1 AND replied_at IS NOT NULL;
-- The items that the scheduler closes, and those that it reminds of.
CREATE INDEX items_due ON items (due_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL AND due_at IS NOT NULL;
CREATE INDEX items_soon ON items (due_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL AND due_at IS NOT NULL AND reminded_at IS NULL;
-- The items that were opened, open, due and closed in a cycle; the indexes have all columns that it takes to count them. An item
-- that asks for nothing is closed at the moment at which it is opened, and is not in the last one.
CREATE INDEX items_opened ON items (studio_id, opened_at, id) WHERE opened_at IS NOT NULL AND removed_at IS NULL AND spoken = 0;
CREATE INDEX items_left_open ON items (studio_id, opened_at) WHERE opened_at IS NOT NULL AND closed_at IS NULL;
CREATE INDEX items_by_due ON items (studio_id, due_at, id) WHERE opened_at IS NOT NULL AND due_at IS NOT NULL AND removed_at IS NULL;
CREATE INDEX items_closed ON items (studio_id, closed_at, opened_at, id) WHERE closed_at > opened_at AND removed_at IS NULL;

-- The versions of an item's texts, the present one included; an item that was never changed has none. Details has the facts of its
-- kind, such as when it is due, each on a line. Reason says why it was changed; it is empty for most kinds.
CREATE TABLE versions (
	item_id   TEXT COLLATE "C" NOT NULL,
	n         BIGINT NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	title     TEXT COLLATE "C" NOT NULL,
	body      TEXT COLLATE "C" NOT NULL,
	details   TEXT COLLATE "C" NOT NULL,
	reason    TEXT COLLATE "C" NOT NULL DEFAULT '',
	member_id TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C",
	at        BIGINT NOT NULL,
	PRIMARY KEY (item_id, n),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- Comments on an item, in their order.
CREATE TABLE comments (
	item_id    TEXT COLLATE "C" NOT NULL,
	seq        BIGINT NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C",
	text       TEXT COLLATE "C" NOT NULL,
	at         BIGINT NOT NULL,
	removed_at BIGINT,
	removed_by TEXT COLLATE "C",
	PRIMARY KEY (item_id, seq),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, removed_by) REFERENCES members (org_id, id)
);

-- Items that are pinned in their studio.
CREATE TABLE pins (
	studio_id TEXT COLLATE "C" NOT NULL,
	item_id   TEXT COLLATE "C" NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	at        BIGINT NOT NULL,
	PRIMARY KEY (studio_id, item_id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);
-- Without it, deleting a draft would look through all pins for a reference to it.
CREATE INDEX pins_by_item ON pins (item_id);

-- The choice of a member to follow or to mute a studio or an item. Subject_id is the id of either, so it is no foreign key.
CREATE TABLE follows (
	subject_id TEXT COLLATE "C" NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	level      TEXT COLLATE "C" NOT NULL CHECK (level IN ('following', 'muted', 'silenced')),
	at         BIGINT NOT NULL,
	PRIMARY KEY (subject_id, member_id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);

-- Links from one item to another. Seq is the number of the comment that has the link, or 0 for the item's own text.
CREATE TABLE links (
	to_id   TEXT COLLATE "C" NOT NULL,
	from_id TEXT COLLATE "C" NOT NULL,
	seq     BIGINT NOT NULL,
	org_id  TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (to_id, from_id, seq),
	FOREIGN KEY (org_id, to_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, from_id) REFERENCES items (org_id, id)
);
CREATE INDEX links_by_source ON links (from_id, seq);

-- The members that confirmed to have read an item.
CREATE TABLE readers (
	item_id   TEXT COLLATE "C" NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C",
	at        BIGINT NOT NULL,
	PRIMARY KEY (item_id, member_id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- Files that are attached to an item. Their bytes are in the table blobs.
CREATE TABLE files (
	id        TEXT COLLATE "C" PRIMARY KEY,
	org_id    TEXT COLLATE "C" NOT NULL,
	item_id   TEXT COLLATE "C" NOT NULL,
	name      TEXT COLLATE "C" NOT NULL,
	type      TEXT COLLATE "C" NOT NULL,
	size      BIGINT NOT NULL,
	hash      BYTEA NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C",
	at        BIGINT NOT NULL,
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);
CREATE INDEX files_by_item ON files (item_id, at, id);
CREATE INDEX files_by_hash ON files (hash);

-- The bytes of attached files, each under its SHA-256 hash, so that every server finds them; beside SQLite they are in a folder.
-- Kept_at is the last time at which a file with these bytes was attached. Files of several organizations may have the same bytes,
-- so there is no org_id.
CREATE TABLE blobs (
	hash    BYTEA PRIMARY KEY,
	data    BYTEA NOT NULL,
	kept_at BIGINT NOT NULL
);

-- Leases on work that one of several servers does alone, each with a random name of its holder. A holder renews its lease while
-- it works.
CREATE TABLE leases (
	name    TEXT COLLATE "C" PRIMARY KEY,
	holder  TEXT COLLATE "C" NOT NULL,
	ends_at BIGINT NOT NULL
);

-- Links to an item that show its preview, and nothing else, to each person that has the link. Hash is that of the link's key.
CREATE TABLE preview_links (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	item_id    TEXT COLLATE "C" NOT NULL,
	hash       BYTEA NOT NULL UNIQUE,
	member_id  TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	revoked_at BIGINT,
	revoked_by TEXT COLLATE "C",
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, revoked_by) REFERENCES members (org_id, id)
);
CREATE INDEX preview_links_by_item ON preview_links (item_id, created_at DESC, id);

--
-- Decisions
--

-- Everyone is 1 if a member that joins the studio later may vote too. Imported says where the ballots come from, if they were not
-- cast here. Commitment is the promise of the lot, made when the decision opens, and secret the text that was promised, known once
-- the decision is closed. Rules, tally and result are written by the package that counts. Deciding is the option that broke a tie;
-- decided_by is empty if a lot did.
CREATE TABLE decisions (
	id                 TEXT COLLATE "C" PRIMARY KEY,
	org_id             TEXT COLLATE "C" NOT NULL,
	method             TEXT COLLATE "C" NOT NULL,
	results            TEXT COLLATE "C" NOT NULL CHECK (results IN ('shown', 'after_voting', 'after_closing')),
	reasons            TEXT COLLATE "C" NOT NULL CHECK (reasons IN ('off', 'optional', 'required')),
	everyone           BIGINT NOT NULL DEFAULT 0,
	anonymous          BIGINT NOT NULL DEFAULT 0,
	tie                TEXT COLLATE "C" NOT NULL DEFAULT 'casting_vote' CHECK (tie IN ('casting_vote', 'lot')),
	imported           TEXT COLLATE "C" NOT NULL DEFAULT '',
	electorate         BIGINT NOT NULL DEFAULT 0,
	options            BIGINT NOT NULL DEFAULT 0,
	ballots            BIGINT NOT NULL DEFAULT 0,
	outcome            TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (outcome IN ('', 'result', 'tie', 'no_quorum')),
	deciding           BIGINT,
	decided_by         TEXT COLLATE "C",
	decided_at         BIGINT,
	commitment         TEXT COLLATE "C" NOT NULL DEFAULT '',
	secret             TEXT COLLATE "C" NOT NULL DEFAULT '',
	rules              TEXT COLLATE "C" NOT NULL DEFAULT '{}',
	tally              TEXT COLLATE "C" NOT NULL DEFAULT '',
	result             TEXT COLLATE "C" NOT NULL DEFAULT '',
	statement          TEXT COLLATE "C" NOT NULL DEFAULT '',
	deciding_statement TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, decided_by) REFERENCES members (org_id, id)
);

-- The options of a decision, numbered from 1. At is the moment that an option of a time poll stands for.
CREATE TABLE options (
	decision_id TEXT COLLATE "C" NOT NULL,
	n           BIGINT NOT NULL,
	org_id      TEXT COLLATE "C" NOT NULL,
	title       TEXT COLLATE "C" NOT NULL,
	at          BIGINT,
	member_id   TEXT COLLATE "C" NOT NULL,
	agent_id    TEXT COLLATE "C",
	PRIMARY KEY (decision_id, n),
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- The voter of a ballot is the id of its member. An imported ballot has a line number as its voter and no member, and a weight if
-- the file counted equal ballots. Of an anonymous vote, the rows here say only that a member voted, without marks.
CREATE TABLE ballots (
	decision_id TEXT COLLATE "C" NOT NULL,
	voter       TEXT COLLATE "C" NOT NULL,
	org_id      TEXT COLLATE "C" NOT NULL,
	member_id   TEXT COLLATE "C",
	agent_id    TEXT COLLATE "C",
	marks       TEXT COLLATE "C" NOT NULL,
	weight      BIGINT NOT NULL DEFAULT 1 CHECK (weight > 0),
	reason      TEXT COLLATE "C" NOT NULL DEFAULT '',
	cast_at     BIGINT NOT NULL,
	PRIMARY KEY (decision_id, voter),
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- The marks of anonymous votes. Nothing in the database connects them to a member. Line is the part of a receipt that everybody may
-- see; of the receipt itself there is a hash.
CREATE TABLE sealed_ballots (
	decision_id TEXT COLLATE "C" NOT NULL,
	line        TEXT COLLATE "C" NOT NULL,
	org_id      TEXT COLLATE "C" NOT NULL,
	receipt     BYTEA NOT NULL,
	marks       TEXT COLLATE "C" NOT NULL,
	reason      TEXT COLLATE "C" NOT NULL DEFAULT '',
	PRIMARY KEY (decision_id, line),
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id)
);

-- The casting vote, where it is not the author's: it is a member's, or that of the member that holds a role when the decision is
-- closed.
CREATE TABLE casters (
	decision_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	member_id   TEXT COLLATE "C",
	role_id     TEXT COLLATE "C",
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id)
);

-- The secrets of lots until their decisions are closed. Nothing that makes a page, a journal entry or an answer reads this table.
CREATE TABLE lots (
	decision_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	secret      TEXT COLLATE "C" NOT NULL,
	FOREIGN KEY (org_id, decision_id) REFERENCES decisions (org_id, id)
);

--
-- Commitments
--

-- A commitment binds the members that joined it, once they are as many as its critical mass. A commitment with a start is an event.
-- Gone counts the participants that left the studio before they said if they did it. Revised_at is the last change of its terms.
CREATE TABLE commitments (
	id            TEXT COLLATE "C" PRIMARY KEY,
	org_id        TEXT COLLATE "C" NOT NULL,
	studio_id     TEXT COLLATE "C" NOT NULL,
	critical_mass BIGINT NOT NULL CHECK (critical_mass > 0),
	capacity      BIGINT NOT NULL DEFAULT 0 CHECK (capacity = 0 OR capacity >= critical_mass),
	place         TEXT COLLATE "C" NOT NULL DEFAULT '',
	starts_at     BIGINT,
	ends_at       BIGINT CHECK (ends_at IS NULL OR ends_at > starts_at),
	joined        BIGINT NOT NULL DEFAULT 0 CHECK (capacity = 0 OR joined <= capacity),
	done          BIGINT NOT NULL DEFAULT 0,
	missed        BIGINT NOT NULL DEFAULT 0 CHECK (done + missed <= joined),
	gone          BIGINT NOT NULL DEFAULT 0,
	revised_at    BIGINT NOT NULL,
	bound_at      BIGINT,
	settled_at    BIGINT,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id)
);

-- A participant with gone_at left the studio without a mark; the others settle the commitment without them.
CREATE TABLE participants (
	commitment_id TEXT COLLATE "C" NOT NULL,
	member_id     TEXT COLLATE "C" NOT NULL,
	org_id        TEXT COLLATE "C" NOT NULL,
	agent_id      TEXT COLLATE "C",
	joined_at     BIGINT NOT NULL,
	mark          TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (mark IN ('', 'done', 'missed')),
	note          TEXT COLLATE "C" NOT NULL DEFAULT '',
	marked_at     BIGINT,
	gone_at       BIGINT,
	PRIMARY KEY (commitment_id, member_id),
	FOREIGN KEY (org_id, commitment_id) REFERENCES commitments (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);
CREATE INDEX participants_in_order ON participants (commitment_id, joined_at, member_id);
CREATE INDEX participants_unmarked ON participants (member_id, commitment_id) WHERE mark = '';

--
-- Topics and elections
--

-- A round of consent is the part of a topic or an election in which members respond. Period is its length in milliseconds, quorum the
-- share of the members that must respond, in percent. Round counts the rounds; electorate, answered and objections (the open ones) are
-- of the present one, which began at consent_at. Ended_at is the end of a period in which nothing was decided. Passed says that the
-- proposal was accepted, or the candidate elected.
CREATE TABLE consents (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	studio_id  TEXT COLLATE "C" NOT NULL,
	period     BIGINT NOT NULL CHECK (period > 0),
	quorum     BIGINT NOT NULL CHECK (quorum BETWEEN 1 AND 100),
	asking     BIGINT NOT NULL DEFAULT 0,
	round      BIGINT NOT NULL DEFAULT 0,
	consent_at BIGINT,
	ended_at   BIGINT,
	electorate BIGINT NOT NULL DEFAULT 0,
	answered   BIGINT NOT NULL DEFAULT 0,
	objections BIGINT NOT NULL DEFAULT 0,
	passed     BIGINT NOT NULL DEFAULT 0 CHECK (passed = 0 OR objections = 0),
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id)
);

-- One response of each member in each round. Settled says how an objection ceased to block; ruling is the reason of the referee.
CREATE TABLE responses (
	item_id    TEXT COLLATE "C" NOT NULL,
	round      BIGINT NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C",
	position   TEXT COLLATE "C" NOT NULL CHECK (position IN ('consent', 'stand_aside', 'objection')),
	reason     TEXT COLLATE "C" NOT NULL DEFAULT '',
	at         BIGINT NOT NULL,
	settled    TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (settled IN ('', 'withdrawn', 'integrated', 'invalid')
		AND (settled = '' OR position = 'objection')),
	settled_at BIGINT,
	left_at    BIGINT,
	settled_by TEXT COLLATE "C",
	ruling     TEXT COLLATE "C" NOT NULL DEFAULT '',
	PRIMARY KEY (item_id, round, member_id),
	FOREIGN KEY (org_id, item_id) REFERENCES consents (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, settled_by) REFERENCES members (org_id, id)
);

-- A topic is a proposal that a studio decides by consent.
CREATE TABLE topics (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	phase      TEXT COLLATE "C" NOT NULL DEFAULT 'clarification' CHECK (phase IN ('clarification', 'reaction', 'consent')),
	reacts     BIGINT NOT NULL DEFAULT 0,
	questions  BIGINT NOT NULL DEFAULT 0,
	unanswered BIGINT NOT NULL DEFAULT 0,
	reactions  BIGINT NOT NULL DEFAULT 0,
	changes    BIGINT NOT NULL DEFAULT 0,
	outcome    TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (outcome IN ('', 'accepted', 'withdrawn', 'escalated', 'expired')),
	statement  TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES consents (org_id, id)
);

-- The questions about a proposal, numbered from 1.
CREATE TABLE topic_questions (
	topic_id        TEXT COLLATE "C" NOT NULL,
	n               BIGINT NOT NULL,
	org_id          TEXT COLLATE "C" NOT NULL,
	member_id       TEXT COLLATE "C" NOT NULL,
	agent_id        TEXT COLLATE "C",
	text            TEXT COLLATE "C" NOT NULL,
	at              BIGINT NOT NULL,
	answer          TEXT COLLATE "C" NOT NULL DEFAULT '',
	answered_by     TEXT COLLATE "C",
	answer_agent_id TEXT COLLATE "C",
	answered_at     BIGINT,
	PRIMARY KEY (topic_id, n),
	FOREIGN KEY (org_id, topic_id) REFERENCES topics (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, answered_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, answer_agent_id) REFERENCES agents (org_id, id)
);

-- One reaction of each member.
CREATE TABLE topic_reactions (
	topic_id  TEXT COLLATE "C" NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C",
	text      TEXT COLLATE "C" NOT NULL,
	at        BIGINT NOT NULL,
	PRIMARY KEY (topic_id, member_id),
	FOREIGN KEY (org_id, topic_id) REFERENCES topics (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- The calls of actions of other pages that a topic carries, numbered from 1. They are taken when the topic is accepted. Title is the
-- action in words, target the title of the page, preview its effects at the time at which it was added.
CREATE TABLE topic_changes (
	topic_id   TEXT COLLATE "C" NOT NULL,
	n          BIGINT NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C",
	added_at   BIGINT NOT NULL,
	taken_at   BIGINT,
	url        TEXT COLLATE "C" NOT NULL,
	action     TEXT COLLATE "C" NOT NULL,
	title      TEXT COLLATE "C" NOT NULL,
	target     TEXT COLLATE "C" NOT NULL,
	params     TEXT COLLATE "C" NOT NULL,
	preview    TEXT COLLATE "C" NOT NULL,
	message    TEXT COLLATE "C" NOT NULL DEFAULT '',
	result_url TEXT COLLATE "C" NOT NULL DEFAULT '',
	PRIMARY KEY (topic_id, n),
	FOREIGN KEY (org_id, topic_id) REFERENCES topics (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- An election fills a role without candidates. Term is the length of the elected member's term in milliseconds, or 0 if it has no
-- end. The candidate is the nominee on whom the members decide, proposed by proposer_id with a reason.
CREATE TABLE elections (
	id           TEXT COLLATE "C" PRIMARY KEY,
	org_id       TEXT COLLATE "C" NOT NULL,
	studio_id    TEXT COLLATE "C" NOT NULL,
	role_id      TEXT COLLATE "C" NOT NULL,
	term         BIGINT NOT NULL DEFAULT 0,
	phase        TEXT COLLATE "C" NOT NULL DEFAULT 'nomination' CHECK (phase IN ('nomination', 'discussion', 'change', 'consent')),
	nominations  BIGINT NOT NULL DEFAULT 0,
	lost         BIGINT NOT NULL DEFAULT 0,
	candidate_id TEXT COLLATE "C",
	proposer_id  TEXT COLLATE "C",
	proposed_at  BIGINT,
	reason       TEXT COLLATE "C" NOT NULL DEFAULT '',
	outcome      TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (outcome IN ('', 'elected', 'no_election', 'cancelled')
		AND (outcome <> 'elected' OR candidate_id IS NOT NULL)),
	statement    TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES consents (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id),
	FOREIGN KEY (org_id, candidate_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, proposer_id) REFERENCES members (org_id, id)
);
CREATE INDEX elections_by_role ON elections (role_id);

-- One nomination of each member. Until all are revealed, the nominee and the reason are encrypted in sealed, with a key that is not in
-- the database. First_id is the earlier nominee of a nomination that its member changed.
CREATE TABLE nominations (
	election_id TEXT COLLATE "C" NOT NULL,
	member_id   TEXT COLLATE "C" NOT NULL,
	org_id      TEXT COLLATE "C" NOT NULL,
	agent_id    TEXT COLLATE "C",
	sealed      BYTEA,
	nominee_id  TEXT COLLATE "C",
	reason      TEXT COLLATE "C" NOT NULL DEFAULT '',
	at          BIGINT NOT NULL,
	first_id    TEXT COLLATE "C",
	PRIMARY KEY (election_id, member_id),
	CHECK ((sealed IS NULL) = (nominee_id IS NOT NULL)),
	FOREIGN KEY (org_id, election_id) REFERENCES elections (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, nominee_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, first_id) REFERENCES members (org_id, id)
);

-- The members that held a role, each from one time to another. Item_id is the election by which they got it, if there was one.
CREATE TABLE terms (
	role_id     TEXT COLLATE "C" NOT NULL,
	n           BIGINT NOT NULL,
	org_id      TEXT COLLATE "C" NOT NULL,
	member_id   TEXT COLLATE "C" NOT NULL,
	acting      BIGINT NOT NULL DEFAULT 0,
	started_at  BIGINT NOT NULL,
	ends_at     BIGINT,
	ended_at    BIGINT,
	item_id     TEXT COLLATE "C",
	assigned_by TEXT COLLATE "C",
	PRIMARY KEY (role_id, n),
	FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, item_id) REFERENCES elections (org_id, id),
	FOREIGN KEY (org_id, assigned_by) REFERENCES members (org_id, id)
);

--
-- Messages
--

-- A message is said in the channel of a studio; its replies are its comments. N counts the messages of the channel from 1. Why is
-- the reason that an agent gave for writing it.
CREATE TABLE messages (
	id        TEXT COLLATE "C" PRIMARY KEY,
	org_id    TEXT COLLATE "C" NOT NULL,
	studio_id TEXT COLLATE "C" NOT NULL,
	n         BIGINT NOT NULL,
	why       TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (studio_id, n),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id)
);

-- Reactions of members to a message, one row for each member and emoji.
CREATE TABLE reactions (
	message_id TEXT COLLATE "C" NOT NULL,
	emoji      TEXT COLLATE "C" NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C",
	at         BIGINT NOT NULL,
	PRIMARY KEY (message_id, emoji, member_id),
	FOREIGN KEY (org_id, message_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- Direct messages are between two members, and for people only: no token, search, journal or export reads these tables. Low_id and
-- high_id are the ids of the two, in order. Said counts the messages; low_heard and high_heard are the numbers of the last ones that
-- each of the two has read. Changes counts messages that were edited or deleted.
CREATE TABLE direct_talks (
	low_id     TEXT COLLATE "C" NOT NULL,
	high_id    TEXT COLLATE "C" NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	said       BIGINT NOT NULL DEFAULT 0,
	low_heard  BIGINT NOT NULL DEFAULT 0,
	high_heard BIGINT NOT NULL DEFAULT 0,
	changes    BIGINT NOT NULL DEFAULT 0,
	said_at    BIGINT NOT NULL,
	PRIMARY KEY (low_id, high_id),
	UNIQUE (org_id, low_id, high_id),
	CHECK (low_id < high_id),
	FOREIGN KEY (org_id, low_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, high_id) REFERENCES members (org_id, id)
);
CREATE INDEX direct_talks_low ON direct_talks (low_id, said_at DESC);
CREATE INDEX direct_talks_high ON direct_talks (high_id, said_at DESC);

CREATE TABLE direct_messages (
	low_id     TEXT COLLATE "C" NOT NULL,
	high_id    TEXT COLLATE "C" NOT NULL,
	n          BIGINT NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	at         BIGINT NOT NULL,
	edited_at  BIGINT,
	removed_at BIGINT,
	text       TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (low_id, high_id, n),
	CHECK (member_id IN (low_id, high_id)),
	FOREIGN KEY (org_id, low_id, high_id) REFERENCES direct_talks (org_id, low_id, high_id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);
CREATE INDEX direct_messages_by_author ON direct_messages (member_id);

--
-- Notes
--

-- A note is a post, a reminder or a table. Readers counts the members that confirmed to have read it. Fields has the columns of a
-- table as JSON. Last_row is the highest number that a row ever had; the next row gets the number after it.
CREATE TABLE notes (
	id        TEXT COLLATE "C" PRIMARY KEY,
	org_id    TEXT COLLATE "C" NOT NULL,
	type      TEXT COLLATE "C" NOT NULL CHECK (type IN ('post', 'reminder', 'table')),
	readers   BIGINT NOT NULL DEFAULT 0,
	row_count BIGINT NOT NULL DEFAULT 0,
	last_row  BIGINT NOT NULL DEFAULT 0,
	fields    TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id)
);

-- The rows of a table. Cells is a JSON object from the ids of columns to their texts.
CREATE TABLE note_rows (
	note_id   TEXT COLLATE "C" NOT NULL,
	n         BIGINT NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	cells     TEXT COLLATE "C" NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C",
	at        BIGINT NOT NULL,
	PRIMARY KEY (note_id, n),
	FOREIGN KEY (org_id, note_id) REFERENCES notes (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

--
-- Policies
--

-- The last number of a kind of item that an organization numbers.
CREATE TABLE numbers (
	org_id TEXT COLLATE "C" NOT NULL,
	kind   TEXT COLLATE "C" NOT NULL,
	last   BIGINT NOT NULL,
	PRIMARY KEY (org_id, kind),
	FOREIGN KEY (org_id) REFERENCES organizations (id)
);

-- A policy is a text that holds in the whole organization. Its item is in the general studio, and its id is the handle of the
-- organization, a hyphen and the number. Role_id is the role that owns it; the role may be vacant or deleted.
CREATE TABLE policies (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	number     BIGINT NOT NULL CHECK (number > 0),
	role_id    TEXT COLLATE "C" NOT NULL,
	retired_at BIGINT,
	abstract   TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, number),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, role_id) REFERENCES roles (org_id, id)
);
CREATE INDEX policies_by_role ON policies (role_id, number);

--
-- Notifications, approvals and the journal
--

-- A notification tells a member of an event, at most once. Seq is the event's entry in the journal. Comment is the number of the
-- comment that it tells of, or 0. Depth counts the agents that woke each other before the event, one after the other; a person's
-- event has 0. A notification of too great a depth is quiet: it is for the person, and agents skip it. Mail_id is the mail that tells
-- of it; a mail is forgotten before its notifications are.
CREATE TABLE notifications (
	member_id    TEXT COLLATE "C" NOT NULL,
	seq          BIGINT NOT NULL,
	org_id       TEXT COLLATE "C" NOT NULL,
	reason       TEXT COLLATE "C" NOT NULL CHECK (reason IN ('mention', 'assignment', 'approval', 'security', 'reply', 'outcome', 'due', 'message', 'change')),
	actor        TEXT COLLATE "C" NOT NULL,
	did          TEXT COLLATE "C" NOT NULL,
	note         TEXT COLLATE "C" NOT NULL DEFAULT '',
	item_id      TEXT COLLATE "C",
	comment      BIGINT NOT NULL DEFAULT 0,
	depth        BIGINT NOT NULL DEFAULT 0,
	quiet        BIGINT NOT NULL DEFAULT 0,
	url          TEXT COLLATE "C" NOT NULL,
	title        TEXT COLLATE "C" NOT NULL,
	at           BIGINT NOT NULL,
	read_at      BIGINT,
	dismissed_at BIGINT,
	mail_id      TEXT COLLATE "C",
	PRIMARY KEY (member_id, seq),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id)
);
CREATE INDEX notifications_by_time ON notifications (member_id, at DESC, seq DESC);
CREATE INDEX notifications_unread_by_time ON notifications (member_id, at DESC, seq DESC) WHERE read_at IS NULL AND dismissed_at IS NULL;
CREATE INDEX notifications_unread ON notifications (member_id, item_id) WHERE read_at IS NULL AND dismissed_at IS NULL;
CREATE INDEX notifications_by_event ON notifications (org_id, seq);
CREATE INDEX notifications_by_item ON notifications (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX notifications_by_mail ON notifications (mail_id) WHERE mail_id IS NOT NULL;

-- An approval is an action that an agent asked for and that waits for a person. Title is that of the action and target that of the
-- page. Digest covers url, action, params and version. Params, preview and why of a discreet one, such as a ballot, are empty, and
-- encrypted in sealed until it is settled. Private hides it from all but the agent's member.
CREATE TABLE approvals (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	studio_id   TEXT COLLATE "C",
	item_id     TEXT COLLATE "C",
	member_id   TEXT COLLATE "C" NOT NULL,
	agent_id    TEXT COLLATE "C" NOT NULL,
	token_id    TEXT COLLATE "C" NOT NULL,
	url         TEXT COLLATE "C" NOT NULL,
	query       TEXT COLLATE "C" NOT NULL,
	action      TEXT COLLATE "C" NOT NULL,
	version     TEXT COLLATE "C" NOT NULL,
	digest      BYTEA NOT NULL,
	rule        TEXT COLLATE "C" NOT NULL CHECK (rule IN ('grant', 'organization')),
	private     BIGINT NOT NULL,
	discreet    BIGINT NOT NULL,
	asked_at    BIGINT NOT NULL,
	expires_at  BIGINT NOT NULL,
	verdict     TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (verdict IN ('', 'approved', 'rejected', 'withdrawn', 'expired', 'removed')),
	settled_at  BIGINT,
	settled_by  TEXT COLLATE "C",
	outcome_url TEXT COLLATE "C" NOT NULL DEFAULT '',
	outcome     TEXT COLLATE "C" NOT NULL DEFAULT '',
	failure     TEXT COLLATE "C" NOT NULL DEFAULT '',
	title       TEXT COLLATE "C" NOT NULL,
	target      TEXT COLLATE "C" NOT NULL,
	comment     TEXT COLLATE "C" NOT NULL DEFAULT '',
	why         TEXT COLLATE "C" NOT NULL,
	params      TEXT COLLATE "C" NOT NULL,
	preview     TEXT COLLATE "C" NOT NULL,
	sealed      BYTEA,
	CHECK (sealed IS NULL OR discreet = 1 AND params = '' AND preview = '' AND why = ''),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, item_id) REFERENCES items (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id),
	FOREIGN KEY (org_id, settled_by) REFERENCES members (org_id, id)
);
CREATE INDEX approvals_by_member ON approvals (member_id, asked_at DESC, id);
CREATE INDEX approvals_by_agent ON approvals (agent_id, asked_at DESC, id);
CREATE INDEX approvals_by_org ON approvals (org_id, asked_at DESC, id);
CREATE INDEX approvals_pending ON approvals (member_id, asked_at DESC, id) WHERE settled_at IS NULL;
CREATE INDEX approvals_waiting ON approvals (org_id, asked_at DESC, id) WHERE settled_at IS NULL;
CREATE INDEX approvals_due ON approvals (expires_at) WHERE settled_at IS NULL;
-- The same call that waits already.
CREATE INDEX approvals_asked ON approvals (agent_id, digest) WHERE settled_at IS NULL;
-- The approvals about a page that is removed, and those that made it.
CREATE INDEX approvals_by_url ON approvals (url);
CREATE INDEX approvals_by_item ON approvals (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX approvals_by_outcome ON approvals (outcome_url) WHERE outcome_url <> '';

-- Every change, in one chain for each organization: hash covers the entry and prev, the hash of the entry before. Of the texts that
-- can be erased (member, url, title, why, before, after) the chain covers digests, so it stays whole. Member and agent are the
-- names at that time. Private_to is the only member that may see the entry, or empty.
CREATE TABLE journal (
	org_id        TEXT COLLATE "C" NOT NULL,
	seq           BIGINT NOT NULL,
	at            BIGINT NOT NULL,
	member_id     TEXT COLLATE "C" NOT NULL,
	member        TEXT COLLATE "C" NOT NULL,
	member_digest BYTEA NOT NULL DEFAULT ''::bytea,
	agent_id      TEXT COLLATE "C" NOT NULL,
	agent         TEXT COLLATE "C" NOT NULL,
	token_id      TEXT COLLATE "C" NOT NULL,
	authority     TEXT COLLATE "C" NOT NULL,
	role_id       TEXT COLLATE "C" NOT NULL,
	role          TEXT COLLATE "C" NOT NULL,
	role_digest   BYTEA NOT NULL,
	studio_id     TEXT COLLATE "C" NOT NULL,
	private_to    TEXT COLLATE "C" NOT NULL,
	action        TEXT COLLATE "C" NOT NULL,
	kind          TEXT COLLATE "C" NOT NULL,
	target_id     TEXT COLLATE "C" NOT NULL,
	url           TEXT COLLATE "C" NOT NULL,
	url_digest    BYTEA NOT NULL DEFAULT ''::bytea,
	title         TEXT COLLATE "C" NOT NULL,
	title_digest  BYTEA NOT NULL DEFAULT ''::bytea,
	why           TEXT COLLATE "C" NOT NULL,
	why_digest    BYTEA NOT NULL DEFAULT ''::bytea,
	request       TEXT COLLATE "C" NOT NULL,
	prev          BYTEA NOT NULL,
	hash          BYTEA NOT NULL,
	before_digest BYTEA NOT NULL,
	after_digest  BYTEA NOT NULL,
	before        TEXT COLLATE "C",
	after         TEXT COLLATE "C",
	PRIMARY KEY (org_id, seq),
	FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE INDEX journal_by_studio ON journal (org_id, studio_id, seq);
CREATE INDEX journal_by_target ON journal (org_id, target_id, seq);
CREATE INDEX journal_by_member ON journal (org_id, member_id, seq);
CREATE INDEX journal_by_action ON journal (org_id, action, seq);
CREATE INDEX journal_by_kind ON journal (org_id, kind, seq);
-- The entries of all agents; agent_id is in it so that the filter does not look at the entries themselves.
CREATE INDEX journal_by_agents ON journal (org_id, seq, agent_id) WHERE agent_id <> '';
CREATE INDEX journal_by_agent ON journal (org_id, agent_id, seq) WHERE agent_id <> '';

--
-- Webhooks
--

-- A webhook sends the events of an organization to an address elsewhere, as far as the member who made it may see them. Secret and
-- former are sealed with the keys of the installation. Position is the number of the last journal entry that was looked at, and
-- deliveries the number of deliveries made of those entries.
CREATE TABLE webhooks (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	member_id   TEXT COLLATE "C" NOT NULL,
	address     TEXT COLLATE "C" NOT NULL,
	studio_id   TEXT COLLATE "C",
	kinds       TEXT COLLATE "C",
	secret      BYTEA NOT NULL,
	former      BYTEA,
	former_to   BIGINT,
	position    BIGINT NOT NULL,
	deliveries  BIGINT NOT NULL DEFAULT 0,
	created_at  BIGINT NOT NULL,
	paused_at   BIGINT,
	paused_why  TEXT COLLATE "C" NOT NULL DEFAULT '',
	accepted_at BIGINT,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id)
);
CREATE INDEX webhooks_by_org ON webhooks (org_id, created_at DESC, id);
CREATE INDEX webhooks_active ON webhooks (id, org_id, position) WHERE paused_at IS NULL;

-- A delivery is one event that a webhook sends; seq is 0 for a test. It is due until it is accepted, given up or left out. The process
-- that sends it leases it first.
CREATE TABLE deliveries (
	webhook_id   TEXT COLLATE "C" NOT NULL,
	n            BIGINT NOT NULL,
	org_id       TEXT COLLATE "C" NOT NULL,
	seq          BIGINT NOT NULL,
	type         TEXT COLLATE "C" NOT NULL,
	created_at   BIGINT NOT NULL,
	due_at       BIGINT,
	attempts     BIGINT NOT NULL DEFAULT 0,
	delivered_at BIGINT,
	failed_at    BIGINT,
	status       BIGINT NOT NULL DEFAULT 0,
	problem      TEXT COLLATE "C" NOT NULL DEFAULT '',
	took         BIGINT NOT NULL DEFAULT 0,
	leased_by    TEXT COLLATE "C" NOT NULL DEFAULT '',
	leased_to    BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (webhook_id, n),
	FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks (org_id, id)
);
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, n) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_given_up ON deliveries (webhook_id, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE due_at IS NULL;

-- The webhook of a person sends the person's own notifications, of all organizations.
CREATE TABLE own_webhooks (
	id          TEXT COLLATE "C" PRIMARY KEY,
	user_id     TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES users (id),
	address     TEXT COLLATE "C" NOT NULL,
	secret      BYTEA NOT NULL,
	former      BYTEA,
	former_to   BIGINT,
	deliveries  BIGINT NOT NULL DEFAULT 0,
	created_at  BIGINT NOT NULL,
	paused_at   BIGINT,
	paused_why  TEXT COLLATE "C" NOT NULL DEFAULT '',
	accepted_at BIGINT
);
CREATE INDEX own_webhooks_active ON own_webhooks (id, user_id) WHERE paused_at IS NULL;

-- A delivery of a person's webhook is about the notification of a member with this seq. A test has 0, and the person's first membership.
CREATE TABLE own_deliveries (
	webhook_id   TEXT COLLATE "C" NOT NULL REFERENCES own_webhooks (id),
	n            BIGINT NOT NULL,
	org_id       TEXT COLLATE "C" NOT NULL,
	member_id    TEXT COLLATE "C" NOT NULL,
	seq          BIGINT NOT NULL,
	type         TEXT COLLATE "C" NOT NULL,
	created_at   BIGINT NOT NULL,
	due_at       BIGINT,
	attempts     BIGINT NOT NULL DEFAULT 0,
	delivered_at BIGINT,
	failed_at    BIGINT,
	status       BIGINT NOT NULL DEFAULT 0,
	problem      TEXT COLLATE "C" NOT NULL DEFAULT '',
	took         BIGINT NOT NULL DEFAULT 0,
	leased_by    TEXT COLLATE "C" NOT NULL DEFAULT '',
	leased_to    BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (webhook_id, n),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);
CREATE INDEX own_deliveries_due ON own_deliveries (webhook_id, due_at, n) WHERE due_at IS NOT NULL;
CREATE INDEX own_deliveries_given_up ON own_deliveries (webhook_id, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX own_deliveries_by_age ON own_deliveries (created_at) WHERE due_at IS NULL;
CREATE INDEX own_deliveries_by_member ON own_deliveries (member_id);

--
-- Work
--

-- A runner is a program elsewhere with a disk and with git, which acts with its own token. Roots and offered have one folder or
-- address a line.
CREATE TABLE runners (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	name       TEXT COLLATE "C" NOT NULL,
	token_id   TEXT COLLATE "C" NOT NULL,
	roots      TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	stopped_at BIGINT,
	seen_at    BIGINT,
	git        TEXT COLLATE "C" NOT NULL DEFAULT '',
	program    TEXT COLLATE "C" NOT NULL DEFAULT '',
	offered    TEXT COLLATE "C" NOT NULL DEFAULT '',
	starts     BIGINT NOT NULL DEFAULT 0,
	forges     TEXT COLLATE "C" NOT NULL DEFAULT '',
	agents     TEXT COLLATE "C" NOT NULL DEFAULT '',
	problem    TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	UNIQUE (org_id, name),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id)
);
CREATE INDEX runners_by_token ON runners (token_id);

-- A repository is on the disk of one runner. Facts is the JSON of what the runner reported last. Protected are paths, a line each,
-- that only people merge.
CREATE TABLE repos (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	studio_id  TEXT COLLATE "C" NOT NULL,
	runner_id  TEXT COLLATE "C" NOT NULL,
	name       TEXT COLLATE "C" NOT NULL,
	source     TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	fetched_at BIGINT,
	main       TEXT COLLATE "C" NOT NULL DEFAULT '',
	head       TEXT COLLATE "C" NOT NULL DEFAULT '',
	facts      TEXT COLLATE "C" NOT NULL DEFAULT '',
	review_required BIGINT NOT NULL DEFAULT 1,
	protected  TEXT COLLATE "C" NOT NULL DEFAULT '',
	check_argv TEXT COLLATE "C" NOT NULL DEFAULT '',
	setup_argv TEXT COLLATE "C" NOT NULL DEFAULT '',
	copies     TEXT COLLATE "C" NOT NULL DEFAULT '',
	start_argv TEXT COLLATE "C" NOT NULL DEFAULT '',
	health     TEXT COLLATE "C" NOT NULL DEFAULT '',
	ports      BIGINT NOT NULL DEFAULT 1 CHECK (ports BETWEEN 1 AND 5),
	UNIQUE (org_id, id),
	UNIQUE (studio_id, name),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, runner_id) REFERENCES runners (org_id, id)
);
CREATE INDEX repos_by_runner ON repos (runner_id, name);

-- A worktree is a checkout of a repository in a folder of the repository's runner, with a branch of its own. The numbers, facts and
-- files are what the runner reported last; made_at is when the folder was there first. Base_commit is the newest commit that head
-- and the branch base have in common.
CREATE TABLE worktrees (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	studio_id   TEXT COLLATE "C" NOT NULL,
	repo_id     TEXT COLLATE "C" NOT NULL,
	name        TEXT COLLATE "C" NOT NULL,
	branch      TEXT COLLATE "C" NOT NULL,
	base        TEXT COLLATE "C" NOT NULL,
	head        TEXT COLLATE "C" NOT NULL DEFAULT '',
	created_at  BIGINT NOT NULL,
	created_by  TEXT COLLATE "C" NOT NULL,
	made_at     BIGINT,
	archived_at BIGINT,
	facts_at    BIGINT,
	facts       TEXT COLLATE "C" NOT NULL DEFAULT '',
	dirty       BIGINT NOT NULL DEFAULT 0,
	ahead       BIGINT NOT NULL DEFAULT 0,
	behind      BIGINT NOT NULL DEFAULT 0,
	size        BIGINT NOT NULL DEFAULT 0,
	changed     BIGINT NOT NULL DEFAULT 0,
	added       BIGINT NOT NULL DEFAULT 0,
	deleted     BIGINT NOT NULL DEFAULT 0,
	setup_state TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (setup_state IN ('', 'passed', 'failed')),
	setup_said  TEXT COLLATE "C" NOT NULL DEFAULT '',
	env_state   TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (env_state IN ('', 'running', 'unhealthy', 'stopped', 'failed')),
	env_port    BIGINT NOT NULL DEFAULT 0,
	env_said    TEXT COLLATE "C" NOT NULL DEFAULT '',
	env_at      BIGINT,
	UNIQUE (org_id, id),
	UNIQUE (studio_id, name),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, repo_id) REFERENCES repos (org_id, id),
	FOREIGN KEY (org_id, created_by) REFERENCES members (org_id, id)
);
CREATE UNIQUE INDEX worktrees_by_branch ON worktrees (repo_id, branch) WHERE archived_at IS NULL;
CREATE INDEX worktrees_by_repo ON worktrees (repo_id, name);
CREATE INDEX worktrees_running ON worktrees (org_id, id) WHERE env_state IN ('running', 'unhealthy');

-- A changed file of a worktree, in the order of the difference. The patch is empty if the file is binary, or cut is 1.
CREATE TABLE worktree_files (
	worktree_id TEXT COLLATE "C" NOT NULL,
	n           BIGINT NOT NULL,
	org_id      TEXT COLLATE "C" NOT NULL,
	path        TEXT COLLATE "C" NOT NULL,
	was         TEXT COLLATE "C" NOT NULL,
	change      TEXT COLLATE "C" NOT NULL,
	added       BIGINT NOT NULL,
	deleted     BIGINT NOT NULL,
	lines       BIGINT NOT NULL,
	is_binary   BIGINT NOT NULL,
	cut         BIGINT NOT NULL,
	patch       TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (worktree_id, n),
	FOREIGN KEY (org_id, worktree_id) REFERENCES worktrees (org_id, id)
);
CREATE INDEX worktree_files_by_path ON worktree_files (worktree_id, path);

-- A job is something that a runner does to a repository or a worktree. Params is JSON. Member_id is the member who asked for it,
-- null if it follows from something else. Each claim has a number and a lease; a report of an earlier claim is refused. The
-- scheduler ends a job whose last claim ran out, and sets claimed_to to null.
CREATE TABLE jobs (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	runner_id   TEXT COLLATE "C" NOT NULL,
	repo_id     TEXT COLLATE "C" NOT NULL,
	worktree_id TEXT COLLATE "C",
	member_id   TEXT COLLATE "C",
	kind        TEXT COLLATE "C" NOT NULL,
	claim       BIGINT NOT NULL DEFAULT 0,
	claimed_to  BIGINT,
	created_at  BIGINT NOT NULL,
	ended_at    BIGINT,
	problem     TEXT COLLATE "C" NOT NULL DEFAULT '',
	params      TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, runner_id) REFERENCES runners (org_id, id),
	FOREIGN KEY (org_id, repo_id) REFERENCES repos (org_id, id),
	FOREIGN KEY (org_id, worktree_id) REFERENCES worktrees (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
);
CREATE INDEX jobs_claimed ON jobs (claimed_to) WHERE ended_at IS NULL;
CREATE INDEX jobs_by_runner ON jobs (runner_id, (ended_at IS NOT NULL), created_at DESC, id);
CREATE INDEX jobs_by_repo ON jobs (repo_id, created_at DESC, id);
CREATE INDEX jobs_by_worktree ON jobs (worktree_id, created_at DESC, id) WHERE worktree_id IS NOT NULL;
CREATE INDEX jobs_open_by_worktree ON jobs (worktree_id) WHERE ended_at IS NULL;

-- A manifest says how an agent is started: the arguments of its program one a line, the names of the variables that it gets one a
-- line, and its instructions. Each change is a new version in a row of its own. Asks is 1 if the agent asks before it acts. Agent is
-- the name of a known agent that a runner found; empty for a manifest made by hand.
CREATE TABLE manifests (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	key        TEXT COLLATE "C" NOT NULL,
	version    BIGINT NOT NULL,
	title      TEXT COLLATE "C" NOT NULL,
	role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('coding', 'planning', 'reviewing', 'general')),
	adapter    TEXT COLLATE "C" NOT NULL CHECK (adapter IN ('acp', 'plain')),
	argv       TEXT COLLATE "C" NOT NULL,
	env        TEXT COLLATE "C" NOT NULL DEFAULT '',
	mode       TEXT COLLATE "C" NOT NULL DEFAULT '',
	model      TEXT COLLATE "C" NOT NULL DEFAULT '',
	sign_in    TEXT COLLATE "C" NOT NULL DEFAULT '',
	prompt     TEXT COLLATE "C" NOT NULL DEFAULT '',
	asks       BIGINT NOT NULL DEFAULT 0,
	agent      TEXT COLLATE "C" NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL,
	created_by TEXT COLLATE "C" NOT NULL,
	latest     BIGINT NOT NULL DEFAULT 1,
	retired_at BIGINT,
	UNIQUE (org_id, id),
	UNIQUE (org_id, key, version),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, created_by) REFERENCES members (org_id, id)
);
CREATE UNIQUE INDEX manifests_latest ON manifests (org_id, key) WHERE latest = 1;

-- A session is the conversation of an agent in a worktree, for the member whose authority it has. Turns is the number of its turns,
-- and current that of the last one that was claimed or withdrawn. Agent_session is the agent's own name of the conversation.
-- Copied says that it is still that of the parent, which the next turn copies. Failed is the number of its reviews without approval since the last approved one, and rounds the number that there may be.
-- Context_used and context_size are in tokens and cost is in millionths of the currency, all as the agent reported them last.
-- Step is the last call of a tool that has ended, in the agent's words, and step_runs is 1 if it is a command.
CREATE TABLE sessions (
	id            TEXT COLLATE "C" PRIMARY KEY,
	org_id        TEXT COLLATE "C" NOT NULL,
	studio_id     TEXT COLLATE "C" NOT NULL,
	worktree_id   TEXT COLLATE "C" NOT NULL,
	manifest_id   TEXT COLLATE "C" NOT NULL,
	member_id     TEXT COLLATE "C" NOT NULL,
	parent_id     TEXT COLLATE "C",
	relation      TEXT COLLATE "C" NOT NULL DEFAULT 'root' CHECK (relation IN ('root', 'fork', 'spawn', 'review')),
	title         TEXT COLLATE "C" NOT NULL,
	agent_session TEXT COLLATE "C" NOT NULL DEFAULT '',
	copied        BIGINT NOT NULL DEFAULT 0,
	turns         BIGINT NOT NULL DEFAULT 0,
	current       BIGINT NOT NULL DEFAULT 0,
	failed        BIGINT NOT NULL DEFAULT 0,
	rounds        BIGINT NOT NULL DEFAULT 3,
	context_used  BIGINT NOT NULL DEFAULT 0,
	context_size  BIGINT NOT NULL DEFAULT 0,
	cost          BIGINT,
	currency      TEXT COLLATE "C" NOT NULL DEFAULT '',
	version       BIGINT NOT NULL DEFAULT 1,
	created_at    BIGINT NOT NULL,
	moved_at      BIGINT NOT NULL,
	step          TEXT COLLATE "C" NOT NULL DEFAULT '',
	step_runs     BIGINT NOT NULL DEFAULT 0,
	step_at       BIGINT,
	archived_at   BIGINT,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, worktree_id) REFERENCES worktrees (org_id, id),
	FOREIGN KEY (org_id, manifest_id) REFERENCES manifests (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, parent_id) REFERENCES sessions (org_id, id)
);
CREATE INDEX sessions_by_studio ON sessions (studio_id, moved_at DESC, created_at DESC, id);
CREATE INDEX sessions_by_worktree ON sessions (worktree_id, moved_at DESC, created_at DESC, id);
CREATE INDEX sessions_at_limit ON sessions (member_id, moved_at DESC) WHERE archived_at IS NULL AND failed >= rounds;
CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;

-- A turn is a prompt of a session and the process that answers it. Each claim has a number and a lease. Began_at is when the process
-- was to start: a turn that began and has neither an end nor a lease is interrupted. Cost is in millionths of the currency.
-- A turn that reads works in a folder of its own beside the worktree. Depth is the number of
-- prompts by agents, each in the turn of the one before, since the last word of a person. By_token is the token with which such
-- a chain began, whose limits hold for the turn; NULL if a person began it.
CREATE TABLE turns (
	id            TEXT COLLATE "C" PRIMARY KEY,
	org_id        TEXT COLLATE "C" NOT NULL,
	session_id    TEXT COLLATE "C" NOT NULL,
	n             BIGINT NOT NULL,
	worktree_id   TEXT COLLATE "C" NOT NULL,
	runner_id     TEXT COLLATE "C" NOT NULL,
	prompt        TEXT COLLATE "C" NOT NULL,
	origin        TEXT COLLATE "C" NOT NULL CHECK (origin IN ('person', 'agent', 'resume', 'callback', 'feedback')),
	member_id     TEXT COLLATE "C" NOT NULL,
	agent_id      TEXT COLLATE "C",
	by_token      TEXT COLLATE "C",
	depth         BIGINT NOT NULL DEFAULT 0,
	reads         BIGINT NOT NULL DEFAULT 0,
	queued_at     BIGINT NOT NULL,
	claim         BIGINT NOT NULL DEFAULT 0,
	claimed_to    BIGINT,
	token_id      TEXT COLLATE "C",
	began_at      BIGINT,
	stop_at       BIGINT,
	ended_at      BIGINT,
	state         TEXT COLLATE "C" NOT NULL DEFAULT '',
	class         TEXT COLLATE "C" NOT NULL DEFAULT '',
	reason        TEXT COLLATE "C" NOT NULL DEFAULT '',
	head_before   TEXT COLLATE "C" NOT NULL DEFAULT '',
	head_after    TEXT COLLATE "C" NOT NULL DEFAULT '',
	fresh         BIGINT NOT NULL DEFAULT 0,
	events        BIGINT NOT NULL DEFAULT 0,
	tokens_in     BIGINT,
	tokens_out    BIGINT,
	cost          BIGINT,
	currency      TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (org_id, id),
	UNIQUE (session_id, n),
	FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, worktree_id) REFERENCES worktrees (org_id, id),
	FOREIGN KEY (org_id, runner_id) REFERENCES runners (org_id, id),
	FOREIGN KEY (org_id, by_token) REFERENCES tokens (org_id, id),
	FOREIGN KEY (org_id, token_id) REFERENCES tokens (org_id, id)
);
CREATE INDEX turns_waiting ON turns (runner_id, queued_at, id) WHERE ended_at IS NULL;
CREATE INDEX turns_claimed ON turns (claimed_to) WHERE ended_at IS NULL AND claimed_to IS NOT NULL;
CREATE INDEX turns_by_worktree ON turns (worktree_id) WHERE ended_at IS NULL;
CREATE INDEX turns_past ON turns (worktree_id, ended_at DESC, id) WHERE reads = 0 AND head_after <> '';
CREATE INDEX turns_by_token ON turns (token_id) WHERE token_id IS NOT NULL;

-- An event is something that happened in a turn, in order. Text and data are in the agent's words.
CREATE TABLE turn_events (
	turn_id TEXT COLLATE "C" NOT NULL,
	n       BIGINT NOT NULL,
	org_id  TEXT COLLATE "C" NOT NULL,
	at      BIGINT NOT NULL,
	kind    TEXT COLLATE "C" NOT NULL,
	text    TEXT COLLATE "C" NOT NULL,
	data    TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (turn_id, n),
	FOREIGN KEY (org_id, turn_id) REFERENCES turns (org_id, id)
);

-- A permission_rule is a person's standing answer to requests of an agent in a session. N counts in the session. Reach and subject say
-- which requests it covers, of the kind of tools or of all if that is empty. Title is that of the request whose answer it came
-- with, and of_n the number of that request, or 0. Used counts the requests that it decided.
CREATE TABLE permission_rules (
	session_id   TEXT COLLATE "C" NOT NULL,
	n            BIGINT NOT NULL,
	org_id       TEXT COLLATE "C" NOT NULL,
	verdict      TEXT COLLATE "C" NOT NULL CHECK (verdict IN ('allow', 'deny', 'ask')),
	reach        TEXT COLLATE "C" NOT NULL CHECK (reach IN ('same', 'folder', 'command', 'tool')),
	kind         TEXT COLLATE "C" NOT NULL,
	subject      TEXT COLLATE "C" NOT NULL,
	title        TEXT COLLATE "C" NOT NULL DEFAULT '',
	of_n         BIGINT NOT NULL DEFAULT 0,
	reason       TEXT COLLATE "C" NOT NULL DEFAULT '',
	made_by      TEXT COLLATE "C" NOT NULL,
	made_at      BIGINT NOT NULL,
	used         BIGINT NOT NULL DEFAULT 0,
	used_at      BIGINT,
	withdrawn_by TEXT COLLATE "C",
	withdrawn_at BIGINT,
	PRIMARY KEY (session_id, n),
	UNIQUE (org_id, session_id, n),
	FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id),
	FOREIGN KEY (org_id, made_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, withdrawn_by) REFERENCES members (org_id, id)
);
CREATE INDEX permission_rules_in_force ON permission_rules (session_id, n) WHERE withdrawn_at IS NULL;

-- A permission is a request of an agent to be allowed something, in a turn. N counts in the session. Event is the number
-- of the turn's event about it. Choices is JSON in the agent's words. Paths is a JSON list of all files that it is about, or empty if they
-- are not known, and digest stands for all that the agent said about it. Rule_n is the rule that answered it or that made a person be
-- asked, and answered_by is NULL if a rule answered.
CREATE TABLE permissions (
	session_id  TEXT COLLATE "C" NOT NULL,
	n           BIGINT NOT NULL,
	org_id      TEXT COLLATE "C" NOT NULL,
	turn_id     TEXT COLLATE "C" NOT NULL,
	event       BIGINT NOT NULL,
	title       TEXT COLLATE "C" NOT NULL,
	kind        TEXT COLLATE "C" NOT NULL,
	input       TEXT COLLATE "C" NOT NULL,
	paths       TEXT COLLATE "C" NOT NULL DEFAULT '',
	digest      TEXT COLLATE "C" NOT NULL DEFAULT '',
	choices     TEXT COLLATE "C" NOT NULL,
	asked_at    BIGINT NOT NULL,
	answered_at BIGINT,
	answered_by TEXT COLLATE "C",
	choice      TEXT COLLATE "C" NOT NULL DEFAULT '',
	reason      TEXT COLLATE "C" NOT NULL DEFAULT '',
	rule_n      BIGINT,
	PRIMARY KEY (session_id, n),
	FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id),
	FOREIGN KEY (org_id, turn_id) REFERENCES turns (org_id, id),
	FOREIGN KEY (org_id, answered_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, session_id, rule_n) REFERENCES permission_rules (org_id, session_id, n)
);
CREATE INDEX permissions_by_turn ON permissions (turn_id, n);

-- A review is of the commit at which a turn of a session ended; the commit is empty until then. N counts the reviews of the session. Reviewer_id is
-- the session of the agent that reviews, or NULL if people do. Delivered says that the answer is a prompt of the session.
CREATE TABLE reviews (
	id           TEXT COLLATE "C" PRIMARY KEY,
	org_id       TEXT COLLATE "C" NOT NULL,
	studio_id    TEXT COLLATE "C" NOT NULL,
	session_id   TEXT COLLATE "C" NOT NULL,
	n            BIGINT NOT NULL,
	manifest_id  TEXT COLLATE "C",
	reviewer_id  TEXT COLLATE "C",
	round        BIGINT NOT NULL,
	commit_hash  TEXT COLLATE "C" NOT NULL DEFAULT '',
	text         TEXT COLLATE "C" NOT NULL,
	requested_at BIGINT NOT NULL,
	member_id    TEXT COLLATE "C" NOT NULL,
	agent_id     TEXT COLLATE "C",
	by_token     TEXT COLLATE "C",
	depth        BIGINT NOT NULL DEFAULT 0,
	ended_at     BIGINT,
	state        TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (state IN ('', 'approved', 'changes_requested', 'expired', 'cancelled')),
	feedback     TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (feedback IN ('', 'needs_work', 'suggestions', 'clarification')),
	priority     TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (priority IN ('', 'low', 'normal', 'high')),
	answer       TEXT COLLATE "C" NOT NULL DEFAULT '',
	ended_by     TEXT COLLATE "C",
	ended_agent  TEXT COLLATE "C",
	delivered    BIGINT NOT NULL DEFAULT 0,
	comments     BIGINT NOT NULL DEFAULT 0,
	version      BIGINT NOT NULL DEFAULT 1,
	UNIQUE (org_id, id),
	UNIQUE (session_id, n),
	CHECK ((state = '') = (ended_at IS NULL)),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id),
	FOREIGN KEY (org_id, manifest_id) REFERENCES manifests (org_id, id),
	FOREIGN KEY (org_id, reviewer_id) REFERENCES sessions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, by_token) REFERENCES tokens (org_id, id),
	FOREIGN KEY (org_id, ended_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, ended_agent) REFERENCES agents (org_id, id)
);
CREATE UNIQUE INDEX reviews_open ON reviews (session_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX reviews_by_reviewer ON reviews (reviewer_id) WHERE reviewer_id IS NOT NULL;
CREATE INDEX reviews_by_session ON reviews (session_id, requested_at DESC, id);
CREATE INDEX reviews_by_studio ON reviews (studio_id, requested_at DESC, id);
CREATE INDEX reviews_due ON reviews (requested_at) WHERE ended_at IS NULL;
CREATE INDEX reviews_for_people ON reviews (studio_id, requested_at DESC)
	WHERE ended_at IS NULL AND manifest_id IS NULL AND commit_hash <> '';

-- A comment of a review is about a line of a file, or about the whole file if the line is 0.
CREATE TABLE review_comments (
	review_id TEXT COLLATE "C" NOT NULL,
	n         BIGINT NOT NULL,
	org_id    TEXT COLLATE "C" NOT NULL,
	path      TEXT COLLATE "C" NOT NULL,
	line      BIGINT NOT NULL DEFAULT 0,
	text      TEXT COLLATE "C" NOT NULL,
	at        BIGINT NOT NULL,
	member_id TEXT COLLATE "C" NOT NULL,
	agent_id  TEXT COLLATE "C",
	PRIMARY KEY (review_id, n),
	FOREIGN KEY (org_id, review_id) REFERENCES reviews (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);

-- A pull request asks to merge the branch of a worktree into its base. N counts the pull requests of the studio. Method, reason, tried,
-- into_base, problem and conflicts are of the last attempt, and ended_by is the member who asked for it. Head is empty before the end.
-- The columns forge_… are of its copy on the site of the repository's source.
CREATE TABLE pulls (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	studio_id   TEXT COLLATE "C" NOT NULL,
	worktree_id TEXT COLLATE "C" NOT NULL,
	session_id  TEXT COLLATE "C",
	n           BIGINT NOT NULL,
	title       TEXT COLLATE "C" NOT NULL,
	text        TEXT COLLATE "C" NOT NULL,
	draft       BIGINT NOT NULL DEFAULT 0,
	opened_at   BIGINT NOT NULL,
	member_id   TEXT COLLATE "C" NOT NULL,
	agent_id    TEXT COLLATE "C",
	method      TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (method IN ('', 'merge', 'squash', 'fast_forward')),
	reason      TEXT COLLATE "C" NOT NULL DEFAULT '',
	tried       TEXT COLLATE "C" NOT NULL DEFAULT '',
	into_base   TEXT COLLATE "C" NOT NULL DEFAULT '',
	problem     TEXT COLLATE "C" NOT NULL DEFAULT '',
	conflicts   TEXT COLLATE "C" NOT NULL DEFAULT '',
	merged      TEXT COLLATE "C" NOT NULL DEFAULT '',
	place       TEXT COLLATE "C" NOT NULL DEFAULT '',
	head        TEXT COLLATE "C" NOT NULL DEFAULT '',
	ended_at    BIGINT,
	state       TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (state IN ('', 'merged', 'closed')),
	ended_by    TEXT COLLATE "C",
	ended_agent TEXT COLLATE "C",
	deletes_branch BIGINT NOT NULL DEFAULT 0,
	checked     TEXT COLLATE "C" NOT NULL DEFAULT '',
	checked_at  BIGINT,
	check_passed BIGINT NOT NULL DEFAULT 0,
	check_said  TEXT COLLATE "C" NOT NULL DEFAULT '',
	forge_n     BIGINT NOT NULL DEFAULT 0,
	forge_url   TEXT COLLATE "C" NOT NULL DEFAULT '',
	forge_state TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (forge_state IN ('', 'open', 'merged', 'closed')),
	forge_head  TEXT COLLATE "C" NOT NULL DEFAULT '',
	forge_merger TEXT COLLATE "C" NOT NULL DEFAULT '',
	forge_checks TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (forge_checks IN ('', 'waiting', 'passed', 'failed')),
	forge_names TEXT COLLATE "C" NOT NULL DEFAULT '',
	forge_at    BIGINT,
	UNIQUE (org_id, id),
	UNIQUE (studio_id, n),
	CHECK ((state = '') = (ended_at IS NULL)),
	CHECK ((state = 'merged') = (merged <> '')),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, worktree_id) REFERENCES worktrees (org_id, id),
	FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, ended_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, ended_agent) REFERENCES agents (org_id, id)
);
CREATE UNIQUE INDEX pulls_open ON pulls (worktree_id) WHERE ended_at IS NULL;
CREATE INDEX pulls_by_worktree ON pulls (worktree_id, opened_at);
CREATE INDEX pulls_by_member ON pulls (member_id, opened_at DESC) WHERE ended_at IS NULL AND draft = 0;
CREATE INDEX pulls_published ON pulls (org_id, opened_at DESC, id) WHERE forge_n > 0 AND ended_at IS NULL;

-- An issue was made for a repository on the site of its source. N and url are empty until the runner has made it there.
CREATE TABLE issues (
	id         TEXT COLLATE "C" PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	repo_id    TEXT COLLATE "C" NOT NULL,
	title      TEXT COLLATE "C" NOT NULL,
	text       TEXT COLLATE "C" NOT NULL,
	n          BIGINT NOT NULL DEFAULT 0,
	url        TEXT COLLATE "C" NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL,
	member_id  TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C",
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, repo_id) REFERENCES repos (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);
CREATE INDEX issues_by_repo ON issues (repo_id, created_at DESC, id);
CREATE INDEX issues_unmade ON issues (repo_id, created_at) WHERE n = 0;

-- A board is an item with zones, and with cards in them. Last is the highest number that a zone or card of it ever had.
CREATE TABLE boards (
	id          TEXT COLLATE "C" PRIMARY KEY,
	org_id      TEXT COLLATE "C" NOT NULL,
	archived_at BIGINT,
	last        BIGINT NOT NULL DEFAULT 0,
	UNIQUE (org_id, id),
	FOREIGN KEY (org_id, id) REFERENCES items (org_id, id)
);

-- Place orders the zones of a board. Does is the name of the action that moving a card into the zone takes, or
-- empty. Set_by wrote its prompt.
CREATE TABLE zones (
	board_id TEXT COLLATE "C" NOT NULL,
	n        BIGINT NOT NULL,
	org_id   TEXT COLLATE "C" NOT NULL,
	place    BIGINT NOT NULL,
	title    TEXT COLLATE "C" NOT NULL,
	rule     TEXT COLLATE "C" NOT NULL DEFAULT '',
	does     TEXT COLLATE "C" NOT NULL DEFAULT '',
	agent    TEXT COLLATE "C" NOT NULL DEFAULT '',
	template TEXT COLLATE "C" NOT NULL DEFAULT '',
	at_once  BIGINT NOT NULL DEFAULT 0,
	set_by   TEXT COLLATE "C",
	PRIMARY KEY (board_id, n),
	UNIQUE (org_id, board_id, n),
	FOREIGN KEY (org_id, set_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, board_id) REFERENCES boards (org_id, id)
);

-- Place orders the cards of a zone. Page is the path of a page of this site, or empty. Asked_by
-- and asked_agent moved the card into its zone, if a person is to say whether the action of the zone is taken.
CREATE TABLE cards (
	board_id   TEXT COLLATE "C" NOT NULL,
	n          BIGINT NOT NULL,
	org_id     TEXT COLLATE "C" NOT NULL,
	zone       BIGINT NOT NULL,
	place      BIGINT NOT NULL,
	title      TEXT COLLATE "C" NOT NULL,
	body       TEXT COLLATE "C" NOT NULL DEFAULT '',
	page       TEXT COLLATE "C" NOT NULL DEFAULT '',
	member_id  TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C",
	created_at BIGINT NOT NULL,
	moved_at   BIGINT NOT NULL,
	asked_by   TEXT COLLATE "C",
	asked_agent TEXT COLLATE "C",
	PRIMARY KEY (board_id, n),
	FOREIGN KEY (org_id, board_id, zone) REFERENCES zones (org_id, board_id, n),
	FOREIGN KEY (org_id, board_id) REFERENCES boards (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id),
	FOREIGN KEY (org_id, asked_by) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, asked_agent) REFERENCES agents (org_id, id)
);
CREATE INDEX cards_by_page ON cards (page);
CREATE INDEX cards_waiting ON cards (board_id, n, title, moved_at, asked_by, asked_agent) WHERE asked_by IS NOT NULL;

--
-- Search
--

-- A document is something that can be found: an item, a studio or a member (seq 0), a comment (its seq) or a role (seq -1). N
-- begins with the time at which it was made, so that documents are in the order of their age; 16384 fit into a millisecond. Title
-- has the words of the title as the index has them, for ranking. The full-text index is a table named search, which the program
-- makes; a document that is not in it yet has no indexed_at.
CREATE TABLE documents (
	n          BIGINT PRIMARY KEY,
	org_id     TEXT COLLATE "C" NOT NULL,
	kind       TEXT COLLATE "C" NOT NULL,
	id         TEXT COLLATE "C" NOT NULL,
	seq        BIGINT NOT NULL,
	studio_id  TEXT COLLATE "C",
	member_id  TEXT COLLATE "C" NOT NULL,
	agent_id   TEXT COLLATE "C",
	indexed_at BIGINT,
	title      TEXT COLLATE "C" NOT NULL DEFAULT '',
	UNIQUE (id, seq),
	FOREIGN KEY (org_id) REFERENCES organizations (id),
	FOREIGN KEY (org_id, studio_id) REFERENCES studios (org_id, id),
	FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
	FOREIGN KEY (org_id, agent_id) REFERENCES agents (org_id, id)
);
CREATE INDEX documents_waiting ON documents (n) WHERE indexed_at IS NULL;
-- A search without words lists documents by their age.
CREATE INDEX documents_by_member ON documents (member_id, kind, n);
CREATE INDEX documents_by_studio ON documents (studio_id, kind, n);
CREATE INDEX documents_by_kind ON documents (kind, n);
