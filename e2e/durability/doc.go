// Package durability holds the tests that try to make Samepage lose or tear what it has acknowledged. They build the real
// program once, drive it over loopback from many writers at the same time, and end it badly: killed, without power, on a full
// disk, with a damaged file. What they then ask is always the same (inspect_test.go): is every acknowledged action there,
// exactly once and whole, is every other one whole or absent, and is the journal's chain valid?
//
// Plain go test runs a few rounds of the two most telling tests. With SAMEPAGE_E2E=1 everything runs at the size of CI; -rounds
// and -cuts run more by hand, and -seed repeats a run's choices, though not the timing of its threads.
package durability
