package runstore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
)

func TestATableIsReadFromAFile(t *testing.T) {
	want := requests(plans(1)[0], 1100)
	o, err := tableObject(&Store{}, "k", rawlog.Schema, want)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "requests.parquet")
	require.NoError(t, os.WriteFile(path, o.data, 0o600))
	var got []rawlog.Record
	require.NoError(t, EachFileRecord(path, func(rows []rawlog.Record) error {
		got = append(got, rows...)
		return nil
	}))
	require.Empty(t, cmp.Diff(want, got, equal))
	enough := errors.New("enough")
	require.Equal(t, enough, EachFileRecord(path, func([]rawlog.Record) error { return enough }))
}

func TestAnotherTableIsRefusedByName(t *testing.T) {
	write := func(rows any, options ...parquet.WriterOption) []byte {
		var buf bytes.Buffer
		w := parquet.NewWriter(&buf, append(options, parquet.SchemaOf(rows))...)
		require.NoError(t, w.Write(rows))
		require.NoError(t, w.Close())
		return buf.Bytes()
	}
	type older struct {
		Step  int32 `parquet:"step"`
		Block int32 `parquet:"block"`
		Pair  int32 `parquet:"pair"`
		Seq   int32 `parquet:"seq"`
	}
	type retyped struct {
		Step string `parquet:"step"`
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"an older schema":      {write(older{}), `requests.parquet: not a table of schema requests/v2: it has no column "shard"`},
		"a column of text":     {write(retyped{}), `column "step" has another type`},
		"a newer schema":       {write(rawlog.Record{}, parquet.KeyValueMetadata("schema", "requests/v9")), "a table of schema requests/v9"},
		"no Parquet":           {[]byte("hello"), "requests.parquet: "},
		"nothing":              {nil, "requests.parquet: "},
		"the beginning of one": {write(rawlog.Record{})[:500], "requests.parquet: "},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "requests.parquet")
			require.NoError(t, os.WriteFile(path, c.content, 0o600))
			err := EachFileRecord(path, func([]rawlog.Record) error { return nil })
			require.ErrorContains(t, err, c.says)
		})
	}
	require.ErrorContains(t, EachFileRecord(filepath.Join(t.TempDir(), "none"), nil), "no such file")
}

// A table that was written before answers were scored is read, and its requests have no score.
func TestATableWithoutScoresIsRead(t *testing.T) {
	fields := parquet.Group{}
	for _, f := range parquet.SchemaOf(rawlog.Record{}).Fields() {
		if f.Name() != "quality" {
			fields[f.Name()] = f
		}
	}
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[rawlog.Record](&buf, append(tableOptions(rawlog.Schema), parquet.NewSchema("Record", fields))...)
	want := requests(plans(1)[0], 700)
	require.NoError(t, writeRows(w, want))
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "requests.parquet")
	require.NoError(t, os.WriteFile(path, buf.Bytes(), 0o600))
	var got []rawlog.Record
	require.NoError(t, EachFileRecord(path, func(rows []rawlog.Record) error {
		got = append(got, rows...)
		return nil
	}))
	require.Empty(t, cmp.Diff(want, got, equal))
	judged, err := readJudged(buf.Bytes(), len(want))
	require.NoError(t, err)
	require.Len(t, judged, len(want))
}

func FuzzEachContentRecord(f *testing.F) {
	o, err := tableObject(&Store{}, "k", rawlog.Schema, requests(plans(1)[0], 3))
	require.NoError(f, err)
	f.Add(o.data)
	f.Add(o.data[:len(o.data)/2])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_ = eachContentRecord(bytes.NewReader(data), int64(len(data)), func([]rawlog.Record) error { return nil })
	})
}
