package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestStoreOfTheWorker(t *testing.T) {
	env := map[string]string{
		"SWAPGATE_S3_BUCKET": "runs", "SWAPGATE_S3_ENDPOINT": "s3:9000", "SWAPGATE_S3_ACCESS_KEY": "a", "SWAPGATE_S3_SECRET_KEY": "b",
	}
	getenv := func(name string) string { return env[name] }
	named := swap.Store{Bucket: "other"}
	require.Equal(t, named, atHome(named, getenv), "a store that is named is taken as it is")
	require.Equal(t, swap.Store{
		Bucket: "runs", Endpoint: "s3:9000",
		AccessKey: &swap.SecretRef{Env: "SWAPGATE_S3_ACCESS_KEY"}, SecretKey: &swap.SecretRef{Env: "SWAPGATE_S3_SECRET_KEY"},
	}, atHome(swap.Store{}, getenv))
	env = map[string]string{"SWAPGATE_S3_BUCKET": "runs", "SWAPGATE_S3_ENDPOINT": "s3.amazonaws.com"}
	require.Equal(t, swap.Store{Bucket: "runs", Endpoint: "s3.amazonaws.com"}, atHome(swap.Store{}, getenv), "keys by the usual AWS ways")
}
