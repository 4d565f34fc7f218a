package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a running gateway with its two upstreams.
type rig struct {
	gateway *Gateway
	public  *httptest.Server
	admin   *httptest.Server
	client  *http.Client
}

func newRig(t *testing.T, cfg Config, baseline, candidate http.HandlerFunc) *rig {
	t.Helper()
	for arm, h := range map[swap.Arm]http.HandlerFunc{swap.Baseline: baseline, swap.Candidate: candidate} {
		srv := httptest.NewServer(h)
		t.Cleanup(srv.Close)
		cfg.Upstreams.Ptr(arm).URL = srv.URL
	}
	g, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	r := &rig{gateway: g, public: httptest.NewServer(g.Handler()), admin: httptest.NewServer(g.AdminHandler())}
	t.Cleanup(r.public.Close)
	t.Cleanup(r.admin.Close)
	r.client = &http.Client{Transport: &http.Transport{}}
	t.Cleanup(r.client.CloseIdleConnections)
	return r
}

// reply is a response read to its end.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

func (r *rig) do(t *testing.T, method, url, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer func() { require.NoError(t, resp.Body.Close()) }()
	data, err := io.ReadAll(resp.Body)
	return reply{status: resp.StatusCode, header: resp.Header, body: string(data), err: err}
}

func (r *rig) ask(t *testing.T, body string) reply {
	t.Helper()
	return r.do(t, http.MethodPost, r.public.URL+"/v1/chat/completions", body)
}

func (r *rig) put(t *testing.T, body string, header ...string) reply {
	t.Helper()
	return r.do(t, http.MethodPut, r.admin.URL+"/admin/weights", body, header...)
}

func echo(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, name+" "+string(data))
	}
}
