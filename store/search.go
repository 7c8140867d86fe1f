package store

import (
	"slices"
	"strconv"
	"time"
)

// SearchResult is a document that matches a search, with the fields that a list of results shows. A document is an
// item, a comment, a studio, a member or a role.
type SearchResult struct {
	N        int64  `db:"n"`    // number of the document, higher for a newer document; see [perMilli]
	Kind     string `db:"kind"` // a kind of item, or "comment", "studio", "member" or "role"
	ID       string `db:"id"`
	Seq      int    `db:"seq"`  // number of a comment; negative for a role, and 0 for other documents
	Item     Item   `db:"item"` // the item, or the item of the comment
	Title    string `db:"title"`
	Text     string `db:"text"` // markdown, at most 4,000 characters
	Org      string `db:"org"`  // handle of the organization
	Studio   string `db:"studio"`
	InStudio string `db:"in_studio"` // name of the studio
	Member   string `db:"member"`    // handle of the author; for a member, the member's own handle
	Agent
}

// At returns the time of the document's creation, in UTC.
func (r *SearchResult) At() time.Time { return time.UnixMilli(r.N / perMilli).UTC() }

// IsItem reports whether the document is an item.
func (r *SearchResult) IsItem() bool { return r.Kind == r.Item.Kind }

// URL returns the path of the document's page, with a fragment for a comment.
func (r *SearchResult) URL() string {
	switch {
	case r.Kind == "studio":
		return "/studios/" + r.Studio
	case r.Kind == "member":
		return MemberURL(r.Org, r.Member)
	case r.Kind == "role":
		return "/studios/" + r.Studio + "/roles/" + r.ID
	case r.Seq > 0:
		return ItemURL(r.Studio, r.Item.Kind, r.ID) + "/comments?before=" + strconv.Itoa(r.Seq+1) + "#c" +
			strconv.Itoa(r.Seq)
	}
	return ItemURL(r.Studio, r.Item.Kind, r.ID)
}

// SearchPage is one page of the results of a search.
type SearchPage struct {
	Text    string // the search as the actor wrote it
	Query   SearchQuery
	State   SearchState
	Results []SearchResult
	Next    string // cursor of the next page; empty on the last page
	Partial bool   // the search stopped before the page was full; Next continues the search
	Studio  string // handle of one of the actor's studios, for the examples on a page without a search
}

const (
	searchLimit  = 20    // greatest number of results per page
	searchBatch  = 40    // greatest number of documents loaded by one statement
	searchSure   = 25    // number of documents loaded by one statement if the search has no filters but dates
	searchSteps  = 80    // greatest number of batches of documents for one page
	searchRanked = 2_000 // number of the newest matches that are ranked by relevance
	searchFew    = 200   // if a ranked search finds this many documents, it searches again with the tags of all filters
	searchLoss   = 4     // walk adds the tags of all filters if less than one in searchLoss documents is a result
)

// Search finds documents that match a search and that the actor may see. The parameter after is empty or the Next of an
// earlier page; for any other text, Search returns [Invalid]. If a filter names an unknown member or studio, or one
// that the actor may not see, the query's Problems has the same sentence in both cases.
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

// search is the state of one search while it runs.
type search struct {
	criteria            // the words and the tags of the filters
	lead     [][]string // lists of tags of authors, which few documents have, so that the search is cheap
	lists    searchLists
	tx       *Tx
	by       Actor
	q        *SearchQuery
	page     *SearchPage
	where    string // the filters as SQL conditions on a document
	args     []any
	none     bool      // no document can match, because a filter has an unknown or hidden value
	full     *criteria // the criteria with the tags of everything visible to the actor; nil until needed
}

// addCondition adds an SQL condition on the tables of resultFrom, such as the documents d and the items i.
func (s *search) addCondition(cond string, args ...any) {
	s.where += ` AND ` + cond
	s.args = append(s.args, args...)
}

// span returns the range of document numbers between the dates of the query. If the parameter beyond is not 0, the
// range begins after the document with that number, in the order of the search.
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

// find lists the numbers of up to limit documents that may match. The caller must check each document. If tagged is
// false, find uses the cheapest index: the words and the tags of authors or, for a search without words, lists of
// documents by age. If too few of these documents are results, the caller sets tagged to true. Then find uses the words
// and all tags, and its cost grows with the number of documents.
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

// onlyTags reports whether only tags can narrow the search, because all its words are excluded words, or because it
// would read too many lists.
func (s *search) onlyTags() bool {
	if len(s.words) == 0 {
		return s.lists.tooMany()
	}
	return !slices.ContainsFunc(s.words, func(w SearchWord) bool { return !w.Not })
}

// batch returns the number of documents to load with one statement, so that few statements fill a page.
func (s *search) batch() int {
	if s.where == "" {
		return searchSure
	}
	return searchBatch
}

// walk fills the page with the next matches after the cursor, newest or oldest first as the query says. After
// [searchSteps] batches it ends with a partial page.
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
		found, err := s.load(ids, searchLimit+1-len(p.Results))
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

// load loads documents by their numbers, in the order of ids, without those that the actor may not see or that do not
// pass the filters. If more documents than the limit remain, it returns the newest, or the oldest if the query sorts
// the oldest first.
func (s *search) load(ids []int64, limit int) ([]SearchResult, error) {
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
	order := ` ORDER BY d.n DESC`
	if s.span(0).oldest {
		order = ` ORDER BY d.n`
	}
	list := make([]SearchResult, 0, min(limit, len(ids)))
	err := s.tx.Select(&list, `SELECT `+resultColumns+`
		FROM `+resultFrom+`WHERE d.n IN (`+Placeholders(searchBatch)+`) AND `+resultVisible+s.where+order+AtMost,
		append(append(args, s.args...), limit)...)
	place := make(map[int64]int, len(ids))
	for i, n := range ids {
		place[n] = i
	}
	for i := range list {
		list[i].Item.Now = s.tx.Now
	}
	slices.SortFunc(list, func(a, b SearchResult) int { return place[a.N] - place[b.N] })
	return list, err
}

const resultColumns = `d.n, d.kind, d.id, d.seq, CASE d.kind WHEN 'studio' THEN s.name
	WHEN 'member' THEN w.name WHEN 'role' THEN t.title ELSE i.title END AS title,
	substr(CASE d.kind WHEN 'comment' THEN c.text WHEN 'studio' THEN s.description WHEN 'member' THEN ''
	WHEN 'role' THEN t.mission ELSE i.body END, 1, 4000) AS text,
	o.handle AS org, s.handle AS studio, s.name AS in_studio, w.handle AS member, d.agent_id, a.label AS agent,
	i.kind AS "item.kind", i.opened_at AS "item.opened_at", i.due_at AS "item.due_at", i.closed_at AS "item.closed_at",
	i.state AS "item.state", coalesce(i.answered, 0) AS "item.answered", coalesce(i.asked, 0) AS "item.asked",
	coalesce(i.undecided, 0) AS "item.undecided", i.headline AS "item.headline", i.awaits AS "item.awaits"`

// resultFrom joins the tables that have the fields of a result and the tables that decide whether the actor may see it.
// Its arguments are those of studioFrom.
const resultFrom = ` documents d CROSS JOIN organizations o CROSS JOIN members w
	LEFT JOIN agents a ON a.id = d.agent_id LEFT JOIN studios s ON s.id = d.studio_id
	LEFT JOIN items i ON i.id = d.id AND d.kind NOT IN ('studio', 'member', 'role') LEFT JOIN roles t ON t.id = d.id
	AND d.kind = 'role' AND t.deleted_at IS NULL
	LEFT JOIN comments c ON c.item_id = d.id AND c.seq = d.seq AND d.kind = 'comment'
	LEFT JOIN members mm ON mm.user_id = ? AND mm.org_id = d.org_id AND (? = '' OR mm.org_id = ?)
	AND mm.ended_at IS NULL
	LEFT JOIN studio_members me ON me.studio_id = s.id AND me.member_id = mm.id `

// resultVisible is the SQL condition that the actor may see a document. It repeats the conditions for the pages of
// members, studios, roles and items.
const resultVisible = `o.id = d.org_id AND w.id = d.member_id
	AND (d.kind = 'member' AND mm.id IS NOT NULL OR s.id IS NOT NULL AND` + studioVisible + `AND (d.kind = 'studio'
	OR t.id IS NOT NULL AND mm.id IS NOT NULL OR (d.seq > 0 OR i.removed_at IS NULL) AND c.removed_at IS NULL AND` +
	itemSeen + `))`

// These constants limit the number of studio tags in one search. If an actor can see more than manyStudios studios of
// an organization, the search excludes the hidden studios instead of listing the visible ones. publicStudios is the
// greatest number of public studios for which the search has tags.
const (
	manyStudios   = 300
	publicStudios = 1_000
)

// addVisible adds a list of tags to the criteria. Every document that the actor may see has at least one of them,
// unless it is in a public studio beyond the limit publicStudios. The tags only make the search faster; [search.load]
// decides whether a document is visible.
func (tx *Tx) addVisible(by Actor, c *criteria) error {
	var tags []string
	orgs := make([]any, 0, len(by.Members)+1)
	for i := range by.Members {
		m := &by.Members[i]
		orgs = append(orgs, m.OrgID)
		var hidden []string
		if err := tx.Select(&hidden, `SELECT s.id FROM studios s LEFT JOIN studio_members x ON x.studio_id = s.id
			AND x.member_id = ?
			WHERE s.org_id = ? AND NOT `+visibleThrough("x", "s")+AtMost, m.ID, m.OrgID, manyStudios); err != nil {
			return err
		}
		if len(hidden) == 0 {
			tags = append(tags, orgTag(m.OrgID))
			continue
		}
		var seen []string
		if err := tx.Select(&seen, `SELECT s.id FROM studios s LEFT JOIN studio_members x ON x.studio_id = s.id
			AND x.member_id = ?
			WHERE s.org_id = ? AND `+visibleThrough("x", "s")+AtMost, m.ID, m.OrgID, manyStudios+1); err != nil {
			return err
		}
		if len(seen) > manyStudios {
			tags = append(tags, orgTag(m.OrgID))
			for _, id := range hidden {
				c.without = append(c.without, studioTag(id))
			}
			continue
		}
		tags = append(tags, peopleTag(m.OrgID))
		for _, id := range seen {
			tags = append(tags, studioTag(id))
		}
	}
	var public []string
	orgs = append(orgs, "") // no id; NOT IN with an empty list would find nothing
	if err := tx.Select(&public, `SELECT id FROM studios WHERE visibility = 'public'
		AND org_id NOT IN (`+Placeholders(len(orgs))+`) ORDER BY handle`+AtMost, append(orgs, publicStudios)...); err != nil {
		return err
	}
	for _, id := range public {
		tags = append(tags, studioTag(id))
	}
	if len(tags) == 0 {
		tags = []string{"nothing"}
	}
	c.tags = append(slices.Clone(c.tags), tags)
	return nil
}
