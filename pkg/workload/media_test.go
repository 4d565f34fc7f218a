package workload

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func listening() swap.Workload {
	return swap.Workload{
		API: swap.APITranscriptions, Seed: 7, PromptCache: swap.CacheSalted,
		AudioSeconds: &swap.Lengths{Median: 6, Sigma: 0.5, Min: 2, Max: 12},
	}
}

func TestImages(t *testing.T) {
	w := swap.Workload{API: swap.APIImages, Seed: 7, Image: &swap.ImageAsk{Width: 512, Height: 256, Steps: 20}}
	g := generator(t, w)
	p := g.At(1, 1)
	require.InDelta(t, 512*256*20, p.Work, 0)
	require.Zero(t, p.MaxTokens)
	require.InDelta(t, imagePromptTokens/tokensPerWord, len(strings.Fields(p.Text)), 1)
	require.NotContains(t, p.Text, opening)
	require.NotEqual(t, p.Text, g.At(1, 2).Text)

	w.Image = &swap.ImageAsk{Width: 64, Height: 64}
	w.InputTokens = swap.Lengths{Median: 60}
	p = generator(t, w).At(1, 1)
	require.InDelta(t, 64*64, p.Work, 0, "the server decides the steps")
	require.Equal(t, 60, p.InputTokens)
}

func TestSpeech(t *testing.T) {
	p := generator(t, swap.Workload{API: swap.APISpeech, InputTokens: swap.Lengths{Median: 65}}).At(1, 1)
	require.Len(t, strings.Fields(p.Text), 50)
	require.InDelta(t, 20, p.Work, 1e-9, "50 words at 150 a minute")
	require.Zero(t, p.MaxTokens)
	require.NotContains(t, p.Text, opening)
}

func TestTranscriptions(t *testing.T) {
	g, lengths := generator(t, listening()), map[int]bool{}
	for i := range uint64(500) {
		p := g.At(1, i)
		require.Empty(t, p.Text)
		require.GreaterOrEqual(t, p.AudioSeconds, 2)
		require.LessOrEqual(t, p.AudioSeconds, 12)
		require.InDelta(t, p.AudioSeconds, p.Work, 0)
		require.Equal(t, g.recordingHash(p.AudioSeconds), p.SHA256)
		lengths[p.AudioSeconds] = true
	}
	require.Greater(t, len(lengths), 8)
}

func TestRecordingIsAWAVFile(t *testing.T) {
	wav := generator(t, listening()).Recording(5, "")
	require.Len(t, wav, 44+5*32_000)
	var head struct {
		Riff       [4]byte
		Size       uint32
		Wave, Fmt  [4]byte
		FmtSize    uint32
		Format     uint16
		Channels   uint16
		Rate       uint32
		ByteRate   uint32
		BlockAlign uint16
		Bits       uint16
		Data       [4]byte
		DataSize   uint32
	}
	r := bytes.NewReader(wav)
	require.NoError(t, binary.Read(r, binary.LittleEndian, &head))
	require.Equal(t, "RIFF WAVE fmt data", string(head.Riff[:])+" "+string(head.Wave[:])+" "+string(head.Fmt[:])+string(head.Data[:]))
	require.Equal(t, []uint32{uint32(len(wav) - 8), 16, 16_000, 32_000, 160_000},
		[]uint32{head.Size, head.FmtSize, head.Rate, head.ByteRate, head.DataSize})
	require.Equal(t, []uint16{1, 1, 2, 16}, []uint16{head.Format, head.Channels, head.BlockAlign, head.Bits})
}

func samples(wav []byte) []int16 {
	out := make([]int16, (len(wav)-44)/2)
	_, _ = binary.Decode(wav[44:], binary.LittleEndian, out)
	return out
}

func TestRecordingIsNeverSilentForLong(t *testing.T) {
	all := samples(generator(t, listening()).Recording(12, ""))
	for from := 0; from+8000 <= len(all); from += 8000 {
		square := 0.0
		for _, s := range all[from : from+8000] {
			square += float64(s) * float64(s)
		}
		rms := math.Sqrt(square / 8000)
		require.Greater(t, rms, 1500.0, "half a second from sample %d", from)
		require.Less(t, rms, 20_000.0)
	}
}

func TestSaltIsInaudibleAndNewToACache(t *testing.T) {
	g := generator(t, listening())
	plain, a, b := g.Recording(2, ""), g.Recording(2, "salt a"), g.Recording(2, "salt b")
	require.NotEqual(t, plain, a)
	require.NotEqual(t, a, b)
	require.Equal(t, a, g.Recording(2, "salt a"))
	require.Equal(t, plain, g.Recording(2, ""), "a salt marks a copy")
	require.Equal(t, plain[44+512:], a[44+512:])
	was, is := samples(plain), samples(a)
	for k := range was[:256] {
		require.InDelta(t, was[k], is[k], 1)
	}
}

// However far the tape was made when a recording was asked for, the recording is the same.
func TestRecordingsAreBeginningsOfOneTape(t *testing.T) {
	g, other := generator(t, listening()), generator(t, listening())
	long := other.Recording(9, "")
	var wg sync.WaitGroup
	for seconds := 1; seconds <= 9; seconds++ {
		wg.Go(func() {
			if got := g.Recording(seconds, "")[44:]; !bytes.Equal(got, long[44:44+len(got)]) {
				t.Errorf("the recording of %d s differs", seconds)
			}
		})
	}
	wg.Wait()
	w := listening()
	w.Seed++
	require.NotEqual(t, long, generator(t, w).Recording(9, ""))
}

func TestMediaSettingsAreChecked(t *testing.T) {
	for want, w := range map[string]swap.Workload{
		"workload.image is missing":              {API: swap.APIImages},
		"workload.image is 0 by 5 pixels":        {API: swap.APIImages, Image: &swap.ImageAsk{Height: 5}},
		"workload.input_tokens.median is 0":      {API: swap.APISpeech},
		"workload.audio_seconds is missing":      {API: swap.APITranscriptions},
		"workload.audio_seconds.median is 0":     {API: swap.APITranscriptions, AudioSeconds: &swap.Lengths{}},
		"workload.audio_seconds.max is 0; it":    {API: swap.APITranscriptions, AudioSeconds: &swap.Lengths{Median: 9}},
		"workload.audio_seconds.max is 4000; it": {API: swap.APITranscriptions, AudioSeconds: &swap.Lengths{Median: 9, Max: 4000}},
	} {
		_, err := New(w)
		require.ErrorContains(t, err, want)
	}
}
