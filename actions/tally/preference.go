package tally

import (
	"cmp"
	"slices"
)

// ending is the reason why a ballot counts for no option once its own options are out.
type ending byte

const (
	exhausted ending = iota // it ranks no other
	overvoted               // several options share its next rank
	skipped                 // two or more ranks in a row are blank before its next one
)

// preference is a ranked ballot as an instant runoff reads it, from the first rank down: an
// option alone at its rank counts, a single blank rank is passed over, and several options at one
// rank or two blank ranks in a row end the ballot for good, also where all but one of the options
// are out by then. An option named twice counts at its first rank, which is all that Marks can
// say.
type preference struct {
	options []uint8
	end     ending
	count   int
}

func (b Ballot) preference() preference {
	type place struct{ rank, option int }
	var places []place
	for i, rank := range b.Marks {
		if rank != 0 {
			places = append(places, place{rank, i})
		}
	}
	if b.Overvote != 0 { // as two options that no ballot names
		places = append(places, place{b.Overvote, MaxOptions}, place{b.Overvote, MaxOptions})
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.rank, b.rank) })
	p := preference{count: b.Voters()}
	last := 0
	for k, at := range places {
		if at.rank-last > 2 {
			p.end = skipped
			break
		}
		if k+1 < len(places) && places[k+1].rank == at.rank {
			p.end = overvoted
			break
		}
		p.options = append(p.options, uint8(at.option))
		last = at.rank
	}
	return p
}

// first returns the option that a ranked ballot counts for in a first round, or -1. It is
// preference without the rest.
func (b Ballot) first() int {
	lowest, option := MaxRank+1, -1
	if b.Overvote != 0 {
		lowest = b.Overvote
	}
	for i, rank := range b.Marks {
		switch {
		case rank == 0 || rank > lowest:
		case rank == lowest:
			option = -1
		default:
			lowest, option = rank, i
		}
	}
	if lowest > 2 {
		return -1
	}
	return option
}

// preferences reads the ballots with marks and adds up equal ones.
func preferences(ballots []Ballot) []preference {
	var list []preference
	at := map[string]int{}
	var key []byte
	for _, b := range ballots {
		if b.blank() {
			continue
		}
		p := b.preference()
		key = append(append(key[:0], p.options...), MaxOptions+byte(p.end))
		k, seen := at[string(key)]
		if !seen {
			at[string(key)] = len(list)
			list = append(list, p)
			continue
		}
		list[k].count += p.count
	}
	return list
}

// set is a set of options. It can be a key of a map.
type set [(MaxOptions + 63) / 64]uint64

func setOf(options []int) (s set) {
	for _, i := range options {
		s[i/64] |= 1 << (i % 64)
	}
	return s
}

func (s *set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s set) without(options ...int) set {
	for w, gone := range setOf(options) {
		s[w] &^= gone
	}
	return s
}

func (s set) union(t set) set {
	for w := range s {
		s[w] |= t[w]
	}
	return s
}

// members lists the options in ascending order.
func (s set) members() []int {
	var list []int
	for i := range MaxOptions {
		if s.has(i) {
			list = append(list, i)
		}
	}
	return list
}
