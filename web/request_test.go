package web_test

import "samepage/web/webtest"

// The tools of webtest that most of these tests use, by short names.
var (
	request     = webtest.Request
	requestBody = webtest.RequestBody
	problemOf   = webtest.ProblemOf
	mainOf      = webtest.Main
)

const (
	formMedia = webtest.FormMedia
	jsonMedia = webtest.JSONMedia
)
