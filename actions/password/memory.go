//go:build !race

package password

// memory is the memory that the calculation of one password hash needs, in KiB.
const memory = 19 << 10
