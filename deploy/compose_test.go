package deploy_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/swap"
)

func loadCompose(t *testing.T, env map[string]string) (*types.Project, error) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  root,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(root, "docker-compose.yml")}},
		Environment: env,
	}, loader.WithProfiles([]string{"*"}))
}

func compose(t *testing.T) *types.Project {
	t.Helper()
	env, err := dotenv.Read("../.env.example")
	require.NoError(t, err)
	p, err := loadCompose(t, env)
	require.NoError(t, err)
	return p
}

// isOneShot says that a service ends by itself.
func isOneShot(s types.ServiceConfig) bool { return strings.HasPrefix(s.Restart, "on-failure") }

func TestComposeStartsOnlyWithPasswords(t *testing.T) {
	_, err := loadCompose(t, nil)
	require.ErrorContains(t, err, "copy .env.example to .env")
}

func TestComposeServicesArePinnedAndChecked(t *testing.T) {
	p := compose(t)
	require.GreaterOrEqual(t, len(p.Services), 12)
	for name, s := range p.Services {
		t.Run(name, func(t *testing.T) {
			requirePinned(t, s.Image)
			if isOneShot(s) {
				return
			}
			require.NotNil(t, s.HealthCheck, "a service that keeps running has a health check")
			require.Equal(t, "CMD", s.HealthCheck.Test[0], "no shell: the image may have none")
			require.Equal(t, "unless-stopped", s.Restart)
		})
	}
}

func TestComposeServicesAreConfined(t *testing.T) {
	writable := []string{"temporal-ui"}
	for name, s := range compose(t).Services {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, !slices.Contains(writable, name), s.ReadOnly)
			require.Equal(t, []string{"ALL"}, s.CapDrop)
			require.Contains(t, s.SecurityOpt, "no-new-privileges:true")
			require.False(t, s.Privileged)
			for _, port := range s.Ports {
				require.Equal(t, "127.0.0.1", port.HostIP, "port %d is published to this machine only", port.Target)
			}
			for _, v := range s.Volumes {
				if v.Type == types.VolumeTypeBind {
					require.True(t, v.ReadOnly, "%s is mounted read-only", v.Source)
					require.FileExists(t, v.Source)
				}
			}
		})
	}
}

func TestComposeWaitsForWhatItNeeds(t *testing.T) {
	p := compose(t)
	for name, s := range p.Services {
		for needed, d := range s.DependsOn {
			want := types.ServiceConditionHealthy
			if isOneShot(p.Services[needed]) {
				want = types.ServiceConditionCompletedSuccessfully
			}
			require.Equal(t, want, d.Condition, "%s waits for %s", name, needed)
		}
	}
	for _, worker := range []string{"worker-control", "worker-load"} {
		s := p.Services[worker]
		require.Contains(t, s.DependsOn, "temporal-setup")
		require.Contains(t, s.DependsOn, "s3-bucket")
		require.NotNil(t, s.StopGracePeriod)
		require.Greater(t, time.Duration(*s.StopGracePeriod), workerStopTimeout)
	}
}

func TestComposeNamesNoPasswordOfItsOwn(t *testing.T) {
	raw, err := os.ReadFile("../docker-compose.yml")
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if strings.Contains(key, "PASSWORD") || strings.Contains(key, "SECRET") || strings.HasSuffix(key, "_PWD") {
			require.Regexp(t, `\$\{|^ \*`, value, "%s comes from the environment", key)
		}
	}
}

func TestSearchAttributesAreThoseOfTheCode(t *testing.T) {
	raw, err := os.ReadFile("search-attributes.txt")
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(string(raw)) {
		name, kind, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, "a line is a name and a type: %q", line)
		require.Equal(t, "Keyword", kind, name)
		names = append(names, name)
	}
	require.ElementsMatch(t, swap.SearchAttributes, names)
}

func TestTheDemoSpecificationFitsTheServices(t *testing.T) {
	spec, err := config.Load("compose/swap.yaml", func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	services := compose(t).Services
	for _, address := range []string{
		spec.Baseline.URL, spec.Candidate.URL, spec.Rollout.Route.URL, spec.Rollout.Route.AdminURL, spec.Store.Endpoint,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Contains(t, services, u.Hostname())
	}
	require.Equal(t, "SWAPGATE_S3_ACCESS_KEY", spec.Store.AccessKey.Env, "the workers' own variable")
	require.Contains(t, services["worker-load"].Environment, spec.Store.AccessKey.Env)
	require.Contains(t, services["worker-load"].Environment, spec.Store.SecretKey.Env)
}
