package store

import (
	"slices"
	"strconv"
	"time"
)

// SearchResult is a document that was found, with what a list of results shows of it.
type SearchResult struct {
	N        int64  `db:"n"`
	Kind     string `db:"kind"` // a kind of item, comment, studio, member or role
	ID       string `db:"id"`
	Seq      int    `db:"seq"`  // of a comment
	Item     string `db:"item"` // the kind of item that it is, or that the comment is on
	Title    string `db:"title"`
	Text     string `db:"text"` // markdown; the beginning of a long one
	Org      string `db:"org"`  // handle
	Studio   string `db:"studio"`
	InStudio string `db:"in_studio"` // the studio's name
	Member   string `db:"member"`    // handle of who wrote it; of a member, their own
	Agent
}

// At is when it was made.
func (r *SearchResult) At() time.Time { return time.UnixMilli(r.N / perMilli).UTC() }

// URL is the page that it is, or where on a page it is.
func (r *SearchResult) URL() string {
	switch {
	case r.Kind == "studio":
		return "/studios/" + r.Studio
	case r.Kind == "member":
		return MemberURL(r.Org, r.Member)
	case r.Kind == "role":
		return "/studios/" + r.Studio + "/roles/" + r.ID
	case r.Seq > 0:
		return ItemURL(r.Studio, r.Item, r.ID) + "/comments?before=" + strconv.Itoa(r.Seq+1) + "#c" +
			strconv.Itoa(r.Seq)
	}
	return ItemURL(r.Studio, r.Item, r.ID)
}

// SearchPage is a stretch of what was found.
type SearchPage struct {
	Text    string // as it was asked for
	Query   SearchQuery
	State   SearchState
	Results []SearchResult
	Next    string // where the list goes on; empty at its end
	Partial bool   // what was looked through may not be all: the list goes on, though it is not full
	Studio  string // handle of a studio of the actor for examples, where nothing was looked for
}

const (
	searchLimit  = 20    // results of a page
	searchBatch  = 40    // documents that are looked at together, at most
	searchSure   = 25    // as many of which fill a page if nothing is filtered
	searchSteps  = 80    // batches that one page may take
	searchRanked = 2_000 // of how many matches, the newest ones, relevance is told
	searchLoss   = 4     // of so many documents that are looked at, one at least must be a result
)

// Search finds what the actor may see; after is empty or the Next of an earlier page. A filter for somebody or a studio that
// the actor may not see is told in the query's Problems, in the same words as for one that does not exist.
func (tx *Tx) Search(by Actor, text, after string) (*SearchPage, error) {
	now := tx.Now
	if by.Member != nil {
		now = now.In(Location(by.Member.Zone))
	}
	p := &SearchPage{Text: text, Query: ParseSearch(text, now)}
	var err error
	if p.State, err = tx.SearchState(); err != nil {
		return nil, err
	}
	switch {
	case !p.State.Built:
		return p, nil
	case p.Query.Empty():
		return p, tx.searchExample(by, p)
	}
	s := search{tx: tx, by: by, q: &p.Query, page: p}
	if err := s.resolve(); err != nil || s.none {
		return p, err
	}
	if p.Query.Sort == "relevance" && slices.ContainsFunc(s.words, func(w SearchWord) bool { return !w.Not }) {
		return p, s.ranked(after)
	}
	return p, s.walk(after)
}

func (tx *Tx) searchExample(by Actor, p *SearchPage) error {
	list, err := tx.MyStudios(by, 1)
	if len(list) > 0 {
		p.Studio = list[0].Handle
	}
	return err
}

// search is one search on its way.
type search struct {
	criteria            // of words and filters
	lead     [][]string // those of the tags that few documents have
	lists    searchLists
	tx       *Tx
	by       Actor
	q        *SearchQuery
	page     *SearchPage
	where    string // the filters as SQL, for every document that is looked at
	args     []any
	none     bool      // nothing can be found: a filter names what the actor does not see, or what is not there
	full     *criteria // with the tags of what the actor may see, once they were needed
}

// also adds a condition on documents d, items i and their joins.
func (s *search) also(cond string, args ...any) {
	s.where += ` AND ` + cond
	s.args = append(s.args, args...)
}

// span is the numbers of the documents that were made between the query's bounds, beyond a document.
func (s *search) span(beyond int64) span {
	in := span{above: -1, below: 1 << 62, oldest: s.q.Sort == "old"}
	if !s.q.After.IsZero() {
		in.above = documentsAt(s.q.After) - 1
	}
	if !s.q.Before.IsZero() {
		in.below = documentsAt(s.q.Before)
	}
	switch {
	case beyond == 0:
	case in.oldest:
		in.above = max(in.above, beyond)
	default:
		in.below = min(in.below, beyond)
	}
	return in
}

// find lists the next documents that may match. Tried first is what finds a few at once: the words with the tags that are rare,
// or, without words, a list by age. Most of that is visible and passes the other filters as well; only where it does not, all
// tags keep what would be left out from being looked at, which takes longer the more documents there are.
func (s *search) find(in span, limit int, tagged bool) ([]int64, error) {
	switch {
	case tagged:
	case len(s.words) == 0:
		return s.lists.find(s.tx, in, limit)
	default:
		return s.tx.text.find(s.tx, criteria{words: s.words, tags: s.lead}, in, limit)
	}
	if s.full == nil {
		full := s.criteria
		if err := s.tx.addVisible(s.by, &full); err != nil {
			return nil, err
		}
		s.full = &full
	}
	return s.tx.text.find(s.tx, *s.full, in, limit)
}

// onlyTags reports that nothing but the tags finds anything soon: there are words, and none that is wanted, or too many lists.
func (s *search) onlyTags() bool {
	if len(s.words) == 0 {
		return s.lists.many()
	}
	return !slices.ContainsFunc(s.words, func(w SearchWord) bool { return !w.Not })
}

// batch is how many documents are likely to fill a page.
func (s *search) batch() int {
	if s.where == "" {
		return searchSure
	}
	return searchBatch
}

// walk lists what matches in the order of age.
func (s *search) walk(after string) error {
	var last int64
	if after != "" {
		n, err := strconv.ParseInt(after, 10, 64)
		if err != nil || n <= 0 {
			return Errorf(Invalid, "These results cannot go on from %q. Search again.", after)
		}
		last = n
	}
	p := s.page
	tagged := s.onlyTags()
	batch := s.batch()
	for range searchSteps {
		ids, err := s.find(s.span(last), batch, tagged)
		if err != nil {
			return err
		}
		found, err := s.load(ids)
		if err != nil {
			return err
		}
		p.Results = append(p.Results, found...)
		if len(p.Results) > searchLimit {
			p.Results = p.Results[:searchLimit]
			p.Next = strconv.FormatInt(p.Results[searchLimit-1].N, 10)
			return nil
		}
		if len(ids) < batch {
			return nil
		}
		last = ids[len(ids)-1]
		tagged = tagged || len(found)*searchLoss < len(ids)
	}
	p.Next, p.Partial = strconv.FormatInt(last, 10), true
	return nil
}

// load is those of the documents that the actor may see and the filters let through, in the order given.
func (s *search) load(ids []int64) ([]SearchResult, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := s.by.studioArgs()
	for i := range searchBatch {
		if i < len(ids) {
			args = append(args, ids[i])
		} else {
			args = append(args, -1)
		}
	}
	list := make([]SearchResult, 0, len(ids))
	err := s.tx.Select(&list, `SELECT `+resultColumns+`
		FROM `+resultFrom+`WHERE d.n IN (`+placeholders(searchBatch)+`) AND `+resultVisible+s.where,
		append(args, s.args...)...)
	place := make(map[int64]int, len(ids))
	for i, n := range ids {
		place[n] = i
	}
	slices.SortFunc(list, func(a, b SearchResult) int { return place[a.N] - place[b.N] })
	return list, err
}

const resultColumns = `d.n, d.kind, d.id, d.seq, i.kind AS item, CASE d.kind WHEN 'studio' THEN s.name
	WHEN 'member' THEN w.name WHEN 'role' THEN t.title ELSE i.title END AS title,
	substr(CASE d.kind WHEN 'comment' THEN c.text WHEN 'studio' THEN s.description WHEN 'member' THEN ''
	WHEN 'role' THEN t.mission ELSE i.body END, 1, 4000) AS text,
	o.handle AS org, s.handle AS studio, s.name AS in_studio, w.handle AS member, d.agent_id, a.label AS agent`

// resultFrom joins what a result shows and what decides whether the actor may see it: their arguments are those of studioFrom.
const resultFrom = ` documents d CROSS JOIN organizations o CROSS JOIN members w
	LEFT JOIN agents a ON a.id = d.agent_id LEFT JOIN studios s ON s.id = d.studio_id
	LEFT JOIN items i ON i.id = d.id AND d.kind NOT IN ('studio', 'member', 'role') LEFT JOIN roles t ON t.id = d.id
	AND d.kind = 'role' AND t.deleted_at IS NULL
	LEFT JOIN comments c ON c.item_id = d.id AND c.seq = d.seq AND d.kind = 'comment'
	LEFT JOIN members mm ON mm.user_id = ? AND mm.org_id = d.org_id AND (? = '' OR mm.org_id = ?)
	AND mm.ended_at IS NULL
	LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = mm.id `

// resultVisible is what the pages themselves ask for: a member's page, that of a studio, of a role of it, and of an item in it.
const resultVisible = `o.id = d.org_id AND w.id = d.member_id
	AND (d.kind = 'member' AND mm.id IS NOT NULL OR s.id IS NOT NULL AND` + studioVisible + `AND (d.kind = 'studio'
	OR t.id IS NOT NULL AND mm.id IS NOT NULL OR (d.seq > 0 OR i.removed_at IS NULL) AND c.removed_at IS NULL AND` +
	itemSeen + `))`

// Beyond so many studios, those that the actor may not see are left out instead of those that they may being asked for.
const (
	manyStudios   = 300
	publicStudios = 1_000
)

// addVisible adds tags that every document has which the actor may see: those of their organizations, but where these have
// studios that are hidden from them, and of public studios elsewhere. [search.load] is what decides.
func (tx *Tx) addVisible(by Actor, c *criteria) error {
	var any []string
	orgs := make([]string, 0, len(by.Members))
	for i := range by.Members {
		m := &by.Members[i]
		orgs = append(orgs, m.OrgID)
		var hidden []string
		if err := tx.Select(&hidden, `SELECT s.id FROM studios s LEFT JOIN studio_members x ON x.studio_id = s.id
			AND x.member_id = ?
			WHERE s.org_id = ? AND s.visibility = 'members'
			AND x.member_id IS NULL`+atMost, m.ID, m.OrgID, manyStudios); err != nil {
			return err
		}
		if len(hidden) == 0 {
			any = append(any, orgTag(m.OrgID))
			continue
		}
		var seen []string
		if err := tx.Select(&seen, `SELECT s.id FROM studios s LEFT JOIN studio_members x ON x.studio_id = s.id
			AND x.member_id = ?
			WHERE s.org_id = ? AND (s.visibility <> 'members' OR x.member_id IS NOT NULL)`+
			atMost, m.ID, m.OrgID, manyStudios+1); err != nil {
			return err
		}
		if len(seen) > manyStudios {
			any = append(any, orgTag(m.OrgID))
			for _, id := range hidden {
				c.without = append(c.without, studioTag(id))
			}
			continue
		}
		any = append(any, peopleTag(m.OrgID))
		for _, id := range seen {
			any = append(any, studioTag(id))
		}
	}
	var public []struct {
		ID    string `db:"id"`
		OrgID string `db:"org_id"`
	}
	if err := tx.Select(&public, `SELECT id, org_id FROM studios WHERE visibility = 'public'
		ORDER BY handle`+atMost, publicStudios); err != nil {
		return err
	}
	for _, s := range public {
		if !slices.Contains(orgs, s.OrgID) {
			any = append(any, studioTag(s.ID))
		}
	}
	if len(any) == 0 {
		any = []string{"nothing"}
	}
	c.tags = append(slices.Clone(c.tags), any)
	return nil
}
