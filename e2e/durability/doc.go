//go:build linux

// Package durability has the tests that try to make Samepage lose an acknowledged action or a part of it. They build
// the program, send it requests from many concurrent writers over loopback, and then kill it, cut its power, fill its
// disk, or damage a file. Afterwards every acknowledged action must be in the database completely and exactly once,
// every other action must be complete or absent, and the hash chain of the journal must be valid.
//
// Plain go test runs a few rounds of the two most important tests. SAMEPAGE_E2E=1 runs all tests, and
// SAMEPAGE_E2E=record runs them with more rounds. The flags -rounds and -cuts set the number of rounds, and -seed
// repeats the random choices of a run, but not the timing of its threads.
package durability
