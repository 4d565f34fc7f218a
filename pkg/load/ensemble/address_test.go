package ensemble

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdvertisedAddress(t *testing.T) {
	listener := &net.TCPAddr{IP: net.IPv6unspecified, Port: 4000}
	for advertise, want := range map[string]string{
		"10.1.2.3":         "10.1.2.3:4000",
		"worker-0.load":    "worker-0.load:4000",
		"worker-0.load:80": "worker-0.load:80",
		"fd00::7":          "[fd00::7]:4000",
		"[fd00::7]:80":     "[fd00::7]:80",
	} {
		got, err := addresses(listener, advertise)
		require.NoError(t, err)
		require.Equal(t, []string{want}, got)
	}
	for _, wrong := range []string{"host:http", "host:0", ":80", "host:70000"} {
		_, err := addresses(listener, wrong)
		require.ErrorIs(t, err, ErrInvalid, wrong)
	}
	got, err := addresses(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000}, "")
	require.NoError(t, err)
	require.Equal(t, []string{"127.0.0.1:4000"}, got)
}

func TestReachableAddresses(t *testing.T) {
	parse := func(cidrs ...string) []net.Addr {
		var out []net.Addr
		for _, c := range cidrs {
			ip, network, err := net.ParseCIDR(c)
			require.NoError(t, err)
			out = append(out, &net.IPNet{IP: ip, Mask: network.Mask})
		}
		return out
	}
	require.Equal(t, []string{"10.0.0.5:9", "[2001:db8::1]:9"},
		reachable(parse("127.0.0.1/8", "::1/128", "fe80::1/64", "10.0.0.5/8", "2001:db8::1/64"), "9"))
	require.Equal(t, []string{"127.0.0.1:9", "[::1]:9"}, reachable(parse("127.0.0.1/8", "::1/128", "fe80::1/64"), "9"))
}

func TestTokenHidesItself(t *testing.T) {
	n := Notice{Attempt: "a", Addresses: []string{"h:1"}, Token: newToken()}
	require.NoError(t, n.check())
	require.NotEqual(t, n.Token, newToken())
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "token", n.Token, "notice", n)
	shown := fmt.Sprintf("%v %+v %#v %s %x %q", n, n, n, n.Token, n.Token, n.Token) + logged.String()
	require.NotContains(t, shown, string(n.Token))
	require.NotContains(t, shown, fmt.Sprintf("%x", string(n.Token)))

	wire, err := json.Marshal(n)
	require.NoError(t, err)
	var back Notice
	require.NoError(t, json.Unmarshal(wire, &back))
	require.Equal(t, n, back)

	for _, wrong := range []Notice{{Token: n.Token}, {Token: "short", Addresses: n.Addresses}} {
		require.Error(t, wrong.check())
	}
}
