package notify

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Claims is the store in which posts are claimed; *runstore.Store is one.
type Claims interface {
	// PutOnce stores data under key unless an object is there, and reports whether it did.
	PutOnce(ctx context.Context, key, contentType string, data []byte, schema string) (swap.ObjectRef, bool, error)
	// GetKey reads an object; it fails with runstore.ErrNotFound where there is none.
	GetKey(ctx context.Context, key string) ([]byte, swap.ObjectRef, error)
}

// ClaimSchema names the layout of the objects that Once writes.
const ClaimSchema = "slack-claim/v1"

// Sent is where a message is.
type Sent struct {
	// Channel is the channel's id, which is not its name.
	Channel string
	// TS is the message's timestamp, its id within the channel; of an upload it is the file's id.
	TS string
}

// Posted is a message that is in its channel.
type Posted struct {
	Sent
	// Earlier says that an earlier attempt posted it.
	Earlier bool
	// Recorded is false where the store did not take the record of this post; a later attempt then ends with
	// ErrOutcomeUnknown instead of finding it.
	Recorded bool
}

// Key is the claim of one message of a run: a message with other content or for another channel has another key.
func Key(runID, kind string, p Payload) (string, error) {
	content, err := JSON(p)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return path.Join("claims", runID, kind, hex.EncodeToString(sum[:8])), nil
}

// Find is the message of a key, if it is known to be in its channel.
func Find(ctx context.Context, claims Claims, key string) (Sent, bool, error) {
	for n := 1; ; n++ {
		result, err := attempt{claims: claims, key: key, number: n}.result(ctx)
		switch {
		case errors.Is(err, runstore.ErrNotFound):
			return Sent{}, false, nil
		case err != nil:
			return Sent{}, false, err
		case result.Outcome == outcomePosted:
			return Sent{Channel: result.Channel, TS: result.TS}, true, nil
		}
	}
}

// Once calls post unless the message of this key was posted, or may have been. Every call of post is claimed before and its
// result recorded after. A recorded failure that is certain (NotPosted) frees the way for the next attempt; a claim without a
// result means that its owner died, or is posting at this moment, and ends in ErrOutcomeUnknown. A verdict that is missing
// in a channel is found in the report and in Temporal; one that is there twice is taken for two runs.
func Once(ctx context.Context, claims Claims, key string, post func(context.Context) (Sent, error)) (Posted, error) {
	for n := 1; ; n++ {
		a := attempt{claims: claims, key: key, number: n}
		mine, err := a.claim(ctx)
		if err != nil {
			return Posted{}, err
		}
		if mine {
			return a.post(ctx, post)
		}
		result, err := a.result(ctx)
		switch {
		case errors.Is(err, runstore.ErrNotFound):
			return Posted{}, fmt.Errorf("attempt %d of %s: %w", n, key, ErrOutcomeUnknown)
		case err != nil:
			return Posted{}, err
		case result.Outcome == outcomePosted:
			return Posted{Sent: Sent{Channel: result.Channel, TS: result.TS}, Earlier: true, Recorded: true}, nil
		case result.Outcome != outcomeNotPosted:
			return Posted{}, fmt.Errorf("attempt %d of %s: %w", n, key, ErrOutcomeUnknown)
		}
	}
}

// attempt is the nth try to post the message of a key.
type attempt struct {
	claims Claims
	key    string
	number int
}

// claimRecord tells the owner of a claim from all others.
type claimRecord struct {
	Attempt int    `json:"attempt"`
	Owner   string `json:"owner"`
}

type outcome string

const (
	outcomePosted    outcome = "posted"
	outcomeNotPosted outcome = "not_posted"
	outcomeUnknown   outcome = "unknown"
)

type resultRecord struct {
	Outcome outcome `json:"outcome"`
	Channel string  `json:"channel,omitempty"`
	TS      string  `json:"ts,omitempty"`
	Error   string  `json:"error,omitempty"`
}

func (a attempt) objectKey(what string) string {
	return fmt.Sprintf("%s/%d-%s.json", a.key, a.number, what)
}

// claim reports whether the attempt is this call's own. After a lost answer the store says that the object was there
// already, so the owner is compared too.
func (a attempt) claim(ctx context.Context) (bool, error) {
	data, err := json.Marshal(claimRecord{Attempt: a.number, Owner: rand.Text()})
	if err != nil {
		return false, fmt.Errorf("cannot write the claim %s: %w", a.objectKey("claim"), err)
	}
	created, err := a.put(ctx, "claim", data)
	if err != nil { // the claim may be there all the same: a second try finds it
		created, err = a.put(ctx, "claim", data)
	}
	if err != nil {
		return false, fmt.Errorf("the Slack message is not posted, because it cannot be claimed: %w", err)
	}
	if created {
		return true, nil
	}
	found, _, err := a.claims.GetKey(ctx, a.objectKey("claim"))
	if err != nil {
		return false, fmt.Errorf("the Slack message is not posted, because its claim cannot be read: %w", err)
	}
	return bytes.Equal(found, data), nil
}

func (a attempt) post(ctx context.Context, post func(context.Context) (Sent, error)) (Posted, error) {
	sent, err := post(ctx)
	switch {
	case err == nil:
		recorded := a.record(ctx, resultRecord{Outcome: outcomePosted, Channel: sent.Channel, TS: sent.TS}) == nil
		return Posted{Sent: sent, Recorded: recorded}, nil
	case NotPosted(err):
		return Posted{}, errors.Join(err, a.record(ctx, resultRecord{Outcome: outcomeNotPosted, Error: err.Error()}))
	}
	return Posted{}, errors.Join(err, a.record(ctx, resultRecord{Outcome: outcomeUnknown, Error: err.Error()}))
}

// recordTimeout bounds the writing of a result, which a cancelled context must not prevent.
const recordTimeout = 10 * time.Second

func (a attempt) record(ctx context.Context, r resultRecord) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("cannot write the result %s: %w", a.objectKey("result"), err)
	}
	if _, err := a.put(ctx, "result", data); err != nil {
		return fmt.Errorf("the result of posting to Slack could not be recorded: %w", err)
	}
	return nil
}

func (a attempt) put(ctx context.Context, what string, data []byte) (created bool, err error) {
	_, created, err = a.claims.PutOnce(ctx, a.objectKey(what), "application/json", data, ClaimSchema)
	return created, err
}

func (a attempt) result(ctx context.Context) (resultRecord, error) {
	data, _, err := a.claims.GetKey(ctx, a.objectKey("result"))
	if err != nil {
		return resultRecord{}, err
	}
	var r resultRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return resultRecord{}, fmt.Errorf("the record %s is not readable: %w", a.objectKey("result"), err)
	}
	return r, nil
}
