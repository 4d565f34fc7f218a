package ensemble

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
)

var errStranger = errors.New("the other side does not know the token of this step")

// identity is the TLS configuration of both ends of a connection. The token is the seed of the only key that either accepts,
// so each proves by its certificate that it knows the token.
func identity(token Token) (*tls.Config, error) {
	seed, err := hkdf.Key(sha256.New, []byte(token), nil, "swapgate load ensemble", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("derive the key of the step: %w", err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of the step: %w", err)
	}
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:             tls.RequireAnyClientCert,
		InsecureSkipVerify:     true, //nolint:gosec // names and authorities mean nothing here; VerifyConnection checks the key
		VerifyConnection:       onlyKey(key),
		SessionTicketsDisabled: true,
	}, nil
}

func onlyKey(key ed25519.PrivateKey) func(tls.ConnectionState) error {
	return func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errStranger
		}
		public, ok := state.PeerCertificates[0].PublicKey.(ed25519.PublicKey)
		if !ok || !public.Equal(key.Public()) {
			return errStranger
		}
		return nil
	}
}
