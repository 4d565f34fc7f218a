package runstore

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestASpoolKeepsAndHashesWhatWasWritten(t *testing.T) {
	dir := &spillDir{parent: t.TempDir()}
	rapid.Check(t, func(t *rapid.T) {
		var want []byte
		s := newSpool(dir.create, rapid.Int64Range(0, 40).Draw(t, "limit"))
		for _, part := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 20), 0, 5).Draw(t, "parts") {
			n, err := s.Write(part)
			require.NoError(t, err)
			require.Equal(t, len(part), n)
			want = append(want, part...)
		}
		require.Equal(t, int64(len(want)), s.size)
		got, err := io.ReadAll(io.NewSectionReader(s.reader(), 0, s.size))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))

		var o object
		require.NoError(t, s.finish(&o))
		sum := sha256.Sum256(want)
		ref := new(Store).ref(o)
		require.Equal(t, hex.EncodeToString(sum[:]), ref.SHA256)
		require.Equal(t, int64(len(want)), ref.Bytes)
		for range 2 { // an object is sent as often as it must be
			body, err := o.oneTry()
			require.NoError(t, err)
			_, seekable := body.(io.Seeker)
			require.False(t, seekable)
			got, err = io.ReadAll(body)
			require.NoError(t, err)
			require.NoError(t, body.Close())
			require.Equal(t, string(want), string(got))
		}
		s.discard()
	})
	require.NoError(t, dir.remove())
	left, err := os.ReadDir(dir.parent)
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = dir.create()
	require.ErrorIs(t, err, errClosed)
}

func TestASpoolWithoutADiskSaysSo(t *testing.T) {
	dir := &spillDir{parent: filepath.Join(t.TempDir(), "none")}
	s := newSpool(dir.create, 3)
	_, err := s.Write([]byte("abc"))
	require.NoError(t, err)
	_, err = s.Write([]byte("d"))
	require.ErrorContains(t, err, "temporary file")
	_, err = s.Write(nil)
	require.Error(t, err, "and keeps saying so")
	require.Error(t, s.finish(&object{}))
	s.discard()
	require.NoError(t, dir.remove())
}
