// Package password keeps passwords and says which are too easy to guess.
package password

import (
	"encoding/base64"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
)

// Advised is how many characters a password should have.
const Advised = 15

const (
	shortest = 8
	longest  = 200
)

// cost is argon2id with 19 MiB and two passes (OWASP password storage cheat sheet).
var cost = &argon2id.Params{Memory: memory, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing lets no more passwords be hashed at once than there are processors, because each takes 19 MiB.
var hashing = make(chan struct{}, runtime.GOMAXPROCS(0))

// nobody is what to compare a password with where there is none, so that both take as long: the form of a hash (RFC 9106),
// and the hash of nothing.
var nobody = fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", cost.Memory, cost.Iterations, cost.Parallelism,
	base64.RawStdEncoding.EncodeToString(make([]byte, cost.SaltLength)), base64.RawStdEncoding.EncodeToString(make([]byte, cost.KeyLength)))

// Hash is what is stored of a password.
func Hash(password string) (string, error) {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2id.CreateHash(password, cost)
}

// Matches reports whether the hash is the password's. With an empty hash it takes as long and is false.
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
