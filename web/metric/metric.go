// Package metric makes Prometheus metrics from the fields of structs. The tags of a field declare its metric: metric
// gives the name, help describes it in a sentence, and labels lists the names of its labels, joined by commas.
package metric

import (
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// These are the types of the fields that [Set.Fill] sets. A histogram counts durations in seconds.
type (
	Counter   = *prometheus.CounterVec
	Gauge     = *prometheus.GaugeVec
	Histogram = *prometheus.HistogramVec
)

// Set is a set of metrics.
type Set struct{ registry *prometheus.Registry }

// Build describes the build of the program. The fields become the labels of a metric with the value 1.
type Build struct{ Version, Revision, Tags, Go string }

type buildInfo struct {
	Info Gauge `metric:"samepage_build_info" labels:"version,revision,tags,go" help:"The build, as labels; always 1."`
}

// New returns a set with metrics about the build, the Go runtime and the process.
func New(b Build) *Set {
	s := &Set{registry: prometheus.NewPedanticRegistry()}
	s.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	var info buildInfo
	s.Fill(&info)
	info.Info.WithLabelValues(b.Version, b.Revision, b.Tags, b.Go).Set(1)
	return s
}

// Handler returns the handler that answers scrapes. A metric that cannot be collected is logged and left out.
func (s *Set) Handler() http.Handler {
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError,
		ErrorLog:      slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	})
}

// seconds are the upper bounds of the buckets of a histogram.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}

// Fill makes the metrics that a struct declares and stores them in the fields. The argument is a pointer to the struct.
// Fill panics if a field has another type than [Counter], [Gauge] or [Histogram].
func (s *Set) Fill(into any) {
	v := reflect.ValueOf(into).Elem()
	for _, d := range declared(v.Type(), nil) {
		opts := prometheus.Opts{Name: d.Name, Help: d.Help}
		var made prometheus.Collector
		switch f := v.FieldByIndex(d.field); f.Interface().(type) {
		case Counter:
			made = prometheus.NewCounterVec(prometheus.CounterOpts(opts), d.Labels)
		case Gauge:
			made = prometheus.NewGaugeVec(prometheus.GaugeOpts(opts), d.Labels)
		case Histogram:
			made = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: d.Name, Help: d.Help, Buckets: seconds}, d.Labels)
		default:
			panic(fmt.Sprintf("metric %s: a %s is no vector", d.Name, f.Type()))
		}
		v.FieldByIndex(d.field).Set(reflect.ValueOf(made))
		s.registry.MustRegister(made)
	}
}

// Watch calls read at each scrape and makes metrics from the fields of its result. A field is a signed integer, a
// float, a [Distribution], or a map from the values of the metric's only label to such numbers. A field without tags is
// a pointer to a struct of further fields, which are left out if the pointer is nil. A number is a counter if the name
// of its metric ends with _total. If read fails, all metrics of the result are left out.
func Watch[T any](s *Set, read func() (T, error)) {
	s.registry.MustRegister(&watched{
		list: declared(reflect.TypeFor[T](), nil),
		read: func() (reflect.Value, error) {
			v, err := read()
			return reflect.ValueOf(v), err
		},
	})
}

// Distribution is the type of a field that becomes a histogram.
type Distribution interface {
	// Buckets returns the number of all values and their sum. For each upper bound, upTo has the number of values that
	// do not exceed it.
	Buckets() (count uint64, sum float64, upTo map[float64]uint64)
}

// watched is a Prometheus collector that reads a struct at each scrape.
type watched struct {
	list []Declared
	read func() (reflect.Value, error)
}

// Describe implements [prometheus.Collector].
func (c *watched) Describe(out chan<- *prometheus.Desc) {
	for i := range c.list {
		out <- c.list[i].desc()
	}
}

// Collect implements [prometheus.Collector]. It sends nothing and logs the error if reading fails.
func (c *watched) Collect(out chan<- prometheus.Metric) {
	v, err := c.read()
	if err != nil {
		slog.Warn("some metrics were not read", "error", err)
		return
	}
	for i := range c.list {
		d := &c.list[i]
		if f, err := v.FieldByIndexErr(d.field); err == nil {
			d.collect(out, f)
		}
	}
}

func (d *Declared) desc() *prometheus.Desc { return prometheus.NewDesc(d.Name, d.Help, d.Labels, nil) }

func (d *Declared) collect(out chan<- prometheus.Metric, f reflect.Value) {
	kind := prometheus.GaugeValue
	if d.Type == counter {
		kind = prometheus.CounterValue
	}
	if b, ok := f.Interface().(Distribution); ok {
		count, sum, upTo := b.Buckets()
		out <- prometheus.MustNewConstHistogram(d.desc(), count, sum, upTo)
		return
	}
	if f.Kind() != reflect.Map {
		out <- prometheus.MustNewConstMetric(d.desc(), kind, number(f))
		return
	}
	for of := f.MapRange(); of.Next(); {
		out <- prometheus.MustNewConstMetric(d.desc(), kind, number(of.Value()), of.Key().String())
	}
}

func number(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// Declared is the declaration of one metric.
type Declared struct {
	Name, Help string
	Type       string // counter, gauge or histogram
	Labels     []string
	field      []int
}

// List returns the declarations of the metrics of the build and of the types of the given structs.
func List(structs ...any) []Declared {
	list := declared(reflect.TypeFor[buildInfo](), nil)
	for _, s := range structs {
		list = append(list, declared(reflect.TypeOf(s), nil)...)
	}
	return list
}

// declared returns the declarations in the fields of a struct type. It panics if a field lacks a name or a description.
func declared(t reflect.Type, at []int) (list []Declared) {
	for i := range t.NumField() {
		f := t.Field(i)
		field := append(append([]int{}, at...), i)
		if inner := f.Type; inner.Kind() == reflect.Pointer && f.Tag.Get("metric") == "" {
			list = append(list, declared(inner.Elem(), field)...)
			continue
		}
		d := Declared{Name: f.Tag.Get("metric"), Help: f.Tag.Get("help"), Type: typeOf(f), field: field}
		if d.Name == "" || d.Help == "" {
			panic(fmt.Sprintf("%s.%s: the tags metric and help declare a metric", t, f.Name))
		}
		if names := f.Tag.Get("labels"); names != "" {
			d.Labels = strings.Split(names, ",")
		}
		list = append(list, d)
	}
	return list
}

func typeOf(f reflect.StructField) string {
	switch {
	case f.Type == reflect.TypeFor[Histogram](), f.Type.Implements(reflect.TypeFor[Distribution]()):
		return histogram
	case strings.HasSuffix(f.Tag.Get("metric"), "_total"):
		return counter
	}
	return gauge
}
