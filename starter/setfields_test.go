package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSetFields(t *testing.T) {
	f := engine.Faults{Tail: engine.Tail{Factor: 4}}
	require.NoError(t, setFields(&f, []string{"error_rate=0.05", "tail.share=0.1", "stall.duration=3s", "crash=true"}))
	require.Equal(t, engine.Faults{
		ErrorRate: 0.05, Tail: engine.Tail{Share: 0.1, Factor: 4}, Stall: engine.Stall{Duration: swap.Duration(3 * time.Second)}, Crash: true,
	}, f)
}

func TestSetFieldsRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, a := range []string{"nope=1", "tail.nope=1", "tail=1", "error_rate", "=1", "error_rate=high"} {
		require.Error(t, setFields(&engine.Faults{}, []string{a}), a)
	}
}

func FuzzSetFields(f *testing.F) {
	for _, seed := range []string{"error_rate=0.05", "tail.share=1", `a."b=1`, "x={", "=", "..=1", "crash=true} {"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, assignment string) {
		_ = setFields(&engine.Faults{}, []string{assignment})
	})
}
