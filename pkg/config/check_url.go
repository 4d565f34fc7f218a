package config

import (
	"net/url"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// checkURL reports an address that cannot be used as a base; it returns nil for one that is absent or reported.
func checkURL(r *reporter, p path, text string) *url.URL {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || strings.ContainsAny(text, " \t\n\"<>\\^`{|}"):
		r.value(p, "is not a valid URL, got %s", show(p, text))
	case u.User != nil:
		r.value(p, "must hold no user name or password; credentials are named, never written down")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#"):
		r.value(p, "must have no part after ? or #")
	default:
		return u
	}
	return nil
}

func checkArms(r *reporter, spec swap.Spec) {
	baselineURL, candidateURL := at("baseline", "url"), at("candidate", "url")
	b := checkServer(r, baselineURL, spec.Baseline.URL)
	c := checkServer(r, candidateURL, spec.Candidate.URL)
	if b == nil || c == nil || spec.InPlace != nil {
		return
	}
	if sameServer(b, c) && spec.Baseline.Model == spec.Candidate.Model {
		r.valueUsing(candidateURL, []path{at("candidate", "model"), at("baseline", "url"), at("baseline", "model")},
			"the candidate is the same model on the same server as the baseline; give it another url or model")
	}
}

// checkServer reports an address that is no base URL of an inference server.
func checkServer(r *reporter, p path, text string) *url.URL {
	u := checkURL(r, p, text)
	if u == nil {
		return nil
	}
	base := strings.TrimRight(u.Path, "/")
	if strings.HasSuffix(base, "/v1") || strings.Contains(base, "/v1/") {
		before, _, _ := strings.Cut(base+"/", "/v1/")
		r.value(p, "must be the base URL without /v1; write %s://%s%s", u.Scheme, u.Host, before)
		return nil
	}
	return u
}

func sameServer(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b) &&
		strings.TrimRight(a.Path, "/") == strings.TrimRight(b.Path, "/")
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func checkStore(r *reporter, s swap.Store) {
	p := at("store", "endpoint")
	if strings.Contains(s.Endpoint, "://") {
		if !strings.HasPrefix(s.Endpoint, "http://") && !strings.HasPrefix(s.Endpoint, "https://") {
			r.value(p, "must be host:port or a URL that starts with http:// or https://, got %s", show(p, s.Endpoint))
		}
		checkURL(r, p, s.Endpoint)
	} else if u, err := url.Parse("http://" + s.Endpoint); s.Endpoint != "" && (err != nil || u.Host != s.Endpoint) {
		r.value(p, "must be host:port or a URL, got %s", show(p, s.Endpoint))
	}
	if s.AccessKey == nil && s.SecretKey != nil {
		r.value(at("store", "access_key"), "is required beside secret_key")
	}
	if s.AccessKey != nil && s.SecretKey == nil {
		r.value(at("store", "secret_key"), "is required beside access_key")
	}
	checkPrefix(r, at("store", "prefix"), s.Prefix)
}

// checkPrefix keeps keys such as prefix/runs/… free of empty and relative parts.
func checkPrefix(r *reporter, p path, prefix string) {
	for part := range strings.SplitSeq(strings.TrimSuffix(prefix, "/"), "/") {
		if prefix != "" && (part == "" || part == "." || part == "..") {
			r.value(p, "must be names joined by /, without a leading /, got %s", show(p, prefix))
			return
		}
	}
}
