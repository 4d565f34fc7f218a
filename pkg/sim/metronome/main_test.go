package metronome

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	ServeIfChild()
	goleak.VerifyTestMain(m)
}
