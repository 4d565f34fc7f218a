package judge

import (
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/swap"
)

// pools keep the sorted values of each metric and arm, so that the gates and checks that ask for them share one. They are safe for
// concurrent use; whoever asks first sorts, and the others wait.
type pools struct {
	mu   sync.Mutex
	made map[poolKey]func() pooled
}

type poolKey struct {
	arm    swap.Arm
	metric swap.Metric
}

// pool is that of one metric on one arm. Pairs that keep no pools make one for each that asks.
func (p pairs) pool(arm swap.Arm, metric swap.Metric) pooled {
	if p.pools == nil {
		return pool(p, arm, metric)
	}
	return p.pools.get(p, poolKey{arm, metric})
}

func (k *pools) get(p pairs, key poolKey) pooled {
	k.mu.Lock()
	make, known := k.made[key]
	if !known {
		make = sync.OnceValue(func() pooled { return pool(p, key.arm, key.metric) })
		k.made[key] = make
	}
	k.mu.Unlock()
	return make()
}

// prepare sorts what a verdict on the gates will ask for, which is most of its work.
func (p pairs) prepare(gates []swap.Gate) {
	metrics := []swap.Metric{swap.MetricTTFT, swap.MetricTPOT, swap.MetricOutputTokens} // shiftsOf asks for these
	for _, gate := range gates {
		if _, isQuantile := gate.Stat.Quantile(); isQuantile {
			metrics = append(metrics, gate.Metric)
		}
	}
	each(len(metrics)*len(swap.Arms), func(i int) {
		p.pool(swap.Arms[i%len(swap.Arms)], metrics[i/len(swap.Arms)])
	})
}

// each does work 0 to n−1, as many at a time as there are CPUs.
func each(n int, work func(i int)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			work(i)
			return nil
		})
	}
	_ = g.Wait()
}
