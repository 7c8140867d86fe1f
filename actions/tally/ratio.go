package tally

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Ratio is an exact fraction, such as a majority of 3:1 or Debian's quorum of 45.2741648183597 voters. The zero Ratio
// stands for no requirement. Its text form, also in JSON, is a decimal such as "45.25" if that is exact, and otherwise
// a fraction such as "1/3".
type Ratio struct{ Num, Den int64 }

// ParseRatio parses a decimal or a fraction of at most 18 digits, without a sign or an exponent. It returns the
// ratio in lowest terms.
func ParseRatio(text string) (Ratio, error) {
	refused := fmt.Errorf("ratio %q: expected a number such as 2, 45.25 or 1/3, of at most 18 digits", text)
	num, den, fraction := strings.Cut(text, "/")
	if !fraction {
		whole, decimals, point := strings.Cut(text, ".")
		if point && (whole == "" || decimals == "") || len(decimals) > 17 {
			return Ratio{}, refused
		}
		num, den = whole+decimals, "1"+strings.Repeat("0", len(decimals))
	}
	n, ok := digits(num)
	d, also := digits(den)
	if !ok || !also || d == 0 {
		return Ratio{}, refused
	}
	g := divisor(n, d)
	return Ratio{n / g, d / g}, nil
}

func digits(text string) (int64, bool) {
	if text == "" || len(text) > 18 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// String returns the ratio in the form that [ParseRatio] reads, or "" for the zero Ratio.
func (r Ratio) String() string {
	if r.Den == 0 {
		return ""
	}
	for decimals, power := 0, int64(1); decimals <= 17; decimals, power = decimals+1, power*10 {
		if power%r.Den != 0 {
			continue
		}
		high, scaled := bits.Mul64(uint64(r.Num), uint64(power/r.Den))
		if high != 0 {
			break
		}
		text := fmt.Sprintf("%0*d", decimals+1, scaled)
		if len(text) > 18 {
			break
		}
		if decimals == 0 {
			return text
		}
		point := len(text) - decimals
		return text[:point] + "." + text[point:]
	}
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}

// MarshalText returns the text of [Ratio.String].
func (r Ratio) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses the form of [Ratio.MarshalText].
func (r *Ratio) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*r = Ratio{}
		return nil
	}
	*r, err = ParseRatio(string(text))
	return err
}

// Met reports whether a >= r*b, without rounding. Both a and b must be 0 or more.
func (r Ratio) Met(a, b int) bool {
	leftHigh, left := bits.Mul64(uint64(a), uint64(r.Den))
	rightHigh, right := bits.Mul64(uint64(b), uint64(r.Num))
	return leftHigh > rightHigh || leftHigh == rightHigh && left >= right
}

func (r Ratio) check() error {
	if r != (Ratio{}) && (r.Num < 0 || r.Den <= 0) {
		return fmt.Errorf("ratio %d/%d: expected a numerator of 0 or more and a denominator of 1 or more", r.Num, r.Den)
	}
	return nil
}
