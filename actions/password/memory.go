//go:build !race

package password

// memory is how many KiB it takes to hash a password.
const memory = 19 << 10
