package report_test

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/report/reporttest"
)

func TestPictureShowsWhatWasMeasured(t *testing.T) {
	height := map[string]int{}
	for _, s := range reporttest.All() {
		data, err := report.PNG(s.Data)
		require.NoError(t, err)
		if data == nil {
			continue
		}
		again, err := report.PNG(s.Data)
		require.NoError(t, err)
		require.Equal(t, data, again, "written again, it is the same object")
		img, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		require.Equal(t, 1280, img.Bounds().Dx())
		require.Less(t, len(data), 1<<20)
		height[s.Name] = img.Bounds().Dy()
	}
	require.Greater(t, height["pass_rollout"], height["fail_gates"], "a rollout has a chart more")
	require.NotContains(t, height, "error", "nothing was measured")
}

func TestPictureOfHostileText(t *testing.T) {
	data, err := report.PNG(reporttest.Hostile("<script>\x00\u202e" + string(bytes.Repeat([]byte("x"), 10000))))
	require.NoError(t, err)
	_, err = png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
}
