package config

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParse(f *testing.F) {
	example, err := os.ReadFile("../../docs/examples/swap.yaml")
	require.NoError(f, err)
	f.Add(example)
	f.Add([]byte(minimal))
	f.Add([]byte(minimal + everyStep))
	f.Add([]byte(minimal + "workload: {api: transcriptions}\nload: {settle: 0.5ms}\n"))
	f.Add([]byte(minimal + "workload: &w {temperature: 0.5}\nload: {steps: [{rate: 1e2, hold: 1.5m}]}\n"))
	f.Add([]byte("target: !!binary aGk=\n? x\n: [*y, {<<: 1}]\n"))
	for _, bad := range slices.Concat(badMeanings, badWorkloads, badSteps, badLoads, badOpinions, badRoutes, badRouteKinds, badRollouts) {
		f.Add([]byte(bad.text()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, err := Parse("swap.yaml", data, nil)
		if err == nil {
			requireRoundTrip(t, spec)
			return
		}
		var all *Error
		require.ErrorAs(t, err, &all)
		require.NotEmpty(t, all.Problems)
		for _, p := range all.Problems {
			require.NotEmpty(t, p.Message)
		}
	})
}
