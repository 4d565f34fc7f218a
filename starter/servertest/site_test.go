package servertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/demo"
)

// patience bounds every wait; nothing here waits for a fixed time.
const patience = 2 * time.Minute

// exe is the product under test, built once.
var exe string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "swapgate-servertest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	exe = filepath.Join(dir, "swapgate")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", exe, "github.com/swapgate/swapgate/starter")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the product:", err)
		return 1
	}
	return m.Run()
}

// bench is a site with workers, models and a client.
type bench struct {
	*local.Site
	t       *testing.T
	client  client.Client
	control *local.Child
	load    *local.Child
	models  *local.Models
	spec    swap.Spec
}

// newBench starts everything for one test, which runs beside others: each site is its own. The specification is that of
// the demo, shortened.
func newBench(t *testing.T, candidate string) *bench {
	t.Helper()
	t.Parallel()
	ctx := t.Context()
	site, err := local.StartSite(ctx, local.SiteOptions{Exe: exe, Dir: t.TempDir(), Progress: os.Stderr})
	t.Cleanup(func() {
		stop, done := context.WithTimeout(context.Background(), patience)
		defer done()
		require.NoError(t, site.Stop(stop))
	})
	require.NoError(t, err)
	b := &bench{Site: site, t: t}
	b.startControl()
	b.startLoad()
	b.models, err = site.StartModels(ctx, local.ModelsOptions{Candidate: candidate, Seed: 1, Adjust: demo.Slower})
	require.NoError(t, err)
	b.client, err = site.Temporal.Dial(ctx, log.NewStructuredLogger(quiet()))
	require.NoError(t, err)
	t.Cleanup(b.client.Close)
	b.spec = b.shortSpec()
	return b
}

func (b *bench) startControl() {
	b.t.Helper()
	var err error
	b.control, err = b.StartWorker(b.t.Context(), "control")
	require.NoError(b.t, err)
}

func (b *bench) startLoad() {
	b.t.Helper()
	var err error
	b.load, err = b.StartWorker(b.t.Context(), "load")
	require.NoError(b.t, err)
}

func (b *bench) shortSpec() swap.Spec {
	b.t.Helper()
	file, err := demo.Spec{Target: "chat", Models: b.models, Store: b.S3.Store(), Seed: 1, Prefix: "test/"}.Write(b.Dir())
	require.NoError(b.t, err)
	spec, err := config.Load(file, os.LookupEnv)
	require.NoError(b.t, err)
	return demo.Short(spec)
}
