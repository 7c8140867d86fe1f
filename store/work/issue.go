package work

import (
	"net/url"
	"time"

	"samepage/store"
	"samepage/store/work/wire"
)

// Issue is an issue on the forge of a repository.
type Issue struct {
	ID        string     `db:"id"`
	Title     string     `db:"title"`
	Text      string     `db:"text"` // markdown
	N         int        `db:"n"`    // number on the forge; 0 until it is made there
	URL       string     `db:"url"`
	CreatedAt store.Time `db:"created_at"`
	Author    string     `db:"author"`       // handle
	Agent     string     `db:"author_agent"` // label
}

// MaxIssues is the greatest number of issues in one action.
const MaxIssues = 20

const shownIssues = 20

// MustTakeIssues returns the errors of [Repo.MustHaveCommits], and [store.Conflict] if the runner has no account for
// the source, or an [IssuesJob] is open.
func (p *Repo) MustTakeIssues() error {
	if err := p.MustHaveCommits(); err != nil {
		return err
	}
	switch {
	case p.Forge() == "":
		return noAccount(p.Runner, p.Source)
	case p.IssueJob != nil && p.IssueJob.Open():
		return store.Errorf(store.Conflict, "The runner %s is to make other issues already. Wait for its report.",
			p.RunnerNoted())
	}
	return nil
}

const issuesName = "issues"

// IssuesJob makes issues on the forge of a repository. If it has made some and others are missing, it is queued again.
var IssuesJob = declareJob(issuesName, "make issues for", "make those that are missing (retry_issues)", checkIssues,
	func(tx *store.Tx, j *Job, r *wire.MadeIssues) error {
		for _, m := range r.Issues {
			if err := tx.Exec(`UPDATE issues SET n = ?, url = ? WHERE repo_id = ? AND id = ?`, m.N, m.URL, j.RepoID,
				m.Key); err != nil {
				return err
			}
		}
		if len(r.Issues) == 0 || !j.StudioEnd.IsZero() {
			return nil
		}
		p, err := FindRepo(tx, store.System(), j.Studio, j.Repo)
		if err != nil || p.Unmade == 0 {
			return err
		}
		return queueIssues(tx, j.MemberID, p)
	})

func checkIssues(r *wire.MadeIssues) error {
	for _, m := range r.Issues {
		if u, err := url.Parse(m.URL); err != nil || u.Scheme != "https" || len(m.URL) > 1000 || m.N < 1 {
			return store.Errorf(store.Invalid, "Give the key, the number and the https address of each issue.")
		}
	}
	if len(r.Issues) > 2*MaxIssues {
		return store.Errorf(store.Invalid, "Report at most %d issues.", 2*MaxIssues)
	}
	return nil
}

// CreateIssues stores issues and queues an [IssuesJob].
func CreateIssues(tx *store.Tx, by store.Actor, p *Repo, list []Issue) error {
	for i := range list {
		at := tx.Now.Add(time.Duration(i) * time.Millisecond) // different times keep the order of the list
		if err := tx.Exec(`INSERT INTO issues (id, org_id, repo_id, title, text, created_at, member_id, agent_id)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, store.NewID(), p.OrgID, p.ID, list[i].Title, list[i].Text, store.At(at),
			by.In(p.OrgID).MemberID(), store.Null(by.Agent.ID)); err != nil {
			return err
		}
	}
	return QueueIssues(tx, by, p)
}

// QueueIssues queues an [IssuesJob] for the issues that are not yet on the forge, on behalf of the actor.
func QueueIssues(tx *store.Tx, by store.Actor, p *Repo) error {
	return queueIssues(tx, by.In(p.OrgID).MemberID(), p)
}

// queueIssues queues a job for the oldest missing issues, at most twice [MaxIssues]. The asker is the id of a member.
func queueIssues(tx *store.Tx, asker string, p *Repo) error {
	var list []Issue
	if err := tx.Select(&list, `SELECT i.id, i.title, i.text FROM issues i WHERE i.repo_id = ? AND i.n = 0
		ORDER BY i.created_at, i.id`+store.AtMost, p.ID, 2*MaxIssues); err != nil {
		return err
	}
	var order wire.Issues
	for _, i := range list {
		text := i.Text
		if text != "" {
			text += "\n\n"
		}
		order.Issues = append(order.Issues, wire.Issue{Key: i.ID, Title: i.Title, Text: text + "Samepage: " + p.URL()})
	}
	return queue(tx, asker, p, nil, jobKinds[issuesName], order)
}

// MustMissIssues returns the errors of [Repo.MustTakeIssues], and [store.Conflict] if all issues are on the forge.
func (p *Repo) MustMissIssues() error {
	if err := p.MustTakeIssues(); err != nil {
		return err
	}
	if p.Unmade == 0 {
		return store.Errorf(store.Conflict, "All issues are made.")
	}
	return nil
}

func (p *Repo) issues(tx *store.Tx) ([]Issue, error) {
	return store.All[Issue](tx, `SELECT i.id, i.title, i.text, i.n, i.url, i.created_at,
		(SELECT x.handle FROM members x WHERE x.id = i.member_id) AS author,
		coalesce((SELECT x.label FROM agents x WHERE x.id = i.agent_id), '') AS author_agent
		FROM issues i WHERE i.repo_id = ? ORDER BY i.created_at DESC, i.id`+store.AtMost, p.ID, shownIssues)
}
