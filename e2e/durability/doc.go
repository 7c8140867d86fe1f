//go:build linux

// Package durability has the tests that try to make Samepage lose or tear acknowledged actions.
// They build the real program once, drive it over loopback with many writers at the same time,
// and end it badly: killed, without power, on a full disk, with a damaged file. The checks are
// always the same (inspect_test.go): every acknowledged action is there, exactly once and whole;
// every other one is whole or absent; the journal's chain is valid.
//
// Plain go test runs a few rounds of the two most important tests. With SAMEPAGE_E2E=1 everything
// runs at the size of CI; -rounds and -cuts run more by hand, and -seed repeats a run's choices,
// though not the timing of its threads.
package durability
