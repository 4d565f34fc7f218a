package local

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/swapgate/swapgate/pkg/swap"
)

const s3ReadyWithin = 30 * time.Second

// S3Command says how to run the S3 service as a child process.
type S3Command struct {
	// Path of the executable; empty is the running one.
	Path string
	// Args are the arguments with which the executable calls RunS3(ctx, S3OptionsFromEnv()).
	Args []string
	// Env is added to the child's environment.
	Env []string
	// Dir gets the objects, the keys and the log.
	Dir string
	// Listen is host:port; empty is a free port on the loopback interface.
	Listen string
	// Bucket is created.
	Bucket string
}

// S3 is an S3 service in a child process. It speaks plain HTTP.
type S3 struct {
	*Child
	command S3Command
	options S3Options
}

// StartS3 starts this executable again as an S3 service with keys of its own, waits until it serves and creates the bucket.
func StartS3(ctx context.Context, c S3Command) (*S3, error) {
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, fmt.Errorf("directory of the S3 service: %w", err)
	}
	if c.Listen == "" {
		address, err := freeAddress(ctx)
		if err != nil {
			return nil, err
		}
		c.Listen = address
	}
	s := &S3{command: c, options: S3Options{
		Listen: c.Listen, DataDir: filepath.Join(c.Dir, "s3"), AccessKey: "swapgate-local", SecretKey: rand.Text(),
	}}
	if err := s.writeKeys(); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Restart starts the service again after Stop or Kill, with the same address, keys and objects.
func (s *S3) Restart(ctx context.Context) error { return s.start(ctx) }

func (s *S3) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s3ReadyWithin)
	defer cancel()
	path := s.command.Path
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("start the S3 service: %w", err)
		}
		path = self
	}
	child, err := Start(Command{
		Name: "S3 service", Path: path, Args: s.command.Args, Env: append(s.options.environ(), s.command.Env...),
		LogFile: filepath.Join(s.command.Dir, "s3.log"),
	})
	if err != nil {
		return err
	}
	s.Child = child
	err = s.awaitReady(ctx, s.healthy)
	if err == nil {
		err = s.CreateBucket(ctx, s.command.Bucket)
	}
	if err != nil {
		_ = s.Kill()
	}
	return err
}

// Endpoint is host:port.
func (s *S3) Endpoint() string { return s.options.Listen }

// Keys are the access key and the secret key of the service's one account.
func (s *S3) Keys() (access, secret string) { return s.options.AccessKey, s.options.SecretKey }

// Store is the configuration of a run store in the service's bucket. It names the keys by files in the service's directory.
func (s *S3) Store() swap.Store {
	access, secret := s.keyFiles()
	return swap.Store{
		Endpoint: "http://" + s.Endpoint(), Bucket: s.command.Bucket,
		AccessKey: &swap.SecretRef{File: access}, SecretKey: &swap.SecretRef{File: secret},
	}
}

func (s *S3) keyFiles() (access, secret string) {
	return filepath.Join(s.command.Dir, "access-key"), filepath.Join(s.command.Dir, "secret-key")
}

// writeKeys writes the keys once: a store may be opened while another one reads them.
func (s *S3) writeKeys() error {
	access, secret := s.keyFiles()
	err := os.WriteFile(access, []byte(s.options.AccessKey), 0o600)
	if err == nil {
		err = os.WriteFile(secret, []byte(s.options.SecretKey), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keys of the S3 service: %w", err)
	}
	return nil
}

func (s *S3) healthy(ctx context.Context) error {
	return answersOK(ctx, "http://"+s.Endpoint()+healthPath)
}

// CreateBucket creates a bucket; one that exists is left as it is.
func (s *S3) CreateBucket(ctx context.Context, bucket string) error {
	client, err := minio.New(s.Endpoint(), &minio.Options{
		Creds:  credentials.NewStaticV4(s.options.AccessKey, s.options.SecretKey, ""),
		Region: "us-east-1", Transport: oneShot(),
	})
	if err != nil {
		return fmt.Errorf("create bucket %s: %w", bucket, err)
	}
	exists, err := client.BucketExists(ctx, bucket)
	if err == nil && !exists {
		err = client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		return fmt.Errorf("create bucket %s: %w", bucket, err)
	}
	return nil
}

// oneShot keeps no connection open that someone would have to close.
func oneShot() *http.Transport { return &http.Transport{DisableKeepAlives: true} }
