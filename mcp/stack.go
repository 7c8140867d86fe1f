package mcp

import "runtime"

// stackSize is about what a page takes, in bytes.
const stackSize = 24 << 10

// deepen makes the stack of this goroutine large at once. The SDK runs each call on a new one, whose stack would otherwise be
// copied three or four times on the way down to the database, and the deeper it is the more each copy costs.
//
//go:noinline
func deepen() {
	var room [stackSize]byte
	runtime.KeepAlive(&room)
}
