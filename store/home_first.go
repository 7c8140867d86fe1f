package store

// Beginning has the first steps that are left in a new organization. They follow from its rows; no column stores them.
type Beginning struct {
	Org     string `db:"org"` // handle, also of its general studio
	OrgName string `db:"org_name"`
	Unnamed bool   `db:"unnamed"` // its name is its handle
	Alone   bool   `db:"alone"`   // it has one member and no invitations
	Agents  bool   `db:"agents"`  // it has or had a token
	Notes   bool   `db:"notes"`   // it has a note
}

// beginnings lists the organizations of the actor in which first steps are left.
func (tx *Tx) beginnings(by Actor) (list []Beginning, err error) {
	for i := range by.Members {
		if by.Members[i].Owner {
			err = tx.Select(&list, `SELECT *
				FROM (SELECT o.handle AS org, o.name AS org_name, o.name = o.handle AS unnamed,
				s.people = 1 AND NOT EXISTS (SELECT 1 FROM invitations i
				WHERE i.org_id = o.id AND i.accepted_at IS NULL AND i.declined_at IS NULL AND i.revoked_at IS NULL
				AND i.expires_at > ?) AS alone,
				EXISTS (SELECT 1 FROM tokens t LEFT JOIN oauth_grants g ON g.token_id = t.id
				WHERE t.org_id = o.id AND (g.token_id IS NULL OR g.redeemed_at IS NOT NULL)) AS agents,
				EXISTS (SELECT 1 FROM notes n WHERE n.org_id = o.id) AS notes
				FROM members m CROSS JOIN organizations o CROSS JOIN studios s
				WHERE o.id = m.org_id AND o.owner_id = m.id AND s.org_id = o.id AND s.general = 1 AND m.user_id = ?
				AND m.ended_at IS NULL ORDER BY m.joined_at, m.id) AS w WHERE unnamed OR alone OR NOT agents
				OR NOT notes`, At(tx.Now), by.UserID)
			return list, err
		}
	}
	return nil, nil
}

// AgentAtHome is an agent on its member's home page, with its last action that the member may see.
type AgentAtHome struct {
	AgentPage
	Did      string `db:"did"` // name of the last action; empty for none
	DidURL   string `db:"did_url"`
	DidTitle string `db:"did_title"`
	DidAt    Time   `db:"did_at"`
}

// agentsAtHome lists the actor's agents that have a token in force or paused, newest first.
func (tx *Tx) agentsAtHome(by Actor, limit int) (list []AgentAtHome, err error) {
	now := At(tx.Now)
	err = tx.Select(&list, `SELECT`+agentColumns+`, j.action AS did, j.url AS did_url, j.title AS did_title,
		j.at AS did_at`+agentFrom+`
		LEFT JOIN journal j ON j.org_id = a.org_id AND j.seq = (SELECT k.seq FROM journal k
		LEFT JOIN studios s ON s.id = k.studio_id
			WHERE k.org_id = a.org_id AND k.agent_id <> '' AND k.agent_id = a.id
			AND k.private_to IN ('', a.member_id) AND (k.studio_id = '' OR s.visibility <> 'members'
			OR EXISTS (SELECT 1 FROM studio_members x WHERE x.studio_id = k.studio_id AND x.member_id = a.member_id))
			ORDER BY k.seq DESC LIMIT 1)
		WHERE a.id IN (SELECT t.agent_id FROM members mm JOIN tokens t ON t.member_id = mm.id
			WHERE mm.user_id = ? AND mm.ended_at IS NULL AND t.revoked_at IS NULL
			AND (t.expires_at IS NULL OR t.expires_at > ?))
		ORDER BY a.created_at DESC, a.id`+atMost, now, now, by.UserID, now, limit)
	return list, err
}
