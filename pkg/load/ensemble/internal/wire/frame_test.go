package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

var everyMessage = []Message{
	Hello{Version: 1, Shard: 2, Of: 4, Attempt: "load-1-2-a1"},
	Ping{SentNS: 5},
	Ready{Round: 1, PlanSHA256: "ab", OffsetNS: -7, UncertaintyNS: 3},
	Late{Round: 2, ByNS: 9},
	Slice{Round: 3, Planned: 2, Outcomes: swap.OutcomeCounts{swap.OK: 2}, Payload: json.RawMessage(`{"a":1}`), Samples: []float32{1.5, 0}},
	Failed{Round: 0, Reason: "no plan"},
	Welcome{Conductor: "load-1-0-a1"},
	Refused{Reason: "replaced", Final: true},
	Pong{PingNS: 1, ReceivedNS: 2, SentNS: 3},
	Prepare{Round: 1, Block: swap.BlockPlan{Step: 1, Block: 2, Arm: swap.Candidate, Pair: 1}},
	Go{Round: 1, StartNS: 12},
	Void{Round: 1, Reason: "shard 2 was lost"},
	End{},
	Stop{Reason: "the store is gone"},
	Alive{},
}

func frameOf(tb testing.TB, m Message) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, Write(&b, m))
	return b.Bytes()
}

func rawFrame(doc string, attached []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(doc)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(attached)))
	return append(append(b, doc...), attached...)
}

func TestEveryMessageSurvivesTheWire(t *testing.T) {
	var all bytes.Buffer
	for _, m := range everyMessage {
		require.NoError(t, Write(&all, m))
	}
	for _, m := range everyMessage {
		got, err := Read(&all)
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	_, err := Read(&all)
	require.ErrorIs(t, err, io.EOF)
}

func TestSamplesSurviveTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32), 1, 3*chunkSamples).Draw(t, "samples")
		var b bytes.Buffer
		require.NoError(t, Write(&b, Slice{Round: 1, Outcomes: swap.OutcomeCounts{}, Samples: samples}))
		got, err := Read(&b)
		require.NoError(t, err)
		require.Equal(t, samples, got.(Slice).Samples)
	})
}

func TestWhatCannotBeSentIsNotWritten(t *testing.T) {
	nan := float32(math.NaN())
	for name, m := range map[string]Message{
		"not a number":     Slice{Round: 1, Samples: []float32{1, nan}},
		"infinite":         Slice{Round: 1, Samples: []float32{float32(math.Inf(-1))}},
		"too many":         Slice{Round: 1, Samples: make([]float32, MaxSampleBytes/sampleBytes+1)},
		"does not add up":  Slice{Round: 1, Planned: 3, Outcomes: swap.OutcomeCounts{swap.OK: 2}},
		"negative count":   Slice{Round: 1, Planned: 1, Outcomes: swap.OutcomeCounts{swap.OK: 2, swap.Empty: -1}},
		"no round":         Slice{},
		"large payload":    Slice{Round: 1, Payload: json.RawMessage(`"` + strings.Repeat("x", MaxDocumentBytes) + `"`)},
		"payload not JSON": Slice{Round: 1, Payload: json.RawMessage("{")},
		"large reason":     Stop{Reason: strings.Repeat("x", MaxDocumentBytes)},
		"no attempt":       Hello{},
		"no hash":          Ready{Round: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.Error(t, Write(&b, m))
			require.Zero(t, b.Len())
		})
	}
}

func TestMalformedFramesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		frame []byte
		want  string
	}{
		"http":                   {[]byte("GET / HTTP/1.1\r\n\r\n"), "malformed frame: a document of 1195725856 bytes"},
		"empty document":         {rawFrame("", nil), "a document of 0 bytes"},
		"large attachment":       {[]byte{0, 0, 0, 1, 255, 255, 255, 252}, "an attachment of"},
		"half a sample":          {rawFrame(`{"kind":"end","body":{}}`, []byte{1, 2, 3}), "an attachment of 3 bytes"},
		"attached to another":    {rawFrame(`{"kind":"end","body":{}}`, make([]byte, 4)), "end has an attachment"},
		"cut in the header":      {[]byte{0, 0}, "unexpected EOF"},
		"cut in the document":    {rawFrame(`{"kind":"end","body":{}}`, nil)[:12], "unexpected EOF"},
		"cut in the samples":     {frameOf(t, everyMessage[4])[:len(frameOf(t, everyMessage[4]))-1], "unexpected EOF"},
		"no JSON":                {rawFrame("hello", nil), "malformed message"},
		"unknown kind":           {rawFrame(`{"kind":"sudo","body":{}}`, nil), `unknown kind "sudo"`},
		"unknown envelope field": {rawFrame(`{"kind":"end","body":{},"x":1}`, nil), "unknown field"},
		"unknown field":          {rawFrame(`{"kind":"end","body":{"x":1}}`, nil), "unknown field"},
		"no body":                {rawFrame(`{"kind":"end"}`, nil), "the body is not an object"},
		"null body":              {rawFrame(`{"kind":"stop","body":null}`, nil), "the body is not an object"},
		"wrong type":             {rawFrame(`{"kind":"go","body":{"round":"1"}}`, nil), "cannot unmarshal"},
		"two documents":          {rawFrame(`{"kind":"end","body":{}}{}`, nil), "something follows"},
		"against the rules":      {rawFrame(`{"kind":"go","body":{"round":0,"start_ns":1}}`, nil), "round is 0"},
		"sample not a number": {
			rawFrame(`{"kind":"slice","body":{"round":1,"planned":0,"outcomes":{}}}`, []byte{0, 0, 192, 127}), "not a finite number",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(bytes.NewReader(c.frame))
			require.ErrorContains(t, err, c.want)
		})
	}
}

// What is announced and does not come costs no memory.
func TestAnnouncedSamplesCostNothing(t *testing.T) {
	doc := `{"kind":"slice","body":{"round":1,"planned":0,"outcomes":{}}}`
	frame := rawFrame(doc, nil)
	binary.BigEndian.PutUint32(frame[4:], MaxSampleBytes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(bytes.NewReader(frame))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(MaxSampleBytes/64))
}

func FuzzRead(f *testing.F) {
	for _, m := range everyMessage {
		f.Add(frameOf(f, m))
	}
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add(rawFrame(`{"kind":"end","body":{}}{}`, nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Read(bytes.NewReader(raw))
		if err != nil {
			return
		}
		again, err := Read(bytes.NewReader(frameOf(t, m)))
		require.NoError(t, err)
		require.Equal(t, m.kind(), again.kind())
	})
}
