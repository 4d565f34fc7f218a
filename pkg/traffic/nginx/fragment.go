package nginx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// maxWeight is the greatest weight that is written. NGINX takes more.
const maxWeight = 1 << 15

// fragment is the file with the upstream as it was read.
type fragment struct {
	// version and intact are those of the first line: none where swapgate did not write the file, and not intact where somebody
	// changed it since.
	version int
	intact  bool
	digest  string
	servers []server
	// others are the directives beside servers and zone, as they are written.
	others []string
}

// server is one line of the upstream. weight is 0 for one that is down.
type server struct {
	address string
	weight  int
	backup  bool
	// others are parameters that swapgate would not write.
	others []string
}

const marker = "# swapgate: version "

// render writes the file. A zone makes all worker processes share one round of the balancer, so that shares are exact for NGINX
// as a whole; without max_fails a server that fails would leave the round, and its share would go to the other arm.
func render(route swap.NGINX, want swap.Weights, version int) []byte {
	weights := traffic.Spread(want, swap.PerArm[int]{Baseline: len(route.Baseline), Candidate: len(route.Candidate)}, maxWeight)
	var b bytes.Buffer
	fmt.Fprintf(&b, "upstream %s {\n    zone %s 256k;\n", route.Upstream, route.Upstream)
	for _, arm := range swap.Arms {
		for i, address := range addresses(route).Get(arm) {
			if weight := weights.Get(arm)[i]; weight > 0 {
				fmt.Fprintf(&b, "    server %s weight=%d max_fails=0;\n", address, weight)
			} else {
				fmt.Fprintf(&b, "    server %s down;\n", address)
			}
		}
	}
	for _, d := range route.Directives {
		fmt.Fprintf(&b, "    %s;\n", d)
	}
	b.WriteString("}\n")
	first := fmt.Sprintf("%s%d, sha256 %s. Written by swapgate; change it through swapgate.\n", marker, version, digestOf(b.Bytes()))
	return append([]byte(first), b.Bytes()...)
}

func addresses(route swap.NGINX) swap.PerArm[[]string] {
	return swap.PerArm[[]string]{Baseline: route.Baseline, Candidate: route.Candidate}
}

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// parse reads a file that holds the upstream of this name and nothing else.
func parse(data []byte, name string) (fragment, error) {
	f := fragment{digest: digestOf(data)}
	if rest, ok := bytes.CutPrefix(data, []byte(marker)); ok {
		line, body, _ := bytes.Cut(rest, []byte("\n"))
		version, digest, _ := strings.Cut(string(line), ", sha256 ")
		digest, _, _ = strings.Cut(digest, ".")
		var err error
		if f.version, err = strconv.Atoi(version); err != nil || f.version < 1 {
			return f, fmt.Errorf("its first line has no version: %q", line)
		}
		f.intact = digest == digestOf(body)
	}
	tokens, err := tokenise(string(data))
	if err != nil {
		return f, err
	}
	if len(tokens) < 4 || tokens[0].text != "upstream" || tokens[1].text != name || tokens[2] != (token{"{", true}) {
		return f, fmt.Errorf("it does not begin with upstream %s {", name)
	}
	tokens = tokens[3:]
	for len(tokens) > 0 && tokens[0] != (token{"}", true}) {
		end := slices.IndexFunc(tokens, func(t token) bool { return t.special })
		if end < 1 || tokens[end].text != ";" {
			return f, fmt.Errorf("the directive that begins with %q does not end with ;", tokens[0].text)
		}
		if err := f.add(texts(tokens[:end])); err != nil {
			return f, err
		}
		tokens = tokens[end+1:]
	}
	if len(tokens) != 1 {
		return f, fmt.Errorf("it holds more than upstream %s", name)
	}
	return f, nil
}

// balancers are the directives that split requests by something else than weights alone.
var balancers = []string{"hash", "ip_hash", "least_conn", "least_time", "random", "sticky"}

func (f *fragment) add(words []string) error {
	switch {
	case words[0] == "server":
		s, err := serverOf(words[1:])
		if err != nil {
			return err
		}
		f.servers = append(f.servers, s)
	case slices.Contains(balancers, words[0]):
		return fmt.Errorf("%s gives no exact shares; leave it out", words[0])
	case words[0] != "zone":
		f.others = append(f.others, strings.Join(words, " "))
	}
	return nil
}

func serverOf(words []string) (server, error) {
	if len(words) == 0 {
		return server{}, fmt.Errorf("a server has no address")
	}
	s := server{address: words[0], weight: 1}
	down := false
	for _, p := range words[1:] {
		text, ok := strings.CutPrefix(p, "weight=")
		switch {
		case ok:
			weight, err := strconv.Atoi(text)
			if err != nil || weight < 1 || weight > 1<<20 {
				return s, fmt.Errorf("server %s has weight %q", s.address, text)
			}
			s.weight = weight
		case p == "down":
			down = true
		case p == "backup":
			s.backup = true
		case p != "max_fails=0":
			s.others = append(s.others, p)
		}
	}
	if down {
		s.weight = 0
	}
	return s, nil
}

// token is a word or, when special, one of { } and ;.
type token struct {
	text    string
	special bool
}

func texts(tokens []token) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.text
	}
	return out
}

// tokenise splits configuration of NGINX into words.
func tokenise(text string) ([]token, error) {
	var out []token
	for text != "" {
		switch c := text[0]; {
		case strings.ContainsRune(" \t\r\n", rune(c)):
			text = text[1:]
		case c == '#':
			_, text, _ = strings.Cut(text, "\n")
		case strings.ContainsRune("{};", rune(c)):
			out, text = append(out, token{text[:1], true}), text[1:]
		case c == '"' || c == '\'':
			end := strings.IndexByte(text[1:], c)
			if end < 0 || strings.Contains(text[:end+1], `\`) {
				return nil, fmt.Errorf("a word in quotes that cannot be read: %.40q", text)
			}
			out, text = append(out, token{text: text[1 : end+1]}), text[end+2:]
		default:
			end := strings.IndexAny(text, " \t\r\n{};")
			if end < 0 {
				end = len(text)
			}
			out, text = append(out, token{text: text[:end]}), text[end:]
		}
	}
	return out, nil
}
