package wire

// Checkout has the parameters of a job that makes the folder of a worktree.
type Checkout struct {
	Fetch bool `json:"fetch,omitempty"` // the source is fetched first
	Again bool `json:"again,omitempty"` // the branch exists, with the work of an earlier folder
}

// Archive has the parameters of a job that removes the folder of a worktree.
type Archive struct {
	// Force is set if the folder is removed even if it has changes or commits that are nowhere else.
	Force bool `json:"force,omitempty"`
	// Merged is the head of a merged pull request. The runner then also deletes the branch, and the job fails if the
	// worktree has anything beyond that head.
	Merged string `json:"merged,omitempty"`
	// Published is set if the branch was pushed to the repository's source. The runner then deletes the branch in the
	// source, too.
	Published bool `json:"published,omitempty"`
}

// Rewind has the parameters of a job that resets a worktree to a commit.
type Rewind struct {
	To   string `json:"to"`
	From string `json:"from"` // head of the worktree when the rewind was requested
}

// Check has the parameters of a job that runs a check program on the last commit of a pull request.
type Check struct {
	Pull   string   `json:"pull"` // id of the pull request
	Commit string   `json:"commit"`
	Argv   []string `json:"argv"`
}

// Merge has the parameters of a job that merges a pull request.
type Merge struct {
	Pull    string `json:"pull"` // id of the pull request
	Main    string `json:"main"` // default branch of the repository
	Method  string `json:"method"`
	Head    string `json:"head"`
	Title   string `json:"title"`
	Message string `json:"message"`
	By      string `json:"by"`               // byline of the actor
	Email   string `json:"email"`            // a made-up address, because commits are public
	Number  int    `json:"number,omitempty"` // number of the copy, which the forge then merges; 0 for none
}

// Publish has the parameters of a job that makes the copy on the forge agree with its pull request.
type Publish struct {
	Pull   string `json:"pull"`             // id of the pull request
	Number int    `json:"number,omitempty"` // number of the copy; 0 to open one
	Title  string `json:"title"`
	Text   string `json:"text"`
	Head   string `json:"head"`
	Pushed string `json:"pushed,omitempty"` // commit of the last push; empty before the first
	State  string `json:"state"`            // open or closed
	Was    string `json:"was,omitempty"`    // state of the copy in the last report
	Write  bool   `json:"write"`            // title, text and state of the copy are to be changed
}

// Issues has the parameters of a job that makes issues.
type Issues struct {
	Issues []Issue `json:"issues"`
}

// Issue is an issue that a runner is to make.
type Issue struct {
	Key   string `json:"key"` // id of the issue
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Setup has the parameters of a job that prepares a new folder.
type Setup struct {
	Argv   []string `json:"argv"`
	Copies []string `json:"copies"`
}

// These are the orders about an environment.
const (
	EnvStart = "start"
	EnvStop  = "stop"
	EnvLook  = "look" // report the state of the environment and the end of its output
)

// EnvironmentOrder has the parameters of a job about an environment.
type EnvironmentOrder struct {
	Do     string   `json:"do"` // [EnvStart], [EnvStop] or [EnvLook]
	Argv   []string `json:"argv,omitempty"`
	Health string   `json:"health,omitempty"`
	Ports  int      `json:"ports,omitempty"`
}
