package swap

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// A field that Alike forgets would be news that nobody is told.
func TestNewsDifferByEveryFieldThatIsShown(t *testing.T) {
	other := RunNews{
		Seq: 1, Stage: StageLoad, Weights: &AllBaseline, Approve: 1, Asked: 1, Extensions: 1, RolledBack: true, Stuck: true,
		Can: Can{Approve: true}, Deeds: []Deed{{N: 1}}, Over: true,
	}
	for i := range reflect.TypeFor[RunNews]().NumField() {
		var n RunNews
		name := reflect.TypeFor[RunNews]().Field(i).Name
		value := reflect.ValueOf(other).Field(i)
		require.False(t, value.IsZero(), "the test lacks %s", name)
		reflect.ValueOf(&n).Elem().Field(i).Set(value)
		require.Equal(t, name == "Seq" || name == "Deeds", n.Alike(RunNews{}), name)
		require.True(t, n.Alike(n), name)
	}
	weights := AllBaseline
	require.True(t, RunNews{Weights: &weights}.Alike(RunNews{Weights: &AllBaseline}))
}
