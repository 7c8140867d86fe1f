-- +goose Up
-- What a member is called can be taken out of the journal: the chain covers digests of who acted and of where, as it does of titles.
-- An entry from before has none, and its words stay.
ALTER TABLE members ADD COLUMN erased_at INTEGER;
ALTER TABLE journal ADD COLUMN member_digest BLOB NOT NULL DEFAULT x'';
ALTER TABLE journal ADD COLUMN url_digest BLOB NOT NULL DEFAULT x'';
CREATE INDEX mails_by_address ON mails (address);
