package tally

import "testing"

// single returns the ballots of the Minneapolis election of 2013, each with one voter, as a decision stores them.
func single(b *testing.B) (e Election, ballots []Ballot) {
	e = read(b, "minneapolis-2013-mayor.csv")[0]
	for _, v := range e.Ballots {
		for range v.Count {
			ballots = append(ballots, Ballot{Marks: v.Marks, Overvotes: v.Overvotes})
		}
	}
	return e, ballots
}

func BenchmarkCount(b *testing.B) {
	e, ballots := single(b)
	for _, m := range []Method{Schulze, IRV} {
		b.Run(string(m)+"/7084 lines", func(b *testing.B) {
			for b.Loop() {
				count(b, e, m)
			}
		})
		b.Run(string(m)+"/80101 ballots", func(b *testing.B) {
			for b.Loop() {
				if _, err := Count(m, len(e.Options), ballots, e.Rules); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRunning(b *testing.B) {
	e, ballots := single(b)
	running, err := Rules{}.Running(Schulze, len(e.Options))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Add", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := running.Add(ballots[i%len(ballots)], 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Result", func(b *testing.B) {
		for b.Loop() {
			if _, err := running.Result(Schulze, Rules{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTies counts a tie among so many options that the search for all winners stops at its limit.
func BenchmarkTies(b *testing.B) {
	n := 40
	var ballots []Ballot
	for i := range n {
		for range 100 {
			marks := make([]int, n)
			for k := range n {
				marks[(i+k*k)%n] = k + 1
			}
			ballots = append(ballots, Ballot{Marks: marks})
		}
	}
	for b.Loop() {
		if _, err := Count(IRV, n, ballots, Rules{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		read(b, "minneapolis-2013-mayor.csv")
	}
}
