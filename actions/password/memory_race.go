//go:build race

package password

// memory is the memory for one password hash, in KiB. It is small because the race detector observes every access to
// memory.
const memory = 64
