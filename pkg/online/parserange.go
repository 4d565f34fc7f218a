package online

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Point is a value at a time.
type Point struct {
	At    time.Time
	Value float64
}

// ParseRange reads the answer to a range query that must give one series. NaN and infinite values are left out.
func ParseRange(body []byte) ([]Point, error) {
	var answer struct {
		Status, Error string
		Data          struct {
			ResultType string
			Result     []struct{ Values [][2]json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, errors.New("the answer is not that of Prometheus")
	}
	switch {
	case answer.Status != "success":
		return nil, fmt.Errorf("the query failed: %.200s", answer.Error)
	case answer.Data.ResultType != "matrix":
		return nil, fmt.Errorf("the answer is a %.20q and not a matrix", answer.Data.ResultType)
	case len(answer.Data.Result) == 0:
		return nil, errors.New("no series matches")
	case len(answer.Data.Result) > 1:
		return nil, fmt.Errorf("%d series match; aggregate them to one, as with sum()", len(answer.Data.Result))
	}
	var points []Point
	for _, pair := range answer.Data.Result[0].Values {
		p, err := parsePoint(pair)
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(p.Value) && !math.IsInf(p.Value, 0) {
			points = append(points, p)
		}
	}
	return points, nil
}

func parsePoint(pair [2]json.RawMessage) (Point, error) {
	var at float64
	var text string
	if json.Unmarshal(pair[0], &at) != nil || json.Unmarshal(pair[1], &text) != nil || !(math.Abs(at) < 1e11) {
		return Point{}, errors.New("a point of the series is no pair of a time and a value")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Point{}, fmt.Errorf("a point of the series has the value %.20q", text)
	}
	return Point{At: time.UnixMilli(int64(math.Round(at * 1e3))), Value: v}, nil
}

// place puts points at their steps; NaN stands where there is none.
func place(points []Point, first time.Time, span Span) []float64 {
	values := make([]float64, span.Points())
	for i := range values {
		values[i] = math.NaN()
	}
	for _, p := range points {
		i := int(math.Round(float64(p.At.Sub(first)) / float64(span.Step)))
		if i >= 0 && i < len(values) {
			values[i] = p.Value
		}
	}
	return values
}
