package ensemble

import (
	"fmt"
	"net"
	"strconv"
)

// addresses are where a listener can be reached: the one to advertise, or its own host, or all of this host's.
func addresses(listener net.Addr, advertise string) ([]string, error) {
	host, port, err := net.SplitHostPort(listener.String())
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", listener, err)
	}
	if advertise != "" {
		return advertised(advertise, port)
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() {
		return []string{net.JoinHostPort(host, port)}, nil
	}
	ips, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("addresses of this host: %w", err)
	}
	return reachable(ips, port), nil
}

func advertised(advertise, port string) ([]string, error) {
	host, own, err := net.SplitHostPort(advertise)
	if err != nil {
		return []string{net.JoinHostPort(advertise, port)}, nil //nolint:nilerr // a host alone has no port to split off
	}
	if n, err := strconv.ParseUint(own, 10, 16); err != nil || n == 0 || host == "" {
		return nil, fmt.Errorf("%w: advertise %q: must be a host, or a host and a port", ErrInvalid, advertise)
	}
	return []string{advertise}, nil
}

// reachable are the addresses at which other hosts may reach this one; only if there is none, the loopback ones.
func reachable(ips []net.Addr, port string) []string {
	var others, loopback []string
	for _, a := range ips {
		ip, ok := a.(*net.IPNet)
		switch {
		case !ok:
		case ip.IP.IsLoopback():
			loopback = append(loopback, net.JoinHostPort(ip.IP.String(), port))
		case ip.IP.IsGlobalUnicast():
			others = append(others, net.JoinHostPort(ip.IP.String(), port))
		}
	}
	if len(others) == 0 {
		others = loopback
	}
	return others[:min(len(others), mostAddresses)]
}
