package web_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"samepage/actions/param"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/metric"
	"samepage/web/webtest"
)

// scrape reads the metrics with the parser of Prometheus, after the linter of Prometheus has found no fault in them.
func scrape(t *testing.T, set *metric.Set) map[string]*dto.MetricFamily {
	t.Helper()
	rec := httptest.NewRecorder()
	set.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	text := rec.Body.String()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return families
}

// value returns the value of the metric with these labels, each given as name=value, or 0 if there is none.
func value(family *dto.MetricFamily, labels ...string) float64 {
	for _, m := range family.GetMetric() {
		var has []string
		for _, l := range m.GetLabel() {
			has = append(has, l.GetName()+"="+l.GetValue())
		}
		if slices.Equal(has, labels) {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return 0
}

// TestMetrics sends requests and then scrapes the metrics. The values of labels come from declarations, and never
// from URLs or names in the requests.
func TestMetrics(t *testing.T) {
	set := metric.New(metric.Build{Version: "test"})
	w := webtest.New(t, func(c *web.Config) { c.Metrics = set })
	alice, scribe := w.As("alice"), w.As("scribe")
	talk := w.URL("talk")
	alice.Get("/", "text/html")
	alice.Get("/", "text/markdown")
	scribe.Get(talk, "text/markdown")
	for _, path := range []string{"/nothing", "/studios/nowhere", "/static/app.css", "/static/none.css", "/login",
		"/a/b/c/d/e", "/studios/team/d/zzzzzzzzzz", "/metrics"} {
		alice.Get(path, "text/html")
		w.As("anonymous").Get(path, "text/markdown")
	}
	scribe.JSON(talk, "comment", webtest.Call{Params: param.Input{"text": "Once."}})
	scribe.JSON(talk, "comment", webtest.Call{Params: param.Input{"text": "Dry."}, DryRun: true})
	scribe.JSON(talk, "comment", webtest.Call{Params: param.Input{"text": ""}})
	scribe.JSON(talk, "no_such_action", webtest.Call{})
	w.Site.CloseDue(t.Context())
	got := scrape(t, set)
	pattern := "page=/studios/{studio}/n/{id}"
	if !strings.Contains(talk, "/n/") {
		pattern = "page=/studios/{studio}/d/{id}"
	}
	for name, c := range map[string]struct {
		least  float64
		labels []string
	}{
		"samepage_requests_total":   {2, []string{"door=http", "page=/", "status=2xx"}},
		"samepage_request_seconds":  {5, []string{pattern}},
		"samepage_statements_total": {20, nil},
		"samepage_reads_total":      {10, nil},
		"samepage_writes_total":     {1, nil},
		"samepage_jobs_total":       {1, []string{"job=schedule", "outcome=done"}},
		"samepage_build_info":       {1, []string{"go=", "revision=", "tags=", "version=test"}},
		"go_goroutines":             {1, nil},
	} {
		if v := value(got[name], c.labels...); v < c.least {
			t.Errorf("%s of %v is %v", name, c.labels, v)
		}
	}
	for outcome, want := range map[string]float64{"done": 1, "dry_run": 1, "bad_params": 1} {
		if v := value(got["samepage_actions_total"], "action=comment", "outcome="+outcome); v != want {
			t.Errorf("comments with the outcome %s: %v", outcome, v)
		}
	}
	if pgtest.Given() == "" && (value(got["samepage_writer_batch_writes"]) < 1 || value(got["samepage_wal_bytes"]) < 1) {
		t.Errorf("%v %v", got["samepage_writer_batch_writes"], got["samepage_wal_bytes"])
	}
	bounded(t, got, w.Site)
	declared := map[string]bool{}
	for _, d := range web.Metrics() {
		declared[d.Name] = true
		if f := got[d.Name]; f != nil && f.GetHelp() != d.Help {
			t.Errorf("%s: %s", d.Name, f.GetHelp())
		}
	}
	for name := range got {
		if strings.HasPrefix(name, "samepage_") && !declared[name] {
			t.Errorf("%s is not documented", name)
		}
	}
}

// bounded checks that the values of labels are patterns of routes, names of actions, or from short lists.
func bounded(t *testing.T, got map[string]*dto.MetricFamily, site *web.Site) {
	t.Helper()
	pages, names := []string{"other", "/static/*", "/login"}, []string{"other"}
	for _, p := range site.Places() {
		pages = append(pages, p.Pattern)
		for i := range p.Actions {
			names = append(names, p.Actions[i].Name)
		}
	}
	known := map[string][]string{
		"door":    {"http", "mcp"},
		"status":  {"2xx", "3xx", "4xx", "5xx"},
		"page":    pages,
		"action":  names,
		"outcome": {"done", "dry_run", "held", "failed", "bad_params", "not_found", "forbidden", "conflict", "invalid"},
		"job":     {"schedule", "sweep", "mail"},
		"state":   {"waiting", "given_up"},
		"pool":    {"read", "write"},
	}
	for name, family := range got {
		if !strings.HasPrefix(name, "samepage_") || name == "samepage_build_info" {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(known[l.GetName()], l.GetValue()) {
					t.Errorf("%s has the label %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
}
