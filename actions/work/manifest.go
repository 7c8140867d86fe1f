package work

import (
	"cmp"
	"slices"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Manifest](
	"How an agent is started on a runner's machine: its program, the variables that it gets, its mode and its instructions.")

// AddManifest adds a manifest to an organization.
var AddManifest = ownerAction(action.Action[*work.Manifests, AddManifestParams]{
	Name:  "add_manifest",
	Past:  "made",
	Undo:  "Retire it: retire_manifest.",
	Title: "Add a manifest",
	Doc: "Let members start another agent. Its program runs on the machine of a runner, as the user of that runner and with that " +
		"user's rights, so name only one that you trust there.",
	Sensitive: true,
	Guard:     func(_ store.Actor, v *work.Manifests) error { return v.MustHaveRoom() },
	Check: func(_ *store.Tx, _ store.Actor, v *work.Manifests, p AddManifestParams,
		_ param.Errors) (errs param.Errors) {
		if !validName(p.Key) {
			errs = append(errs, param.Error{Field: "key", Message: badName().Message})
		}
		if slices.ContainsFunc(v.List, func(f work.Manifest) bool { return f.Key == p.Key }) {
			errs = append(errs, param.Error{Field: "key",
				Message: "There is, or was, a manifest with this name in addresses."})
		}
		return append(errs, p.check()...)
	},
	Run: func(tx *store.Tx, by store.Actor, v *work.Manifests, p AddManifestParams) (action.Done, error) {
		f := p.manifest()
		f.Key = p.Key
		made, err := work.AddManifest(tx, by.In(v.ID).MemberID(), v.Organization, f)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The manifest is added. Members can start sessions with it.", URL: made.URL(),
			Made: []action.Subject{made}}, nil
	},
})

// AddManifestParams has the fields of a new manifest.
type AddManifestParams struct {
	Key string `param:"key,text" max:"40" doc:"Its name in addresses, such as mason."`
	ManifestParams
}

// ManifestParams has the fields of one version of a manifest.
type ManifestParams struct {
	Title   string   `param:"title,text" max:"40" doc:"The name of the agent, such as Mason: letters, digits, spaces and hyphens."`
	Argv    []string `param:"argv,lines" max:"30" doc:"The program, and then its arguments, one a line. No shell reads them."`
	Role    string   `param:"role,choice,optional" options:"coding,planning,reviewing,general"`
	_       struct{} `doc:"What it is for; general if you leave it out."`
	Adapter string   `param:"adapter,choice,optional" options:"acp,plain"`
	_       struct{} `doc:"acp (the Agent Client Protocol), or plain: the prompt is its standard input or takes the place of {prompt}."`
	Mode    string   `param:"mode,text,optional" max:"60" doc:"The mode that the agent is set to; its own choice if you leave it out."`
	Asks    bool     `param:"asks,flag,optional" doc:"In this mode it asks before it acts. Agents can start only such agents."`
	Model   string   `param:"model,text,optional" max:"100" doc:"The model; the agent's own choice if you leave it out."`
	SignIn  string   `param:"sign_in,text,optional" max:"60" doc:"The id of its way to sign in, if it needs one."`
	Env     []string `param:"env,lines,optional" max:"30"`
	_       struct{} `doc:"Names of variables of the runner's own environment that it gets, one a line, such as ANTHROPIC_API_KEY."`
	Prompt  string   `param:"instructions,markdown,optional" max:"4000" doc:"What stands before each of its prompts."`
}

func (p ManifestParams) manifest() work.Manifest {
	f := work.Manifest{Title: p.Title, Role: p.Role, Adapter: p.Adapter, Argv: work.Lines(strings.Join(p.Argv, "\n")),
		Env: work.Lines(strings.Join(p.Env, "\n")), Mode: p.Mode, Model: p.Model, SignIn: p.SignIn, Prompt: p.Prompt,
		Asks: p.Asks}
	f.Role = cmp.Or(f.Role, "general")
	if f.Adapter == "" {
		f.Adapter = work.AdapterACP
	}
	return f
}

func (p ManifestParams) check() (errs param.Errors) {
	errs = append(param.Bad("argv", work.CheckArgv(p.Argv)), param.Bad("title", store.CheckLabel(p.Title))...)
	bad := func(name string) bool {
		return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != ""
	}
	if slices.ContainsFunc(p.Env, bad) {
		errs = append(errs, param.Error{Field: "env",
			Message: "Write names of variables alone, one a line, and no values."})
	}
	if p.Adapter == work.AdapterPlain && (p.Mode != "" || p.Model != "" || p.SignIn != "" || p.Asks) {
		errs = append(errs, param.Error{Field: "adapter",
			Message: "A plain program has no mode, no model and no way to sign in, and it cannot ask."})
	}
	return errs
}

// ReviseManifest adds a new version of a manifest.
var ReviseManifest = ownerAction(action.Action[*work.Manifest, ManifestParams]{
	Name:      "revise_manifest",
	Past:      "changed",
	Undo:      "Write the former values again: revise_manifest.",
	Title:     "Make another version",
	Button:    "Edit",
	Doc:       "Sessions that were started with the present version keep it.",
	Sensitive: true,
	Guard:     func(store.Actor, *work.Manifest) error { return nil },
	Keeps:     true,
	Offers: func(_ store.Actor, f *work.Manifest) param.Offers {
		return param.Offers{"title": {Value: f.Title}, "argv": {Values: f.Argv.List()}, "role": {Value: f.Role},
			"adapter": {Value: f.Adapter}, "mode": {Value: f.Mode},
			"asks":  {Value: map[bool]string{true: "true"}[f.Asks]},
			"model": {Value: f.Model}, "sign_in": {Value: f.SignIn}, "env": {Values: f.Env.List()},
			"instructions": {Value: f.Prompt}}
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *work.Manifest, p ManifestParams, _ param.Errors) param.Errors {
		return p.check()
	},
	Run: func(tx *store.Tx, by store.Actor, old *work.Manifest, p ManifestParams) (action.Done, error) {
		f := p.manifest()
		f.Key = old.Key
		made, err := work.AddManifest(tx, by.In(old.OrgID).MemberID(), old.Organization, f)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "There is another version. New sessions have it.", After: made.Record()}, nil
	},
})

// RetireManifest retires a manifest. No new session can use it.
var RetireManifest = ownerAction(action.Action[*work.Manifest, struct{}]{
	Name:  "retire_manifest",
	Past:  "retired",
	Undo:  "Undo: revise_manifest makes a version that is in use.",
	Title: "Retire the manifest",
	Doc:   "Let nobody start a session with it any more. Sessions that were started with it go on.",
	Tool:  true,
	Guard: func(_ store.Actor, f *work.Manifest) error { return f.MustBeInUse() },
	Run: func(tx *store.Tx, _ store.Actor, f *work.Manifest, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The manifest is retired."}, work.RetireManifest(tx, f)
	},
})
