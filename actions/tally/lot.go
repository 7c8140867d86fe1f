package tally

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lot is the secret of a draw: 32 random bytes, which are made when a decision with a lot is opened, and stay secret
// until it is closed.
//
// The [Lot.Commitment] is published when the decision is opened, and the secret when it is closed. The draw sorts the
// options by the hexadecimal HMAC-SHA256 (RFC 2104) of each option's id with the secret as the key, in ascending order.
// The first option is drawn. The order of two options depends only on their ids and the secret, so tied options have
// the same order as in a draw among all options.
//
// The id of an option contains its number, which, unlike a title, does not change after the opening. Anybody can repeat
// the draw offline, as [Lot.Recipe] describes. The lot proves that the secret has not changed since the opening. It
// does not show whether the server made several secrets before the opening and chose one.
type Lot [sha256.Size]byte

// ParseLot parses a secret in the form of [Lot.String].
func ParseLot(text string) (l Lot, err error) {
	secret, err := hex.DecodeString(text)
	if err != nil || len(secret) != len(l) || strings.ToLower(text) != text {
		return l, fmt.Errorf("secret of %d characters: expected %d hexadecimal digits, in small letters",
			len(text), 2*len(l))
	}
	return Lot(secret), nil
}

// String returns the secret in hexadecimal form.
func (l Lot) String() string { return hex.EncodeToString(l[:]) }

// Commitment returns the SHA-256 of the secret in hexadecimal form. It reveals nothing about the draw, and it is
// infeasible to find another secret with the same commitment.
func (l Lot) Commitment() string {
	sum := sha256.Sum256(l[:])
	return hex.EncodeToString(sum[:])
}

// Order returns the indices of all ids in the order of the draw. It returns an error for no ids or more than
// [MaxOptions], and for an id that is empty, too long, not UTF-8, listed twice, or has control characters or space
// around it.
func (l Lot) Order(ids []string) ([]int, error) {
	if err := checkIDs(ids); err != nil {
		return nil, err
	}
	order, macs := make([]int, len(ids)), make([][]byte, len(ids))
	for i, id := range ids {
		order[i], macs[i] = i, l.mac(id)
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(macs[a], macs[b]) })
	return order, nil
}

// Pick draws one of the winners of a result. The winners and the drawn one are indices into ids, which has all options.
func (l Lot) Pick(winners []int, ids []string) (int, error) {
	order, err := l.Order(ids)
	if err != nil {
		return 0, err
	}
	for _, w := range winners {
		if w < 0 || w >= len(ids) {
			return 0, fmt.Errorf("winner %d of %d options", w, len(ids))
		}
	}
	drawn := slices.IndexFunc(order, func(i int) bool { return slices.Contains(winners, i) })
	if drawn < 0 {
		return 0, fmt.Errorf("no winners to draw from")
	}
	return order[drawn], nil
}

// Verify returns an error if the secret of a published draw does not match the commitment, or the order is not that of
// the draw.
func (l Lot) Verify(commitment string, ids []string, order []int) error {
	if got := l.Commitment(); got != commitment {
		return fmt.Errorf("the secret's SHA-256 is %s, but %.64q was published", got, commitment)
	}
	want, err := l.Order(ids)
	if err != nil {
		return err
	}
	if len(order) != len(want) {
		return fmt.Errorf("%d places for %d options", len(order), len(want))
	}
	for place := range want {
		if order[place] != want[place] {
			return fmt.Errorf("place %d belongs to %q", place+1, ids[want[place]])
		}
	}
	return nil
}

// Recipe returns the lines of a shell script that repeats the draw, with a POSIX shell, sha256sum and openssl. Its
// output begins with the commitment. The other lines have the HMAC and the id of each option, in the order of the draw.
func (l Lot) Recipe(ids []string) ([]string, error) {
	if err := checkIDs(ids); err != nil {
		return nil, err
	}
	quoted := make([]string, len(ids))
	for i, id := range ids {
		quoted[i] = "'" + strings.ReplaceAll(id, "'", `'\''`) + "'"
	}
	return []string{
		"secret=" + l.String(),
		`for byte in $(printf %s "$secret" | sed 's/../& /g'); do printf "\\$(printf %03o "0x$byte")"; done | sha256sum`,
		"for id in " + strings.Join(quoted, " ") + "; do",
		`  mac=$(printf %s "$id" | openssl dgst -r -sha256 -mac HMAC -macopt "hexkey:$secret" | cut -c 1-64)`,
		`  printf '%s %s\n' "$mac" "$id"`,
		"done | LC_ALL=C sort",
	}, nil
}

func (l Lot) mac(id string) []byte {
	h := hmac.New(sha256.New, l[:])
	h.Write([]byte(id))
	return h.Sum(nil)
}

func checkIDs(ids []string) error {
	if _, err := indexOptions(ids); err != nil {
		return err
	}
	if i := slices.IndexFunc(ids, func(id string) bool { return !utf8.ValidString(id) }); i >= 0 {
		return fmt.Errorf("option %d: %q is not UTF-8", i+1, ids[i])
	}
	return nil
}
