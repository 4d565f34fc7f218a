package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// scrapeTimeout bounds one scrape: some engines answer a scrape only between two long decodes.
	scrapeTimeout = 5 * time.Second
	// maxPageBytes bounds a page; a large engine's own is well under 1 MB.
	maxPageBytes = 10 << 20
	acceptText   = "text/plain;version=0.0.4;q=1,*/*;q=0.1"
)

// ErrTooLarge says that a page is over the size cap of 10 MiB.
var ErrTooLarge = errors.New("page is larger than 10 MiB")

// Fetch reads one page within 5 s; a key that is not empty is sent as a bearer token. No error quotes the URL's query or
// credentials.
func Fetch(ctx context.Context, client *http.Client, address, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("metrics page: %w", withoutURL(err))
	}
	req.Header.Set("Accept", acceptText)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	body, err := get(client, req)
	if err != nil {
		return nil, fmt.Errorf("metrics page of %s%s: %w", req.URL.Host, req.URL.Path, withoutURL(err))
	}
	return body, nil
}

func get(client *http.Client, req *http.Request) (body []byte, err error) {
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, fmt.Errorf("the server answered %s; check the key with which its metrics are read", resp.Status)
	default:
		return nil, fmt.Errorf("the server answered %s; check that its metrics are switched on", resp.Status)
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxPageBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxPageBytes {
		return nil, ErrTooLarge
	}
	return body, nil
}

// withoutURL drops the address that net/http and net/url put into their errors.
func withoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}
