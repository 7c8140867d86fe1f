package rule

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"
)

// unsafe are the characters that let a shell do more than run one program with the given words. They are refused within
// quotes too, so that no mistake about quotes matters.
const unsafe = ";&|<>`$\\(){}[]*?!#~"

// wrappers are programs that run other programs or scripts, so that the first words do not tell which program runs. In
// "find . -exec rm a", for example, an option at the end does.
var wrappers = strings.Fields(`. ash awk bash builtin busybox bwrap chroot chrt command csh dash doas entr env eval exec
	expect fd find firejail fish flock gawk gdb ionice ksh ltrace mawk nice nohup npx nsenter numactl parallel pkexec pwsh rg
	rsync runuser scp script sed setarch setsid sh sort source split ssh stdbuf strace su sudo systemd-run tar taskset tcsh
	time timeout unbuffer unshare uvx watch xargs xvfb-run zip zsh`)

// Words returns the words of the command in the input of a tool. It returns false unless the input is an object with a
// command, and possibly a description and a timeout, and the command consists of plain words: without special
// characters of a shell, line breaks, open quotes, or an assignment in front.
func Words(input string) ([]string, bool) {
	command, ok := commandOf(input)
	if !ok || strings.ContainsFunc(command, func(c rune) bool {
		return !unicode.IsGraphic(c) || c == unicode.ReplacementChar || unicode.IsSpace(c) && c != ' ' ||
			strings.ContainsRune(unsafe, c)
	}) {
		return nil, false
	}
	words, ok := split(command)
	if !ok || len(words) == 0 || words[0] == "" || strings.Contains(words[0], "=") {
		return nil, false
	}
	return words, true
}

// split splits a command at spaces outside quotes, and removes the quotes. It returns false if a quote stays open.
func split(command string) (words []string, ok bool) {
	var word strings.Builder
	var quote rune
	begun := false
	for _, c := range command {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && c == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// commandOf returns the command in the input of a tool, which is a JSON object. It returns false if the object has an
// unknown key, such as a folder or a switch of a sandbox, because the value could change the meaning of the command. It
// also returns false if a key occurs twice, because agents could read either value.
func commandOf(input string) (command string, ok bool) {
	d := json.NewDecoder(bytes.NewReader([]byte(input)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	seen := map[any]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil || seen[name] {
			return "", false
		}
		seen[name] = true
		value, err := d.Token()
		if err != nil {
			return "", false
		}
		_, isText := value.(string)
		_, isNumber := value.(float64)
		switch {
		case name == "command" && isText:
			command = value.(string)
		case name == "description" && isText, name == "timeout" && isNumber:
		default:
			return "", false
		}
	}
	if _, err := d.Token(); err != nil || d.More() {
		return "", false
	}
	return command, command != ""
}

func begins(words, rule []string) bool {
	return len(words) >= len(rule) && slices.Equal(words[:len(rule)], rule)
}

// runs reports whether the command begins with the words of a rule that denies or asks. It ignores a folder before the
// name of the program. The result is [perhaps] for a command that cannot be read, or that runs another program.
func runs(rule, input string) covered {
	words, ok := Words(input)
	if !ok {
		return perhaps
	}
	words[0] = path.Base(words[0])
	first := strings.Split(rule, " ")
	first[0] = path.Base(first[0])
	switch {
	case begins(words, first):
		return yes
	case slices.Contains(wrappers, words[0]):
		return perhaps
	}
	return no
}

// Commands returns the first two words and the first three words of a request's command. It leaves out those with which
// no rule can allow the request.
func (r Request) Commands() (list []string) {
	words, ok := Words(r.Input)
	if !ok {
		return nil
	}
	for n := 2; n <= min(3, len(words)); n++ {
		l := Rule{Verdict: Allow, Reach: Command, Kind: r.Kind, Subject: strings.Join(words[:n], " ")}
		if l.allows(r) {
			list = append(list, l.Subject)
		}
	}
	return list
}
