package password

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrong(t *testing.T) {
	own := []string{"alice.miller@acme.example", "alice", "Alice Miller", "Acme"}
	for _, p := range []string{"", "short", "1234567", strings.Repeat("é", 7),
		strings.Repeat("x y", 67), "password", "Password1", "P@ssw0rd", "p4ssw0rd!!", "12345678",
		"qwertyuiop", "Qwerty123", "qwerty12345!",
		"aaaaaaaa", "abcabcabcabc", "iloveyou", "iloveyou2", "1q2w3e4r5t", "1qaz2wsx", "zaqwsxedc",
		"sunshine", "Sunshine2026", "football1", "trustno1!", "letmein123", "welcome1",
		"passwordpassword", "superman99",
		"abcdefgh", "87654321", "11.11.1999", "love you", "michael7", "changeme!", "alice.miller",
		"AliceMiller", "alice123", "Alice Miller", "4lice!!!", "miller99",
		"alice.miller@acme.example", "samepage"} {
		if Wrong(p, own...) == "" {
			t.Errorf("%q is taken", p)
		}
	}
	for _, p := range []string{"correct horse", "samepage-demo", "something secret",
		"bob is my uncle", "8 little fishes", strings.Repeat("ab cd xfg hi", 16), "Grüße aus Köln",
		"9f3k2m1q", "🐟🐠🐡🦈🐙🦑🦐🦀"} {
		if why := Wrong(p, own...); why != "" {
			t.Errorf("%q: %s", p, why)
		}
	}
}

// TestWrongOfCommon expects a common word to be refused with a capital letter, and with digits and signs around it.
func TestWrongOfCommon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"password", "princess", "football", "qwertyuiop",
			"sunshine"}).Draw(t, "word")
		around := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789!.-_")), 0, 6, -1)
		p := around.Draw(t, "before") + strings.ToUpper(word[:1]) + word[1:] + around.Draw(t, "after")
		if Wrong(p) == "" {
			t.Fatalf("%q is taken", p)
		}
	})
}

func TestMatches(t *testing.T) {
	hash, err := Hash("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]bool{
		"correct horse": true, "Correct horse": false, "correct horse ": false, "": false,
	} {
		if Matches(p, hash) != want {
			t.Errorf("%q: %v", p, !want)
		}
	}
	if Matches("", "") || Matches("x", "") || Matches("x", "rubbish") {
		t.Error("something matches nothing")
	}
}
