package work

import (
	"fmt"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/rule"
)

var (
	_ = action.Describe[*work.Permission]("A request of an agent to be allowed something in a turn. People answer it.")
	_ = action.Describe[*work.PermissionRule]("A standing rule of a person that answers requests of an agent in a session.")
)

// AnswerPermission answers an agent's permission request. The answer can also make a rule about later requests of the
// session.
var AnswerPermission = action.New(action.Action[*work.Permission, AnswerParams]{
	Name:  "answer_permission",
	Past:  "answered the request",
	Undo:  "The agent acts on it at once. Stop it: stop_session.",
	Title: "Answer",
	Slot:  "answer",
	Doc: "Allow what the agent asks for, or deny it. The choices are in the agent's words, and the first " +
		"answer counts.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Chair,
	HumanOnly:  true,
	Guard:      func(_ store.Actor, p *work.Permission) error { return p.MustBeOpen() },
	Offers: func(_ store.Actor, p *work.Permission) param.Offers {
		list, err := p.Answers()
		if err != nil {
			return nil
		}
		f := &param.Offered{}
		for _, c := range list {
			f.Options = append(f.Options, param.Option{Value: c.ID, Label: c.Label()})
		}
		return param.Offers{"choice": f, "reach": reachOffer(p)}
	},
	Run: func(tx *store.Tx, by store.Actor, p *work.Permission, in AnswerParams) (action.Done, error) {
		made, err := work.AnswerPermission(tx, by, p, work.Reply{Choice: in.Choice, Reason: in.Reason,
			Rule: ruleOf(p, in)})
		if err != nil {
			return action.Done{}, err
		}
		done := action.Done{Message: "It is denied. " + p.Session.Agent + " is told.", URL: p.Session.URL()}
		if p.Allows() {
			done.Message = "It is allowed. " + p.Session.Agent + " goes on."
		}
		if made != nil {
			done.Message += fmt.Sprintf(" Rule %d of this session: %s.", made.N, made.Name())
			done.Also = []action.Also{{Subject: made, Before: struct{}{}, Action: AddPermissionRule.Name}}
		}
		return done, nil
	},
})

// AnswerParams has the answer to a permission request.
type AnswerParams struct {
	Choice string   `param:"choice,choice" doc:"One of the agent's choices for this once, if it has any."`
	Reach  string   `param:"reach,choice,shown" doc:"What else gets the same answer in this session, until somebody"`
	_      struct{} `doc:"withdraws that. If left out, nothing else."`
	Reason string   `param:"reason,text,optional" max:"500" doc:"Why, for the record."`
}

// A reach says about which later requests in the session an answer makes a rule. The value for a folder or a command
// ends with a number, such as folder1.
const (
	reachOnce    = "once"
	reachSame    = "same"
	reachFolder  = "folder"
	reachCommand = "command"
	reachAsk     = "ask"
)

// reached is a reach of an answer, with the rule that it makes. If the rule has no verdict, it gets that of the answer.
type reached struct {
	value, label string
	rule         rule.Rule
}

// reaches lists the reaches that the answer to a request can have besides reachOnce, from the narrowest to the widest.
func reaches(p *work.Permission) (list []reached) {
	r := p.Asks()
	add := func(value string, l rule.Rule) {
		covers := work.PermissionRule{Rule: l}
		covers.Verdict = rule.Allow // the label assumes that the answer allows the request
		list = append(list, reached{value, "Also " + covers.Covers(), l})
	}
	if !p.CanBeRuled() || r.Kind == "switch_mode" {
		return nil
	}
	if r.Digest != "" {
		list = append(list, reached{reachSame, "The same request again", rule.Rule{Reach: rule.Same, Kind: r.Kind,
			Subject: r.Digest}})
	}
	for i, folder := range r.Folders() {
		add(fmt.Sprint(reachFolder, i+1), rule.Rule{Reach: rule.Folder, Kind: r.Kind, Subject: folder})
	}
	for i, words := range r.Commands() {
		add(fmt.Sprint(reachCommand, i+1), rule.Rule{Reach: rule.Command, Kind: r.Kind, Subject: words})
	}
	if l := (rule.Rule{Verdict: rule.Ask, Reach: rule.Tool, Kind: r.Kind}); l.Kind != "" && l.Check() == "" {
		list = append(list, reached{reachAsk,
			"Ask each time it wants to " + work.Doing(r.Kind) + ", whatever another rule allows", l})
	}
	return list
}

func reachOffer(p *work.Permission) *param.Offered {
	f := &param.Offered{Options: []param.Option{{Value: reachOnce, Label: "Only this request"}}}
	for _, a := range reaches(p) {
		f.Options = append(f.Options, param.Option{Value: a.value, Label: a.label})
	}
	return f
}

func ruleOf(p *work.Permission, in AnswerParams) *rule.Rule {
	for _, a := range reaches(p) {
		if a.value != in.Reach {
			continue
		}
		l := a.rule
		if l.Verdict == "" {
			l.Verdict = rule.Deny
			if c := p.Offers(in.Choice); c.Allows() {
				l.Verdict = rule.Allow
			}
		}
		return &l
	}
	return nil
}

// AddPermissionRule adds a rule about later permission requests of a session's agent.
var AddPermissionRule = sessionAction(action.Action[*work.Session, RuleParams]{
	Name:  "add_permission_rule",
	Past:  "made the rule",
	Undo:  "Undo: withdraw_permission_rule, on the page of the rule.",
	Title: "Make a rule",
	Doc: "Say what the agent may do in this session without asking, may not do, or has to ask each time. " +
		"Asking beats denying, and denying beats allowing.",
	AllowedFor: store.Chair,
	HumanOnly:  true,
	Guard:      func(_ store.Actor, s *work.Session) error { return s.MustTakeRules() },
	Offers: func(store.Actor, *work.Session) param.Offers {
		tools := &param.Offered{Options: []param.Option{{Value: anyTool, Label: "Use any tool"}}}
		for _, k := range rule.Kinds {
			does := work.Doing(k)
			tools.Options = append(tools.Options, param.Option{Value: k, Label: strings.ToUpper(does[:1]) + does[1:]})
		}
		return param.Offers{"tool": tools, "verdict": {Options: []param.Option{{Value: string(rule.Ask),
			Label: "Ask a person each time"},
			{Value: string(rule.Deny), Label: "Deny"}, {Value: string(rule.Allow), Label: "Allow"}}}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *work.Session, p RuleParams, bad param.Errors) param.Errors {
		if bad.Has("verdict") || bad.Has("tool") {
			return nil
		}
		if p.Folder != "" && p.Command != "" {
			return param.Errors{{Field: "command", Message: "Give a folder or the first words of a command, not both."}}
		}
		if problem := p.rule().Check(); problem != "" {
			field := map[rule.Reach]string{rule.Folder: "folder", rule.Command: "command",
				rule.Tool: "verdict"}[p.rule().Reach]
			return param.Errors{{Field: field, Message: problem}}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, s *work.Session, p RuleParams) (action.Done, error) {
		l, err := work.MakeRule(tx, by, s, &work.PermissionRule{Rule: p.rule(), Reason: p.Reason})
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: fmt.Sprintf("Rule %d of this session: %s.", l.N, l.Name()), URL: l.URL(),
			Made: []action.Subject{l}}, nil
	},
})

const anyTool = "any"

// RuleParams has a rule about permission requests.
type RuleParams struct {
	Verdict string `param:"verdict,choice" doc:"What happens with a request."`
	Tool    string `param:"tool,choice" doc:"What the agent wants to do."`
	Folder  string `param:"folder,text,optional" max:"500" doc:"Only files below this folder of the worktree, such as src/pages."`
	Command string `param:"command,text,optional" max:"500" doc:"Only commands that begin with these words, such as go test."`
	Reason  string `param:"reason,text,optional" max:"500" doc:"Why, for the record."`
}

func (p RuleParams) rule() rule.Rule {
	l := rule.Rule{Verdict: rule.Verdict(p.Verdict), Reach: rule.Tool, Kind: p.Tool}
	if p.Tool == anyTool {
		l.Kind = ""
	}
	switch {
	case p.Folder != "":
		l.Reach, l.Subject = rule.Folder, work.CleanFolder(p.Folder)
	case p.Command != "":
		l.Reach, l.Subject = rule.Command, p.Command
	}
	return l
}

// WithdrawPermissionRule ends the effect of a rule on later requests.
var WithdrawPermissionRule = action.New(action.Action[*work.PermissionRule, struct{}]{
	Name:       "withdraw_permission_rule",
	Past:       "withdrew the rule",
	Undo:       "Make the rule again: add_permission_rule, on the session's page.",
	Title:      "Withdraw the rule",
	Button:     "Withdraw",
	Doc:        "End the rule. What it has decided stays, and later requests go without it.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Chair,
	HumanOnly:  true,
	Tool:       true,
	Guard:      func(_ store.Actor, l *work.PermissionRule) error { return l.MustBeInForce() },
	Run: func(tx *store.Tx, by store.Actor, l *work.PermissionRule, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The rule is withdrawn: " + l.Name() + "."}, work.WithdrawRule(tx, by, l)
	},
})
