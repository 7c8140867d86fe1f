package web_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// hostile returns bodies that no honest client sends, by the name of their fault.
func hostile() map[string][2]string {
	j, f := "application/json", "application/x-www-form-urlencoded"
	many, grid := url.Values{}, url.Values{}
	for i := range 10_000 {
		many.Set(fmt.Sprintf("p%d", i), "x")
		grid.Set(fmt.Sprintf("accept.%d", i), "1")
	}
	var members strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&members, `"p%d":1,`, i)
	}
	return map[string][2]string{
		"nothing":            {j, ""},
		"null":               {j, "null"},
		"a string":           {j, `"x"`},
		"a number":           {j, "1"},
		"a list":             {j, "[]"},
		"two values":         {j, "{}{}"},
		"not closed":         {j, `{"params":{"text":"x"`},
		"deep lists":         {j, strings.Repeat("[", 100_000)},
		"deep lists, closed": {j, strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)},
		"deep params": {j, `{"params":` + strings.Repeat(`{"a":`, 30_000) + "1" +
			strings.Repeat("}", 30_000) + "}"},
		"params 17 deep": {j,
			`{"params":` + strings.Repeat(`{"a":`, 17) + "1" + strings.Repeat("}", 17) + "}"},
		"deep elsewhere":                {j, `{"x":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "}"},
		"equal names":                   {j, `{"params":{"text":"a","text":"b"}}`},
		"equal names, escaped":          {j, `{"params":{"text":"a","t\u0065xt":"b"}}`},
		"equal members":                 {j, `{"params":{"text":""},"params":{}}`},
		"NUL":                           {j, "{\"params\":{\"text\":\"a\x00b\"}}"},
		"escaped NUL":                   {j, `{"params":{"text":"a\u0000b"}}`},
		"NUL in the why":                {j, `{"params":{"text":""},"why":"a\u0000b"}`},
		"NUL in the key":                {j, `{"params":{"text":""},"idempotency_key":"a\u0000b"}`},
		"half a surrogate":              {j, `{"params":{"text":"\ud800"},"dry_run":true}`},
		"invalid UTF-8":                 {j, "{\"params\":{\"text\":\"a\xffb\"}}"},
		"invalid UTF-8 in a name":       {j, "{\"params\":{\"te\xffxt\":\"b\"}}"},
		"huge number":                   {j, `{"params":{"text":1e999999999}}`},
		"long number":                   {j, `{"params":{"text":` + strings.Repeat("9", 200_000) + `}}`},
		"number as a version":           {j, `{"if_version":1e400,"params":{"text":"x"}}`},
		"object as a version":           {j, `{"if_version":{"a":[1,2]},"params":{"text":"x"}}`},
		"list for a text":               {j, `{"params":{"text":["a","b"]}}`},
		"object for a text":             {j, `{"params":{"text":{"a":"b"}}}`},
		"true for a text":               {j, `{"params":{"text":true}}`},
		"params as a list":              {j, `{"params":[]}`},
		"params as text of text":        {j, `{"params":"\"\\\"{}\\\"\""}`},
		"params as broken text":         {j, `{"params":"{\"text\":"}`},
		"10,000 params":                 {j, `{"params":{` + members.String() + `"text":""}}`},
		"why as a list":                 {j, `{"why":[1]}`},
		"dry run as a number":           {j, `{"dry_run":1}`},
		"UTF-16":                        {j, "\xff\xfe{\x00}\x00"},
		"byte order mark":               {j, "\xef\xbb\xbf{}"},
		"form: 10,000 params":           {f, many.Encode()},
		"form: 10,000 cells":            {f, grid.Encode()},
		"form: 100,000 times one":       {f, strings.Repeat("accept=1&", 28_000)},
		"form: broken escape":           {f, "text=%"},
		"form: NUL":                     {f, "text=a%00b"},
		"form: invalid UTF-8":           {f, "text=%ff%fe"},
		"form: invalid UTF-8 in a name": {f, "%ff%fe=x"},
		"form: text twice":              {f, "text=a&text=b"},
		"form: semicolons":              {f, "text=a;text=b"},
		"form: names of nothing":        {f, "=x&=&&&."},
		"form: cell of a text":          {f, "text.a=1&text.b=2"},
		"form: text and its cell":       {f, "text=&text.a=1"},
		"form: dots":                    {f, "...=1&.a=2&a.=3"},
		"form: control":                 {f, "_if_version=%00&_idempotency_key=%00&_why=%ff&_dry_run=%00&text=x"},
		"multipart without boundary":    {"multipart/form-data", "x"},
		"multipart of nothing":          {"multipart/form-data; boundary=x", ""},
		"multipart not closed": {"multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nabc"},
		"multipart without names": {"multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data\r\n\r\nabc\r\n--x--"},
		"multipart: a file for a text": {"multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"text\"; filename=\"../../etc/passwd\"\r\n\r\nabc\r\n--x--"},
		"multipart: 5,000 parts": {"multipart/form-data; boundary=x",
			strings.Repeat("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n", 4_000) + "--x--"},
		"another charset": {"application/json; charset=utf-7",
			`{"params":{"text":"+AGE-"},"dry_run":true}`},
	}
}

// TestHostileInput sends faulty requests. The answer is always a clear refusal, and nothing changes.
func TestHostileInput(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	before := w.Digests()
	actions := []string{w.URL("standups") + "/actions/comment", w.URL("result acceptance") + "/actions/cast_vote",
		"/settings/tokens/actions/create_token"}
	targets := map[string][]string{"bob": actions, "scout": actions, "anonymous": append(actions, "/login", "/setup")}
	for name, c := range hostile() {
		for as, list := range targets {
			for _, target := range list {
				r := requestBody(w.As(as), "POST", target, c[1], "Content-Type: "+c[0], "Accept: text/markdown")
				dry := strings.Contains(c[1], "dry_run") || strings.Contains(c[1], "_dry_run=")
				if r.Status >= 500 || r.Status < 300 && !dry {
					t.Errorf("%s by %s to %s: %d\n%.300s", name, as, target, r.Status, r.Body)
				}
				if strings.Contains(r.Body, "struct {") || strings.Contains(r.Body, "Go value") ||
					len(r.Body) > 64<<10 {
					t.Errorf("%s by %s to %s: %.500s", name, as, target, r.Body)
				}
			}
		}
	}
	if changed := webtest.Changed(before, w.Digests(), "calls"); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
}

// TestHostileMemory checks that no refused body takes more than 20 MiB of memory.
func TestHostileMemory(t *testing.T) {
	w := webtest.New(t)
	bob := w.As("bob")
	var before, after runtime.MemStats
	for name, c := range hostile() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		requestBody(bob, "POST", w.URL("standups")+"/actions/comment", c[1], "Content-Type: "+c[0],
			"Accept: application/json")
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 20<<20 {
			t.Errorf("%s: %d bytes make %d MiB of garbage", name, len(c[1]), n>>20)
		}
	}
}

// TestHostileQuery checks that no query breaks a page.
func TestHostileQuery(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	for _, page := range []string{"/studios", w.URL("team") + "/decisions", w.URL("team") + "/members",
		w.URL("standups") + "/comments", w.URL("result star") + "/ballots", "/orgs/acme/journal",
		"/orgs/acme/members", w.URL("standups"), w.URL("standups") + "/actions/comment",
		w.URL("open schulze") + "/actions/cast_vote"} {
		for _, key := range []string{"after", "before", "studio", "member", "by", "action", "wait", "since", "full",
			"text", "ranking.1", "accept", "next"} {
			for _, v := range []string{"", "%00", "%ff", "-1", "0", "99999999999999999999999", "1e9", "'",
				"%22%3E%3Cscript%3E", "%0d%0aX-Evil:%201", strings.Repeat("x", 1900), "1-", "-", "1-%00", "%E2%80%AE",
				"1&" + key + "=2"} {
				if key == "wait" && v != "-1" {
					continue
				}
				for _, accept := range []string{"text/html", "application/json"} { // JSON contains the Markdown
					r := request(w.As("bob"), "GET", page+"?"+key+"="+v, "Accept: "+accept)
					if r.Status != 200 && r.Status != 400 || accept == "text/html" &&
						strings.Contains(r.Body, "\"><script") || r.Header.Get("X-Evil") != "" {
						t.Errorf("%s?%s=%.50s as %s: %d\n%.300s", page, key, v, accept, r.Status, r.Body)
					}
				}
			}
		}
	}
}

// TestEveryBadFieldIsNamed sends several wrong fields. All are reported at once, each at its field in the form, and
// the form keeps the values that were sent. The action is not taken.
func TestEveryBadFieldIsNamed(t *testing.T) {
	w := webtest.New(t)
	before := w.Digests()
	in := param.Input{"question": strings.Repeat("q", 201), "text": "Kept *as written* <b>", "method": "guess",
		"options": []any{"One", "Two"}, "closes_at": "yesterday", "quorum": "-3", "results": "never", "surprise": "x"}
	bad := []string{"question", "method", "closes_at", "results", "quorum", "surprise"}
	r := w.As("bob").PostJSON(w.URL("team"), "create_decision", in)
	p := problemOf(t, r)
	got := map[string]string{}
	for _, f := range p.Error.Fields {
		got[f.Field] = f.Message
	}
	for _, name := range bad {
		if got[name] == "" {
			t.Errorf("%s is not named: %v", name, got)
		}
	}
	if r.Status != 422 || len(got) != len(bad) || p.Page != "" {
		t.Errorf("%d, fields %v", r.Status, got)
	}
	html := w.As("bob").Post(w.URL("team"), "create_decision", in)
	if html.Status != 422 || html.Header.Get("Set-Cookie") != "" {
		t.Errorf("the form: %d", html.Status)
	}
	for _, want := range []string{`Kept *as written* &lt;b&gt;`, "One\nTwo", `value="yesterday"`,
		strings.Repeat("q", 201), `action="` + w.URL("team") + `/actions/create_decision"`, "Not done"} {
		if !strings.Contains(html.Body, want) {
			t.Errorf("the form has lost %q", want)
		}
	}
	for mark, want := range map[string]int{`class="field bad"`: 5, `aria-invalid="true"`: 4,
		`class="error" id="f-create_decision-`: 5} { // a group of radio buttons has no aria-invalid
		if n := strings.Count(html.Body, mark); n != want {
			t.Errorf("%d times %s, want %d", n, mark, want)
		}
	}
	md := w.As("scout").Form(w.URL("team"), "create_decision", webtest.Call{Params: in, Accept: "text/markdown"})
	for _, name := range bad {
		if !strings.Contains(md.Body, name) {
			t.Errorf("markdown does not name %s:\n%s", name, md.Body)
		}
	}
	if changed := webtest.Changed(before, w.Digests(), "calls"); md.Status != 422 || len(changed) > 0 {
		t.Errorf("%d, changed: %v", md.Status, changed)
	}
}

// TestEveryBadCellIsNamed sends a row with several wrong cells. The answer reports all of them.
func TestEveryBadCellIsNamed(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	r := w.As("bob").PostJSON(w.URL("note table"), "add_row",
		param.Input{"cells": []any{"Worth: lots", "Nothing", "Colour: red"}})
	if r.Status != 422 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	for _, says := range []string{`not \"lots\"`, `\"Nothing\" names no column`, `no column \"Colour\"`} {
		if !strings.Contains(r.Body, says) {
			t.Errorf("it does not say %s:\n%s", says, r.Body)
		}
	}
}

// TestCellsOfForm changes a row of a table by its form. The form shows the present cells, and a cell that is sent empty
// is cleared. A sorted and filtered table marks its order and its filter.
func TestCellsOfForm(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page := w.URL("note table")
	form := w.As("bob").Get(page+"/actions/update_row?row=2", "text/html").Body
	for _, has := range []string{`name="_cell.cells.Thing" value="Ladder"`, `name="_cell.cells.Worth" value="90"`,
		"<option selected>lent", `min="2" max="2"`} {
		if !strings.Contains(form, has) {
			t.Errorf("the form of row 2 has no %s in\n%s", has, form)
		}
	}
	if form = w.As("bob").Get(page+"/actions/update_row?row=9", "text/html").Body; strings.Contains(form, "_cell.") {
		t.Error("a row that does not exist has cells")
	}
	body := url.Values{"row": {"2"}, "_cell.cells.Worth": {""}, "_cell.cells.Thing": {"Ladder: long"}}.Encode()
	r := requestBody(w.As("bob"), "POST", page+"/actions/update_row", body,
		"Content-Type: application/x-www-form-urlencoded", "Accept: application/json")
	if table := w.As("bob").Get(page, "text/markdown").Body; !strings.Contains(table, "| 2 | Ladder: long | | | | lent |") {
		t.Errorf("%d: row 2 is wrong in\n%s", r.Status, table)
	}
	sorted := w.As("bob").Get(page+"?sort=-Worth&where=Where:is:cellar", "text/html").Body
	for _, has := range []string{`aria-sort="descending"><a href="` + page + `?sort=Worth&amp;where=Where%3Ais%3Acellar">`,
		page + `?sort=-Worth&amp;where=Where%3Ais%3Acellar" aria-current="true">cellar`} {
		if !strings.Contains(sorted, has) {
			t.Errorf("the sorted table has no %s in\n%s", has, sorted)
		}
	}
}

// TestTableIsSearched checks that the field above a table finds rows by their words, and keeps the order and the other
// conditions.
func TestTableIsSearched(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page := w.URL("note table")
	found := w.As("bob").Get(page+"?q=LADD&sort=-Worth&where=Where:is:lent", "text/html").Body
	for _, has := range []string{`<form class="find" method="get" action="` + page + `"><input type="hidden" name="where" ` +
		`value="Where:is:lent">`, `<input type="hidden" name="sort" value="-Worth">`, ` value="LADD">`, "Ladder",
		page + `?q=LADD&amp;sort=Worth&amp;where=Where%3Ais%3Alent">`, page + `?q=LADD&amp;sort=-Worth">Where: all`} {
		if !strings.Contains(found, has) {
			t.Errorf("the table has no %s in\n%s", has, found)
		}
	}
	for q, want := range map[string]bool{"ladder": true, "lent ladder": true, "ladder+cellar": false} {
		body := w.As("scout").Get(page+"?q="+url.QueryEscape(q), "text/markdown").Body
		if got := strings.Contains(body, "| 2 | Ladder |"); got != want {
			t.Errorf("%s: the ladder is found: %t\n%s", q, got, body)
		}
	}
	if r := w.As("bob").Get(page+"?q="+strings.Repeat("x", 201), "text/markdown"); r.Status != 422 && r.Status != 400 {
		t.Errorf("%d", r.Status)
	}
}

// TestFormKeepsWhatWasCleared sends a form with a cleared field and an error. The answer shows the form with the
// field empty, and not with the stored value.
func TestFormKeepsWhatWasCleared(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("standups")
	if r := w.As("bob").Get(page+"/actions/cast_vote", "text/html"); strings.Count(r.Body, " checked") != 3 {
		t.Fatalf("Bob's ballot is not in his form:\n%s", r.Body)
	}
	r := w.As("bob").Post(page, "cast_vote", param.Input{"reason": strings.Repeat("x", 2001)})
	if r.Status != 422 || strings.Contains(r.Body, " checked") {
		t.Errorf("%d: what Bob cleared is there again:\n%s", r.Status, r.Body)
	}
	r = w.As("bob").Post(page, "cast_vote", param.Input{"accept": []any{"3"}, "reason": strings.Repeat("x", 2001)})
	if r.Status != 422 || strings.Count(r.Body, " checked") != 1 {
		t.Errorf("%d: what Bob chose is lost:\n%s", r.Status, r.Body)
	}
}

// TestFileLimit uploads files. An action that takes a file accepts bodies of a little more than 8 MiB, and other
// actions accept less than 256 KiB. Larger bodies are refused with 413.
func TestFileLimit(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	send := func(page, action string, size int) *webtest.Response {
		var body bytes.Buffer
		m := multipart.NewWriter(&body)
		part, err := m.CreateFormFile("file", "votes.json")
		if err != nil {
			t.Fatal(err)
		}
		part.Write(bytes.Repeat([]byte(" "), size))
		m.Close()
		return requestBody(w.As("alice"), "POST", page+"/actions/"+action, body.String(),
			"Content-Type: "+m.FormDataContentType(), "Accept: application/json")
	}
	for _, c := range []struct {
		page, action string
		size, status int
	}{
		{w.URL("team"), "import_decisions", 8 << 20, 422}, {w.URL("team"), "import_decisions", 8<<20 + 1, 422},
		{w.URL("team"), "import_decisions", 8<<20 + 64<<10, 413},
		{w.URL("team"), "create_decision", 200 << 10, 422}, {w.URL("team"), "create_decision", 256 << 10, 413},
		{w.URL("standups"), "comment", 300 << 10, 413},
		{w.URL("team"), "nothing", 300 << 10, 404},
	} {
		if r := send(c.page, c.action, c.size); r.Status != c.status {
			t.Errorf("%s with %d bytes: %d, want %d: %.200s", c.action, c.size, r.Status, c.status, r.Body)
		}
	}
}

// TestWhyIsPlainText sends reasons with control characters. The journal stores them as valid UTF-8 without NUL, and
// whole.
func TestWhyIsPlainText(t *testing.T) {
	w := webtest.New(t)
	for i, why := range []string{"because %ff%fe of %00 this", strings.Repeat("%C3%A9", 400), "a%0ab"} {
		r := requestBody(w.As("scout"), "POST", w.URL("standups")+"/actions/comment", "text=x&_why="+why, formMedia,
			"Accept: application/json")
		if r.Status != 200 {
			t.Fatalf("%d: %d %s", i, r.Status, r.Body)
		}
	}
	db := w.Database()
	kept, err := db.Query(`SELECT why FROM journal WHERE why <> '' ORDER BY seq DESC LIMIT 3`)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	for kept.Next() {
		var why string
		if err := kept.Scan(&why); err != nil || !utf8.ValidString(why) || strings.Contains(why, "\x00") ||
			strings.HasSuffix(why, "…") {
			t.Errorf("kept is %q, %v", why, err)
		}
	}
	if md := w.As("bob").Get("/orgs/acme/journal/verify", "text/markdown"); md.Status != 200 ||
		!utf8.ValidString(md.Body) {
		t.Errorf("verify: %d\n%s", md.Status, md.Body)
	}
}
