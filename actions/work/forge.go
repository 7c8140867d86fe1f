package work

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
	"samepage/store/work/wire"
)

// PublishPull queues a job that opens the pull request also on the forge of the repository's source, such as GitHub.
var PublishPull = pullAction(action.Action[*work.Pull, struct{}]{
	Name:  "publish_pull_request",
	Past:  "published",
	Undo:  "Close it: close_pull_request. What was pushed stays known there.",
	Title: "Publish",
	Doc: "Let the runner push the branch to the place where the repository comes from, such as GitHub, and open a pull request there. " +
		"From then on it follows this one: each new commit is pushed, and changes of texts and state are made there. A merge, " +
		"wherever it is asked for, happens there.",
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, q *work.Pull) error { return q.MustBePublishable() },
	Run: func(tx *store.Tx, _ store.Actor, q *work.Pull, _ struct{}) (action.Done, error) {
		message := "The runner " + q.RunnerNoted() + " is asked to publish it at " + q.Forge() + "."
		return action.Done{Message: message}, work.Publish(tx, q, true)
	},
})

// ReportPull stores a runner's report on the changed state of a published pull request.
var ReportPull = runnerAction(action.Action[*work.Runner, ReportPullParams]{
	Name:  "report_pull_request",
	Past:  "reported a change of a pull request at the place of",
	Undo:  "Report it again.",
	Title: "Report a published pull request",
	Doc:   "Say how a published pull request is on its site, when that has changed.",
	Guard: func(_ store.Actor, r *work.Runner) error { return r.MustBeOn() },
	Run: func(tx *store.Tx, _ store.Actor, r *work.Runner, p ReportPullParams) (action.Done, error) {
		var seen wire.ForgeReport
		err := readJSON(p.Facts, &seen)
		var before, after *work.Pull
		if err == nil {
			before, after, err = work.SeePull(tx, r, p.Pull, &seen)
		}
		if err != nil {
			return action.Done{}, badReport(err, "pull", "This runner has not published such a pull request.")
		}
		also := action.Also{Subject: after, Before: before.Record()}
		also.Told, also.Notice = after.News()
		return action.Done{Message: "Noted.", Also: []action.Also{also}}, nil
	},
})

// badReport attributes an error about a runner's report to a field: to facts if the report is invalid, and to the given
// field, with the text of the parameter missing, if an id in the report is not found.
func badReport(err error, field, missing string) error {
	switch store.CodeOf(err) {
	case store.Invalid:
		return param.Bad("facts", err)
	case store.NotFound:
		return param.Errors{{Field: field, Message: missing}}
	}
	return err
}

// ReportPullParams has a runner's report on a published pull request.
type ReportPullParams struct {
	Pull  string       `param:"pull,text" max:"20" doc:"The pull request, by its id."`
	Facts param.Upload `param:"facts,file" doc:"How it is there, as JSON."`
}

// CreateIssues queues a job that opens issues on the forge of the repository's source.
var CreateIssues = action.New(action.Action[*work.Repo, CreateIssuesParams]{
	Name:       "create_issues",
	Past:       "asked for issues of",
	Undo:       "They stay. Close them on the site of the repository.",
	Title:      "Create issues",
	Button:     "Create",
	Doc:        "Let the runner make issues at the place where the repository comes from, such as GitHub. This page then links to them.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, p *work.Repo) error { return p.MustTakeIssues() },
	Check: func(_ *store.Tx, _ store.Actor, _ *work.Repo, p CreateIssuesParams, _ param.Errors) param.Errors {
		_, err := p.list()
		return param.Bad("issues", err)
	},
	Run: func(tx *store.Tx, by store.Actor, p *work.Repo, in CreateIssuesParams) (action.Done, error) {
		list, err := in.list()
		if err != nil {
			return action.Done{}, err
		}
		what := "an issue"
		if len(list) > 1 {
			what = strconv.Itoa(len(list)) + " issues"
		}
		return action.Done{Message: "The runner " + p.RunnerNoted() + " is asked to make " + what + " at " + p.Forge() + "."},
			work.CreateIssues(tx, by, p, list)
	},
})

// CreateIssuesParams has the texts of new issues.
type CreateIssuesParams struct {
	Issues string   `param:"issues,markdown" max:"20000"`
	_      struct{} `doc:"At most 20. Each begins with a line such as # Title; without such a line the first one is the title."`
}

// maxIssueTitle is GitHub's limit, in characters.
const maxIssueTitle = 256

// list parses the issues: each begins with a heading, which is its title. A text without a heading is one issue, and
// its first line is the title.
func (p *CreateIssuesParams) list() (list []work.Issue, err error) {
	text, fenced := strings.TrimSpace(p.Issues), false
	if !strings.Contains("\n"+text, "\n# ") {
		text = "# " + text
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		title, begins := strings.CutPrefix(line, "# ")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		switch {
		case begins && !fenced:
			list = append(list, work.Issue{Title: strings.TrimSpace(title)})
		case len(list) > 0:
			list[len(list)-1].Text += line + "\n"
		case strings.TrimSpace(line) != "":
			return nil, store.Errorf(store.Invalid,
				"The text %q belongs to no issue: begin each with a line such as # Title.",
				shortened(line))
		}
	}
	for i := range list {
		list[i].Text = strings.TrimSpace(list[i].Text)
		if n := utf8.RuneCountInString(list[i].Title); n == 0 || n > maxIssueTitle {
			return nil, store.Errorf(store.Invalid, "The title of issue %d has %d characters. Give it 1 to %d.", i+1, n,
				maxIssueTitle)
		}
	}
	if len(list) == 0 || len(list) > work.MaxIssues {
		return nil, store.Errorf(store.Invalid,
			"There are %d issues. Give 1 to %d; each begins with a line such as # Title.",
			len(list), work.MaxIssues)
	}
	return list, nil
}

func shortened(line string) string {
	if r := []rune(line); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return line
}

// RetryIssues queues another job for the issues that are not on the forge yet.
var RetryIssues = action.New(action.Action[*work.Repo, struct{}]{
	Name:       "retry_issues",
	Past:       "asked again for issues of",
	Undo:       "They stay. Close them on the site of the repository.",
	Title:      "Make the missing issues",
	Doc:        "Let the runner make the issues that it has not made yet.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Tool:       true,
	Guard:      func(_ store.Actor, p *work.Repo) error { return p.MustMissIssues() },
	Run: func(tx *store.Tx, by store.Actor, p *work.Repo, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner " + p.RunnerNoted() + " is asked for them again."},
			work.QueueIssues(tx, by, p)
	},
})
