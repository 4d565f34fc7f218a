package swap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Value is a number that may be absent. NaN and the infinities are absent too, so a Value always survives JSON:
// absent is null on the wire, never 0.
type Value struct {
	v  float64
	ok bool
}

// Of wraps v; a v that is not finite gives an absent Value, and −0 is 0.
func Of(v float64) Value {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return Value{}
	case v == 0:
		v = 0 // without its sign
	}
	return Value{v: v, ok: true}
}

// Absent is the Value of something that could not be computed.
func Absent() Value { return Value{} }

// Get returns the number and whether there is one.
func (v Value) Get() (float64, bool) { return v.v, v.ok }

// Or returns the number, or fallback when it is absent.
func (v Value) Or(fallback float64) float64 {
	if v.ok {
		return v.v
	}
	return fallback
}

// Valid reports whether there is a number.
func (v Value) Valid() bool { return v.ok }

// String formats the number with three significant digits and without an exponent for large ones, or "n/a".
func (v Value) String() string {
	switch {
	case !v.ok:
		return "n/a"
	case math.Abs(v.v) >= 1000 && math.Abs(v.v) < 1e15:
		return fmt.Sprintf("%.0f", v.v)
	}
	return fmt.Sprintf("%.3g", v.v)
}

// MarshalJSON writes the number, or null when it is absent.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.ok {
		return []byte("null"), nil
	}
	return json.Marshal(v.v)
}

// UnmarshalJSON reads a number or null.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*v = Of(f)
	return nil
}
