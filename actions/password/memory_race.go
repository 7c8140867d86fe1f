//go:build race

package password

// memory is the memory that the calculation of one password hash needs, in KiB. It is small in tests with the race
// detector, because the detector observes every access to memory.
const memory = 64
