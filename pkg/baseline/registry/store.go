package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

var (
	// ErrNone means that a target has no registered baseline, or none that was asked for.
	ErrNone = errors.New("no registered baseline")
	// ErrNoVersion means that a target has baselines, but not the version that was asked for.
	ErrNoVersion = errors.New("no version")
	// ErrCorrupt means that a stored entry is not what was written.
	ErrCorrupt = errors.New("registered baseline is corrupt")
	// ErrInvalid means that something cannot be registered, or asked for, as it is.
	ErrInvalid = errors.New("invalid baseline")
)

// Store is the part of the run store that the registry needs. Keys are relative to the store's prefix.
type Store interface {
	// PutOnce writes an object unless the key exists, and says whether it wrote.
	PutOnce(ctx context.Context, key, contentType string, data []byte, schema string) (swap.ObjectRef, bool, error)
	// GetKey reads an object by its key.
	GetKey(ctx context.Context, key string) ([]byte, swap.ObjectRef, error)
	// List returns the keys that begin with prefix, in any order.
	List(ctx context.Context, prefix string) ([]string, error)
}

// targetName is the form of a target in a specification; anything else could reach the keys of another target.
var targetName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$`)

// keyName is the last part of a key. The number has a fixed width, so that the order of keys is that of versions.
var keyName = regexp.MustCompile(`^v(\d{6})\.json$`)

const mostVersions = 999_999

func prefix(target string) string { return "registry/" + target + "/" }

func key(target string, version int) string {
	return fmt.Sprintf("%sv%06d.json", prefix(target), version)
}

// Registered is an entry with the reference to its document.
type Registered struct {
	Entry
	Ref swap.ObjectRef `json:"ref"`
}

// Link names the entry.
func (r Registered) Link() Link { return r.link(r.Ref.SHA256) }

// Query narrows which entries count. An empty field does not narrow.
type Query struct {
	// Model and Class are those of what serves.
	Model string
	Class string
	// Load is the label of a load level that the entry must have, such as "concurrency 8".
	Load string
	// WorkSHA256 is the hash of workload and load, see WorkHash.
	WorkSHA256 string
}

func (q Query) matches(e Entry) bool {
	_, hasLoad := e.Level(q.Load)
	return (q.Model == "" || q.Model == e.Serving.Model) && (q.Class == "" || q.Class == e.Serving.Class) &&
		(q.WorkSHA256 == "" || q.WorkSHA256 == e.Source.WorkSHA256) && (q.Load == "" || hasLoad)
}

// Latest reads the newest entry of a target that matches; ErrNone where there is none.
func Latest(ctx context.Context, st Store, target string, q Query) (Registered, error) {
	versions, err := versionsOf(ctx, st, target)
	if err != nil {
		return Registered{}, err
	}
	for _, v := range slices.Backward(versions) {
		r, err := Get(ctx, st, target, v)
		if err != nil || q.matches(r.Entry) {
			return r, err
		}
	}
	return Registered{}, fmt.Errorf("%w of target %s for what was asked (%d versions)", ErrNone, target, len(versions))
}

// Reference reads the entry whose numbers later measurements of e's model are held against: e itself, or the older one that
// e names.
func Reference(ctx context.Context, st Store, e Registered) (Registered, error) {
	if e.Reference == nil {
		return e, nil
	}
	r, err := Get(ctx, st, e.Target, e.Reference.Version)
	if errors.Is(err, ErrNoVersion) {
		return Registered{}, fmt.Errorf("%w: version %d of %s names version %d, which is missing",
			ErrCorrupt, e.Version, e.Target, e.Reference.Version)
	}
	if err == nil && r.Ref.SHA256 != e.Reference.SHA256 {
		err = fmt.Errorf("%w: version %d of %s has SHA-256 %s, version %d names %s",
			ErrCorrupt, r.Version, e.Target, r.Ref.SHA256, e.Version, e.Reference.SHA256)
	}
	return r, err
}

// List reads the newest entries of a target, newest first, at most so many.
func List(ctx context.Context, st Store, target string, atMost int) ([]Registered, error) {
	versions, err := versionsOf(ctx, st, target)
	if err != nil {
		return nil, err
	}
	var entries []Registered
	for _, v := range slices.Backward(versions[max(0, len(versions)-atMost):]) {
		r, err := Get(ctx, st, target, v)
		if err != nil {
			return nil, err
		}
		entries = append(entries, r)
	}
	return entries, nil
}

// Get reads one version.
func Get(ctx context.Context, st Store, target string, version int) (Registered, error) {
	if !targetName.MatchString(target) || version < 1 || version > mostVersions {
		return Registered{}, fmt.Errorf("%w: version %d of target %q is no name of one", ErrInvalid, version, target)
	}
	data, ref, err := st.GetKey(ctx, key(target, version))
	if errors.Is(err, runstore.ErrNotFound) {
		return Registered{}, noVersion(ctx, st, target, version, err)
	}
	if err != nil {
		return Registered{}, fmt.Errorf("read version %d of the baseline of %s: %w", version, target, err)
	}
	e, err := decode(data)
	if err == nil && (e.Target != target || e.Version != version) {
		err = fmt.Errorf("it says that it is version %d of %s", e.Version, e.Target)
	}
	if err != nil {
		return Registered{}, fmt.Errorf("%w: %s: %w", ErrCorrupt, ref.URI, err)
	}
	return Registered{Entry: e, Ref: ref}, nil
}

// noVersion says which versions there are in place of one that there is not.
func noVersion(ctx context.Context, st Store, target string, version int, missing error) error {
	versions, err := versionsOf(ctx, st, target)
	switch {
	case err != nil:
		return err
	case len(versions) == 0:
		return fmt.Errorf("%w of target %s", ErrNone, target)
	case slices.Contains(versions, version):
		return fmt.Errorf("read version %d of the baseline of %s: %w", version, target, missing)
	}
	return fmt.Errorf("%w %d of target %s: versions are %s", ErrNoVersion, version, target, ranges(versions))
}

// ranges is such as "1 to 4, 7".
func ranges(versions []int) string {
	var parts []string
	for i := 0; i < len(versions); {
		last := i
		for last+1 < len(versions) && versions[last+1] == versions[last]+1 {
			last++
		}
		part := strconv.Itoa(versions[i])
		if last > i {
			part += " to " + strconv.Itoa(versions[last])
		}
		parts, i = append(parts, part), last+1
	}
	return strings.Join(parts, ", ")
}

// versionsOf lists the versions of a target, oldest first. Other objects beside them are left alone.
func versionsOf(ctx context.Context, st Store, target string) ([]int, error) {
	if !targetName.MatchString(target) {
		return nil, fmt.Errorf("%w: %q is not the name of a target", ErrInvalid, target)
	}
	keys, err := st.List(ctx, prefix(target))
	if err != nil {
		return nil, fmt.Errorf("list baselines of %s: %w", target, err)
	}
	var versions []int
	for _, k := range keys {
		if m := keyName.FindStringSubmatch(k[len(prefix(target)):]); m != nil {
			if v, err := strconv.Atoi(m[1]); err == nil && v > 0 {
				versions = append(versions, v)
			}
		}
	}
	slices.Sort(versions)
	return versions, nil
}

// decode ignores unknown fields: an older reader must cope with a newer writer.
func decode(data []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return Entry{}, err
	}
	if e.Standing != StandingReference && e.Standing != StandingHistory || (e.Standing == StandingHistory) != (e.Reference != nil) {
		return Entry{}, fmt.Errorf("its standing is %q and its reference does not agree with it", e.Standing)
	}
	return e, nil
}

// WorkHash is the hash of what was asked of a model and how: numbers are comparable where it is equal.
func WorkHash(spec swap.Spec) (string, error) {
	work := struct {
		Workload swap.Workload
		Steps    []swap.Step
		Block    swap.Duration
		Settle   swap.Duration
	}{spec.Workload, spec.Load.Steps, spec.Load.Block, spec.Load.Settle}
	data, err := json.Marshal(work)
	if err != nil {
		return "", fmt.Errorf("%w: workload and load cannot be hashed: %w", ErrInvalid, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
