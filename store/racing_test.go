//go:build race

package store

const racing = true
