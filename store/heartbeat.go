package store

// Heartbeat records that a member was present in a cycle of a studio.
type Heartbeat struct {
	Member string `db:"member"` // handle of the member
	Agent
	Text string `db:"text"`
	At   Time   `db:"at"`

	Cycle *Cycle // the cycle in which the heartbeat was sent; nil in lists
}

// Ref returns the page of the cycle as the target of the journal entry about the heartbeat.
func (h *Heartbeat) Ref() Ref {
	r := h.Cycle.Ref()
	r.Kind, r.Version = "heartbeat", 0
	return r
}

// Record returns the fields that the journal stores about a heartbeat.
func (h *Heartbeat) Record() any {
	return struct {
		Cycle string `json:"cycle"`
		Text  string `json:"text,omitempty"`
	}{h.Cycle.Name, h.Text}
}

// MustBeAway returns [Conflict] if the actor has already sent a heartbeat in the studio's present cycle, and the errors
// of [Studio.MustBeJoined].
func (s *Studio) MustBeAway() error {
	if err := s.MustBeJoined(); err != nil {
		return err
	}
	if !s.HeartbeatAt.IsZero() && s.Cycle().Has(s.HeartbeatAt.Time) {
		return Errorf(Conflict, "You have been here in this cycle already. Once is enough.")
	}
	return nil
}

// SendHeartbeat records that the acting member is present in the studio's current cycle. A second heartbeat in the same
// cycle replaces the first.
func (tx *Tx) SendHeartbeat(by Actor, s *Studio, text string) (*Heartbeat, error) {
	h := &Heartbeat{Member: by.Member.Handle, Agent: by.Agent, Text: text, At: At(tx.Now), Cycle: s.Cycle()}
	if err := tx.Exec(`INSERT INTO heartbeats (studio_id, cycle, member_id, org_id, agent_id, text, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (studio_id, cycle, member_id) DO UPDATE SET agent_id = excluded.agent_id, text = excluded.text,
		at = excluded.at`,
		s.ID, h.Cycle.Name, by.MemberID(), s.OrgID, Null(by.Agent.ID), text, h.At); err != nil {
		return nil, err
	}
	if err := tx.Exec(`UPDATE studio_members SET heartbeat_at = ? WHERE studio_id = ? AND member_id = ?`,
		h.At, s.ID, by.MemberID()); err != nil {
		return nil, err
	}
	return h, tx.TouchStudio(s.ID)
}

func (tx *Tx) heartbeats(c *Cycle, limit int) ([]Heartbeat, error) {
	return All[Heartbeat](tx, `SELECT m.handle AS member, h.agent_id, a.label AS agent, h.text, h.at
		FROM heartbeats h JOIN members m ON m.id = h.member_id LEFT JOIN agents a ON a.id = h.agent_id
		WHERE h.studio_id = ? AND h.at >= ? AND h.at < ?
		ORDER BY h.at, h.member_id`+AtMost, c.Studio.ID, At(c.Start), At(c.End), limit)
}

// MostCounted is the limit of each count in a [CycleCount] or a [Digest]. Counting stops there.
const MostCounted = 100

// CycleCount is a cycle with the number of heartbeats in it (Here), and of the items that were due, opened (Made) and
// closed in it. Each number is at most [MostCounted].
type CycleCount struct {
	*Cycle
	Here, Due, Made, Closed int
}

// CyclesPage is one page of a studio's cycles, latest first.
type CyclesPage struct {
	*Studio
	List []CycleCount
	More *Cycle // the first cycle of the next page; nil on the last page
}

// cyclesListed is the number of cycles on a page. It is small, because one statement has a SELECT for each cycle.
const cyclesListed = 12

// ShowCycles loads one page of a studio's cycles, latest first. The page begins with the cycle that the parameter from
// names, or with the present cycle if from is empty. ShowCycles returns [Invalid] for an unknown name.
func (tx *Tx) ShowCycles(_ Actor, s *Studio, from string) (*CyclesPage, error) {
	at := s.Cycle()
	if from != "" {
		span, ok := ReadSpan(from, Location(s.Zone))
		if !ok {
			return nil, Errorf(Invalid, "There is no cycle %q. Start again at %s.", from, Address(s.URL()+"/cycles"))
		}
		at = s.in(span)
	}
	p := &CyclesPage{Studio: s}
	args := make([]any, 0, 3*cyclesListed+8)
	query := "WITH c (n, a, z) AS ("
	for n := range cyclesListed {
		if n > 0 {
			query += " UNION ALL "
		}
		query += `SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)`
		if at == nil {
			args = append(args, n, 0, 0)
			continue
		}
		args = append(args, n, At(at.Start), At(at.End))
		p.List = append(p.List, CycleCount{Cycle: at})
		var earlier *Cycle
		if at.Start.After(s.CreatedAt.Time) {
			earlier = s.beside(at.Previous())
		}
		at = earlier
	}
	p.More = at
	var counts []struct {
		N      int `db:"n"`
		Here   int `db:"here"`
		Due    int `db:"due"`
		Made   int `db:"made"`
		Closed int `db:"closed"`
	}
	query += `) SELECT c.n`
	for _, count := range [][2]string{
		{"here", `heartbeats h WHERE h.studio_id = ? AND h.at >= c.a AND h.at < c.z`},
		{"due", `items i WHERE i.studio_id = ? AND i.opened_at IS NOT NULL AND i.due_at >= c.a AND i.due_at < c.z
			AND i.removed_at IS NULL`},
		{"made", `items i WHERE i.studio_id = ? AND i.opened_at >= c.a AND i.opened_at < c.z AND i.removed_at IS NULL
			AND i.spoken = 0`},
		{"closed", `items i WHERE i.studio_id = ? AND i.closed_at >= c.a AND i.closed_at < c.z
			AND i.closed_at > i.opened_at AND i.removed_at IS NULL`},
	} {
		query += `, (SELECT count(*) FROM (SELECT 1 FROM ` + count[1] + AtMost + `) AS x) AS ` + count[0]
		args = append(args, s.ID, MostCounted)
	}
	if err := tx.Select(&counts, query+` FROM c ORDER BY c.n`, args...); err != nil {
		return nil, err
	}
	for i := range p.List {
		x := counts[i]
		p.List[i].Here, p.List[i].Due, p.List[i].Made, p.List[i].Closed = x.Here, x.Due, x.Made, x.Closed
	}
	return p, nil
}
