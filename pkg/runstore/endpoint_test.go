package runstore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestParseEndpoint(t *testing.T) {
	for text, want := range map[string]endpoint{
		"":                             {"s3.amazonaws.com", true},
		"s3.eu-west-1.amazonaws.com":   {"s3.eu-west-1.amazonaws.com", true},
		"storage.example.com:443":      {"storage.example.com:443", true},
		"127.0.0.1:7070":               {"127.0.0.1:7070", false},
		"[::1]:7070":                   {"[::1]:7070", false},
		"http://minio":                 {"minio", false},
		"https://s3.example.com:9000/": {"s3.example.com:9000", true},
	} {
		got, err := parseEndpoint(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestUnusableEndpoints(t *testing.T) {
	for _, text := range []string{
		"ftp://host", "https://", "https://host/bucket", "https://host?x=1", "user:hunter2@host", "https://user:hunter2@host",
		"https://user:hunter2@ho st", ":7070", "host/bucket",
	} {
		_, err := parseEndpoint(text)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func FuzzParseEndpoint(f *testing.F) {
	for _, seed := range []string{"", "host:1", "http://h", "https://u:p@h", "://", "[::1]:80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseEndpoint(text)
		if err == nil {
			require.NotEmpty(t, got.host)
			require.False(t, strings.ContainsAny(got.host, "/@"), got.host)
		}
	})
}

func TestRegion(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	require.Equal(t, "us-east-1", endpoint{host: "minio:9000"}.region(""))
	require.Empty(t, endpoint{host: awsEndpoint}.region(""), "looked up at AWS")
	require.Equal(t, "eu-west-1", endpoint{host: awsEndpoint}.region("eu-west-1"))
	t.Setenv("AWS_REGION", "us-west-2")
	require.Equal(t, "us-west-2", endpoint{host: awsEndpoint}.region(""))
}

func TestOpenRefusesWhatCannotWork(t *testing.T) {
	key := &swap.SecretRef{Env: "SWAPGATE_TEST_NOT_SET"}
	for says, cfg := range map[string]swap.Store{
		"bucket":                {},
		"scheme":                {Bucket: "b", Endpoint: "gopher://x"},
		"go together":           {Bucket: "b", AccessKey: key},
		"SWAPGATE_TEST_NOT_SET": {Bucket: "b", AccessKey: key, SecretKey: key},
	} {
		_, err := Open(cfg)
		require.ErrorContains(t, err, says)
	}
	_, err := Open(swap.Store{Bucket: "b", AccessKey: key, SecretKey: key})
	require.ErrorIs(t, err, secret.ErrInvalid)
}

func TestTheEnvironmentsCredentialsAreTheDefault(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "from-the-environment")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	creds, err := credentialsOf(swap.Store{})
	require.NoError(t, err)
	value, err := creds.GetWithContext(nil)
	require.NoError(t, err)
	require.Equal(t, "from-the-environment", value.AccessKeyID)
}
