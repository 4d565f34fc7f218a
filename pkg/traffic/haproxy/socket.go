package haproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

const (
	// socketTimeout bounds one exchange where the context has no earlier deadline.
	socketTimeout = 5 * time.Second
	maxReply      = 16 << 20
	// maxTogether is how many servers are set by one line of commands, which HAProxy bounds (16 KiB).
	maxTogether = 50
)

// socket is the runtime API of one HAProxy process.
type socket struct {
	network, address string
	route            swap.HAProxy
}

// Open returns the controller of a backend that is steered through the runtime socket of the route.
func Open(route swap.HAProxy) (*Gateway, error) {
	network, address, ok := strings.Cut(route.Socket, "://")
	if !ok || address == "" || network != "unix" && network != "tcp" {
		return nil, fmt.Errorf("%w: haproxy.socket of the route must be unix:///path or tcp://host:port", traffic.ErrUnsupported)
	}
	if err := checkNames(route); err != nil {
		return nil, err
	}
	return &Gateway{socket{network, address, route}}, nil
}

// checkNames refuses names that no server can have, and that would be commands of their own in a line of commands.
func checkNames(route swap.HAProxy) error {
	for _, name := range slices.Concat([]string{route.Backend}, route.Baseline, route.Candidate) {
		if bare := strings.TrimSuffix(name, "*"); bare == "" || strings.ContainsFunc(bare, func(r rune) bool { return !nameRune(r) }) {
			return fmt.Errorf("%w: %q is no name of a backend or server of HAProxy", traffic.ErrUnsupported, name)
		}
	}
	return nil
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.:-", r)
}

func (s socket) where() string { return s.route.Socket + " " + s.route.Backend }

func (s socket) observe(ctx context.Context) (observation, error) {
	// 6 asks for the rows of the backend (2) and its servers (4).
	replies, err := s.ask(ctx, "show info", fmt.Sprintf("show stat %s 6 -1", s.route.Backend))
	if err != nil {
		return observation{}, err
	}
	process, err := processOf(replies[0])
	if err != nil {
		return observation{}, fmt.Errorf("%s: %w", s.route.Socket, err)
	}
	if strings.HasPrefix(replies[1], "No such proxy") {
		return observation{}, fmt.Errorf("%w: HAProxy at %s has no backend %s", traffic.ErrRefused, s.route.Socket, s.route.Backend)
	}
	stat, err := parseStat(replies[1])
	if err != nil {
		return observation{}, fmt.Errorf("%w: %s: %w", traffic.ErrRefused, s.route.Socket, err)
	}
	return observe(s.route, stat, process, 0)
}

// processOf reads "show info": which process this is, and that it is the only one and here to stay.
func processOf(info string) (string, error) {
	facts := map[string]string{}
	for line := range strings.SplitSeq(info, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			facts[name] = value
		}
	}
	switch {
	case facts["Pid"] == "":
		return "", fmt.Errorf("%w: this is no runtime socket of HAProxy: it answered %s", traffic.ErrRefused, quoted(info))
	case facts["Nbproc"] != "" && facts["Nbproc"] != "1":
		return "", fmt.Errorf("%w: HAProxy runs %s processes with weights of their own; use nbthread instead of nbproc",
			traffic.ErrRefused, facts["Nbproc"])
	case facts["Stopping"] != "" && facts["Stopping"] != "0":
		return "", fmt.Errorf("%w: process %s is stopping, after a reload or a stop of HAProxy", traffic.ErrUnreachable, facts["Pid"])
	}
	return "pid=" + facts["Pid"], nil
}

// change reads the weights and sets them in one line of commands, which HAProxy works through at once. Where another writer was
// faster it puts that writer's weights back.
func (s socket) change(ctx context.Context, _ observation, changes []change) error {
	for together := range slices.Chunk(changes, maxTogether) {
		if err := s.changeTogether(ctx, together); err != nil {
			return err
		}
	}
	return nil
}

func (s socket) changeTogether(ctx context.Context, changes []change) error {
	var commands []string
	for _, c := range changes {
		commands = append(commands, fmt.Sprintf("get weight %s/%s", s.route.Backend, c.server))
	}
	for _, c := range changes {
		commands = append(commands, s.set(c.server, c.to))
	}
	replies, err := s.ask(ctx, commands...)
	if err != nil {
		return err
	}
	found, conflict := make([]int, len(changes)), false
	for i, c := range changes {
		if found[i], err = parseWeight(replies[i]); err != nil {
			return fmt.Errorf("%w: %s: server %s: %w", traffic.ErrRefused, s.route.Socket, c.server, err)
		}
		conflict = conflict || found[i] != c.from
	}
	if err := s.accepted(replies[len(changes):]); err != nil {
		return err
	}
	if !conflict {
		return nil
	}
	return s.yieldTo(ctx, changes, found)
}

// yieldTo puts back what another writer set between reading and writing.
func (s socket) yieldTo(ctx context.Context, changes []change, found []int) error {
	texts, commands := make([]string, len(changes)), make([]string, len(changes))
	for i, c := range changes {
		texts[i] = fmt.Sprintf("server %s had weight %d and not %d", c.server, found[i], c.from)
		commands[i] = s.set(c.server, found[i])
	}
	replies, err := s.ask(ctx, commands...)
	if err == nil {
		err = s.accepted(replies)
	}
	return errors.Join(fmt.Errorf("%w at %s: %s", traffic.ErrConflict, s.route.Socket, strings.Join(texts, ", ")), err)
}

func (s socket) set(server string, weight int) string {
	return fmt.Sprintf("set weight %s/%s %d", s.route.Backend, server, weight)
}

// accepted reads the replies to settings: nothing when they were done.
func (s socket) accepted(replies []string) error {
	for _, reply := range replies {
		switch {
		case reply == "":
		case strings.HasPrefix(reply, "Permission denied"):
			return fmt.Errorf("%w: %s may read but not write: the stats socket needs level admin", traffic.ErrRefused, s.route.Socket)
		default:
			return fmt.Errorf("%w: %s answered %s", traffic.ErrRefused, s.route.Socket, quoted(reply))
		}
	}
	return nil
}

// parseWeight reads the reply to "get weight", such as "95 (initial 100)".
func parseWeight(reply string) (int, error) {
	text, _, _ := strings.Cut(reply, " ")
	weight, err := strconv.Atoi(text)
	if err != nil || weight < 0 || weight > maxWeight {
		return 0, fmt.Errorf("answered %s instead of a weight", quoted(reply))
	}
	return weight, nil
}

// ask sends commands in one line and returns the reply to each, without its end.
func (s socket) ask(ctx context.Context, commands ...string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, socketTimeout)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, s.network, s.address)
	if err != nil {
		return nil, s.unreachable(ctx, err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := io.WriteString(conn, strings.Join(commands, ";")+"\n"); err != nil {
		return nil, s.unreachable(ctx, err)
	}
	data, err := io.ReadAll(io.LimitReader(conn, maxReply))
	if err != nil {
		return nil, s.unreachable(ctx, err)
	}
	replies := split(string(data))
	if strings.HasPrefix(string(data), "HTTP/") {
		return nil, fmt.Errorf("%w: %s speaks HTTP and is no runtime socket", traffic.ErrRefused, s.route.Socket)
	}
	if len(replies) == 1 && strings.HasPrefix(replies[0], "Unknown command") {
		return nil, fmt.Errorf("%w: %s answered %s", traffic.ErrRefused, s.route.Socket, quoted(replies[0]))
	}
	if len(replies) < len(commands) {
		return nil, fmt.Errorf("%w: %s hung up after %d of %d replies", traffic.ErrUnreachable, s.route.Socket, len(replies), len(commands))
	}
	return replies, nil
}

// split finds the replies in what HAProxy sent: each ends with an empty line.
func split(text string) []string {
	var replies []string
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			lines = append(lines, line)
			continue
		}
		replies = append(replies, strings.Join(lines, "\n"))
		lines = nil
	}
	return replies
}

func (s socket) unreachable(ctx context.Context, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: this worker may not open %s: give its user or group access (mode, user and group of the stats socket): %w",
			traffic.ErrRefused, s.route.Socket, err)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("%w: %s: %w", traffic.ErrUnreachable, s.route.Socket, err)
}

// quoted is the first line of a reply, shortened.
func quoted(reply string) string {
	line, _, _ := strings.Cut(reply, "\n")
	return strconv.Quote(line[:min(len(line), 200)])
}
