// Package password hashes passwords and refuses those that are easy to guess.
package password

import (
	"encoding/base64"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
)

// advised is the length from which the checks of a password are milder, in bytes.
const advised = 15

const (
	shortest = 8
	longest  = 200
)

// cost has the parameters of argon2id: 19 MiB of memory and two passes, as the OWASP password storage cheat
// sheet recommends.
var cost = &argon2id.Params{Memory: memory, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing limits the concurrent calculations, because each needs 19 MiB of memory.
var hashing = make(chan struct{}, runtime.GOMAXPROCS(0))

// nobody is a hash that no known password matches. If an account has no password, a given password
// is compared with this hash, so that the response takes as long as for an account with a password.
var nobody = fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", cost.Memory, cost.Iterations, cost.Parallelism,
	base64.RawStdEncoding.EncodeToString(make([]byte, cost.SaltLength)),
	base64.RawStdEncoding.EncodeToString(make([]byte, cost.KeyLength)))

// Hash returns the argon2id hash of a password, with a random salt. It may wait for other calculations.
func Hash(password string) (string, error) {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2id.CreateHash(password, cost)
}

// Matches reports whether the hash belongs to the password. For an empty hash it returns false, after about the same
// time as for other hashes.
func Matches(password, hash string) bool {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	if hash == "" {
		argon2id.ComparePasswordAndHash(password, nobody)
		return false
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	return ok && err == nil
}
