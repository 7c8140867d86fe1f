-- +goose Up
-- A login says where it is and when it proved whom it belongs to. Those from before have to prove it.

ALTER TABLE logins ADD COLUMN proved_at INTEGER;
ALTER TABLE logins ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE logins ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN password_at INTEGER;

-- A passkey is a public key that signs a person in. What may be used once only is written down as spent until it would not be
-- accepted any more.

CREATE TABLE passkeys (
	id         TEXT PRIMARY KEY,
	user_id    TEXT NOT NULL REFERENCES users (id),
	credential BLOB NOT NULL UNIQUE,
	name       TEXT NOT NULL,
	record     TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE spent (
	hash       BLOB PRIMARY KEY,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_by_end ON spent (expires_at);

-- An identity is a person's account at an OpenID provider, which may sign them in here.

CREATE TABLE identities (
	issuer     TEXT NOT NULL,
	subject    TEXT NOT NULL,
	user_id    TEXT NOT NULL REFERENCES users (id),
	email      TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL,
	PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user_id);
