package swap

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAbsentIsNullAndNeverZero(t *testing.T) {
	for _, v := range []Value{Absent(), Of(math.NaN()), Of(math.Inf(1)), Of(math.Inf(-1))} {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, "null", string(b))
		_, ok := v.Get()
		require.False(t, ok)
		require.InDelta(t, 7, v.Or(7), 0)
		require.Equal(t, "n/a", v.String())
	}
	for _, zero := range []float64{0, math.Copysign(0, -1)} {
		b, err := json.Marshal(Of(zero))
		require.NoError(t, err)
		require.Equal(t, "0", string(b))
		require.Equal(t, "0", Of(zero).String())
	}
}

func TestEveryFloatSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Of(rapid.Float64().Draw(t, "value"))
		b, err := json.Marshal(struct{ V Value }{in})
		require.NoError(t, err)
		var out struct{ V Value }
		require.NoError(t, json.Unmarshal(b, &out))
		require.Equal(t, in, out.V)
	})
}

func TestValuesReadWell(t *testing.T) {
	for want, v := range map[string]float64{"1620": 1620.4, "-20": -20, "0.00123": 0.0012345, "21.6": 21.6} {
		require.Equal(t, want, Of(v).String())
	}
}

func TestValueRefusesWhatIsNoNumber(t *testing.T) {
	var v Value
	require.Error(t, json.Unmarshal([]byte(`"12"`), &v))
	require.False(t, v.Valid())
}

func TestDurationIsReadable(t *testing.T) {
	b, err := json.Marshal(Duration(90 * time.Second))
	require.NoError(t, err)
	require.JSONEq(t, `"1m30s"`, string(b))
	var d Duration
	require.NoError(t, json.Unmarshal([]byte(`"250ms"`), &d))
	require.Equal(t, 250*time.Millisecond, d.Std())
	require.Error(t, json.Unmarshal([]byte(`30`), &d))
	require.Error(t, json.Unmarshal([]byte(`"30"`), &d))
}
