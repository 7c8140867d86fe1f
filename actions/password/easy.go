package password

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Wrong returns the reason why a password is refused, or "". The texts in own belong to the account, such as its names
// and its address. A password is refused if it has too few or too many characters, or is made from a text in own.
//
// Patterns that are common in lists of leaked passwords are refused too: a common word, name or sequence of
// neighbouring keys, also in upper case, with digits in place of letters, or between digits and other characters; a
// repetition of a few characters; and a short number.
func Wrong(password string, own ...string) string {
	if n := len([]rune(password)); n < shortest || n > longest {
		return "A password has 8 to 200 characters."
	}
	low := strings.ToLower(password)
	if repeats(low) {
		return "That repeats itself. Several words that have nothing to do with each other are better."
	}
	if strings.Trim(low, "0123456789 .-/") == "" && len(low) < advised {
		return "A number is guessed soon. Several words that have nothing to do with each other are better."
	}
	for _, s := range readings(low) {
		if slices.ContainsFunc(own, func(w string) bool { return mine(s, strings.ToLower(w)) }) {
			return "That is what one would guess of you first. Several words that have nothing to do " +
				"with each other are better."
		}
		if common(s) {
			return "That is among the passwords that are tried first. Several words that have nothing to " +
				"do with each other are better."
		}
	}
	return ""
}

// readings returns the texts that a password may be derived from: the password, without the characters around its
// letters, with letters in place of digits, and with both changes. Separators between words are removed from each.
func readings(s string) []string {
	signs := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@$", r)
	}
	others := func(r rune) bool { return !unicode.IsLetter(r) }
	list := []string{letterless.ReplaceAllString(s, "")}
	for _, s := range []string{strings.TrimFunc(s, others),
		letters.Replace(strings.TrimFunc(s, signs)),
		strings.TrimFunc(letters.Replace(strings.TrimFunc(s, signs)), others)} {
		list = append(list, letterless.ReplaceAllString(s, ""))
	}
	return list
}

var letterless = regexp.MustCompile(`[\s._-]+`)

// mine reports whether the text s is taken from own, a name or an address of the account: all of it, the part before an
// @, or one word. Texts of one or two bytes do not count.
func mine(s, own string) bool {
	parts := strings.FieldsFunc(own, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	name, _, _ := strings.Cut(own, "@")
	parts = append(parts, own, letterless.ReplaceAllString(own, ""), letterless.ReplaceAllString(name, ""))
	return len(s) > 2 && slices.Contains(parts, s)
}

var letters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@",
	"a", "$", "s", "!", "i")

// repeats reports whether a text is a repeated sequence of at most eight bytes, such as "abcabcab".
func repeats(s string) bool {
	for n := 1; n <= 8; n++ {
		if len(s) >= 2*n && strings.HasPrefix(strings.Repeat(s[:n], len(s)/n+1), s) {
			return true
		}
	}
	return false
}

// common reports whether a text is a common word, or a sequence of neighbouring keys with fewer than 2*[advised] bytes.
// Below [advised] bytes, it may also be two words, or a word and a sequence.
func common(s string) bool {
	if words[s] || len(s) < 2*advised && walk(s) {
		return true
	}
	if len(s) >= advised {
		return false
	}
	for i := 3; i <= len(s)-3; i++ {
		if words[s[:i]] && (words[s[i:]] || walk(s[i:])) || walk(s[:i]) && words[s[i:]] {
			return true
		}
	}
	return false
}

// walk reports whether a text consists of sequences of neighbouring keys or of the alphabet, forwards or backwards,
// each with at least three characters.
func walk(s string) bool {
	if len(s) < 3 {
		return false
	}
	for len(s) > 0 {
		n := 0
		for _, row := range rows {
			for k := len(s); k >= 3 && k > n; k-- {
				if strings.Contains(row, s[:k]) {
					n = k
				}
			}
		}
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return true
}

// rows has the rows of keyboards, the alphabet and other usual sequences, forwards and backwards.
var rows = func() (all []string) {
	for _, row := range []string{"1234567890", "0123456789", "qwertyuiop", "qwertzuiop",
		"azertyuiop", "asdfghjkl", "qsdfghjklm", "zxcvbnm", "yxcvbnm", "wxcvbn",
		"abcdefghijklmnopqrstuvwxyz", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0",
		"qazwsxedcrfvtgbyhnujmikolp", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "qweasdzxc",
		"!@#$%^&*()"} {
		back := []rune(row)
		slices.Reverse(back)
		all = append(all, row, string(back))
	}
	return all
}()

var words = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`
		abc access account admin administrator adobe alex alexander alexis amanda america andrea
		andrew angel angela angels animal anthony apple april arsenal ashley asshole august
		austin azerty baby babygirl badboy bailey banana barbara barcelona baseball basketball
		batman beautiful benjamin bigdaddy billy biteme blessed blink blue bonnie boomer boston
		brandon brandy brian brooklyn bubba bulldog buster butter butterfly camaro cameron
		canada captain carlos carmen caroline casper changeit changeme charles charlie cheese
		chelsea chester chicago chicken chocolate chris christian christine christopher claudia
		coffee compaq computer cookie cooper corvette cowboy cowboys crystal daddy dallas daniel
		danielle david december default dennis destiny diablo diamond doctor dolphin dolphins
		donald dragon dreams eagles edward einstein elephant elizabeth eminem england enter
		everton family ferrari fender fire fish fishing flower flowers football forever france
		francis frank freddy freedom friend friends fuck fuckme fuckoff fuckyou gandalf garden
		gateway george ginger girls giants god godzilla golden golf google gordon green guest
		guitar hannah happy harley harry heather heaven hello helpme hockey hottie house hunter
		iceman iloveu iloveyou internet isabella jackson jackie january james jasmine jason
		jasper jennifer jeremy jessica jesus johnny john johnson jonathan jordan joseph joshua
		july june junior justice justin justme katherine kevin killer king kitty knight lakers
		lauren letmein liberty liverpool login london love loveme lovely lover loveyou lucky
		maggie magic manchester manager marina marlboro martin marvin master matrix matthew
		maverick maxwell melissa mercedes merlin metallica michael michelle michigan midnight
		mike mickey minecraft mobile monday money monika monkey monster morgan mother mountain
		movie mustang myspace naruto natalie natasha nathan newyork nicholas nicole nintendo
		nirvana nothing november october office oliver omega onelove orange pakistan pamela
		panther pass passion passw password passwort patrick peaches peanut people pepper
		phoenix picture player please pokemon police porsche power president prince princess
		private public purple pussy qwert qwerty rabbit rachel rainbow ranger raiders rangers
		rebecca redsox richard robert rocket rosebud russia samantha samepage samsung samuel
		sandra saturn scooter scorpio scott secret security september serenity service sexy
		shadow shannon sherlock silver simple simpsons slayer slipknot smokey snoopy soccer
		something sparky spider spiderman spring spongebob stanley star stars startrek starwars
		stella stephanie steelers steven stupid success summer sunday sunflower sunshine super
		superman superstar surfer sweet sweety sydney system taylor teacher temp temporary
		tennis teresa test tester testing texas theman thomas thunder thursday tiffany tiger
		tigers tigger tinkerbell titanic toyota trinity trust trustno tuesday turtle united user
		vampire vanessa victor victoria viking vincent virginia wednesday welcome west whatever
		white wilson windows winner winston winter wizard wolf wolverine word work xavier yamaha
		yankees yellow you zidane zaqwsx`) {
		all[w] = true
	}
	return all
}()
