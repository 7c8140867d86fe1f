-- +goose Up

-- What somebody has not read is found among however much they have.
CREATE INDEX notifications_unread_by_time ON notifications (member_id, at DESC, seq DESC) WHERE read_at IS NULL AND dismissed_at IS NULL;
