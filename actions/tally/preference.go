package tally

import (
	"cmp"
	"slices"
)

// ending is the reason why an instant runoff finds no further option on a ballot.
type ending byte

const (
	exhausted ending = iota // the ballot ranks no other option
	overvoted               // several options share the next rank
	skipped                 // too many blank ranks in a row before the next marked rank
)

// preference is a ranked ballot as an instant runoff reads it. A rank with several options ends the ballot or is
// skipped, as the rules say. A ballot that such a rank has ended stays ended, even if all but one of the options at the
// rank are eliminated later. More blank ranks in a row than the rules tolerate also end the ballot.
type preference struct {
	options []uint8
	end     ending
	count   int
}

func (r Reading) preference(b Ballot) preference {
	type place struct{ rank, option int }
	var places []place
	for i, rank := range b.Marks {
		if rank != 0 {
			places = append(places, place{rank, i})
		}
	}
	for _, rank := range b.Overvotes { // two options that do not exist stand for the unknown options of an overvote
		places = append(places, place{rank, MaxOptions}, place{rank, MaxOptions})
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.rank, b.rank) })
	p := preference{count: b.Voters()}
	last, tolerated, exhausts := 0, r.tolerated(), r.exhausts()
	for k := 0; k < len(places); k++ {
		at := places[k]
		if at.rank-last-1 > tolerated {
			p.end = skipped
			break
		}
		last = at.rank
		if k+1 == len(places) || places[k+1].rank != at.rank {
			p.options = append(p.options, uint8(at.option))
			continue
		}
		if exhausts {
			p.end = overvoted
			break
		}
		for k+1 < len(places) && places[k+1].rank == at.rank {
			k++
		}
	}
	return p
}

// first returns the first option of [Reading.preference], or -1. It reads no more of the ballot than needed, because it
// is called for each ballot of a running tally.
func (r Reading) first(b Ballot) int {
	last, tolerated, exhausts := 0, r.tolerated(), r.exhausts()
	for {
		rank, option := b.next(last)
		switch {
		case rank > MaxRank || rank-last-1 > tolerated:
			return -1
		case option >= 0 || exhausts:
			return option
		}
		last = rank
	}
}

// next returns the lowest rank on the ballot above the given one, and the option at that rank, or -1 if several share
// it. If there is no such rank, lowest is above MaxRank.
func (b Ballot) next(after int) (lowest, option int) {
	lowest, option = MaxRank+1, -1
	for _, rank := range b.Overvotes {
		if rank > after {
			lowest = rank
			break
		}
	}
	for i, rank := range b.Marks {
		switch {
		case rank <= after || rank > lowest:
		case rank == lowest:
			option = -1
		default:
			lowest, option = rank, i
		}
	}
	return lowest, option
}

// preferences converts the ballots that have marks, and merges equal preferences.
func (r Reading) preferences(ballots []Ballot) []preference {
	var list []preference
	at := map[string]int{}
	var key []byte
	for _, b := range ballots {
		if b.blank() {
			continue
		}
		p := r.preference(b)
		key = append(append(key[:0], p.options...), byte(p.end))
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

// set is a set of options. It can be the key of a map.
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

func (s set) members() []int {
	var list []int
	for i := range MaxOptions {
		if s.has(i) {
			list = append(list, i)
		}
	}
	return list
}
