//go:build race

package store_test

const racing = true
