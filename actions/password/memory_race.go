//go:build race

package password

// memory is the memory of one password hash under the race detector, in KiB. It is small because
// the detector watches every byte; only tests run like this.
const memory = 64
