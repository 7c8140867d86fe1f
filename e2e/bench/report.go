//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// result is one line of the report.
type result struct {
	Gate    int     `json:"gate"`
	Measure string  `json:"measure"`
	Figure  float64 `json:"figure"`
	Unit    string  `json:"unit,omitempty"`
	Limit   string  `json:"limit"`
	Verdict verdict `json:"verdict"`
	Beside  string  `json:"beside,omitempty"`
}

type verdict string

const (
	pass    verdict = "pass"
	fail    verdict = "FAIL"
	noisy   verdict = "refused" // the machine was too busy to measure
	missing verdict = "MISSING" // the server to compare with could not be built or started
	noLimit verdict = ""
)

// report collects the results, and calls show for each of them.
type report struct {
	list []result
	show func(result)
}

func (r *report) add(x result) {
	r.list = append(r.list, x)
	r.show(x)
}

// most adds a figure that must be at most the limit.
func (r *report) most(gate int, measure string, figure, limit float64, unit, beside string) {
	v := pass
	if !(figure <= limit) {
		v = fail
	}
	r.add(result{gate, measure, figure, unit, fmt.Sprintf("≤ %s%s", short(limit), unit), v, beside})
}

// least adds a figure that must be at least the limit.
func (r *report) least(gate int, measure string, figure, limit float64, unit, beside string) {
	v := pass
	if !(figure >= limit) {
		v = fail
	}
	r.add(result{gate, measure, figure, unit, fmt.Sprintf("≥ %s%s", short(limit), unit), v, beside})
}

// refuse adds a result and returns nil if the machine was too busy. It returns any other error unchanged.
func (r *report) refuse(gate int, measure string, err error) error {
	if noise, ok := errors.AsType[refused](err); ok {
		r.add(result{Gate: gate, Measure: measure, Verdict: noisy, Beside: noise.why})
		return nil
	}
	return err
}

func (r *report) passed() bool {
	for _, x := range r.list {
		if x.Verdict == fail || x.Verdict == noisy || x.Verdict == missing {
			return false
		}
	}
	return true
}

func (r *report) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\ngate\tmeasure\tfigure\tlimit\t\tbeside")
	for _, x := range r.list {
		fmt.Fprintln(t, strings.Join(x.cells(), "\t"))
	}
	t.Flush()
}

func (x result) cells() []string {
	figure := short(x.Figure) + x.Unit
	if x.Verdict == noisy || x.Verdict == missing {
		figure = "–"
	}
	return []string{fmt.Sprint(x.Gate), x.Measure, figure, x.Limit, string(x.Verdict), x.Beside}
}

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Passed  bool     `json:"passed"`
		Results []result `json:"results"`
	}{r.passed(), r.list})
}

// short formats a number with about three significant digits.
func short(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", f), "0"), ".")
}
