package tally

import "testing"

func TestParseMarks(t *testing.T) {
	for _, text := range []string{"-", "2,-,1,3", "1,-,3!2", "-,-!1", "1,2,3,4,5,6,7,8,9,10,11,-,1000"} {
		n := 1
		for _, char := range text {
			if char == ',' {
				n++
			}
		}
		b, err := ParseMarks(text, n)
		if err != nil || b.String() != text || b.Voters() != 1 {
			t.Errorf("%s was read as %s: %v", text, b, err)
		}
	}
	for _, text := range []string{"0", "01", "+1", " 1", "1,", ",1", "1,2,3", "1!", "1!0", "1!3!2",
		"1001", "-1", "1,x"} {
		if b, err := ParseMarks(text, 2); err == nil {
			t.Errorf("%q was read as %s", text, b)
		}
	}
	for text, want := range map[string]string{"": "-,-,-", "1": "1,-,-", "!2": "-,-,-!2"} {
		if b, err := ParseMarks(text, 3); err != nil || b.String() != want {
			t.Errorf("%q from before options were added was read as %s: %v", text, b, err)
		}
	}
}

func FuzzParseMarks(f *testing.F) {
	f.Add("2,-,1,3", 4)
	f.Add("1,-,3!2", 3)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(0, n%MaxOptions)
		b, err := ParseMarks(text, n)
		if err != nil {
			return
		}
		again, err := ParseMarks(b.String(), n)
		if err != nil || again.String() != b.String() {
			t.Errorf("%q became %q, then %q: %v", text, b, again, err)
		}
		if commas(text) == n-1 && text != "" && text[0] != '!' && b.String() != text {
			t.Errorf("%q became %q", text, b)
		}
	})
}

func commas(text string) (n int) {
	for _, char := range text {
		if char == ',' {
			n++
		}
	}
	return n
}

func TestRatio(t *testing.T) {
	for text, want := range map[string]string{
		"45.2741648183597": "45.2741648183597", "3.0": "3", "0.50": "0.5", "1/3": "1/3", "6/4": "1.5", "0": "0",
		"0.00000000000000001": "0.00000000000000001", "999999999999999999/4": "999999999999999999/4",
	} {
		r, err := ParseRatio(text)
		if err != nil || r.String() != want {
			t.Errorf("%s was read as %s, want %s: %v", text, r, want, err)
		}
		var again Ratio
		if err := again.UnmarshalText([]byte(r.String())); err != nil || again != r {
			t.Errorf("%s came back as %s: %v", r, again, err)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "1e3", "1/0", "1/", "1.5/2",
		"1234567890123456789", "0.000000000000000001"} {
		if r, err := ParseRatio(text); err == nil {
			t.Errorf("%q was read as %s", text, r)
		}
	}
	zero := Ratio{1, 2}
	if err := zero.UnmarshalText(nil); err != nil || zero != (Ratio{}) || zero.String() != "" {
		t.Errorf("no requirement was read as %+v: %v", zero, err)
	}
	quorum := Ratio{452741648183597, 10000000000000}
	if quorum.Met(45, 1) || !quorum.Met(46, 1) || !(Ratio{}).Met(0, 9) || !(Ratio{3, 1}).Met(9, 3) {
		t.Error("ratio is met where it is not, or is not where it is")
	}
}
