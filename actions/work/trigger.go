package work

import (
	"errors"
	"slices"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

// triggered is an action that a zone can start when a card is moved into it.
type triggered struct {
	decl   *action.Decl
	label  string // the action's result in words, such as "a session"
	agent  string // param for the agent; empty if the action does not choose one
	text   string // param for the prompt
	title  string // param for the title; empty if the action takes none
	onTree bool   // the action is taken on the worktree, and not on the session
	// do takes the action on the worktree or the session.
	do func(tx *store.Tx, by store.Actor, t *work.Target, in param.Input) (action.Done, error)
	// ref returns the page on which the action is taken.
	ref func(t *work.Target) store.Ref
}

var triggers = []triggered{
	onWorktree(StartSession, triggered{label: "a session", agent: "agent", text: "prompt", title: "title"}),
	onSession(PromptSession, triggered{label: "a prompt to its session", text: "prompt"}),
	onSession(ForkSession, triggered{label: "a fork of its session", text: "prompt", title: "title"}),
	onSession(SpawnSession, triggered{label: "a child of its session", text: "prompt", title: "title"}),
	onSession(RequestReview, triggered{label: "a review of its session", agent: "reviewer", text: "text"}),
}

func onWorktree(spec *action.Spec[*work.Worktree], t triggered) triggered {
	t.decl, t.onTree = &spec.Decl, true
	t.do = func(tx *store.Tx, by store.Actor, at *work.Target, in param.Input) (action.Done, error) {
		return spec.Do(tx, by.In(at.Worktree.OrgID), at.Worktree, in, param.Clock{}, nil)
	}
	t.ref = func(at *work.Target) store.Ref { return at.Worktree.Ref() }
	return t
}

func onSession(spec *action.Spec[*work.Session], t triggered) triggered {
	t.decl = &spec.Decl
	t.do = func(tx *store.Tx, by store.Actor, at *work.Target, in param.Input) (action.Done, error) {
		if at.Session == nil {
			return action.Done{}, store.Errorf(store.Conflict, "The worktree %s has no session.", at.Worktree.Name)
		}
		return spec.Do(tx, by.In(at.Worktree.OrgID), at.Session, in, param.Clock{}, nil)
	}
	t.ref = func(at *work.Target) store.Ref {
		if at.Session == nil {
			return at.Worktree.Ref()
		}
		return at.Session.Ref()
	}
	return t
}

// Triggers maps the names of the actions that a zone can start to their labels.
func Triggers() map[string]string {
	labels := map[string]string{}
	for _, t := range triggers {
		labels[t.decl.Name] = t.label
	}
	return labels
}

func triggerOf(name string) *triggered {
	i := slices.IndexFunc(triggers, func(t triggered) bool { return t.decl.Name == name })
	if i < 0 {
		return nil
	}
	return &triggers[i]
}

// mayStart returns an error if the card has a session and the actor may not take the action on it. The session's agent
// acts for one member, so only that member and the member's agents may prompt it.
func (t *triggered) mayStart(by store.Actor, at *work.Target) error {
	if s := t.session(at); s != nil && s.Relation(by)&t.decl.AllowedFor == 0 {
		return store.Errorf(store.Forbidden, "Only @%s can start it: the agent of the session %s acts for @%[1]s. You can start nothing "+
			"(dismiss_card).", s.Member, s.Title)
	}
	return nil
}

// session returns the session on which the action is taken, or nil.
func (t *triggered) session(at *work.Target) *work.Session {
	if at == nil || t.onTree {
		return nil
	}
	return at.Session
}

// MayStart returns an error if the actor may not start the action that the card waits for.
func MayStart(by store.Actor, v *work.CardPage) error {
	if t := triggerOf(v.Zone(v.OnIt.Zone).Does); t != nil {
		return t.mayStart(by, v.Target)
	}
	return nil
}

const nothing = "nothing"

// SetTrigger sets the action that starts when a card is moved into a zone.
var SetTrigger = boardAction(action.Action[*work.Board, TriggerParams]{
	Name:      "set_trigger",
	Undo:      "Set it again: set_trigger. The journal keeps what it was.",
	Title:     "Say what a zone starts",
	Past:      "changed a zone of",
	Doc:       "Start something when a card that stands for a worktree or a session is moved into a zone.",
	Side:      true,
	HumanOnly: true,
	Guard:     func(_ store.Actor, b *work.Board) error { return b.MustHaveZones() },
	Offers: func(_ store.Actor, b *work.Board) param.Offers {
		does := &param.Offered{Options: []param.Option{{Value: nothing, Label: "Nothing"}}}
		for _, t := range triggers {
			does.Options = append(does.Options, param.Option{Value: t.decl.Name, Label: t.label})
		}
		agents := &param.Offered{Omit: len(b.Agents) == 0}
		for i := range b.Agents {
			agents.Options = append(agents.Options, param.Option{Value: b.Agents[i].Key, Label: b.Agents[i].Title})
		}
		return param.Offers{"zone": zoneOptions(b.Zones), "does": does, "agent": agents}
	},
	Check: func(_ *store.Tx, by store.Actor, b *work.Board, p TriggerParams, bad param.Errors) param.Errors {
		t := triggerOf(p.Does)
		if t == nil || bad.Has("zone") {
			return nil
		}
		if p.Prompt == "" {
			return param.Errors{{Field: "prompt", Message: "Say what the agent is to do. {{card}} is the text of the card."}}
		}
		z := *zoneOf(b, p.Zone)
		z.Template = p.Prompt
		_, err := z.Sample(by, b)
		return append(param.Bad("prompt", err), checkAgent(t, p.Agent)...)
	},
	Run: func(tx *store.Tx, by store.Actor, b *work.Board, p TriggerParams) (action.Done, error) {
		z := zoneOf(b, p.Zone)
		before := b.ZoneRecord(z.N)
		t := work.Trigger{Does: p.Does, Agent: p.Agent, Template: p.Prompt, AtOnce: p.AtOnce,
			SetBy: by.MemberID()}
		done := action.Done{Message: "Moving a card into " + z.Title + " starts nothing now."}
		if p.Does == nothing {
			t = work.Trigger{}
		}
		if err := work.SetTrigger(tx, b, z, t); err != nil {
			return action.Done{}, err
		}
		if t.Does != "" {
			sample, err := z.Sample(by, b)
			if err != nil {
				return action.Done{}, err
			}
			done.Message, done.Echo = "The zone "+z.Title+" has its trigger.", "A prompt of it, for example: "+sample
		}
		done.Before, done.After = before, b.ZoneRecord(z.N)
		return done, nil
	},
})

// TriggerParams are the params of [SetTrigger].
type TriggerParams struct {
	Zone   string   `param:"zone,choice" doc:"Which zone."`
	Does   string   `param:"does,choice" doc:"What moving a card there starts."`
	Agent  string   `param:"agent,choice,optional" doc:"Which agent, to start a session or to review."`
	Prompt string   `param:"prompt,markdown,optional" max:"4000"`
	_      struct{} `doc:"What is to do. Variables: {{card}} {{page}} {{zone}} {{rule}} {{board}} {{worktree}} {{branch}} {{starter}}."`
	AtOnce bool     `param:"at_once,flag,optional" doc:"Start it when you or your agents move a card. Otherwise a person is asked first."`
}

func checkAgent(t *triggered, key string) param.Errors {
	needed := t.decl.Name == StartSession.Name
	switch {
	case key == "" && needed:
		return param.Errors{{Field: "agent", Message: "Name the manifest of the agent that is started."}}
	case key != "" && t.agent == "":
		return param.Errors{{Field: "agent", Message: "This has the agent of the session. Leave it out."}}
	}
	return nil
}

// fire starts the action of the card's zone, if there is one, or makes the card wait for a person. It adds a sentence
// about that to the message in done. It starts nothing for a card without a target (see [call]).
func fire(tx *store.Tx, by store.Actor, b *work.Board, c *work.Card, z *work.Zone, done *action.Done) error {
	t := triggerOf(z.Does)
	if t == nil {
		return nil
	}
	at, in, err := call(tx, by, b, c, z)
	switch {
	case err != nil:
		return inZone(z, err)
	case at == nil:
		done.Message += " Nothing starts, because the card stands for no worktree or session of " + b.Studio.Name + "."
		return nil
	case z.AtOnce && z.SetBy != by.MemberID(): // the agent would follow one member's prompt with another's rights
		done.Message += " A person is asked first, on the page of the card, because @" + z.Author + " wrote the prompt."
		return work.AskFirst(tx, by, b, c)
	case !z.AtOnce || t.decl.HoldRule(by, t.ref(at), in) != "":
		done.Message += " A person is asked first, on the page of the card."
		if s := t.session(at); s != nil && s.Relation(by)&t.decl.AllowedFor == 0 {
			done.Message += " Only @" + s.Member + " can start it, for whom the agent of the session acts."
		}
		return work.AskFirst(tx, by, b, c)
	}
	return start(tx, by, z, at, in, done)
}

// call returns the target and the params of a zone's action for a card. The target is nil if the card stands for no
// worktree or session.
func call(tx *store.Tx, by store.Actor, b *work.Board, c *work.Card, z *work.Zone) (*work.Target, param.Input, error) {
	at, err := work.TargetOf(tx, by, b, c)
	if err != nil || at == nil {
		return nil, nil, err
	}
	text, err := z.Prompt(by, b, c, at)
	t := triggerOf(z.Does)
	in := param.Input{t.text: text}
	if t.agent != "" && z.Agent != "" {
		in[t.agent] = z.Agent
	}
	if t.title != "" {
		in[t.title] = c.SessionTitle()
	}
	return at, in, err
}

// start takes the action of a zone, and adds its message to the message in done.
func start(tx *store.Tx, by store.Actor, z *work.Zone, at *work.Target, in param.Input, done *action.Done) error {
	t := triggerOf(z.Does)
	did, err := t.do(tx, by, at, in)
	if err != nil {
		return inZone(z, err)
	}
	done.Message += " " + did.Message
	for _, made := range did.Made {
		done.Also = append(done.Also, action.Also{Subject: made, Before: struct{}{}, Action: t.decl.Name, Notice: did.Notice,
			As: did.As})
	}
	done.Also = append(done.Also, did.Also...)
	if len(did.Made) == 0 { // the action made no page, but changed the session, as a prompt does
		s := at.Session
		before := s.Record()
		now, err := work.FindSession(tx, by, s.Studio.Handle, s.ID)
		if err != nil {
			return err
		}
		done.Also = append(done.Also, action.Also{Subject: now, Before: before, Action: t.decl.Name, Notice: did.Notice,
			As: did.As})
	}
	return nil
}

func inZone(z *work.Zone, err error) error {
	var bad param.Errors
	if errors.As(err, &bad) {
		err = store.Errorf(store.Conflict, "%s", bad[0].Message)
	}
	code := store.CodeOf(err)
	if code == store.Invalid { // the params of the move itself are valid
		code = store.Conflict
	}
	return store.Errorf(code, "The zone %s starts %s, and that is refused: %s", z.Title, triggerOf(z.Does).label, err)
}

// StartCard starts the zone's action for a card that waits for a person.
var StartCard = cardAction(action.Action[*work.CardPage, struct{}]{
	Name:      "start_card",
	Undo:      "Stop the agent: stop_session, on the page of its session.",
	Title:     "Start",
	Past:      "started the trigger of a card of",
	Doc:       "Start what the zone of this card says. The agent acts for you.",
	HumanOnly: true,
	Guard: func(by store.Actor, v *work.CardPage) error {
		if err := v.MustWait(); err != nil {
			return err
		}
		return MayStart(by, v)
	},
	Run: func(tx *store.Tx, by store.Actor, v *work.CardPage, _ struct{}) (action.Done, error) {
		z, done := v.Zone(v.OnIt.Zone), action.Done{Message: "It is started."}
		at, in, err := call(tx, by, v.Board, v.OnIt, z)
		switch {
		case err != nil:
			return action.Done{}, inZone(z, err)
		case at == nil:
			return action.Done{}, store.Errorf(store.Conflict, "The page for which the card stands is gone.")
		}
		if err := start(tx, by, z, at, in, &done); err != nil {
			return action.Done{}, err
		}
		return done, work.Answered(tx, v.Board, v.OnIt)
	},
})

// DismissCard ends the waiting of a card without starting the zone's action.
var DismissCard = cardAction(action.Action[*work.CardPage, struct{}]{
	Name:      "dismiss_card",
	Undo:      "Move the card out of the zone and in again: move_card.",
	Title:     "Start nothing",
	Past:      "let nothing start for a card of",
	Doc:       "Let the card stay in its zone, and start nothing for it.",
	HumanOnly: true,
	Guard:     func(_ store.Actor, v *work.CardPage) error { return v.MustWait() },
	Run: func(tx *store.Tx, _ store.Actor, v *work.CardPage, _ struct{}) (action.Done, error) {
		return action.Done{Message: "Nothing is started for the card."}, work.Answered(tx, v.Board, v.OnIt)
	},
})
