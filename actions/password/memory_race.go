//go:build race

package password

// memory is the memory for one password hash, in KiB. It is small because the race detector slows every access to
// memory down.
const memory = 64
