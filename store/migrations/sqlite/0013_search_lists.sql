-- +goose Up
-- What is looked for without words is listed by age.
CREATE INDEX documents_by_member ON documents (member_id, kind, n);
CREATE INDEX documents_by_studio ON documents (studio_id, kind, n);
CREATE INDEX documents_by_kind ON documents (kind, n);
