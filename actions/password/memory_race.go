//go:build race

package password

// memory is the memory that the calculation of one password hash needs, in KiB. It is small in tests under the
// race detector, because the detector observes every access.
const memory = 64
