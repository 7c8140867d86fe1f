-- +goose Up
-- Roles can be found. Their seq is -1, for the oldest have the ids of their studios.
INSERT INTO documents (n, org_id, kind, id, seq, studio_id, member_id)
	SELECT created_at * 16384 + 8192 + row_number() OVER (PARTITION BY created_at ORDER BY id), org_id, 'role', id, -1, studio_id, created_by FROM roles WHERE deleted_at IS NULL;
