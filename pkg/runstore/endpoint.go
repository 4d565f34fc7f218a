package runstore

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

const awsEndpoint = "s3.amazonaws.com"

// endpoint is where the S3 API listens.
type endpoint struct {
	host string // host or host:port
	tls  bool
}

// parseEndpoint reads store.endpoint. A URL says itself whether TLS is used; without a scheme, a port other than 443 means
// plain HTTP. Empty is AWS.
func parseEndpoint(text string) (endpoint, error) {
	if text == "" {
		return endpoint{host: awsEndpoint, tls: true}, nil
	}
	if !strings.Contains(text, "://") {
		return parseHostPort(text)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return endpoint{}, fmt.Errorf("store endpoint: not a URL; want one such as https://s3.example.com")
	case u.User != nil:
		return endpoint{}, fmt.Errorf("store endpoint %s: a URL with credentials in it; name them in access_key and secret_key",
			u.Redacted())
	case u.Scheme != "http" && u.Scheme != "https":
		return endpoint{}, fmt.Errorf("store endpoint %q: the scheme is neither http nor https", text)
	case u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return endpoint{}, fmt.Errorf("store endpoint %q: want a scheme and a host only; the bucket has its own field", text)
	}
	return endpoint{host: u.Host, tls: u.Scheme == "https"}, nil
}

func parseHostPort(text string) (endpoint, error) {
	u, err := url.Parse("//" + text)
	if err != nil || u.Host != text || u.Hostname() == "" {
		return endpoint{}, fmt.Errorf("store endpoint: want host:port, or a URL such as https://s3.example.com")
	}
	return endpoint{host: text, tls: u.Port() == "" || u.Port() == "443"}, nil
}

// region is the configured one, else the environment's. Other services than AWS get a name that spares the look-up of a
// bucket's region.
func (e endpoint) region(configured string) string {
	for _, r := range []string{configured, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")} {
		if r != "" {
			return r
		}
	}
	if strings.HasSuffix(e.host, ".amazonaws.com") {
		return ""
	}
	return "us-east-1"
}

// credentialsOf are the two secrets that cfg names, else what AWS clients use: environment, shared file, instance role.
func credentialsOf(cfg swap.Store) (*credentials.Credentials, error) {
	if cfg.AccessKey == nil && cfg.SecretKey == nil {
		return credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}), nil
	}
	if cfg.AccessKey == nil || cfg.SecretKey == nil {
		return nil, fmt.Errorf("store: access_key and secret_key go together; one of them is missing")
	}
	access, err := secret.Resolve(cfg.AccessKey)
	if err != nil {
		return nil, fmt.Errorf("store access_key: %w", err)
	}
	key, err := secret.Resolve(cfg.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("store secret_key: %w", err)
	}
	return credentials.NewStaticV4(access.Reveal(), key.Reveal(), ""), nil
}
