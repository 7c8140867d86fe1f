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

// plainPrompt returns [Spec.Memory] followed by the prompt. A plain program has no session that it could continue, so
// it gets the memory in each turn.
func (r *running) plainPrompt() string {
	if r.Memory == "" {
		return r.Prompt
	}
	return r.Memory + "\n\n" + r.Prompt
}

// plainArgv returns the arguments, in which the prompt replaces [PromptArgument].
func (r *running) plainArgv() []string {
	argv := slices.Clone(r.Program.Argv)
	for i := range argv {
		if i > 0 && argv[i] == PromptArgument {
			argv[i] = r.plainPrompt()
		}
	}
	return argv
}

// plain reports the output of a plain program until it ends, or ends it when the context is done. If onInput is true,
// the prompt is the program's input.
func (r *running) plain(ctx context.Context, p *process.Process, onInput bool) {
	go func() {
		defer p.Stdin.Close()
		if onInput {
			_, _ = io.WriteString(p.Stdin, r.plainPrompt()) // the program may end without reading the prompt
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
	if over { // a program that closed its output may still run
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

func (r *running) readText(from io.Reader) error {
	buffer := make([]byte, 32<<10)
	held := 0 // bytes of an incomplete character
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

// wholeLetters returns the length of b without an incomplete UTF-8 character at the end.
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
