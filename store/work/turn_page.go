package work

import (
	"slices"

	"samepage/store"
)

// TurnPage is a turn with some of its events.
type TurnPage struct {
	Turn
	Session     *Session
	List        []TurnEvent
	Permissions []Permission // loaded if a request is unanswered, or List has an event about one
	From        int          // number of events before List
}

// These are the limits of a session's page and of a turn's page.
const (
	mostTurns  = 5       // turns on a session's page; more if an earlier one asks for a permission
	mostEvents = 200     // events of each turn
	maxShown   = 100_000 // bytes of each turn's events
)

// ShowSession loads the data of the page of a session.
func ShowSession(tx *store.Tx, _ store.Actor, s *Session) (*SessionPage, error) {
	v := &SessionPage{Session: s}
	first := s.Turns - mostTurns + 1
	if s.State() == SessionAsking { // the page has the form of the request, although prompts may wait after the turn
		first = min(first, s.Current)
	}
	var list []Turn
	if err := tx.Select(&list, `SELECT `+turnColumns+` FROM turns t WHERE t.session_id = ? AND t.n >= ?
		ORDER BY t.n DESC`+store.AtMost, s.ID, first, s.Turns-first+1); err != nil {
		return nil, err
	}
	slices.Reverse(list)
	var err error
	if v.Turns, err = showTurns(tx, s, list); err != nil {
		return nil, err
	}
	for i := range v.Turns {
		if t := &v.Turns[i]; t.Waiting > 0 && s.State() == SessionAsking {
			v.Permissions = slices.DeleteFunc(slices.Clone(t.Permissions),
				func(p Permission) bool { return !p.AnsweredAt.IsZero() })
		}
	}
	if v.Files, err = s.files(tx); err != nil {
		return nil, err
	}
	if v.Children, err = listSessions(tx, `s.parent_id = ?`, s.ID); err != nil {
		return nil, err
	}
	if s.ParentID != "" || len(v.Children) > 0 {
		if v.Around, err = sessionsAround(tx, s); err != nil {
			return nil, err
		}
	}
	if v.Reviews, err = listReviews(tx, `v.session_id = ? ORDER BY v.requested_at DESC, v.id`, s.ID); err != nil {
		return nil, err
	}
	v.Rules, err = rulesOf(tx, s)
	return v, err
}

// showTurns loads the last events of consecutive turns. One query loads the events of all turns that have at most
// [maxShown] bytes of them. A larger turn needs queries of its own.
func showTurns(tx *store.Tx, s *Session, list []Turn) ([]TurnPage, error) {
	if len(list) == 0 {
		return nil, nil
	}
	const from = ` FROM turns t CROSS JOIN turn_events e WHERE t.session_id = ? AND t.n >= ? AND e.turn_id = t.id
		AND e.n > t.events - ?`
	args := []any{s.ID, list[0].N, mostEvents}
	var sizes []struct {
		ID    string `db:"id"`
		Bytes int    `db:"bytes"`
	}
	if slices.ContainsFunc(list, func(t Turn) bool { return t.Events > 0 }) {
		if err := tx.Select(&sizes, `SELECT t.id, sum(octet_length(e.text) + octet_length(e.data)) AS bytes`+from+`
			GROUP BY t.id`, args...); err != nil {
			return nil, err
		}
	}
	large, fit := map[string]bool{}, args
	for _, size := range sizes {
		if size.Bytes > maxShown {
			large[size.ID] = true
		} else {
			fit = append(fit, size.ID)
		}
	}
	var events []struct {
		Turn string `db:"turn_id"`
		TurnEvent
	}
	if n := len(fit) - len(args); n > 0 {
		if err := tx.Select(&events, `SELECT e.turn_id, e.n, e.at, e.kind, e.text, e.data`+from+`
			AND t.id IN (`+store.Placeholders(n)+`) ORDER BY t.n, e.n`, fit...); err != nil {
			return nil, err
		}
	}
	pages := make([]TurnPage, len(list))
	for i := range list {
		t := &list[i]
		if t.Now = tx.Now; large[t.ID] {
			v, err := showTurn(tx, s, t, -1)
			if err != nil {
				return nil, err
			}
			pages[i] = *v
			continue
		}
		v := TurnPage{Turn: *t, Session: s, From: max(0, t.Events-mostEvents)}
		for ; len(events) > 0 && events[0].Turn == t.ID; events = events[1:] {
			v.List = append(v.List, events[0].TurnEvent)
		}
		if err := v.showRequests(tx); err != nil {
			return nil, err
		}
		pages[i] = v
	}
	return pages, nil
}

// FindTurn finds a turn of a session by its number, or returns [store.Missing].
func FindTurn(tx *store.Tx, s *Session, n int) (*Turn, error) {
	t := &Turn{Now: tx.Now}
	err := tx.Get(t, `SELECT `+turnColumns+` FROM turns t WHERE t.session_id = ? AND t.n = ?`, s.ID, n)
	return t, err
}

// ShowTurn loads turn n with the events after the given event number, or with the last events if that number
// is negative.
func ShowTurn(tx *store.Tx, s *Session, n, after int) (*TurnPage, error) {
	t, err := FindTurn(tx, s, n)
	if err != nil {
		return nil, err
	}
	return showTurn(tx, s, t, after)
}

func showTurn(tx *store.Tx, s *Session, t *Turn, after int) (*TurnPage, error) {
	from, to, err := span(tx, t, after)
	v := &TurnPage{Turn: *t, Session: s, From: from}
	if err != nil || t.Events == 0 {
		return v, err
	}
	if err := tx.Select(&v.List, `SELECT n, at, kind, text, data FROM turn_events WHERE turn_id = ? AND n > ? AND n <= ?
		ORDER BY n`, t.ID, from, to); err != nil {
		return nil, err
	}
	return v, v.showRequests(tx)
}

// showRequests loads the turn's permission requests if one is unanswered, or if the page has an event about one.
func (v *TurnPage) showRequests(tx *store.Tx) (err error) {
	asks := v.Waiting > 0 || slices.ContainsFunc(v.List, func(e TurnEvent) bool { return e.Kind == "permission" })
	if v.Events > 0 && asks {
		v.Permissions, err = permissionsOf(tx, v.Session, &v.Turn)
	}
	return err
}

// span chooses the events on a page: those after the event number from, up to the event number to. They are the first
// events after the given number, or the last events if that number is negative. They have at most [maxShown] bytes,
// unless there is only one event.
func span(tx *store.Tx, t *Turn, after int) (from, to int, err error) {
	last := after < 0
	after = min(after, t.Events)
	if last {
		after = max(0, t.Events-mostEvents)
	}
	var all struct {
		N     int `db:"n"`
		Bytes int `db:"bytes"`
	}
	if err := tx.Get(&all, `SELECT count(*) AS n, coalesce(sum(octet_length(text) + octet_length(data)), 0) AS bytes
		FROM turn_events WHERE turn_id = ? AND n > ? AND n <= ?`, t.ID, after, after+mostEvents); err != nil {
		return after, after, err
	}
	if all.Bytes <= maxShown {
		return after, after + all.N, nil
	}
	var sizes []int
	if err := tx.Select(&sizes, `SELECT octet_length(text) + octet_length(data) FROM turn_events
		WHERE turn_id = ? AND n > ? ORDER BY n`+store.AtMost,
		t.ID, after, mostEvents); err != nil {
		return after, after, err
	}
	from, to = after, after+len(sizes)
	if last {
		slices.Reverse(sizes)
	}
	sum := 0
	for i, size := range sizes {
		if sum += size; sum > maxShown && i > 0 {
			if last {
				return to - i, to, nil
			}
			return from, from + i, nil
		}
	}
	return from, to, nil
}
