package wire

// Checkout has the parameters of a job that makes the folder of a worktree.
type Checkout struct {
	Fetch bool `json:"fetch,omitempty"` // fetch the source first
	Again bool `json:"again,omitempty"` // the branch exists already
}

// Archive has the parameters of a job that removes the folder of a worktree.
type Archive struct {
	// Force removes the folder even if it has changes or commits that are nowhere else.
	Force bool `json:"force,omitempty"`
	// Merged is the head of a merged pull request. The branch is then deleted, and the job fails if the worktree has
	// anything beyond that head.
	Merged string `json:"merged,omitempty"`
	// Published means that the branch was pushed, and is deleted in the source too.
	Published bool `json:"published,omitempty"`
}

// Rewind has the parameters of a job that resets a worktree to a commit.
type Rewind struct {
	To   string `json:"to"`
	From string `json:"from"` // head when the rewind was requested
}

// Check has the parameters of a job that checks the last commit of a pull request.
type Check struct {
	Pull   string   `json:"pull"` // id
	Commit string   `json:"commit"`
	Argv   []string `json:"argv"`
}

// Merge has the parameters of a job that merges a pull request, or its copy on a forge ([Publish]).
type Merge struct {
	Pull    string `json:"pull"` // id
	Main    string `json:"main"` // default branch
	Method  string `json:"method"`
	Head    string `json:"head"`
	Title   string `json:"title"`
	Message string `json:"message"`
	By      string `json:"by"`               // such as "@bob", or "Scribe, agent of @alice"
	Email   string `json:"email"`            // made up, because commits are public
	Number  int    `json:"number,omitempty"` // of the copy on the forge; 0 for none
}

// Publish has the parameters of a job that opens or updates the copy of a pull request on a forge, such as GitHub.
type Publish struct {
	Pull   string `json:"pull"`             // id
	Number int    `json:"number,omitempty"` // of the copy; 0 to open one
	Title  string `json:"title"`
	Text   string `json:"text"`
	Head   string `json:"head"`
	Pushed string `json:"pushed,omitempty"` // commit of the last push; may be empty
	State  string `json:"state"`            // open or closed
	Was    string `json:"was,omitempty"`    // last known state of the copy
	Write  bool   `json:"write"`            // change title, text and state of the copy
}

// Issues has the parameters of a job that opens issues on a forge.
type Issues struct {
	Issues []Issue `json:"issues"`
}

// Issue is an issue that a runner opens.
type Issue struct {
	Key   string `json:"key"` // id
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Setup has the parameters of a job that copies files into the folder of a worktree and runs a program there.
type Setup struct {
	Argv   []string `json:"argv"`
	Copies []string `json:"copies"`
}

// These are the orders about an environment, which is a program that a runner runs for a worktree.
const (
	EnvStart = "start"
	EnvStop  = "stop"
	EnvLook  = "look" // report the state and the end of the output
)

// EnvironmentOrder has the parameters of a job about an environment.
type EnvironmentOrder struct {
	Do     string   `json:"do"` // [EnvStart], [EnvStop] or [EnvLook]
	Argv   []string `json:"argv,omitempty"`
	Health string   `json:"health,omitempty"`
	Ports  int      `json:"ports,omitempty"`
}
