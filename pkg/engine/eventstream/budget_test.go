package eventstream

import (
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ten thousand streams of a broken server must not take 64 MiB each.
func TestLongEventsShareTheirMemory(t *testing.T) {
	const most = 4 << 20
	budget := NewBudget(most)
	endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	var readers []*Reader
	for range 20 {
		r := NewReader(endless, Events, now).Within(budget)
		_, err := r.Next()
		require.ErrorIs(t, err, ErrTooManyLongEvents)
		_, err = r.Next()
		require.ErrorIs(t, err, ErrTooManyLongEvents)
		readers = append(readers, r)
	}
	held := int64(0)
	for _, r := range readers {
		held += int64(len(r.buf))
	}
	require.LessOrEqual(t, budget.Used(), int64(most))
	require.LessOrEqual(t, held, int64(most+20*busyBuffer))
	for _, r := range readers {
		r.Release()
	}
	require.Zero(t, budget.Used())
}

// A stream whose events are of usual length goes on while others have taken all memory.
func TestUsualEventsNeedNoBudget(t *testing.T) {
	body := strings.Repeat("data: "+strings.Repeat("x", 20<<10)+"\n\n", 50)
	r := NewReader(strings.NewReader(body), Events, now).Within(NewBudget(0))
	got, err := readAll(r)
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, got, 50)
	require.True(t, r.AtEnd())
}

// A long event's memory is free for other streams once it is over, and the events after it are whole.
func TestALongEventGivesItsMemoryBack(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	parts := []string{"data: a\n\ndata: " + long + "\n\n", "data: b\n\n", "data: c\n\nda", "ta: d\n\n"}
	budget := NewBudget(1 << 20)
	r := NewReader(&script{parts: parts}, Events, now).Within(budget)
	var lengths []int
	var used []bool
	for ev, err := r.Next(); err == nil; ev, err = r.Next() {
		lengths, used = append(lengths, len(ev.Data)), append(used, budget.Used() > 0)
	}
	require.Equal(t, []int{1, len(long), 1, 1, 1}, lengths)
	require.Equal(t, []bool{false, true, false, false, false}, used)
	r.Release()
	require.Zero(t, budget.Used())
}

func TestABudgetIsSharedByManyGoroutines(t *testing.T) {
	budget := NewBudget(1 << 20)
	body := "data: " + strings.Repeat("x", 200<<10) + "\n\n"
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			r := NewReader(strings.NewReader(body), Events, now).Within(budget)
			_, _ = readAll(r)
			r.Release()
		})
	}
	wg.Wait()
	require.Zero(t, budget.Used())
}

// The name of an event is a word. What is longer is not kept beside the buffer.
func TestALongNameIsIgnored(t *testing.T) {
	r := NewReader(strings.NewReader("event: x\nevent: "+strings.Repeat("y", maxName+1)+"\ndata: a\n\n"), Events, now)
	got, err := readAll(r)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, one("a"), got)
	require.LessOrEqual(t, cap(r.name), maxName)
}
