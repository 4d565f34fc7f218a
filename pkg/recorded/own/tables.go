package own

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// mostTableBytes bounds a table without a manifest.
const mostTableBytes = 8 << 30

// place is one block.
type place struct{ step, block int32 }

// loose collects the blocks of tables that no manifest names.
type loose struct {
	blocks map[place]*judge.Block
	file   map[place]string
	// first and last are the planned times of the measured requests, in ns.
	first, last map[place]int64
	rows        int64
}

// readTables reads tables without a manifest: what they hold is all that is known.
func (r *Recording) readTables(paths []string) error {
	l := loose{
		blocks: map[place]*judge.Block{}, file: map[place]string{}, first: map[place]int64{}, last: map[place]int64{},
	}
	var hashes []string
	for _, path := range paths {
		hash, err := l.read(path)
		if err != nil {
			return err
		}
		hashes = append(hashes, hash)
	}
	slices.Sort(hashes)
	r.SHA256 = hashOf(hashes)
	for at, b := range l.blocks {
		if b.MeasuredSeconds == 0 {
			b.MeasuredSeconds = float64(l.last[at]-l.first[at]) / 1e9
		}
		r.Blocks = append(r.Blocks, *b)
	}
	sortBlocks(r.Blocks)
	return nil
}

func (l *loose) read(path string) (hash string, err error) {
	rows, hash, err := checkTable(path)
	if err != nil {
		return "", err
	}
	if l.rows += rows; l.rows > mostRows {
		return "", recorded.Fault(path, "judge fewer tables at a time", "brings the requests to more than %d", mostRows)
	}
	here := map[place]bool{}
	err = runstore.EachFileRecord(path, func(rows []rawlog.Record) error {
		for i := range rows {
			if err := l.add(path, &rows[i]); err != nil {
				return err
			}
			here[place{rows[i].Step, rows[i].Block}] = true
		}
		return nil
	})
	if took, ok := runstore.MeasuredTimeOf(path); ok && len(here) == 1 {
		for at := range here {
			l.blocks[at].MeasuredSeconds = took.Seconds()
		}
	}
	return hash, err
}

func (l *loose) add(path string, row *rawlog.Record) error {
	arm := swap.Arm(row.Arm)
	if row.Block < 1 || row.Step < 1 || !slices.Contains(swap.Arms[:], arm) {
		return recorded.Fault(path, "give requests.parquet of load steps; windows of a rollout are not judged",
			"has a request of step %d, block %d, arm %q", row.Step, row.Block, row.Arm)
	}
	at := place{row.Step, row.Block}
	b := l.blocks[at]
	if b == nil {
		b = &judge.Block{Step: int(row.Step), Block: int(row.Block), Pair: int(row.Pair), Arm: arm, Outcomes: swap.OutcomeCounts{}}
		l.blocks[at], l.file[at], l.first[at], l.last[at] = b, path, row.PlannedUnixNS, row.PlannedUnixNS
	}
	if l.file[at] != path || b.Arm != arm {
		return recorded.Fault(path, "give the tables of one run, and of each block the one that its sealed.json names",
			"holds block %d of step %d, and so does %s", row.Block, row.Step, l.file[at])
	}
	b.Planned++
	b.Recorded++
	b.Outcomes[swap.Outcome(row.Outcome)]++
	if row.Measured {
		b.Requests.Append(row)
		l.first[at], l.last[at] = min(l.first[at], row.PlannedUnixNS), max(l.last[at], row.PlannedUnixNS)
	}
	return nil
}

// checkTable refuses a table that could exhaust this machine, before any of its pages is read.
func checkTable(path string) (rows int64, hash string, err error) {
	file, err := os.Open(path) //nolint:gosec // G304: a person names the file
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return 0, "", err
	}
	if info.Size() > mostTableBytes {
		return 0, "", recorded.Fault(path, "", "is larger than %d GB", mostTableBytes>>30)
	}
	if rows, err = checkContent(file, info.Size()); err != nil {
		return 0, "", recorded.Fault(path, "give tables of requests (requests.parquet) that this version wrote", "%v", err)
	}
	hash, err = hashFile(file)
	return rows, hash, err
}

// checkContent looks at the footer alone. Codecs are those whose decoders stay within bounds on any bytes; that of LZ4 does not.
func checkContent(content io.ReaderAt, size int64) (rows int64, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics at some damaged footers
			err = fmt.Errorf("not a readable Parquet table: %v", r)
		}
	}()
	file, err := parquet.OpenFile(content, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return 0, err
	}
	if file.NumRows() > mostRows {
		return 0, fmt.Errorf("has %d rows, more than %d", file.NumRows(), mostRows)
	}
	for _, group := range file.Metadata().RowGroups {
		for _, column := range group.Columns {
			switch column.MetaData.Codec {
			case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
			case format.Lz4, format.Lz4Raw:
				return 0, errors.New("is compressed with LZ4, which is not safe to read without a manifest that names its hash")
			default:
				return 0, fmt.Errorf("is compressed with %v, which is not read without a manifest", column.MetaData.Codec)
			}
		}
	}
	return file.NumRows(), nil
}
