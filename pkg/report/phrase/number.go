package phrase

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// NA stands for a value that is absent.
const NA = "n/a"

// minus is the typographic minus sign, which is as wide as a plus.
const minus = "−"

// Quantity formats a value with its unit as gates name it: ms, tok/s, tokens, or fraction, which is shown in percent.
func Quantity(v swap.Value, unit string) string {
	f, ok := v.Get()
	if !ok {
		return NA
	}
	return quantity(f, unit, number)
}

// Difference formats a signed difference of two quantities; a difference of fractions is in percentage points (pp) with
// two decimals.
func Difference(v swap.Value, unit string) string {
	f, ok := v.Get()
	if !ok {
		return NA
	}
	if unit == "fraction" {
		return fixed(f*100, 2) + " pp"
	}
	return quantity(f, unit, signed)
}

// Ratio formats a signed relative change, a fraction, in percent with one decimal.
func Ratio(v swap.Value) string {
	f, ok := v.Get()
	if !ok {
		return NA
	}
	return fixed(f*100, 1) + " %"
}

// Count formats a whole number with separators between thousands.
func Count(n int) string { return number(float64(n)) }

// Duration formats a length of time with at most two units, such as "2 h 5 min" or "1.2 s".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return NA
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return number(math.Round(d.Seconds()*10)/10) + " s"
	case d < time.Hour:
		return pair(int(d/time.Minute), "min", int(d%time.Minute/time.Second), "s")
	}
	return pair(int(d/time.Hour), "h", int(d%time.Hour/time.Minute), "min")
}

func pair(big int, bigUnit string, small int, smallUnit string) string {
	s := Count(big) + " " + bigUnit
	if small > 0 {
		s += " " + strconv.Itoa(small) + " " + smallUnit
	}
	return s
}

func quantity(f float64, unit string, format func(float64) string) string {
	switch unit {
	case "":
		return format(f)
	case "fraction":
		return format(f*100) + " %"
	}
	return format(f) + " " + Clean(unit)
}

// fixed has a sign and a fixed number of decimals, so that the bounds of an interval compare at a glance.
func fixed(f float64, decimals int) string {
	abs := strconv.FormatFloat(math.Abs(f), 'f', decimals, 64)
	whole, part, _ := strings.Cut(abs, ".")
	text := thousands(whole) + "." + part
	switch {
	case strings.Trim(abs, "0.") == "":
		return text
	case f < 0:
		return minus + text
	}
	return "+" + text
}

func signed(f float64) string {
	if s := number(f); f <= 0 || s == "0" {
		return s
	}
	return "+" + number(f)
}

// number gives three significant digits, never an exponent, and every digit left of the point.
func number(f float64) string {
	abs := math.Abs(f)
	if abs < 1e-6 {
		return "0"
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(abs))))
	s := strconv.FormatFloat(abs, 'f', decimals, 64)
	whole, part, _ := strings.Cut(s, ".")
	s = thousands(whole)
	if part = strings.TrimRight(part, "0"); part != "" {
		s += "." + part
	}
	if f < 0 && s != "0" {
		return minus + s
	}
	return s
}

func thousands(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
