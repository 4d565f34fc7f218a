package runstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	checksumHeader = "X-Amz-Checksum-Sha256"
	// Metadata of every object, so that a reference can be rebuilt from a key alone.
	schemaMeta = "Swapgate-Schema"
	rowsMeta   = "Swapgate-Rows"
)

// object is what is to be stored under a key.
type object struct {
	key         string
	contentType string
	schema      string
	rows        int64
	data        []byte
	// file has the content in place of data, where it is too long for memory.
	file *spooled
}

// ref is the reference that o will have; it is known before o is stored.
func (s *Store) ref(o object) swap.ObjectRef {
	if o.file != nil {
		return swap.ObjectRef{URI: s.URI(o.key), SHA256: o.file.sha256, Bytes: o.file.bytes, Rows: o.rows, Schema: o.schema}
	}
	sum := sha256.Sum256(o.data)
	return swap.ObjectRef{
		URI: s.URI(o.key), SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(o.data)), Rows: o.rows, Schema: o.schema,
	}
}

// PutBytes stores data under key, over what may be there.
func (s *Store) PutBytes(ctx context.Context, key, contentType string, data []byte, schema string) (swap.ObjectRef, error) {
	return s.put(ctx, object{key: key, contentType: contentType, schema: schema, data: data})
}

func (s *Store) put(ctx context.Context, o object) (swap.ObjectRef, error) {
	ref := s.ref(o)
	return ref, s.upload(ctx, o, ref, bytes.NewReader(o.data), minio.PutObjectOptions{})
}

// oneTry reads the content of o and cannot be rewound: the client library repeats only what can.
func (o object) oneTry() (io.ReadCloser, error) {
	if o.file == nil {
		return io.NopCloser(struct{ io.Reader }{bytes.NewReader(o.data)}), nil
	}
	file, err := os.Open(o.file.path)
	if err != nil {
		return nil, fmt.Errorf("read back %s: %w", o.key, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{file, file}, nil
}

// PutOnce stores data under key unless an object is there already. It makes exactly one try: with created, the object is
// this call's; otherwise ref describes the one that was there first. After an ErrUnavailable the outcome is unknown; a
// caller that tries again compares ref.SHA256 with its own to see whether the earlier try had got through.
func (s *Store) PutOnce(
	ctx context.Context, key, contentType string, data []byte, schema string,
) (ref swap.ObjectRef, created bool, err error) {
	return s.putOnce(ctx, object{key: key, contentType: contentType, schema: schema, data: data})
}

func (s *Store) putOnce(ctx context.Context, o object) (ref swap.ObjectRef, created bool, err error) {
	opts := minio.PutObjectOptions{}
	opts.SetMatchETagExcept("*")
	ref = s.ref(o)
	err = s.uploadOnce(ctx, o, opts) // a repetition after a lost answer would meet our own object
	if resp := (minio.ErrorResponse{}); errors.As(err, &resp) && resp.StatusCode == http.StatusPreconditionFailed {
		ref, err = s.stat(ctx, o.key)
		return ref, false, err
	}
	return ref, err == nil, err
}

// uploadOnce makes one try.
func (s *Store) uploadOnce(ctx context.Context, o object, opts minio.PutObjectOptions) error {
	body, err := o.oneTry()
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	return s.upload(ctx, o, s.ref(o), body, opts)
}

// upload is a single PUT: the client library drops If-None-Match from multipart uploads, and a checksum of parts is not
// the checksum of the object. The signature covers the hash of the whole body, which spares chunked signing, a framing
// that not every service gets right.
func (s *Store) upload(ctx context.Context, o object, ref swap.ObjectRef, body io.Reader, opts minio.PutObjectOptions) error {
	if err := checkKey(o.key); err != nil {
		return &Error{Op: "put", URI: ref.URI, Cause: err}
	}
	sum, err := hex.DecodeString(ref.SHA256)
	if err != nil {
		return &Error{Op: "put", URI: ref.URI, Cause: err}
	}
	opts.ContentType = o.contentType
	opts.DisableContentSha256 = true // the hash is given
	opts.UserMetadata = map[string]string{checksumHeader: base64.StdEncoding.EncodeToString(sum)}
	if o.schema != "" {
		opts.UserMetadata[schemaMeta] = o.schema
	}
	if o.rows > 0 {
		opts.UserMetadata[rowsMeta] = strconv.FormatInt(o.rows, 10)
	}
	call, cancel := withTimeout(ctx, ref.Bytes)
	defer cancel()
	if _, err := s.client.PutObject(call, s.bucket, s.prefix+o.key, body, ref.Bytes, "", ref.SHA256, opts); err != nil {
		return s.failure(ctx, "put", o.key, err)
	}
	return nil
}

// GetBytes reads the object that ref describes. Other bytes than those described are ErrCorrupt.
func (s *Store) GetBytes(ctx context.Context, ref swap.ObjectRef) ([]byte, error) {
	key, err := s.KeyOf(ref)
	if err != nil {
		return nil, err
	}
	data, got, err := s.get(ctx, key, ref.Bytes)
	if err != nil {
		return nil, err
	}
	if err := checkContent(ref, got); err != nil {
		return nil, err
	}
	return data, nil
}

// sizeUnknown is how much an object of unknown size may transfer within the time limit of a call.
const sizeUnknown = 1 << 30

// GetKey reads whatever is stored under key, and its reference. It checks the content against the checksum that the
// service keeps, where it keeps one.
func (s *Store) GetKey(ctx context.Context, key string) ([]byte, swap.ObjectRef, error) {
	return s.get(ctx, key, sizeUnknown)
}

func (s *Store) get(ctx context.Context, key string, size int64) ([]byte, swap.ObjectRef, error) {
	var data bytes.Buffer
	ref, err := s.copyTo(ctx, &data, key, size)
	if err != nil {
		return nil, swap.ObjectRef{}, err
	}
	return data.Bytes(), ref, nil
}

// copyTo writes what is stored under key to w, and returns its reference.
func (s *Store) copyTo(ctx context.Context, w io.Writer, key string, size int64) (swap.ObjectRef, error) {
	call, cancel := withTimeout(ctx, size)
	defer cancel()
	body, info, header, err := s.client.GetObject(call, s.bucket, s.prefix+key, minio.GetObjectOptions{Checksum: true})
	if err != nil {
		return swap.ObjectRef{}, s.failure(ctx, "get", key, err)
	}
	defer func() { _ = body.Close() }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), body)
	if err != nil {
		return swap.ObjectRef{}, s.failure(ctx, "get", key, err)
	}
	ref := swap.ObjectRef{
		URI: s.URI(key), SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: n,
		Rows: rowsOf(info), Schema: info.UserMetadata[schemaMeta],
	}
	if kept := header.Get(checksumHeader); kept != "" && checksumHex(kept) != ref.SHA256 {
		return swap.ObjectRef{}, &Error{Op: "get", URI: ref.URI, Kind: ErrCorrupt, Cause: fmt.Errorf(
			"read SHA-256 %s, the service keeps %s", ref.SHA256, checksumHex(kept))}
	}
	return ref, nil
}

// download is GetBytes into a spool, for objects that memory should not hold. The caller discards it.
func (s *Store) download(ctx context.Context, ref swap.ObjectRef) (*spool, error) {
	key, err := s.KeyOf(ref)
	if err != nil {
		return nil, err
	}
	to := newDownload(ref.Bytes)
	got, err := s.copyTo(ctx, to, key, ref.Bytes)
	switch {
	case to.err != nil:
		err = &Error{Op: "get", URI: ref.URI, Cause: to.err}
	case err == nil:
		err = checkContent(ref, got)
	}
	if err != nil {
		to.discard()
		return nil, err
	}
	return to, nil
}

// newDownload is a spool for content of that length, which copyTo hashes.
func newDownload(bytes int64) *spool {
	s := &spool{create: func() (*os.File, error) { return os.CreateTemp("", "swapgate-table-") }, limit: downloadMemory}
	if bytes > 0 && bytes <= downloadMemory {
		s.buf.Grow(int(bytes))
	}
	return s
}

// downloadMemory is how long an object may be that is read in memory.
const downloadMemory = 4 << 20

func checkContent(want, got swap.ObjectRef) error {
	if got.SHA256 != want.SHA256 || got.Bytes != want.Bytes {
		return &Error{Op: "get", URI: want.URI, Kind: ErrCorrupt, Cause: fmt.Errorf(
			"read %d bytes with SHA-256 %s, expected %d bytes with %s", got.Bytes, got.SHA256, want.Bytes, want.SHA256)}
	}
	return nil
}

// stat is the reference of what is stored under key. Services that keep no checksum are asked for the content.
func (s *Store) stat(ctx context.Context, key string) (swap.ObjectRef, error) {
	call, cancel := withTimeout(ctx, 0)
	defer cancel()
	info, err := s.client.StatObject(call, s.bucket, s.prefix+key, minio.StatObjectOptions{Checksum: true})
	if err != nil {
		return swap.ObjectRef{}, s.failure(ctx, "get", key, err)
	}
	if info.ChecksumSHA256 == "" {
		_, ref, err := s.GetKey(ctx, key)
		return ref, err
	}
	return swap.ObjectRef{
		URI: s.URI(key), SHA256: checksumHex(info.ChecksumSHA256), Bytes: info.Size,
		Rows: rowsOf(info), Schema: info.UserMetadata[schemaMeta],
	}, nil
}

// List returns the keys that begin with prefix, sorted. No such key is an empty list.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	call, cancel := withTimeout(ctx, 0)
	defer cancel()
	var keys []string
	opts := minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}
	for info := range s.client.ListObjectsIter(call, s.bucket, opts) {
		if info.Err != nil {
			return nil, s.failure(ctx, "list", prefix, info.Err)
		}
		keys = append(keys, strings.TrimPrefix(info.Key, s.prefix))
	}
	if ctx.Err() != nil { // the iteration ends early and silently
		return nil, s.failure(ctx, "list", prefix, ctx.Err())
	}
	slices.Sort(keys)
	return keys, nil
}

// Delete removes the object under key; that it does not exist is no error.
func (s *Store) Delete(ctx context.Context, key string) error {
	call, cancel := withTimeout(ctx, 0)
	defer cancel()
	err := s.client.RemoveObject(call, s.bucket, s.prefix+key, minio.RemoveObjectOptions{})
	if err != nil && !errors.Is(kindOf(err), ErrNotFound) {
		return s.failure(ctx, "delete", key, err)
	}
	return nil
}

// checkKey refuses keys that a file-backed service maps to something else, or not at all.
func checkKey(key string) error {
	if key == "" || path.Clean("/"+key) != "/"+key {
		return fmt.Errorf("key %q is empty, absolute or not in its shortest form", key)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if len(segment) > 255 {
			return fmt.Errorf("key %q has a segment of more than 255 bytes", key)
		}
	}
	return nil
}

func checksumHex(base64Sum string) string {
	sum, err := base64.StdEncoding.DecodeString(base64Sum)
	if err != nil {
		return base64Sum
	}
	return hex.EncodeToString(sum)
}

// rowsOf is 0 for objects that are no tables.
func rowsOf(info minio.ObjectInfo) int64 {
	n, err := strconv.ParseInt(info.UserMetadata[rowsMeta], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
