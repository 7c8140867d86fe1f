package web_test

import "samepage/web/webtest"

// These are short names for the functions of webtest that most of these tests use.
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
