package web_test

import "samepage/web/webtest"

// These are short names for functions of webtest.
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
