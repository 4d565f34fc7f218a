package local

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

const serverReadyWithin = 30 * time.Second

// StartServer starts a child that serves HTTP and waits until a GET of readyURL answers 200.
func StartServer(ctx context.Context, c Command, readyURL string) (*Child, error) {
	child, err := Start(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, serverReadyWithin)
	defer cancel()
	if err := child.awaitReady(ctx, func(ctx context.Context) error { return answersOK(ctx, readyURL) }); err != nil {
		_ = child.Kill()
		return nil, err
	}
	return child, nil
}

func answersOK(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: oneShot()}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return nil
}
