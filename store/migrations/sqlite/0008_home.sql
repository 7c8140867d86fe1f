-- +goose Up
-- What somebody pledged and has not yet said anything about.
CREATE INDEX participants_unmarked ON participants (member_id, commitment_id) WHERE mark = '';
