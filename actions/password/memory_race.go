//go:build race

package password

// memory is how many KiB it takes to hash a password in a program that looks for races, which is for tests alone: it would
// watch each of these bytes.
const memory = 64
