package tally

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"samepage/store/effort"
)

// TestLotIsHMAC uses the first two cases of RFC 4231, section 4. HMAC pads keys with zeros, so a shorter key also fits
// a Lot.
func TestLotIsHMAC(t *testing.T) {
	for _, c := range []struct{ key, text, want string }{
		{strings.Repeat("\x0b", 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
	} {
		var l Lot
		copy(l[:], c.key)
		if got := hex.EncodeToString(l.mac(c.text)); got != c.want {
			t.Errorf("HMAC of %q is %s, want %s", c.text, got, c.want)
		}
	}
	if got := (Lot{}).Commitment(); got != "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925" {
		t.Errorf("SHA-256 of 32 zero bytes is %s", got)
	}
}

func drawLot(t *rapid.T) Lot {
	return Lot(rapid.SliceOfN(rapid.Byte(), len(Lot{}), len(Lot{})).Draw(t, "secret"))
}

func TestLot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLot(t)
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9é'$]{1,9}`), 1, 9, rapid.ID).Draw(t, "ids")
		order, err := l.Order(ids)
		must(t, err)
		if want := naiveDraw(l, ids); !slices.Equal(order, want) {
			t.Fatalf("order %v, want %v", order, want)
		}
		again, err := ParseLot(l.String())
		must(t, err)
		must(t, again.Verify(l.Commitment(), ids, order))

		shuffled := rapid.Permutation(ids).Draw(t, "shuffled")
		other, err := l.Order(shuffled)
		must(t, err)
		for place := range ids {
			if ids[order[place]] != shuffled[other[place]] {
				t.Fatalf("the draw depends on the order of ids: %v of %q, %v of %q", order, ids, other, shuffled)
			}
		}

		winners := ascending(rapid.SliceOfNDistinct(rapid.IntRange(0, len(ids)-1), 1, len(ids),
			rapid.ID).Draw(t, "winners"))
		picked, err := l.Pick(winners, ids)
		must(t, err)
		var tied []string
		for _, w := range winners {
			tied = append(tied, ids[w])
		}
		among, err := l.Order(tied)
		must(t, err)
		if picked != winners[among[0]] {
			t.Fatalf("picked %d of %v, but %d is first among them alone", picked, winners, winners[among[0]])
		}
	})
}

// TestLotIsFair expects each of the six orders of three options about equally often. Chi-squared with 5 degrees of
// freedom is below 20.5 in 999 of 1000 samples. The sample is the same in every run.
func TestLotIsFair(t *testing.T) {
	const draws = 6000
	random := rand.NewChaCha8([32]byte{})
	seen := map[string]int{}
	for range draws {
		var l Lot
		random.Read(l[:])
		order, err := l.Order([]string{"1", "2", "3"})
		if err != nil {
			t.Fatal(err)
		}
		seen[fmt.Sprint(order)]++
	}
	chi := 0.0
	for _, n := range seen {
		chi += float64((n-draws/6)*(n-draws/6)) / (draws / 6)
	}
	if len(seen) != 6 || chi > 20.5 {
		t.Errorf("%v, chi-squared %.1f", seen, chi)
	}
}

func TestLotRefuses(t *testing.T) {
	var l Lot
	for want, ids := range map[string][]string{
		"0 options":           nil,
		"201 options":         make([]string, MaxOptions+1),
		`"1" is listed twice`: {"1", "1"},
		"is empty":            {"1", ""},
		"control characters":  {"1\n2"},
		"is not UTF-8":        {"\xff"},
		"name of 501 bytes":   {strings.Repeat("x", MaxName+1)},
	} {
		_, err := l.Order(ids)
		_, also := l.Recipe(ids)
		for _, err := range []error{err, also, l.Verify(l.Commitment(), ids, nil)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
	for _, winners := range [][]int{nil, {}, {-1}, {2}} {
		if i, err := l.Pick(winners, []string{"1", "2"}); err == nil {
			t.Errorf("picked %d of %v", i, winners)
		}
	}
	if i, err := l.Pick([]int{0}, []string{"1", "1"}); err == nil || !strings.Contains(err.Error(), "listed twice") {
		t.Errorf("picked %d of an option that is there twice: %v", i, err)
	}
	for _, text := range []string{"", "00", strings.Repeat("0", 66), strings.Repeat("A", 64), strings.Repeat("g", 64)} {
		if _, err := ParseLot(text); err == nil {
			t.Errorf("read %q as a secret", text)
		}
	}
	ids := []string{"1", "2"}
	order, err := l.Order(ids)
	if err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"the secret's SHA-256": l.Verify(Lot{1}.Commitment(), ids, order),
		"1 places for 2":       l.Verify(l.Commitment(), ids, order[:1]),
		"place 1 belongs to":   l.Verify(l.Commitment(), ids, []int{order[1], order[0]}),
		`but "" was published`: l.Verify("", ids, order),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestRecipe runs the recipe in a real shell and expects it to print the commitment and the order.
func TestRecipe(t *testing.T) {
	for _, tool := range []string{"sh", "sha256sum", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if effort.All() {
				t.Fatalf("no %s to run the recipe with: %v", tool, err)
			}
			t.Skipf("no %s to run the recipe with: %v", tool, err)
		}
	}
	var l Lot
	for i := range l {
		l[i] = byte(i * 37) // one byte is zero, and some are above 127
	}
	ids := []string{"1", "2", "d7/3", "it's $HOME", `\n "%s"`, "Zoë & co; true", "-n"}
	lines, err := l.Recipe(ids)
	if err != nil {
		t.Fatal(err)
	}
	order, err := l.Order(ids)
	if err != nil {
		t.Fatal(err)
	}
	want := l.Commitment() + "  -\n"
	for _, i := range order {
		want += hex.EncodeToString(l.mac(ids[i])) + " " + ids[i] + "\n"
	}
	for _, shell := range []string{"sh", "bash", "zsh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		cmd := exec.Command(path, "-s")
		if shell == "busybox" {
			cmd.Args = []string{path, "sh", "-s"}
		}
		cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s prints\n%swant\n%s%v", shell, out, want, err)
		}
	}
}
