package protocol

import (
	"encoding/binary"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func scanFor(t *testing.T, a Ask, body string) (Chunk, error) {
	t.Helper()
	p, ok := For(a.API)
	require.True(t, ok)
	var c Chunk
	err := p.NewScanner(a).Scan(nil, []byte(body), &c)
	return c, err
}

func TestImages(t *testing.T) {
	ask := Ask{API: swap.APIImages, Image: &swap.ImageAsk{Width: 512, Height: 256, Steps: 20}}
	c, err := scanFor(t, ask, `{"created":1,"data":[{"b64_json":"`+strings.Repeat("A", 1<<20)+`"}],"usage":{"total_tokens":1}}`)
	require.NoError(t, err)
	require.Equal(t, plain("ctvd", ""), see(c))
	require.Equal(t, swap.Of(512*256*20), c.Work)

	c, err = scanFor(t, ask, `{"data":[{"url":"http://x/a.png"},{"url":"http://x/b.png"},null]}`)
	require.NoError(t, err)
	require.Equal(t, swap.Of(2*512*256*20), c.Work)

	ask.Image.Steps = 0
	c, err = scanFor(t, ask, `{"data":[{"b64_json":"AA"}]}`)
	require.NoError(t, err)
	require.Equal(t, swap.Of(512*256), c.Work, "steps that the server chose count as one")

	for _, none := range []string{`{"data":[]}`, `{"data":null}`, `{}`} {
		c, err = scanFor(t, ask, none)
		require.NoError(t, err)
		require.Equal(t, plain("d", ""), see(c))
		require.Equal(t, swap.Absent(), c.Work)
	}
	c, err = scanFor(t, ask, `{"error":{"code":"content_policy","message":"m"}}`)
	require.NoError(t, err)
	require.Equal(t, plain("fd", "").coded("content_policy"), see(c))
	c, err = scanFor(t, Ask{API: swap.APIImages}, `{"data":[{"b64_json":"AA"}]}`)
	require.NoError(t, err)
	require.Equal(t, swap.Absent(), c.Work)
}

// wav is mono PCM of 16 bits at 16 kHz with n bytes of data, of which the header says size.
func wav(n int, size uint32) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00")
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint32(b, 16_000)
	b = binary.LittleEndian.AppendUint32(b, 32_000)
	b = binary.LittleEndian.AppendUint16(b, 2)
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, size)
	return append(b, make([]byte, n)...)
}

func TestSpeech(t *testing.T) {
	ask := Ask{API: swap.APISpeech}
	for name, c := range map[string]struct {
		body []byte
		work swap.Value
	}{
		"two seconds":            {wav(64_000, 64_000), swap.Of(2)},
		"a chunk follows":        {append(wav(64_000, 64_000), "LIST\x01\x00\x00\x00x"...), swap.Of(2)},
		"streamed, size unknown": {wav(64_000, 0xFFFFFFFF), swap.Of(2)},
		"streamed, size 0":       {wav(64_000, 0), swap.Of(2)},
		"cut off":                {wav(64_000, 128_000), swap.Of(2)},
		"cut in the header":      {wav(0, 0)[:40], swap.Absent()},
		"MP3":                    {[]byte("ID3\x04abc"), swap.Absent()},
	} {
		got, err := scanFor(t, ask, string(c.body))
		require.NoError(t, err, name)
		require.Equal(t, plain("ctvd", ""), see(got), name)
		require.Equal(t, c.work, got.Work, name)
	}
	c, err := scanFor(t, ask, `{"error":{"type":"invalid_voice","message":"m"}}`)
	require.NoError(t, err)
	require.Equal(t, plain("fd", "").coded("invalid_voice"), see(c))
}

func TestTranscriptions(t *testing.T) {
	ask := Ask{API: swap.APITranscriptions, Audio: wav(96_000, 96_000)}
	c, err := scanFor(t, ask, `{"text":"hello \"you\"","usage":{"type":"duration","seconds":3}}`)
	require.NoError(t, err)
	require.Equal(t, plain("ctvd", `hello "you"`), see(c))
	require.Equal(t, swap.Of(3), c.Work)

	c, err = scanFor(t, ask, `{"text":""}`)
	require.NoError(t, err)
	require.Equal(t, plain("ctd", ""), see(c), "a recording without words has an answer")
	require.Equal(t, swap.Of(3), c.Work)

	c, err = scanFor(t, ask, `{"error":{"message":"m","code":400}}`)
	require.NoError(t, err)
	require.Equal(t, plain("fd", "").coded("400"), see(c))
	require.Equal(t, swap.Absent(), c.Work)

	_, err = scanFor(t, ask, `hello`)
	require.ErrorIs(t, err, ErrMalformed)
}

func TestTranscriptionRequest(t *testing.T) {
	p, _ := For(swap.APITranscriptions)
	ask := Ask{Audio: wav(10, 10), Temperature: 0.2}
	r, err := p.Request(ask, "whisper", Capabilities{})
	require.NoError(t, err)
	again, err := p.Request(ask, "whisper", Capabilities{})
	require.NoError(t, err)
	require.Equal(t, r, again, "the same ask is the same request")

	kind, params, err := mime.ParseMediaType(r.ContentType)
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data", kind)
	form, err := multipart.NewReader(strings.NewReader(string(r.Body)), params["boundary"]).ReadForm(1 << 20)
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"model": {"whisper"}, "response_format": {"json"}, "temperature": {"0.2"}}, form.Value)
	file, err := form.File["file"][0].Open()
	require.NoError(t, err)
	sent, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Equal(t, ask.Audio, sent)
	require.Equal(t, "audio/wav", form.File["file"][0].Header.Get("Content-Type"))
}
