//go:build race

package effort

// Racing reports whether the race detector is on.
const Racing = true
