package loadbench

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/sim/metronome"
)

func TestMain(m *testing.M) {
	metronome.ServeIfChild()
	goleak.VerifyTestMain(m)
}
