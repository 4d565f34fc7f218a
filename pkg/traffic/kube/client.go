package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

// manager is the name under which the API keeps what swapgate set.
const manager = "swapgate"

// Client reads and patches objects of one cluster.
type Client struct {
	base  string
	token func() (string, error)
	http  *http.Client
}

// NewClient returns the client of the API at base. token gives the bearer token of a call; nil sends none.
func NewClient(base string, token func() (string, error), hc *http.Client) (*Client, error) {
	if _, err := httpapi.New(base, "", hc); err != nil {
		return nil, err
	}
	return &Client{base: base, token: token, http: hc}, nil
}

// Get reads an object.
func (c *Client) Get(ctx context.Context, ref Ref) (Object, error) {
	data, err := c.do(ctx, httpapi.Request{Method: http.MethodGet, Path: ref.path()})
	if err != nil {
		return Object{}, fmt.Errorf("read %s: %w", ref, hint(err))
	}
	return Decode(ref, data)
}

// Patch changes the specification of an object by a JSON Patch that applies as a whole or not at all. It fails with
// traffic.ErrConflict when another writer changed the specification since before was read.
func (c *Client) Patch(ctx context.Context, before Object, ops []Op) error {
	return c.patch(ctx, before, ops, "")
}

// Try lets the API check a patch, and whether this account may make it, without changing the object.
func (c *Client) Try(ctx context.Context, before Object, ops []Op) error {
	return c.patch(ctx, before, ops, "&dryRun=All")
}

func (c *Client) patch(ctx context.Context, before Object, ops []Op, option string) error {
	body, err := json.Marshal(append([]Op{before.guard()}, ops...))
	if err != nil {
		return err
	}
	_, err = c.do(ctx, httpapi.Request{
		Method: http.MethodPatch, Path: before.Ref.path() + "?fieldManager=" + manager + option,
		ContentType: "application/json-patch+json", Body: body,
	})
	if err == nil {
		return nil
	}
	if status(err) == http.StatusUnprocessableEntity {
		// The API says the same of a test that failed and of a patch that makes no sense, without naming either.
		if now, readErr := c.Get(ctx, before.Ref); readErr == nil && now.version() != before.version() {
			return fmt.Errorf("change %s: %w: its version is %s and was %s", before.Ref, traffic.ErrConflict, now.version(), before.version())
		}
	}
	return fmt.Errorf("change %s: %w", before.Ref, hint(err))
}

func (c *Client) do(ctx context.Context, r httpapi.Request) ([]byte, error) {
	var token string
	if c.token != nil {
		var err error
		if token, err = c.token(); err != nil {
			return nil, err
		}
	}
	api, err := httpapi.New(c.base, token, c.http)
	if err != nil {
		return nil, err
	}
	return api.Do(ctx, r)
}

func status(err error) int {
	var answered *httpapi.StatusError
	if errors.As(err, &answered) {
		return answered.Status
	}
	return 0
}

// hint adds what to do about refusals that have one cause in practice.
func hint(err error) error {
	switch status(err) {
	case http.StatusUnauthorized:
		return fmt.Errorf("%w; the API does not know the worker's token: see admin_token, or mount a service account", err)
	case http.StatusForbidden:
		return fmt.Errorf("%w; allow the worker's account get and patch on this object", err)
	case http.StatusNotFound:
		return fmt.Errorf("%w; check namespace and name, and that the resource is installed", err)
	}
	return err
}
