//go:build !race

package password

// memory is the memory for one password hash, in KiB.
const memory = 19 << 10
