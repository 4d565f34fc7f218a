package runstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
)

// uploadPolicy bounds an uploader.
type uploadPolicy struct {
	// memory is how many bytes wait in memory; what exceeds it waits in a file.
	memory int64
	// spillDir is where files go; empty is the system's directory for temporary files.
	spillDir string
	backoff  backoff
}

var defaultUploadPolicy = uploadPolicy{
	memory:  16 << 20,
	backoff: backoff{first: 200 * time.Millisecond, most: 5 * time.Second},
}

// upload is one object on its way.
type upload struct {
	object
	once bool
}

// uploader stores objects in the order in which they were pushed, in the background. It outlasts outages of the service:
// pushing never waits for it, and an object is tried until the service has it. Any other failure ends the uploader.
type uploader struct {
	store  *Store
	policy uploadPolicy
	files  *spillDir
	stop   context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended

	mu       sync.Mutex
	queue    []upload      // the first is on its way
	inMemory int64         // bytes of the queue that are in memory
	changed  chan struct{} // closed and replaced whenever the queue or an error changes
	failed   error         // why the uploader ended
	outage   error         // the last failure of the object on its way, while the service is unavailable
}

// newUploader starts an uploader; it runs until close, also when ctx ends: what is pushed should be kept then, too.
func newUploader(ctx context.Context, store *Store, policy uploadPolicy, files *spillDir) *uploader {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	u := &uploader{
		store: store, policy: policy, files: files, stop: stop, done: make(chan struct{}), changed: make(chan struct{}),
	}
	go u.run(ctx)
	return u
}

// push queues an object and returns at once. It fails if the uploader has ended, or if the object must wait in a file and
// that cannot be written. The file of an object is the uploader's from here on.
func (u *uploader) push(o object, once bool) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed != nil {
		return u.failed
	}
	if len(u.queue) > 0 && u.inMemory+int64(len(o.data)) > u.policy.memory {
		if err := u.toFile(&o); err != nil {
			return fmt.Errorf("keep %s until the run store is back: %w", u.store.URI(o.key), err)
		}
	}
	u.inMemory += int64(len(o.data))
	u.queue = append(u.queue, upload{object: o, once: once})
	u.signal()
	return nil
}

// toFile moves the content of o into a file.
func (u *uploader) toFile(o *object) error {
	to := newSpool(u.files.create, 0)
	if _, err := to.Write(o.data); err != nil {
		return err
	}
	o.data = nil
	return to.finish(o)
}

func (u *uploader) run(ctx context.Context) {
	defer close(u.done)
	for {
		up, ok := u.next(ctx)
		if !ok {
			return
		}
		err := u.policy.backoff.retry(ctx, func() error { return u.send(ctx, up) }, u.noteOutage)
		if ctx.Err() != nil {
			return
		}
		u.finish(up, err)
		if err != nil {
			return
		}
	}
}

// next waits for the head of the queue.
func (u *uploader) next(ctx context.Context) (upload, bool) {
	for {
		u.mu.Lock()
		changed := u.changed
		if len(u.queue) > 0 {
			defer u.mu.Unlock()
			return u.queue[0], true
		}
		u.mu.Unlock()
		select {
		case <-ctx.Done():
			return upload{}, false
		case <-changed:
		}
	}
}

func (u *uploader) send(ctx context.Context, up upload) error {
	if up.once {
		// Whoever was first has it: that may be an earlier try of our own, and the reader of the object decides.
		_, _, err := u.store.putOnce(ctx, up.object)
		return err
	}
	return u.store.uploadOnce(ctx, up.object, minio.PutObjectOptions{})
}

// problem is the last failure of the object on its way while the service is unavailable, or nil.
func (u *uploader) problem() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.outage
}

func (u *uploader) noteOutage(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.outage = err
}

// finish takes up off the queue; an error ends the uploader, and what is queued stays pending.
func (u *uploader) finish(up upload, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	defer u.signal()
	if err != nil {
		u.failed = err
		return
	}
	u.outage = nil
	u.queue[0] = upload{}
	u.queue = u.queue[1:]
	u.inMemory -= int64(len(up.data))
	if up.file != nil {
		_ = os.Remove(up.file.path) // close removes the directory
	}
}

func (u *uploader) signal() {
	close(u.changed)
	u.changed = make(chan struct{})
}

// pending counts the objects that the service has not accepted.
func (u *uploader) pending() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.queue)
}

// drain waits until everything is stored, the uploader has failed or ctx has ended.
func (u *uploader) drain(ctx context.Context) error {
	for {
		u.mu.Lock()
		left, failed, outage, changed := len(u.queue), u.failed, u.outage, u.changed
		u.mu.Unlock()
		if failed != nil {
			return failed
		}
		if left == 0 {
			return nil
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		}
		if outage != nil {
			return fmt.Errorf("%d objects not stored: %w: %w", left, context.Cause(ctx), outage)
		}
		return fmt.Errorf("%d objects not stored: %w", left, context.Cause(ctx))
	}
}

// close drains for as long as ctx lasts, then gives up what is left and ends the goroutine. Closing again does nothing.
// Whoever made the directory of files removes it then.
func (u *uploader) close(ctx context.Context) error {
	err := u.drain(ctx)
	if errors.Is(err, errClosed) {
		return nil
	}
	u.stop()
	<-u.done
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed == nil {
		u.failed = errClosed
	}
	return err
}
