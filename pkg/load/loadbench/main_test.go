package loadbench

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/sim/metronome"
)

func TestMain(m *testing.M) {
	metronome.ServeIfChild()
	load.PrepareProcess()
	goleak.VerifyTestMain(m)
}
