package engine

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/swapgate/swapgate/pkg/splitmix"
)

// mix hashes its arguments into 64 well-spread bits, for draws that must depend on a key and on nothing else.
func mix(keys ...uint64) uint64 {
	h := uint64(0)
	for _, k := range keys {
		h = splitmix.Mix(h + k)
	}
	return h
}

// unit maps 64 bits to [0, 1).
func unit(bits uint64) float64 { return float64(bits>>11) / (1 << 53) }

// normal maps a key to a draw of the standard normal distribution (Box and Muller).
func normal(key uint64) float64 {
	u, v := 1-unit(mix(key, 1)), unit(mix(key, 2))
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// noise draws the random part of service times.
type noise struct {
	cfg   Noise
	rng   *rand.Rand
	drift float64
	at    time.Duration
}

func newNoise(cfg Noise, seed uint64) *noise {
	n := &noise{cfg: cfg, rng: rand.New(rand.NewPCG(seed, 0x5eed))}
	n.drift = cfg.Drift * n.rng.NormFloat64()
	return n
}

func (n *noise) prefill(now time.Duration) float64 {
	return math.Exp(n.cfg.Prefill*n.rng.NormFloat64() + n.driftAt(now))
}

func (n *noise) decode(now time.Duration) float64 {
	return math.Exp(n.cfg.Decode*n.rng.NormFloat64() + n.driftAt(now))
}

// driftAt moves the drift on to now: the exact transition of an Ornstein-Uhlenbeck process, which sampled is AR(1).
func (n *noise) driftAt(now time.Duration) float64 {
	if n.cfg.Drift == 0 || now <= n.at {
		return n.drift
	}
	rho := math.Exp(-(now - n.at).Seconds() / n.cfg.DriftTime.Seconds())
	n.drift = rho*n.drift + n.cfg.Drift*math.Sqrt(1-rho*rho)*n.rng.NormFloat64()
	n.at = now
	return n.drift
}
