// Package turn runs one turn of an agent: it starts the agent's program, begins or continues a session, sends the
// prompt, and reports the events to a [Reporter] as they happen, until the program has ended.
package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/effect/runner/process"
)

// Spec has the parameters of a turn.
type Spec struct {
	Program process.Spec
	Limits  process.Limits // zero means [process.DefaultLimits]
	Us      acp.Implementation
	SignIn  string // sign-in method that is tried first, or ""
	Server  acp.Server
	Stdio   acp.Server // replaces Server for agents without MCP over HTTP
	Session string     // id of the agent's session to continue; "" for a new one
	Fork    bool       // continue a copy of Session
	Mode    string     // agent's mode; "" for its default
	Model   string     // agent's model; "" for its default
	Prompt  string
	Memory  string    // stands before the prompt if the agent cannot continue Session, and always if Plain
	Raw     io.Writer // receives each line before it is decoded; nil for none

	// Plain means that the program does not speak the Agent Client Protocol. The prompt replaces the argument
	// [PromptArgument], or is written to the standard input if there is no such argument. The standard output is the
	// answer, and the exit code tells success from failure. Only Program, Limits, Memory and the prompt count.
	Plain bool
}

// PromptArgument is the argument of a plain program that the prompt replaces.
const PromptArgument = "{prompt}"

// State is the state at the end of a turn.
type State string

const (
	Succeeded   State = "succeeded"
	Failed      State = "failed"
	Stopped     State = "stopped"     // by ErrStop, or by the agent itself
	Stalled     State = "stalled"     // the idle limit was reached
	TimedOut    State = "timed_out"   // the limit of the duration was reached
	Interrupted State = "interrupted" // the context ended for another reason, or the reporter returned an error
)

// ErrStop is the cause with which the context of [Run] must be cancelled if a person stops the turn. The agent then has
// the time [process.Grace] to end the turn itself, unless [Spec.Plain] is set. After any other cause,
// [process.Process.Stop] ends the program at once.
var ErrStop = errors.New("the turn is stopped")

// Result is the result of a turn.
type Result struct {
	State   State
	Class   acp.Class // class of the failure; "" for no failure
	Reason  string    // a sentence for people; "" after success
	Stop    string    // agent's stop reason
	Session string    // id of the agent's session, which the next turn continues
	Fresh   bool      // the session could not be continued, so a new session began, with Memory before the prompt
	Agent   acp.Implementation
	Tokens  *acp.Tokens // of this turn; nil if the agent does not say
	Usage   *acp.Usage  // of the session so far; nil if the agent does not say
	Exit    process.Exit
}

// Reporter receives the events and the permission requests of a turn.
type Reporter interface {
	// Report receives events in the order of their numbers, in one call at a time. If Report is slow, the agent has to
	// wait. An error ends the turn as interrupted.
	Report(ctx context.Context, events []Event) error
	// Permission returns the id of a person's choice, or "" if there is none. All events up to number n, which has the
	// request, are reported before the call. Several requests may be open at once. The context ends when no answer is
	// needed any more.
	Permission(ctx context.Context, n int, p acp.Permission) string
}

// patience is the time limit for the beginning of a session.
const patience = 2 * time.Minute

// running is the state of a turn that runs.
type running struct {
	Spec
	client *acp.Client
	events *batch
	clock  *process.Clock
	result Result
}

// Run runs a turn until its program has ended. By then, all events have been reported unless the reporter has returned
// an error. The last event is of the kind [End].
func Run(ctx context.Context, s Spec, to Reporter) Result {
	if s.Limits == (process.Limits{}) {
		s.Limits = process.DefaultLimits
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	r := &running{Spec: s}
	r.events = newBatch(func(list []Event) error {
		err := to.Report(context.WithoutCancel(ctx), list)
		if err != nil {
			end(fmt.Errorf("the report was refused: %w", err))
		}
		return err
	})
	defer r.events.close()
	if s.Plain {
		r.Program.Argv = r.plainArgv()
	}
	p, err := process.Start(r.Program)
	if err != nil {
		r.result = Result{State: Failed, Class: acp.Crashed, Reason: err.Error()}
		r.events.add(Event{Kind: End, State: r.result.State, Class: r.result.Class, Text: r.result.Reason})
		return r.result
	}
	r.clock = process.NewClock(s.Limits, func(late process.Late) { end(lateness(late)) })
	if s.Plain {
		r.plain(ctx, p, !slices.Contains(s.Program.Argv, PromptArgument))
		return r.result
	}
	r.client = acp.Connect(p.Stdout, p.Stdin, acp.Handlers{Line: r.line, Update: r.update,
		Permission: func(ctx context.Context, ask acp.Permission) string { return r.ask(ctx, ask, to) }})
	r.talk(ctx, p)
	return r.result
}

// lateness is the cause of the end of a turn that reached a limit.
type lateness process.Late

func (l lateness) Error() string {
	if process.Late(l) == process.Stalled {
		return "The agent said nothing for too long."
	}
	return "The turn took too long."
}

func (r *running) talk(ctx context.Context, p *process.Process) {
	talk, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	type ending struct {
		answer acp.Answer
		err    error
	}
	ended := make(chan ending, 1)
	go func() {
		answer, err := r.converse(talk)
		ended <- ending{answer, err}
	}()
	var e ending
	over := false
	select {
	case e = <-ended:
		over = true
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), ErrStop) {
			r.cancel(talk)
			select {
			case e = <-ended:
				over = true
			case <-time.After(process.Grace):
			}
		}
	}
	cause := context.Cause(ctx)
	hangUp()
	r.clock.Stop()
	r.finish(p, cause != nil)
	if !over {
		e = <-ended
	}
	r.conclude(e.answer, e.err, cause)
}

func (r *running) cancel(ctx context.Context) {
	session := r.events.session()
	if session == "" {
		return
	}
	ctx, end := context.WithTimeout(ctx, process.Grace)
	defer end()
	_ = r.client.Cancel(ctx, session) // the program is ended even if this call fails
}

// finish closes the program's input, and ends the program after at most [process.Grace], or at once if now is true.
func (r *running) finish(p *process.Process, now bool) {
	r.client.Close()
	if !now {
		select {
		case <-p.Done():
		case <-time.After(process.Grace):
		}
	}
	r.result.Exit = p.Stop()
	<-r.client.Done()
}

func (r *running) conclude(answer acp.Answer, err, cause error) {
	r.result.Tokens, r.result.Usage = answer.Tokens, r.events.lastUsage()
	r.end(acp.OutcomeOf(answer, err), cause)
}

// end sets the state of the turn and adds the last events. If the context has ended, the state follows from the cause.
func (r *running) end(o acp.Outcome, cause error) {
	res := &r.result
	res.Stop, res.Class, res.Reason = o.Stop, o.Class, o.Reason
	var late lateness
	switch {
	case cause != nil && errors.Is(cause, ErrStop):
		res.State, res.Class, res.Reason = Stopped, "", ""
	case errors.As(cause, &late):
		res.State, res.Class, res.Reason = State(late), "", late.Error()
	case cause != nil:
		res.State, res.Class, res.Reason = Interrupted, acp.Lost, cause.Error()
	case o.Class != "":
		res.State = Failed
	case o.Cancelled():
		res.State, res.Reason = Stopped, "The agent ended the turn itself."
	default:
		res.State = Succeeded
	}
	if res.Exit.Stderr != "" {
		r.events.add(Event{Kind: Stderr, Text: res.Exit.Stderr})
	}
	r.events.add(Event{Kind: End, State: res.State, Class: res.Class, Stop: res.Stop, Text: res.Reason})
}

func (r *running) converse(ctx context.Context) (acp.Answer, error) {
	begin, done := context.WithTimeout(ctx, patience)
	defer done()
	agent, err := r.client.Initialize(begin, r.Us)
	if err != nil {
		return acp.Answer{}, err
	}
	r.result.Agent = agent.Info
	if r.SignIn != "" {
		if err := r.client.Authenticate(begin, r.SignIn); err != nil {
			return acp.Answer{}, err
		}
	}
	session, err := r.begin(begin, agent)
	if err != nil {
		return acp.Answer{}, err
	}
	r.result.Session = session.ID
	r.events.began(session.ID)
	r.events.add(Event{Kind: Began, Text: session.ID})
	if err := r.set(begin, session); err != nil {
		return acp.Answer{}, err
	}
	prompt := r.Prompt
	if r.result.Fresh && r.Memory != "" {
		prompt = r.Memory + "\n\n" + prompt
	}
	return r.client.Prompt(ctx, session.ID, prompt)
}

// onlyOurRules prevents Claude Code from reading settings with lasting permissions that no page shows: the file
// .claude/settings.local.json in the working folder, and the settings in HOME. The committed settings of the repository
// still count. Other agents ignore onlyOurRules.
var onlyOurRules = map[string]any{"claudeCode": map[string]any{"options": map[string]any{
	"settingSources": []string{"project"}}}}

// begin continues the session in Spec if it can, and otherwise begins a new session.
func (r *running) begin(ctx context.Context, agent acp.Agent) (acp.Session, error) {
	place := acp.Place{Dir: r.Program.Dir, Meta: onlyOurRules}
	switch {
	case agent.HTTP && r.Server.URL != "":
		place.Servers = []acp.Server{r.Server}
	case r.Stdio.Command != "":
		place.Servers = []acp.Server{r.Stdio}
	}
	if r.Session == "" {
		return r.client.NewSession(ctx, place)
	}
	var on func(context.Context, string, acp.Place) (acp.Session, error)
	switch {
	case r.Fork && agent.Fork:
		on = r.client.ForkSession
	case r.Fork:
	case agent.Resume:
		on = r.client.ResumeSession
	case agent.Load:
		on = r.client.LoadSession
	}
	if on != nil {
		s, err := on(ctx, r.Session, place)
		if !acp.IsNoSession(err) && !acp.IsRefusal(err) {
			return s, err
		}
	}
	r.result.Fresh = true
	return r.client.NewSession(ctx, place)
}

// set sets the mode and the model. A mode that the agent does not have is an error, because another mode might permit
// more.
func (r *running) set(ctx context.Context, s acp.Session) error {
	if r.Mode != "" {
		if err := r.setMode(ctx, s); err != nil {
			return err
		}
	}
	if r.Model == "" {
		return nil
	}
	o, ok := option(s, "model")
	if !ok {
		return errors.New("the agent lets nobody choose its model")
	}
	if o.Value == r.Model {
		return nil
	}
	_, err := r.client.SetOption(ctx, s.ID, o.ID, r.Model)
	return err
}

func (r *running) setMode(ctx context.Context, s acp.Session) error {
	if slices.ContainsFunc(s.Modes, func(m acp.Mode) bool { return m.ID == r.Mode }) {
		if s.Mode == r.Mode {
			return nil
		}
		return r.client.SetMode(ctx, s.ID, r.Mode)
	}
	o, ok := option(s, "mode")
	if !ok || !slices.ContainsFunc(o.Choices, func(c acp.OptionChoice) bool { return c.Value == r.Mode }) {
		return fmt.Errorf("the agent has no mode %q", r.Mode)
	}
	if o.Value == r.Mode {
		return nil
	}
	_, err := r.client.SetOption(ctx, s.ID, o.ID, r.Mode)
	return err
}

func option(s acp.Session, category string) (acp.Option, bool) {
	i := slices.IndexFunc(s.Options, func(o acp.Option) bool { return o.Category == category })
	if i < 0 {
		return acp.Option{}, false
	}
	return s.Options[i], true
}

func (r *running) line(line []byte) {
	r.clock.Heard()
	if r.Raw != nil {
		_, _ = r.Raw.Write(append(slices.Clip(line), '\n')) // an error of this copy does not matter to the turn
	}
}

// ask reports a permission request and waits for its answer. The wait does not count as idle time.
func (r *running) ask(ctx context.Context, p acp.Permission, to Reporter) string {
	r.clock.Hold()
	defer r.clock.Release()
	tool, cut := shortened(p.Tool)
	n := r.events.add(Event{Kind: Permission, Tool: &tool, Cut: cut})
	if r.events.flush() != nil {
		return ""
	}
	return to.Permission(ctx, n, p)
}
