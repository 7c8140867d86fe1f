package action_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

type lamp struct{ on bool }

func (*lamp) Ref() store.Ref { return store.Ref{Kind: "lamp"} }
func (l *lamp) Record() any  { return l.on }

// Relation returns [store.InStudio] for every member.
func (*lamp) Relation(by store.Actor) store.Relation {
	if by.Member == nil {
		return 0
	}
	return store.InOrganization | store.InStudio
}

type switchParams struct {
	To string `param:"to,choice" options:"on,off" doc:"Which way."`
}

func declaration() action.Action[*lamp, switchParams] {
	return action.Action[*lamp, switchParams]{
		Name:       "switch_lamp",
		Title:      "Switch the lamp",
		Past:       "switched",
		Doc:        "Turn it on or off.",
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		Guard: func(_ store.Actor, l *lamp) error {
			if l.on {
				return store.Errorf(store.Conflict, "It is on.")
			}
			return nil
		},
		Run: func(_ *store.Tx, _ store.Actor, l *lamp, p switchParams) (action.Done, error) {
			l.on = p.To == "on"
			return action.Done{Message: "Switched."}, nil
		},
	}
}

func TestWrongDeclarationsStopTheStart(t *testing.T) {
	for name, spoil := range map[string]func(*action.Action[*lamp, switchParams]){
		"nobody":        func(a *action.Action[*lamp, switchParams]) { a.AllowedFor = 0 },
		"no scope":      func(a *action.Action[*lamp, switchParams]) { a.Scope = "" },
		"unknown scope": func(a *action.Action[*lamp, switchParams]) { a.Scope = "root" },
		"no name":       func(a *action.Action[*lamp, switchParams]) { a.Name = "" },
		"bad name":      func(a *action.Action[*lamp, switchParams]) { a.Name = "Switch-Lamp" },
		"no title":      func(a *action.Action[*lamp, switchParams]) { a.Title = "" },
		"no doc":        func(a *action.Action[*lamp, switchParams]) { a.Doc = "" },
		"no guard":      func(a *action.Action[*lamp, switchParams]) { a.Guard = nil },
		"no run":        func(a *action.Action[*lamp, switchParams]) { a.Run = nil },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			a := declaration()
			spoil(&a)
			action.New(a)
		})
	}
}

// TestPreparedParamsStayWithPeople declares actions whose Prepare sets params that are not sent. An action that can
// be held for approval or proposed by a topic must not have such params.
func TestPreparedParamsStayWithPeople(t *testing.T) {
	type hidden struct {
		Hashed string `param:"-"`
	}
	type params struct {
		Word string `param:"word,text" doc:"A word."`
		hidden
	}
	prepare := func(*store.Store, *lamp, *params) error { return nil }
	for _, c := range []struct {
		name    string
		spoil   func(*action.Action[*lamp, params])
		refused bool
	}{
		{"open to agents", func(a *action.Action[*lamp, params]) {}, true},
		{"for people", func(a *action.Action[*lamp, params]) { a.HumanOnly = true }, false},
		{"for people and topics", func(a *action.Action[*lamp, params]) { a.HumanOnly, a.Carried = true, true }, true},
		{"structural", func(a *action.Action[*lamp, params]) { a.HumanOnly, a.Structural = true, true }, true},
		{"without Prepare", func(a *action.Action[*lamp, params]) { a.Prepare = nil }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if (recover() != nil) != c.refused {
					t.Errorf("it should be refused: %t", c.refused)
				}
			}()
			a := action.Action[*lamp, params]{Name: "prepare_hidden", Title: "Prepare", Past: "prepared", Doc: "Prepare it.",
				Scope: store.ScopeWrite, AllowedFor: store.InOrganization, Prepare: prepare,
				Guard: func(store.Actor, *lamp) error { return nil },
				Run: func(*store.Tx, store.Actor, *lamp, params) (action.Done, error) {
					return action.Done{}, nil
				}}
			c.spoil(&a)
			action.New(a)
		})
	}
}

// TestDescribe checks that [action.Undescribed] lists a noun until it is described. A second description must panic.
func TestDescribe(t *testing.T) {
	a := action.New(declaration())
	if got := action.Undescribed(); !slices.Contains(got, "lamp") {
		t.Errorf("undescribed before: %v", got)
	}
	action.Describe[*lamp]("It gives light.", "on", "off")
	if got := action.Undescribed(); slices.Contains(got, "lamp") {
		t.Errorf("undescribed after: %v", got)
	}
	if a.Noun.Name != "lamp" || a.Noun.Text != "It gives light." || len(a.Noun.States) != 2 {
		t.Errorf("the action is on %+v", a.Noun)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second description was taken")
		}
	}()
	action.Describe[*lamp]("It is a lamp.")
}

func TestUnplaced(t *testing.T) {
	action.New(declaration())
	if got := action.Unplaced(func(string) bool { return false }); len(got) == 0 || got[len(got)-1] != "switch_lamp" {
		t.Errorf("unplaced: %v", got)
	}
	if got := action.Unplaced(func(string) bool { return true }); len(got) != 0 {
		t.Errorf("unplaced although placed: %v", got)
	}
}

func TestAllowed(t *testing.T) {
	alice := store.Member{ID: "a", OrgID: "o", Handle: "alice"}
	person := store.Actor{UserID: "u", Members: []store.Member{alice}, Member: &alice}
	agent := func(scopes ...store.Scope) store.Actor {
		by := person
		by.Token, by.Grant = "t", &store.Grant{Scopes: scopes}
		return by
	}
	outsider := store.Actor{UserID: "v"}
	human, clock := declaration(), declaration()
	human.HumanOnly = true
	clock.ByClock = true
	for _, c := range []struct {
		name string
		by   store.Actor
		a    action.Action[*lamp, switchParams]
		on   bool
		want store.Code
	}{
		{"a person", person, declaration(), false, ""},
		{"a person, guarded", person, declaration(), true, store.Conflict},
		{"nobody", store.Actor{}, declaration(), false, store.Unauthenticated},
		{"an outsider", outsider, declaration(), false, store.Forbidden},
		{"a token with the scope", agent(store.ScopeRead, store.ScopeWrite), declaration(), false, ""},
		{"a token without it", agent(store.ScopeRead), declaration(), false, store.Forbidden},
		{"a token, for people only", agent(store.ScopeRead, store.ScopeWrite), human, false, store.Forbidden},
		{"a person, for people only", person, human, false, ""},
		{"the scheduler", store.System(), declaration(), false, store.Forbidden},
		{"the scheduler, by the clock", store.System(), clock, false, ""},
	} {
		err := action.New(c.a).Allowed(c.by, &lamp{on: c.on})
		if c.want == "" && err != nil || c.want != "" && store.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPersonOnly checks what an agent is told when a guard refuses it. The agent is sent to its member only if the
// guard forbids the action to the agent and permits it to the member.
func TestPersonOnly(t *testing.T) {
	alice := store.Member{ID: "a", OrgID: "o", Handle: "alice"}
	person := store.Actor{UserID: "u", Members: []store.Member{alice}, Member: &alice}
	agent := person
	agent.Token, agent.Grant = "t", &store.Grant{Scopes: store.Scopes()}
	for _, c := range []struct {
		name             string
		by               store.Actor
		agents, everyone store.Code // codes of the guard's errors; empty for none
		want             bool
	}{
		{"what agents may not", agent, store.Forbidden, "", true},
		{"what nobody may", agent, store.Forbidden, store.Forbidden, false},
		{"what agents cannot now", agent, store.Conflict, "", false},
		{"a person", person, store.Forbidden, store.Forbidden, false},
	} {
		a := declaration()
		a.Guard = func(by store.Actor, _ *lamp) error {
			code := c.everyone
			if by.IsAgent() {
				code = c.agents
			}
			if code == "" {
				return nil
			}
			return store.Errorf(code, "No.")
		}
		err := action.New(a).Allowed(c.by, &lamp{})
		only, is := errors.AsType[*action.PersonOnly](err)
		if err == nil || is != c.want || is && (only.Reason != nil || err.Error() != "No. Ask @alice to do it in a browser.") {
			t.Errorf("%s: %v, %v", c.name, is, err)
		}
	}
}

func TestDo(t *testing.T) {
	alice := store.Member{ID: "a", OrgID: "o", Handle: "alice"}
	by := store.Actor{UserID: "u", Members: []store.Member{alice}, Member: &alice}
	a := action.New(declaration())
	l := &lamp{}
	_, err := a.Do(nil, by, l, param.Input{"to": "sideways", "why": "x"}, param.Clock{}, nil)
	fields, ok := errors.AsType[param.Errors](err)
	if !ok || len(fields) != 2 || l.on {
		t.Errorf("bad params: %v, lamp %v", err, l.on)
	}
	done, err := a.Do(nil, by, l, param.Input{"to": "on"}, param.Clock{}, nil)
	if err != nil || !l.on || done.Message != "Switched." {
		t.Errorf("done: %+v, %v", done, err)
	}
	if _, err := a.Do(nil, by, l, param.Input{"to": "off"}, param.Clock{}, nil); err == nil ||
		!strings.Contains(err.Error(), "It is on") {
		t.Errorf("the guard was not asked again: %v", err)
	}
}

// TestOfferedFieldsAreCopies expects that an action which keeps present values never returns its declared fields, which
// all requests share and [action.Spec.Offered] would write to.
func TestOfferedFieldsAreCopies(t *testing.T) {
	d := declaration()
	d.Keeps = true
	d.Offers = func(store.Actor, *lamp) param.Offers { return nil }
	a := action.New(d)
	if f := a.Offered(store.Actor{}, &lamp{}); len(f) != 1 || &f[0] == &a.Fields[0] {
		t.Errorf("the fields are the declared ones: %+v", f)
	}
}

type dimParams struct {
	Room  string `param:"room,text,optional" doc:"Where."`
	Level int    `param:"level,number" max:"9" doc:"How bright."`
	Until string `param:"until,text,optional" doc:"How long."`
}

// TestCheck checks that the errors of decoding and of Check are reported together, one for each field. Run must not
// be called if there is an error.
func TestCheck(t *testing.T) {
	alice := store.Member{ID: "a", OrgID: "o", Handle: "alice"}
	by := store.Actor{UserID: "u", Members: []store.Member{alice}, Member: &alice}
	ran := false
	a := action.New(action.Action[*lamp, dimParams]{
		Name:       "dim_lamp",
		Title:      "Dim the lamp",
		Past:       "dimmed",
		Doc:        "Less light.",
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		Guard:      func(store.Actor, *lamp) error { return nil },
		Check: func(_ *store.Tx, _ store.Actor, _ *lamp, p dimParams, bad param.Errors) (errs param.Errors) {
			if p.Until == "never" {
				errs = append(errs, param.Error{Field: "until", Message: "is too long"})
			}
			if p.Level == 0 {
				errs = append(errs, param.Error{Field: "level", Message: "is dark"})
			}
			if p.Room != "" && !bad.Has("level") {
				errs = append(errs, param.Error{Field: "room", Message: "has no lamp"})
			}
			return errs
		},
		Run: func(*store.Tx, store.Actor, *lamp, dimParams) (action.Done, error) {
			ran = true
			return action.Done{}, nil
		},
	})
	for _, c := range []struct {
		in   param.Input
		want string
	}{
		{param.Input{"until": "never", "level": "99", "room": "hall", "x": "y"}, "level: must be from 0 " +
			"to 9, not 99; until: is too long; x: is not a parameter here; it takes room, level, until"},
		{param.Input{"until": "never", "level": "0", "room": "hall"}, "room: has no lamp; level: is dark; until: is too long"},
	} {
		if _, err := a.Do(nil, by, &lamp{}, c.in, param.Clock{}, nil); err == nil || err.Error() != c.want || ran {
			t.Errorf("%v: %v, ran %v\nwant %s", c.in, err, ran, c.want)
		}
	}
	if _, err := a.Do(nil, by, &lamp{}, param.Input{"level": "3"}, param.Clock{}, nil); err != nil || !ran {
		t.Errorf("good params: %v", err)
	}
}

// TestPrepare checks that params set by Prepare reach Check, even if another field is bad, and Run.
func TestPrepare(t *testing.T) {
	alice := store.Member{ID: "a", OrgID: "o", Handle: "alice"}
	by := store.Actor{UserID: "u", Members: []store.Member{alice}, Member: &alice}
	type params struct {
		Word   string `param:"word,text" max:"5" doc:"A word."`
		Level  int    `param:"level,number" max:"9" doc:"How bright."`
		Hashed string `param:"-"`
	}
	said := ""
	a := action.New(action.Action[*lamp, params]{
		Name:       "prepare_lamp",
		Title:      "Prepare",
		Past:       "prepared",
		Doc:        "Prepare it.",
		Scope:      store.ScopeWrite,
		AllowedFor: store.InOrganization,
		HumanOnly:  true,
		Guard:      func(store.Actor, *lamp) error { return nil },
		Prepare: func(_ *store.Store, l *lamp, p *params) error {
			p.Hashed = "#" + p.Word
			if l.on {
				p.Hashed += "!"
			}
			return nil
		},
		Check: func(_ *store.Tx, _ store.Actor, _ *lamp, p params, _ param.Errors) param.Errors {
			said = p.Hashed
			return nil
		},
		Run: func(_ *store.Tx, _ store.Actor, _ *lamp, p params) (action.Done, error) {
			return action.Done{Message: p.Hashed + " " + p.Word}, nil
		},
	})
	for _, c := range []struct {
		in         param.Input
		said, done string
	}{
		{param.Input{"word": "odd", "level": "3"}, "#odd!", "#odd! odd"},
		{param.Input{"word": "odd", "level": "99"}, "#odd!", ""},
	} {
		ready, err := a.Prepare(nil, &lamp{on: true}, c.in, param.Clock{})
		if err != nil {
			t.Fatal(err)
		}
		if done, err := a.Do(nil, by, &lamp{}, c.in, param.Clock{},
			ready); done.Message != c.done || said != c.said || (err == nil) != (c.done != "") {
			t.Errorf("%v: %q, %q, %v", c.in, done.Message, said, err)
		}
	}
}
