package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// pageBytes bounds what is read of one page of a server.
const pageBytes = 4 << 20

// page is the answer to a small request.
type page struct {
	status int
	header http.Header
	body   []byte
	// moved is the URL to which a redirect led; nil if none did.
	moved *url.URL
}

func (p prober) get(ctx context.Context, path string) (page, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.target.path(path), http.NoBody)
	if err != nil {
		return page{}, err
	}
	return p.fetch(req)
}

// post sends a JSON object. Only routes that change nothing are asked.
func (p prober) post(ctx context.Context, path string, body map[string]any) (page, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return page{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.target.path(path), bytes.NewReader(data))
	if err != nil {
		return page{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	return p.fetch(req)
}

func (p prober) fetch(req *http.Request) (page, error) {
	setHeaders(req, p.target.Key)
	resp, err := p.http.Do(req)
	if err != nil && hungUp(err) {
		return page{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if err != nil {
		return page{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	body, err := io.ReadAll(io.LimitReader(resp.Body, pageBytes))
	if err != nil {
		return page{}, fmt.Errorf("read %s: %w", req.URL.Path, err)
	}
	pg := page{status: resp.StatusCode, header: resp.Header, body: body}
	if at := resp.Request.URL; at.String() != req.URL.String() {
		pg.moved = at
	}
	return pg, nil
}

// object fetches a JSON object; nil if there is none.
func (p prober) object(ctx context.Context, path string) map[string]any {
	return p.ask(ctx, path, nil)
}

// ask fetches a JSON object, by a POST if there is a body; nil if there is none.
func (p prober) ask(ctx context.Context, path string, body map[string]any) map[string]any {
	var pg page
	var err error
	if body == nil {
		pg, err = p.get(ctx, path)
	} else {
		pg, err = p.post(ctx, path, body)
	}
	if err != nil || pg.status != http.StatusOK {
		return nil
	}
	var m map[string]any
	if !pg.json(&m) {
		return nil
	}
	return m
}

func (pg page) json(into any) bool { return json.Unmarshal(pg.body, into) == nil }

// has reports whether the page is a JSON object with all the keys.
func (pg page) has(keys ...string) bool {
	var m map[string]any
	return pg.json(&m) && hasAll(m, keys...)
}

func hasAll(m map[string]any, keys ...string) bool {
	for _, k := range keys {
		if _, ok := m[k]; !ok {
			return false
		}
	}
	return true
}

// str returns a string of an object, or "".
func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

const userAgent = "swapgate"

func setHeaders(req *http.Request, key string) {
	req.Header.Set("User-Agent", userAgent)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
}
