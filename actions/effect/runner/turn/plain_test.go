package turn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/effect/runner/process"
)

func plainSpec(t *testing.T, argv ...string) Spec {
	t.Helper()
	home := t.TempDir()
	return Spec{Plain: true, Prompt: "-n; rm -rf ü", Program: process.Spec{Argv: argv, Dir: home, Home: home, Turn: "turn",
		Runs: filepath.Join(home, "runs"), Env: process.Environment(os.Environ(), process.Basics, nil)}}
}

func TestPlainPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		argv  []string
		state State
		class acp.Class
		said  string
	}{
		"input":    {[]string{"cat"}, Succeeded, "", "text:-n; rm -rf ü end:succeeded"},
		"argument": {[]string{"printf", "%s|", "{prompt}", "{prompt}s"}, Succeeded, "", "text:-n; rm -rf ü|{prompt}s| end:succeeded"},
		"code": {[]string{"sh", "-c", "printf half; echo last words >&2; exit 3"}, Failed, acp.AgentError,
			"text:half stderr:last words\n end:The program ended with the code 3.:failed"},
		"signal": {[]string{"sh", "-c", "kill -9 $$"}, Failed, acp.Crashed,
			`end:The program was ended by the signal "killed".:failed`},
		"silent": {[]string{"true"}, Succeeded, "", "end:succeeded"},
		"late": {[]string{"sh", "-c", "exec >&-; sleep 0.3; exit 1"}, Failed, acp.AgentError,
			"end:The program ended with the code 1.:failed"},
	} {
		t.Run(name, func(t *testing.T) {
			to := &reporter{}
			got := Run(t.Context(), plainSpec(t, c.argv...), to)
			if got.State != c.state || got.Class != c.class || to.said() != c.said {
				t.Errorf("the turn ended as %+v and said %q, want %q", got, to.said(), c.said)
			}
		})
	}
	s := plainSpec(t, "cat")
	s.Memory = "Read /sessions/1."
	to := &reporter{}
	if Run(t.Context(), s, to); to.said() != "text:Read /sessions/1.\n\n-n; rm -rf ü end:succeeded" {
		t.Errorf("with a memory the program said %q", to.said())
	}
}

func TestPlainProgramsAreStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	to := &reporter{}
	done := make(chan Result, 1)
	go func() { done <- Run(ctx, plainSpec(t, "sh", "-c", "echo a; sleep 1000 & sleep 1000"), to) }()
	for !strings.Contains(to.said(), "text:a") {
		time.Sleep(10 * time.Millisecond)
	}
	stop(ErrStop)
	if got := <-done; got.State != Stopped {
		t.Errorf("the turn ended as %+v", got)
	}
}

func TestLettersAreNotCut(t *testing.T) {
	text := strings.Repeat("aü€𝄞", 1000)
	to := &reporter{}
	r := &running{events: newBatch(func(list []Event) error { return to.Report(t.Context(), list) }),
		clock: process.NewClock(process.DefaultLimits, func(process.Late) {})}
	defer r.clock.Stop()
	if err := r.readText(iotest.OneByteReader(strings.NewReader(text + "\xe2\x82"))); err != nil {
		t.Fatal(err)
	}
	r.events.close()
	got := ""
	for _, e := range to.events {
		got += e.Text
	}
	if got != text+"\uFFFD" {
		t.Error("letters were cut")
	}
}
