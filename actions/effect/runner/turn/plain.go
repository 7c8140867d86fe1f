package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/effect/runner/process"
)

// plainPrompt is what a plain program is told: it remembers nothing by itself.
func (r *running) plainPrompt() string {
	if r.Memory == "" {
		return r.Prompt
	}
	return r.Memory + "\n\n" + r.Prompt
}

// plainArgv returns the arguments with the prompt in its place.
func (r *running) plainArgv() []string {
	argv := slices.Clone(r.Program.Argv)
	for i := range argv {
		if i > 0 && argv[i] == PromptArgument {
			argv[i] = r.plainPrompt()
		}
	}
	return argv
}

// plain gives a program the prompt, unless that is an argument, and reports its output until it ends.
func (r *running) plain(ctx context.Context, p *process.Process, onInput bool) {
	go func() {
		defer p.Stdin.Close()
		if onInput {
			_, _ = io.WriteString(p.Stdin, r.plainPrompt()) // a program may end without having read it
		}
	}()
	read := make(chan error, 1)
	go func() { read <- r.readText(p.Stdout) }()
	var err error
	over := false
	select {
	case err = <-read:
		over = true
	case <-ctx.Done():
	}
	if over { // what has closed its output may still work
		select {
		case <-p.Done():
		case <-ctx.Done():
		}
	}
	cause := context.Cause(ctx)
	r.clock.Stop()
	r.result.Exit = p.Stop()
	if !over {
		err = <-read
	}
	r.end(plainOutcome(r.result.Exit, err), cause)
}

// readText adds the words of a program to the events.
func (r *running) readText(from io.Reader) error {
	buffer := make([]byte, 32<<10)
	held := 0 // bytes of a letter that has not been read as a whole
	for {
		n, err := from.Read(buffer[held:])
		r.clock.Heard()
		n += held
		whole := n
		if err == nil {
			whole = wholeLetters(buffer[:n])
		}
		r.events.addText(Text, strings.ToValidUTF8(string(buffer[:whole]), "\uFFFD"))
		held = copy(buffer, buffer[whole:n])
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}

// wholeLetters returns how many bytes do not belong to a letter that is cut off at the end.
func wholeLetters(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				return len(b)
			}
			return i
		}
	}
	return len(b)
}

func plainOutcome(exit process.Exit, err error) acp.Outcome {
	switch {
	case exit.Signal != "":
		return acp.Outcome{Class: acp.Crashed, Reason: fmt.Sprintf("The program was ended by the signal %q.", exit.Signal)}
	case exit.Code != 0:
		return acp.Outcome{Class: acp.AgentError, Reason: fmt.Sprintf("The program ended with the code %d.", exit.Code)}
	case err != nil:
		return acp.Outcome{Class: acp.AgentError, Reason: err.Error()}
	}
	return acp.Outcome{}
}
