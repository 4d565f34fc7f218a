package runstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Check proves that the store can be used: it writes a probe object once, finds that a second write is refused, reads the
// probe back and deletes it. A store without conditional writes could count the raw data of two attempts, so it is refused.
func (s *Store) Check(ctx context.Context) error {
	key := checkKeyPrefix + rand.Text()
	if err := s.probe(ctx, key); err != nil {
		return err
	}
	return s.Delete(ctx, key)
}

func (s *Store) probe(ctx context.Context, key string) error {
	content := []byte("swapgate checks that it can write here\n")
	ref, _, err := s.PutOnce(ctx, key, "text/plain", content, "probe/v1")
	if err != nil {
		return err
	}
	again, created, err := s.PutOnce(ctx, key, "text/plain", append(content, '!'), "probe/v1")
	if err != nil {
		return err
	}
	if created || again != ref {
		return s.unusable(ref, "the service ignores If-None-Match; swapgate needs conditional writes")
	}
	got, err := s.GetBytes(ctx, ref)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, content) {
		return s.unusable(ref, "the probe was read back changed")
	}
	return nil
}

func (s *Store) unusable(ref swap.ObjectRef, why string) error {
	return &Error{Op: "check", URI: ref.URI, Cause: errors.New(why)}
}
