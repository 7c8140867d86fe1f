package store

import (
	"slices"
	"strings"
)

// resolve turns the filters of the query into SQL conditions, and also into tags where a tag has the same meaning.
func (s *search) resolve() error {
	s.words = s.q.Words
	s.lists.kinds = s.filterColumn("d.kind", s.q.Type, func(f SearchFilter) []string { return []string{f.Value} }, kindTag)
	if len(s.lists.kinds) == 0 {
		s.lists.kinds = SearchTypes()
	}
	s.lists.kinds = slices.DeleteFunc(s.lists.kinds,
		func(kind string) bool { return slices.Contains(s.q.Type, SearchFilter{Value: kind, Not: true}) })
	var err error
	s.lists.studios = s.filterColumn("d.studio_id", s.q.Studio, func(f SearchFilter) []string {
		studio, ferr := s.tx.FindStudio(s.by, f.Value)
		switch {
		case ferr == nil:
			return []string{studio.ID}
		case CodeOf(ferr) != NotFound:
			err = ferr
		default:
			s.q.problem("There is no studio %s that you can see, so nothing is found in it. Those you can see "+
				"are listed at /studios.", f.Value)
		}
		return nil
	}, studioTag)
	if err != nil {
		return err
	}
	if err := s.authors(); err != nil {
		return err
	}
	for _, f := range s.q.Is {
		s.state(f)
	}
	return nil
}

// filterColumn adds the condition that the column has one of the values of the positive filters and none of those of
// the negative filters. It returns the values of the positive filters. The condition contains a concatenation so that
// the SQLite planner does not use the column's index, but looks the documents up by number.
func (s *search) filterColumn(column string, filters []SearchFilter, values func(SearchFilter) []string,
	tag func(string) string) (in []string) {
	var tags []string
	for _, f := range filters {
		for _, v := range values(f) {
			if f.Not {
				s.addCondition(column+` IS DISTINCT FROM ?`, v)
				s.without = append(s.without, tag(v))
			} else {
				in, tags = append(in, v), append(tags, tag(v))
			}
		}
	}
	if len(in) == 0 && slices.ContainsFunc(filters, func(f SearchFilter) bool { return !f.Not }) {
		s.none = true
	}
	if len(in) > 0 {
		args := make([]any, len(in))
		for i := range in {
			args[i] = in[i]
		}
		s.addCondition(column+` || '' IN (`+Placeholders(len(in))+`)`, args...)
		s.tags = append(s.tags, tags)
	}
	return in
}

// Placeholders returns n parameters for an SQL IN list. For n = 0 it returns NULL, which equals no value.
func Placeholders(n int) string {
	if n == 0 {
		return "NULL"
	}
	return strings.Repeat("?, ", n-1) + "?"
}

// authors resolves the by: filters. A document by Alice's agent matches by:@alice and by:agent.
func (s *search) authors() error {
	var named []SearchFilter
	for _, f := range s.q.By {
		agents := f.Value == "agent" || f.Value == "agents"
		if !agents && f.Value != "people" && f.Value != "person" {
			named = append(named, f)
			continue
		}
		if agents != f.Not {
			s.addCondition(`d.agent_id IS NOT NULL`)
			s.tags = append(s.tags, []string{agentsTag})
		} else {
			s.addCondition(`d.agent_id IS NULL AND d.kind <> 'member'`)
			s.tags = append(s.tags, []string{humansTag})
		}
	}
	var err error
	s.limitAuthors(s.filterColumn("d.member_id", named, func(f SearchFilter) []string {
		ids := s.members(f.Value, &err)
		if len(ids) == 0 && err == nil {
			s.q.problem("There is nobody called @%s here, so nothing is found that they wrote. Members are "+
				"listed on the page of the organization.", f.Value)
		}
		return ids
	}, authorTag))
	return err
}

// limitAuthors limits the search to documents by the members with these ids. An empty list sets no limit.
func (s *search) limitAuthors(members []string) {
	if len(members) == 0 {
		return
	}
	s.lists.authors = members
	tags := make([]string, len(members))
	for i, id := range members {
		tags[i] = authorTag(id)
	}
	s.lead = append(s.lead, tags)
}

// members returns the ids of the members with the given handle in the actor's organizations. The handle "me" stands for
// the actor.
func (s *search) members(handle string, err *error) []string {
	var ids []string
	for i := range s.by.Members {
		if handle == "me" {
			ids = append(ids, s.by.Members[i].ID)
			continue
		}
		m, ferr := s.tx.memberByHandle(s.by.Members[i].OrgID, handle)
		if ferr == nil {
			ids = append(ids, m.ID)
		} else if CodeOf(ferr) != NotFound {
			*err = ferr
		}
	}
	return ids
}

// state adds an is: filter.
func (s *search) state(f SearchFilter) {
	cond, args, tag := "", []any(nil), "is"+f.Value
	switch f.Value {
	case "mine":
		list := make([]string, len(s.by.Members))
		for i := range s.by.Members {
			list[i] = s.by.Members[i].ID
			args = append(args, list[i])
		}
		if !f.Not && len(list) > 0 {
			s.limitAuthors(list)
			s.tags = append(s.tags, s.lead[len(s.lead)-1])
		}
		cond, tag = `d.member_id IN (`+Placeholders(len(args))+`)`, ""
	case "draft":
		cond = `d.seq = 0 AND i.opened_at IS NULL AND i.id IS NOT NULL`
	case "open":
		cond, args = `d.seq = 0 AND i.opened_at IS NOT NULL AND i.closed_at IS NULL
			AND (i.due_at IS NULL OR i.due_at > ?)`, []any{At(s.tx.Now)}
	case "due":
		cond, args, tag = `d.seq = 0 AND i.opened_at IS NOT NULL AND i.closed_at IS NULL
			AND i.due_at <= ?`, []any{At(s.tx.Now)}, "isopen"
	case "closed":
		cond = `d.seq = 0 AND i.closed_at IS NOT NULL AND i.closed_at IS DISTINCT FROM i.opened_at`
	case "pinned":
		cond = `d.seq = 0 AND i.pinned = 1`
	}
	if f.Not {
		s.addCondition(`(`+cond+`) IS NOT TRUE`, args...)
		return
	}
	s.addCondition(cond, args...)
	if tag != "" {
		s.tags = append(s.tags, []string{tag})
	}
}

// searchLists are the lists, sorted by age, that a search without words reads. There is one list for each author in the
// query, else for each studio in the query, else for all documents. Each list is split by kind.
type searchLists struct {
	authors, studios []string // ids; empty if the lists are not by author or studio
	kinds            []string
}

// manyLists is the greatest number of lists that one statement reads.
const manyLists = 100

// ids returns the column that distinguishes the lists, and its values. For lists of all documents it returns "" and one
// empty value.
func (l *searchLists) ids() (column string, ids []string) {
	switch {
	case len(l.authors) > 0:
		return `member_id`, l.authors
	case len(l.studios) > 0:
		return `studio_id`, l.studios
	}
	return ``, []string{""}
}

func (l *searchLists) tooMany() bool {
	_, ids := l.ids()
	return len(ids)*len(l.kinds) > manyLists
}

// find returns the numbers of the newest documents in the span, or of the oldest if in.oldest is set, at most limit.
func (l *searchLists) find(tx *Tx, in span, limit int) ([]int64, error) {
	column, ids := l.ids()
	order, condition := ` ORDER BY n DESC`, `kind = ? AND n > ? AND n < ?`
	if in.oldest {
		order = ` ORDER BY n ASC`
	}
	if column != "" {
		condition = column + ` = ? AND ` + condition
	}
	var each []string
	var args []any
	for _, id := range ids {
		for _, kind := range l.kinds {
			each = append(each, `SELECT n FROM (SELECT n FROM documents WHERE `+condition+order+AtMost+`) sub`)
			if column != "" {
				args = append(args, id)
			}
			args = append(args, kind, in.above, in.below, limit)
		}
	}
	if len(each) == 0 {
		return nil, nil
	}
	return All[int64](tx, strings.Join(each, ` UNION ALL `)+order+AtMost, append(args, limit)...)
}
