package work

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Review](
	"A judgement on the commit at the end of a turn, by another agent or by people. Requested changes are the "+
		"next prompt of the agent whose work it is.", work.ReviewStates()...)

// RequestReview requests a review of the work of a session.
var RequestReview = sessionAction(action.Action[*work.Session, RequestReviewParams]{
	Name:   "request_review",
	Past:   "asked for a review of",
	Told:   "asked for",
	Undo:   "Cancel it: cancel_review, on its page.",
	Title:  "Request a review",
	Button: "Request",
	Doc: "Let another agent, or people, judge the last commit of the worktree. While a turn runs or waits, " +
		"the review begins at its end. What is to change comes back as a prompt.",
	Effects: []action.Effect{action.Makes(work.ReviewKind)},
	Guard:   func(by store.Actor, s *work.Session) error { return s.MustBeReviewableBy(by) },
	Offers: func(by store.Actor, s *work.Session) param.Offers {
		f := agentOptions(by, s.Reviewers)
		f.Options = append([]param.Option{{Value: people, Label: "People of " + s.Studio.Name}}, f.Options...)
		f.Value = people
		return param.Offers{"reviewer": f}
	},
	Run: func(tx *store.Tx, by store.Actor, s *work.Session, p RequestReviewParams) (action.Done, error) {
		reviewer, err := reviewerOf(tx, by, s, p.Reviewer)
		if err != nil {
			return action.Done{}, err
		}
		v, err := work.RequestReview(tx, by, s, reviewer, p.Text)
		if err != nil {
			return action.Done{}, err
		}
		done := action.Done{Message: "The review waits for people of " + s.Studio.Name + ".", URL: v.URL(),
			Made: []action.Subject{v}}
		if reviewer != nil {
			done.Message = "The runner " + s.RunnerNoted() + " starts " + reviewer.Title + " for the review."
		}
		if v.Commit == "" {
			done.Message = "The review begins when the turn has ended."
		}
		if reviewer == nil {
			done.Notice = &store.Notice{Reason: store.ReasonChange, Text: p.Text, Studio: true}
		}
		return done, nil
	},
})

// RequestReviewParams has the reviewer of a session, and a text for the reviewer.
type RequestReviewParams struct {
	Reviewer string `param:"reviewer,choice,shown" doc:"Who reviews; people if you leave it out."`
	Text     string `param:"text,markdown,optional" max:"10000" doc:"What to look at."`
}

const people = "people"

// reviewerOf returns the manifest of the reviewing agent, by its key, or nil if people review.
func reviewerOf(tx *store.Tx, by store.Actor, s *work.Session, key string) (*work.Manifest, error) {
	if key == "" || key == people {
		return nil, nil
	}
	w, err := work.FindWorktree(tx, by, s.Studio.Handle, s.Worktree)
	if err != nil {
		return nil, err
	}
	if err := w.MustTakeSessionsOf(by); err != nil {
		return nil, err
	}
	return manifestOf(w.Agents, key), nil
}

// ExtendReviews allows one more review of a session that has reached its limit.
var ExtendReviews = sessionAction(action.Action[*work.Session, struct{}]{
	Name:       "extend_reviews",
	Past:       "allowed another review of",
	Undo:       "It is one review. Archive the session, and no more follow.",
	Title:      "Allow another review",
	Doc:        "Allow one more review after three in a row without approval.",
	AllowedFor: store.Chair,
	HumanOnly:  true,
	Tool:       true,
	Guard:      func(_ store.Actor, s *work.Session) error { return s.MustBeExtendable() },
	Run: func(tx *store.Tx, _ store.Actor, s *work.Session, _ struct{}) (action.Done, error) {
		return action.Done{Message: "One more review may be requested."}, work.ExtendReviews(tx, s)
	},
})

func reviewAction[P any](a action.Action[*work.Review, P]) *action.Spec[*work.Review] {
	a.Scope = store.ScopeWrite
	a.AllowedFor = cmp.Or(a.AllowedFor, store.InStudio)
	return action.New(a)
}

// ended returns the result of an action that ended a review, with a notice for the member of the reviewed session.
// After too many reviews without approval, it also asks that member how to go on.
func ended(tx *store.Tx, v *work.Review, message string) (action.Done, error) {
	done := action.Done{Message: message, Notice: &store.Notice{Reason: store.ReasonOutcome, To: []string{v.OwnerID}}}
	s, err := work.SessionByID(tx, v.SessionID)
	if err != nil || !s.AtLimit {
		return done, err
	}
	done.Message += fmt.Sprintf(" It was review %d in a row without approval, so @%s is asked how it goes on.",
		s.Failed, s.Member)
	done.Also = []action.Also{{Subject: s, Told: "asks you how it goes on after reviews without approval:",
		Notice: &store.Notice{Reason: store.ReasonApproval, To: []string{s.MemberID}, By: s.Byline()}}}
	return done, nil
}

// ApproveReview ends a review with approval.
var ApproveReview = reviewAction(action.Action[*work.Review, ApproveReviewParams]{
	Name:  "approve_review",
	Past:  "approved the work in",
	Undo:  "Request another review: request_review, on the page of the session.",
	Title: "Approve",
	Slot:  "answer",
	Doc:   "Say that the work is right as it is at the reviewed commit.",
	Guard: func(by store.Actor, v *work.Review) error { return v.MustBeAnswerableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, v *work.Review, p ApproveReviewParams) (action.Done, error) {
		if err := work.EndReview(tx, by, v, work.Verdict{State: work.ReviewApproved, Answer: p.Text}); err != nil {
			return action.Done{}, err
		}
		message := "The work is approved."
		if v.Comments > 0 {
			message += " The comments on lines stay on this page; the agent does not get them."
		}
		return ended(tx, v, message)
	},
})

// ApproveReviewParams has a remark on an approval.
type ApproveReviewParams struct {
	Text string `param:"text,markdown,optional" max:"10000" doc:"A remark, for the record."`
}

// SendFeedback ends a review with a request for changes.
var SendFeedback = reviewAction(action.Action[*work.Review, SendFeedbackParams]{
	Name:  "send_feedback",
	Past:  "asked for changes in",
	Undo:  "It is delivered at once. Stop the agent: stop_session, on its page.",
	Title: "Ask for changes",
	Slot:  "answer",
	Doc:   "Say what is to change. The agent whose work it is gets it as its next prompt, with all comments.",
	Guard: func(by store.Actor, v *work.Review) error { return v.MustBeAnswerableBy(by) },
	Check: func(tx *store.Tx, _ store.Actor, v *work.Review, p SendFeedbackParams, _ param.Errors) param.Errors {
		if _, err := p.comments(tx, v); err != nil {
			return param.Bad("items", err)
		}
		if room := work.MaxComments - v.Comments; len(p.Items) > room {
			return param.Errors{{Field: "items", Message: fmt.Sprintf("The review has room for %d more.", room)}}
		}
		return nil
	},
	Offers: func(store.Actor, *work.Review) param.Offers {
		return param.Offers{"type": options(work.FeedbackTypes()), "priority": options(work.Priorities())}
	},
	Run: func(tx *store.Tx, by store.Actor, v *work.Review, p SendFeedbackParams) (action.Done, error) {
		comments, err := p.comments(tx, v)
		if err != nil {
			return action.Done{}, err
		}
		absent, err := work.NotShown(tx, v, comments)
		if err != nil {
			return action.Done{}, err
		}
		if err := work.EndReview(tx, by, v, work.Verdict{State: work.ReviewChanges, Feedback: p.Type,
			Priority: cmp.Or(p.Priority, work.Priorities()[0]), Answer: p.Text,
			Comments: comments}); err != nil {
			return action.Done{}, err
		}
		message := v.Agent + " gets it as its next prompt."
		switch {
		case v.Delivered:
		case v.Failed >= work.MaxFailed:
			message = fmt.Sprintf("It is stored here. It was review %d in a row without approval, so the session "+
				"is archived.", v.Failed)
		default:
			message = "It is stored here, but not delivered: the session is archived."
		}
		return ended(tx, v, message+absent)
	},
})

// SendFeedbackParams are the params of [SendFeedback].
type SendFeedbackParams struct {
	Type     string   `param:"type,choice" doc:"Needs work: it must change. Suggestions: it may. Clarification: a question."`
	Priority string   `param:"priority,choice,optional" doc:"How soon."`
	Text     string   `param:"text,markdown" max:"10000" doc:"What is to change, and why."`
	Items    []string `param:"items,lines,optional" max:"50" doc:"A place a line: its path, perhaps :LINE, and the change after a space."`
}

// comments parses items such as "beds/roses.txt:3 Say when.", with a path, an optional line number, and a text. The path
// of a changed file may contain blanks.
func (p *SendFeedbackParams) comments(tx *store.Tx, v *work.Review) (list []work.Comment, err error) {
	if len(p.Items) == 0 {
		return nil, nil
	}
	changed, err := work.ChangedPaths(tx, v)
	if err != nil {
		return nil, err
	}
	for _, item := range p.Items {
		item = strings.TrimSpace(item)
		known := longestPath(changed, item)
		place, text, _ := strings.Cut(item[len(known):], " ")
		c := work.Comment{Path: strings.TrimSuffix(known+place, ":"), Text: strings.TrimSpace(text)}
		if path, line, ok := cutLast(c.Path); ok && len(path) >= len(known) {
			c.Path, c.Line = path, line
		}
		if c.Path == "" || c.Text == "" {
			return nil, store.Errorf(store.Invalid,
				"%q has no place and text: write, for example, beds/roses.txt:3 Say when.", item)
		}
		list = append(list, c)
	}
	return list, nil
}

// longestPath returns the longest path with which the item begins, or "".
func longestPath(paths []string, item string) (longest string) {
	for _, path := range paths {
		rest, ok := strings.CutPrefix(item, path)
		if ok && strings.Trim(rest[:min(1, len(rest))], ": ") == "" && len(path) > len(longest) {
			longest = path
		}
	}
	return longest
}

// cutLast returns the text before the last colon and the line number after it, or false.
func cutLast(place string) (path string, line int, ok bool) {
	i := strings.LastIndex(place, ":")
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(place[i+1:])
	return place[:i], line, err == nil && line > 0 && line < 1e7
}

func options(values []string) *param.Offered {
	f := &param.Offered{Value: values[0]}
	for _, v := range values {
		f.Options = append(f.Options, param.Option{Value: v, Label: strings.ReplaceAll(v, "_", " ")})
	}
	return f
}

// CommentLine adds a comment on a line of a file to a review.
var CommentLine = reviewAction(action.Action[*work.Review, CommentLineParams]{
	Name:      "comment_line",
	Past:      "commented on a line in",
	Undo:      "Comments stay, as the answer does.",
	Title:     "Comment on a line",
	Doc:       "Say something about a line of a file. The agent gets it if changes are asked for; otherwise it stays on this page.",
	HumanOnly: true,
	Guard:     func(_ store.Actor, v *work.Review) error { return v.MustTakeComments() },
	Offers: func(_ store.Actor, v *work.Review) param.Offers {
		path := &param.Offered{}
		for _, p := range v.Changed {
			path.Options = append(path.Options, param.Option{Value: p})
		}
		return param.Offers{"path": path}
	},
	Run: func(tx *store.Tx, by store.Actor, v *work.Review, p CommentLineParams) (action.Done, error) {
		c := work.Comment{Path: p.Path, Line: p.Line, Text: p.Text}
		absent, err := work.NotShown(tx, v, []work.Comment{c})
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The comment is there. The agent gets it if changes are asked for." + absent},
			work.AddComment(tx, by, v, c)
	},
})

// CommentLineParams has a comment on a line of a file.
type CommentLineParams struct {
	Path string `param:"path,text" max:"500" doc:"The file, from the top of the worktree."`
	Line int    `param:"line,number,optional" min:"0" max:"9999999" doc:"The line; 0 for the whole file."`
	Text string `param:"text,markdown" max:"5000" doc:"What you say about it."`
}

// CancelReview ends a review without a verdict.
var CancelReview = reviewAction(action.Action[*work.Review, struct{}]{
	Name:       "cancel_review",
	Past:       "cancelled",
	Undo:       "Request another one: request_review, on the page of the session.",
	Title:      "Cancel the review",
	Doc:        "End the review without an answer. An agent that reviews is stopped.",
	AllowedFor: store.Chair,
	Guard:      func(_ store.Actor, v *work.Review) error { return v.MustBeOpen() },
	Run: func(tx *store.Tx, by store.Actor, v *work.Review, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The review is cancelled."}, work.EndReview(tx, by, v,
			work.Verdict{State: work.ReviewCancelled})
	},
})

// ExpireReview ends a review without a verdict after its time limit. Only the scheduler takes this action.
var ExpireReview = reviewAction(action.Action[*work.Review, struct{}]{
	Name:       "expire_review",
	Past:       "let expire",
	Title:      "Expire",
	Doc:        "End the wait for an answer. The scheduler does it after a day.",
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard:      func(by store.Actor, v *work.Review) error { return v.MustBeOverdue(by) },
	Run: func(tx *store.Tx, by store.Actor, v *work.Review, _ struct{}) (action.Done, error) {
		if err := work.EndReview(tx, by, v, work.Verdict{State: work.ReviewExpired}); err != nil {
			return action.Done{}, err
		}
		return ended(tx, v, "The review has expired.")
	},
})

// LoseRunner ends the expired claim of a runner on the current turn of a session. If the turn had begun, it is
// interrupted. Otherwise it is queued again, unless it was stopped or claimed too often. Only the scheduler takes this
// action.
var LoseRunner = sessionAction(action.Action[*work.Session, struct{}]{
	Name:  "lose_runner",
	Past:  "says the runner went away in",
	Title: "Say that the runner went away",
	Doc: "End a turn whose runner is silent, or let it wait for a runner again if it had not begun. The " +
		"scheduler does it.",
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard:      func(by store.Actor, s *work.Session) error { return s.MustHaveLostRunner(by) },
	Run: func(tx *store.Tx, _ store.Actor, s *work.Session, _ struct{}) (action.Done, error) {
		outcome, err := work.LoseRunner(tx, s)
		if outcome == "" {
			return action.Done{Message: "The turn waits for a runner again."}, err
		}
		return action.Done{Message: map[string]string{
			work.TurnInterrupted: "The turn is interrupted.",
			work.TurnStopped:     "The turn is stopped.",
			work.TurnFailed:      "The turn has failed. Its runner went away each time before it could start.",
		}[outcome], Notice: &store.Notice{Reason: store.ReasonOutcome, To: []string{s.MemberID}}}, err
	},
})
