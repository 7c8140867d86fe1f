package tally_test

import (
	"fmt"

	"samepage/actions/tally"
)

func ExampleCount() {
	const tea, coffee, water = 0, 1, 2
	ballots := []tally.Ballot{
		{Marks: []int{tea: 2, coffee: 1, water: 0}, Count: 3}, // three prefer tea and accept coffee
		{Marks: []int{tea: 0, coffee: 1, water: 2}, Count: 2},
	}
	res, err := tally.Count(tally.Acceptance, 3, ballots, tally.Rules{})
	fmt.Println(res.Outcome, res.Winners, res.Counts.Accepted, err)
	// Output: result [1] [3 5 2] <nil>
}
