package work

import (
	"samepage/actions/action"
	actions "samepage/actions/work"
	"samepage/store"
	"samepage/store/work"
	view "samepage/views/work"
	"samepage/web"
)

var _ = web.DeclareRoutes(func() []*web.BoundRoute {
	return []*web.BoundRoute{
		web.Route[*store.Studio, *work.Reviews]{
			Pattern: "/studios/{studio}/reviews",
			Quiet:   true,
			Version: web.ByJournals,
			Find:    web.FindStudio,
			Show:    web.Whole(work.ShowReviews),
			View:    view.Reviews,
		}.Close(),
		web.Route[*work.Review, *work.ReviewPage]{
			Pattern: "/studios/{studio}/reviews/{review}",
			Quiet:   true,
			Find:    web.ByArgs("studio", "review", work.FindReview),
			Show:    web.Whole(work.ShowReview),
			View:    view.Review,
			Actions: []*action.Spec[*work.Review]{actions.ApproveReview, actions.SendFeedback, actions.CommentLine,
				actions.CancelReview, actions.ExpireReview},
			Due:     actions.ExpireReview,
			Overdue: work.DueReviews,
		}.Close(),
	}
})
