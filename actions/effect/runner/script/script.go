// Package script is an agent without a model. It speaks the Agent Client Protocol, and follows a script with steps for
// each prompt.
package script

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Script has a list of steps for each prompt of a session.
type Script struct{ turns [][]step }

// step is one line of a script.
type step struct {
	line  int
	when  string // the answer to the last permission request that the step requires, "allowed" or "denied"; "" for any
	verb  string
	text  string // rest of the line
	count int
	wait  time.Duration
}

type verb struct {
	name, takes, does string
	read              func(*step) error
}

var verbs = []verb{
	{"say", "TEXT", "says a paragraph", needsText},
	{"think", "TEXT", "thinks aloud", needsText},
	{"plan", "A; B; C", "shows a plan", needsText},
	{"navigate", "ADDRESS", "reads a page with the tool navigate", needsText},
	{"open", "WORD", "reads the page of the first address on the last page that contains WORD", needsText},
	{"act", "NAME {PARAMS}", "takes an action on the last page with the tool execute_action", needsAction},
	{"ask", "TITLE", "asks for permission, unless the mode is free or it was given for the session", needsText},
	{"want", "KIND PATH", "asks as ask does, to read, edit, delete or move a file; PATH is below the working folder",
		needsTwo},
	{"write", "PATH TEXT", "writes a file below the working folder; \\n begins a line", needsTwo},
	{"commit", "MESSAGE", "commits all files with git", needsText},
	{"usage", "USED SIZE COST", "tells the tokens in use, those there are, and the cost in EUR", needsUsage},
	{"again", "", "plays the steps of this turn again for the next prompt if they break off", needsNothing},
	{"sleep", "DURATION", "waits, such as 2s", needsDuration},
	{"child", "DURATION", "starts a process that lasts so long, and does not wait for it", needsDuration},
	{"flood", "COUNT", "says COUNT paragraphs of 1,000 letters", needsCount},
	{"print", "TEXT", "prints a line that is no frame of the protocol", needsText},
	{"log", "TEXT", "prints a line to standard error", needsText},
	{"update", "JSON", "sends an update of any kind", needsObject},
	{"request", "METHOD", "sends a request of any method", needsText},
	{"fail", "CODE MESSAGE", "answers the prompt with an error", needsFailure},
	{"refuse", "", "ends the turn as a model does that declines", needsNothing},
	{"crash", "", "ends at once, without an answer", needsNothing},
}

// Help describes the format of scripts.
func Help() string {
	var b strings.Builder
	b.WriteString("Each line of the file is a step. Empty lines and those that begin with # mean nothing. A line \"turn\" begins\n" +
		"the steps for the next prompt; prompts beyond the last are answered with a sentence. In the text of a step, {prompt} is the\n" +
		"prompt and {dir} the working folder. After ask, \"allowed STEP\" and \"denied STEP\" depend on the answer.\n\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "  %-23s %s\n", strings.TrimSpace(v.name+" "+v.takes), v.does)
	}
	b.WriteString("\nSessions are kept below HOME, so that another process can resume, load or fork them.")
	return b.String()
}

// Read parses a script. An error in a step has the number of the line.
func Read(r io.Reader) (Script, error) {
	s := Script{turns: [][]step{nil}}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case text == "turn":
			s.turns = append(s.turns, nil)
		default:
			st, err := readStep(text)
			if err != nil {
				return Script{}, fmt.Errorf("line %d: %w", n, err)
			}
			st.line = n
			last := len(s.turns) - 1
			s.turns[last] = append(s.turns[last], st)
		}
	}
	return s, lines.Err()
}

func readStep(text string) (step, error) {
	var st step
	st.verb, st.text, _ = strings.Cut(text, " ")
	if st.verb == "allowed" || st.verb == "denied" {
		st.when = st.verb
		st.verb, st.text, _ = strings.Cut(strings.TrimSpace(st.text), " ")
	}
	st.text = strings.TrimSpace(st.text)
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == st.verb })
	if i < 0 {
		return st, fmt.Errorf("there is no step %q", st.verb)
	}
	if err := verbs[i].read(&st); err != nil {
		return st, fmt.Errorf("%s %s: %w", st.verb, verbs[i].takes, err)
	}
	return st, st.checkNames()
}

// checkNames returns an error for a name in braces that fill does not replace. Steps with JSON are
// not checked, because JSON has braces of its own.
func (st step) checkNames() error {
	if st.verb == "act" || st.verb == "update" {
		return nil
	}
	rest := st.text
	for {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return nil
		}
		name, tail, ok := strings.Cut(after, "}")
		if !ok || name != "prompt" && name != "dir" {
			return fmt.Errorf("only {prompt} and {dir} have a value, not {%s", after)
		}
		rest = tail
	}
}

// fill returns the text with {prompt} and {dir} replaced. In a step with JSON, the values are escaped.
func (st step) fill(prompt, dir string) string {
	if st.verb == "act" || st.verb == "update" {
		quoted := func(s string) string {
			q, _ := json.Marshal(s) // cannot fail for a string
			return string(q[1 : len(q)-1])
		}
		prompt, dir = quoted(prompt), quoted(dir)
	}
	return strings.NewReplacer("{prompt}", prompt, "{dir}", dir).Replace(st.text)
}

func needsText(st *step) error {
	if st.text == "" {
		return errors.New("the text is missing")
	}
	return nil
}

func needsNothing(st *step) error {
	if st.text != "" {
		return errors.New("it takes nothing")
	}
	return nil
}

func needsTwo(st *step) error {
	if !strings.Contains(st.text, " ") {
		return errors.New("it takes a word and a text")
	}
	return nil
}

func needsAction(st *step) error {
	_, params, ok := strings.Cut(st.text, " ")
	if ok && !json.Valid([]byte(params)) || st.text == "" {
		return errors.New("it takes a name and an object of JSON")
	}
	return nil
}

func needsObject(st *step) error {
	if !strings.HasPrefix(st.text, "{") || !json.Valid([]byte(st.text)) {
		return errors.New("it takes an object of JSON")
	}
	return nil
}

func needsUsage(st *step) error {
	var used, size uint64
	var cost float64
	if n, err := fmt.Sscanf(st.text, "%d %d %f", &used, &size, &cost); n != 3 {
		return err
	}
	return nil
}

func needsFailure(st *step) (err error) {
	code, message, _ := strings.Cut(st.text, " ")
	if st.count, err = strconv.Atoi(code); err == nil && message == "" {
		err = errors.New("the message is missing")
	}
	return err
}

func needsDuration(st *step) (err error) {
	st.wait, err = time.ParseDuration(st.text)
	return err
}

func needsCount(st *step) (err error) {
	st.count, err = strconv.Atoi(st.text)
	return err
}
