package work

import (
	"slices"
	"strings"

	"samepage/store"
)

// ManifestKind is the kind of manifests in grants and in the journal.
var ManifestKind = store.DeclareGrantKind("manifest")

// MaxManifests is the number of manifests in use from which [Manifests.MustHaveRoom] refuses more. The manifests of
// [Announce] are not limited.
const MaxManifests = 50

// Manifest is one version of a description of how to start an agent. Of a stored version, only Latest and RetiredAt
// change.
type Manifest struct {
	ID        string     `db:"id"`
	OrgID     string     `db:"org_id"`
	Key       string     `db:"key"` // name in URLs
	Version   int        `db:"version"`
	Title     string     `db:"title"`   // also label of the agent
	Role      string     `db:"role"`    // "coding", "planning", "reviewing" or "general"
	Adapter   string     `db:"adapter"` // [AdapterACP] or [AdapterPlain]
	Argv      Lines      `db:"argv"`    // program and arguments
	Env       Lines      `db:"env"`     // names of the environment variables that the program gets from the runner
	Mode      string     `db:"mode"`    // empty for the agent's default
	Model     string     `db:"model"`   // empty for the agent's default
	SignIn    string     `db:"sign_in"` // sign-in method of the agent; may be empty
	Prompt    string     `db:"prompt"`  // precedes each prompt
	Asks      bool       `db:"asks"`    // the agent asks before it acts when it is in Mode
	Agent     string     `db:"agent"`   // name of a known agent; empty if a person wrote the manifest
	CreatedAt store.Time `db:"created_at"`
	CreatedBy string     `db:"created_by"`
	Latest    bool       `db:"latest"`
	RetiredAt store.Time `db:"retired_at"`

	Author       string `db:"author"` // handle
	Organization *store.Organization
}

const manifestColumns = `f.id, f.org_id, f.key, f.version, f.title, f.role, f.adapter, f.argv, f.env, f.mode, f.model, f.sign_in,
	f.prompt, f.asks, f.agent, f.created_at, f.created_by, f.latest, f.retired_at, m.handle AS author`

const manifestFrom = ` FROM manifests f JOIN members m ON m.id = f.created_by `

// These are the adapters: ways to talk to a program.
const (
	AdapterACP   = "acp"   // Agent Client Protocol
	AdapterPlain = "plain" // prompt on standard input or as an argument, answer as text
)

// ManifestsURL returns the path of the list of an organization's manifests.
func ManifestsURL(org string) string { return "/orgs/" + org + "/manifests" }

// URL returns the path of the manifest's page.
func (f *Manifest) URL() string { return ManifestsURL(f.Organization.Handle) + "/" + f.Key }

// Ref returns the manifest as the target of a journal entry.
func (f *Manifest) Ref() store.Ref {
	return store.Ref{OrgID: f.OrgID, Kind: ManifestKind, ID: f.ID, URL: f.URL(), Title: f.Title}
}

// Record returns the fields that the journal stores about a manifest.
func (f *Manifest) Record() any {
	return struct {
		Title   string   `json:"title"`
		Version int      `json:"version"`
		Role    string   `json:"role"`
		Adapter string   `json:"adapter"`
		Argv    []string `json:"argv"`
		Env     []string `json:"env,omitempty"`
		Mode    string   `json:"mode,omitempty"`
		Model   string   `json:"model,omitempty"`
		Asks    bool     `json:"asks"`
		Retired bool     `json:"retired,omitempty"`
	}{f.Title, f.Version, f.Role, f.Adapter, f.Argv.List(), f.Env.List(), f.Mode, f.Model, f.Asks,
		!f.RetiredAt.IsZero()}
}

// Relation returns the actor's relation to the organization.
func (f *Manifest) Relation(by store.Actor) store.Relation { return f.Organization.Relation(by) }

// MustBeInUse returns [store.Conflict] for a retired manifest.
func (f *Manifest) MustBeInUse() error {
	if !f.RetiredAt.IsZero() {
		return store.Errorf(store.Conflict, "The manifest %s is retired.", f.Title)
	}
	return nil
}

// Manifests is a list of an organization's manifests.
type Manifests struct {
	*store.Organization
	List []Manifest // latest versions; manifests in use first; at most twice [MaxManifests]
}

// MustHaveRoom returns [store.Conflict] if the organization has [MaxManifests] manifests in use.
func (v *Manifests) MustHaveRoom() error {
	if len(v.InUse()) >= MaxManifests {
		return store.Errorf(store.Conflict, "There are %d manifests, the most there may be. Retire some.", MaxManifests)
	}
	return nil
}

// InUse returns the manifests that are not retired.
func (v *Manifests) InUse() []Manifest {
	i := slices.IndexFunc(v.List, func(f Manifest) bool { return !f.RetiredAt.IsZero() })
	if i < 0 {
		return v.List
	}
	return v.List[:i]
}

// FindManifests lists the manifests of an organization. It returns [store.Missing] unless the actor is a member or the
// scheduler.
func FindManifests(tx *store.Tx, by store.Actor, org string) (*Manifests, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	v := &Manifests{Organization: o}
	v.List, err = manifestsOf(tx, o.ID)
	for i := range v.List {
		v.List[i].Organization = o
	}
	return v, err
}

func manifestsOf(tx *store.Tx, orgID string) ([]Manifest, error) {
	return store.All[Manifest](tx, `SELECT `+manifestColumns+manifestFrom+`WHERE f.org_id = ? AND f.latest = 1
		ORDER BY f.retired_at IS NOT NULL, f.key`+store.AtMost, orgID, 2*MaxManifests)
}

// startable lists the manifests in use, also those of [Announce] above [MaxManifests], with only the fields for a choice
// among them.
func startable(tx *store.Tx, orgID string) ([]Manifest, error) {
	return store.All[Manifest](tx, `SELECT f.key, f.title, f.adapter, f.asks FROM manifests f
		WHERE f.org_id = ? AND f.latest = 1 AND f.retired_at IS NULL ORDER BY f.key`+store.AtMost, orgID, 2*MaxManifests)
}

// ManifestPage is a manifest with its latest versions, the newest first.
type ManifestPage struct {
	*Manifest
	Versions []Manifest
}

// FindManifest finds the latest version of a manifest. It returns [store.Missing] if there is none, or if the actor is
// neither a member of the organization nor the scheduler.
func FindManifest(tx *store.Tx, by store.Actor, org, key string) (*Manifest, error) {
	o, err := tx.FindOrganization(by, org)
	if err != nil {
		return nil, err
	}
	f := &Manifest{Organization: o}
	err = tx.Get(f, `SELECT `+manifestColumns+manifestFrom+`WHERE f.org_id = ? AND f.key = ? AND f.latest = 1`, o.ID,
		key)
	return f, err
}

// ShowManifest loads up to 20 versions of a manifest, newest first.
func ShowManifest(tx *store.Tx, _ store.Actor, f *Manifest) (*ManifestPage, error) {
	v := &ManifestPage{Manifest: f}
	err := tx.Select(&v.Versions, `SELECT `+manifestColumns+manifestFrom+`WHERE f.org_id = ? AND f.key = ?
		ORDER BY f.version DESC LIMIT 20`, f.OrgID, f.Key)
	return v, err
}

// AddManifest adds a manifest, or the next version of the one with the same key. The parameter by is the id of the
// author. AddManifest sets the ids, the version, the author and the times itself.
func AddManifest(tx *store.Tx, by string, o *store.Organization, f Manifest) (*Manifest, error) {
	var last int
	if err := tx.Get(&last, `SELECT coalesce(max(version), 0) FROM manifests WHERE org_id = ? AND key = ?`, o.ID,
		f.Key); err != nil {
		return nil, err
	}
	if err := tx.Exec(`UPDATE manifests SET latest = 0 WHERE org_id = ? AND key = ? AND latest = 1`, o.ID,
		f.Key); err != nil {
		return nil, err
	}
	f.ID, f.OrgID, f.Version, f.Organization, f.CreatedAt, f.CreatedBy = store.NewID(), o.ID, last+1, o,
		store.At(tx.Now), by
	f.Latest, f.RetiredAt = true, store.Time{}
	asks := 0
	if f.Asks {
		asks = 1
	}
	return &f, tx.Exec(`INSERT INTO manifests (id, org_id, key, version, title, role, adapter, argv, env, mode, model, sign_in, prompt,
		asks, agent, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, f.ID,
		f.OrgID, f.Key,
		f.Version, f.Title, f.Role, f.Adapter, f.Argv, f.Env, f.Mode, f.Model, f.SignIn, f.Prompt, asks, f.Agent,
		f.CreatedAt,
		f.CreatedBy)
}

// RetireManifest retires a manifest. Sessions with it continue.
func RetireManifest(tx *store.Tx, f *Manifest) error {
	return tx.Exec(`UPDATE manifests SET retired_at = ? WHERE id = ?`, store.At(tx.Now), f.ID)
}

// knownAgent is an agent of another vendor, such as Claude Code. A runner that finds it on its machine reports Name.
type knownAgent struct {
	Name, Title string
	Argv        Lines
	Env         Lines
	Mode        string // a mode in which the agent asks before it acts
	SignIn      string
}

// knownAgents lists the agents that get manifests when a runner has found them. The modes were tried with the versions
// that the tests pin.
var knownAgents = []knownAgent{
	{Name: "claude", Title: "Claude", Argv: "claude-agent-acp", Mode: "default",
		Env: "ANTHROPIC_API_KEY\nANTHROPIC_BASE_URL\nCLAUDE_CODE_EXECUTABLE\nCLAUDE_CODE_OAUTH_TOKEN\nCLAUDE_CONFIG_DIR"},
	{Name: "codex", Title: "Codex", Argv: "codex-acp", Mode: "workspace-write",
		Env: "CODEX_PATH\nCODEX_HOME\nOPENAI_API_KEY"},
	{Name: "gemini", Title: "Gemini", Argv: "gemini\n--acp", Mode: "default", SignIn: "gemini-api-key",
		Env: "GEMINI_API_KEY\nGEMINI_CLI_HOME"},
}

// roles describes the manifests of each known agent. The word is a part of the title and the key.
var roles = []struct{ word, role, prompt string }{
	{"planner", "planning", "Read and plan. Change no file. End with a plan of numbered steps."},
	{"coder", "coding",
		"Make the change in small steps, and run the tests that there are. Say at the end what you have changed."},
	{"reviewer", "reviewing",
		"Read the changes and judge them. Change no file. Name what is wrong with its file and line."},
}

// seedManifests makes the manifests of the known agents in found, unless the organization has or had them.
func seedManifests(tx *store.Tx, r *Runner, found []string, by string) error {
	for _, a := range knownAgents {
		if !slices.Contains(found, a.Name) {
			continue
		}
		for _, role := range roles {
			key := a.Name + "-" + role.word
			var n int
			if err := tx.Get(&n, `SELECT count(*) FROM manifests WHERE org_id = ? AND key = ?`, r.OrgID,
				key); err != nil {
				return err
			}
			if n > 0 {
				continue
			}
			if _, err := AddManifest(tx, by, r.Organization, Manifest{Key: key, Title: a.Title + " " + role.word,
				Role:    role.role,
				Adapter: AdapterACP, Argv: a.Argv, Env: a.Env, Mode: a.Mode, SignIn: a.SignIn, Prompt: role.prompt,
				Asks:  true,
				Agent: a.Name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckArgv returns [store.Invalid] for an empty list, or if the first argument cannot be a program: it begins with a
// hyphen, or contains a space or a tab.
func CheckArgv(argv []string) error {
	switch {
	case len(argv) == 0:
		return store.Errorf(store.Invalid, "Name the program, and then its arguments, one a line.")
	case strings.HasPrefix(argv[0], "-") || strings.ContainsAny(argv[0], " \t"):
		return store.Errorf(store.Invalid,
			"The first line is the program alone, by its name or its path; no shell reads it.")
	}
	return nil
}
