package arrival

import (
	"math"
	"math/rand/v2"
)

// source draws random numbers. Only uniform numbers come from the standard library, so that a seed keeps its meaning
// whatever that does.
type source struct{ *rand.Rand }

// unit is uniform in (0, 1].
func (s source) unit() float64 { return 1 - s.Float64() }

// exponential has mean 1.
func (s source) exponential() float64 { return -math.Log(s.unit()) }

// normal is a standard normal, by the transform of Box and Muller (1958).
func (s source) normal() float64 {
	return math.Sqrt(2*s.exponential()) * math.Cos(2*math.Pi*s.Float64())
}

// gamma has the shape given and scale 1. It is the method of Marsaglia and Tsang, A simple method for generating gamma
// variables (ACM TOMS 26, 2000), with their boost for shapes below 1.
func (s source) gamma(shape float64) float64 {
	if shape < 1 {
		return s.gamma(shape+1) * math.Pow(s.unit(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.normal()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(s.unit()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
