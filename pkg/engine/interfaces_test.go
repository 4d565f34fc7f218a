package engine

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// recordedShape is a server of one interface: the path that it serves, what the body must hold, and its answer.
type recordedShape struct {
	api            swap.API
	path, contains string
	// script uses the steps of a stub; W is raw bytes. Without a script the answer is the body, after 80 ms.
	script, body string
	want         want
}

func (s recordedShape) handler(t *testing.T) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != s.path || !strings.Contains(string(body), s.contains) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if s.script != "" {
			stub{script: s.script}.ServeHTTP(w, r)
			return
		}
		time.Sleep(80 * time.Millisecond)
		_, _ = io.WriteString(w, s.body)
	})
}

// The interfaces of single engines, and those of image and audio models, through the whole client.
func TestEveryInterfaceIsSpoken(t *testing.T) {
	recording := []byte(wavOf(t, 3))
	png := base64.StdEncoding.EncodeToString([]byte("not really an image"))
	shapes := []recordedShape{
		{
			api: swap.APITGI, path: "/generate_stream", contains: `"max_new_tokens":16`,
			script: `@40 W(data:{"index":1,"token":{"id":1,"text":" a","special":false},"generated_text":null,"details":null}` + "\n\n)" +
				`@60 W(data:{"index":2,"token":{"id":2,"text":" b","special":false},"generated_text":" a b",` +
				`"details":{"finish_reason":"length","generated_tokens":2,"input_length":5}}` + "\n\n) Z",
			want: want{swap.OK, 40, 40, 60, 2, 2, "length"},
		},
		{
			api: swap.APISGLang, path: "/generate", contains: `"max_new_tokens":16`,
			script: `@40 W(data: {"text":"a","output_ids":[1],"meta_info":{"finish_reason":null,"completion_tokens":1}}` + "\n\n)" +
				`@70 W(data: {"text":"a b c","output_ids":[1,2,3],"meta_info":{"finish_reason":{"type":"stop"},"prompt_tokens":5,` +
				`"completion_tokens":3}}` + "\n\n) D",
			want: want{swap.OK, 40, 40, 70, 2, 3, "stop"},
		},
		{
			api: swap.APITriton, path: "/v2/models/m/generate_stream", contains: `"text_input":"hello"`,
			script: `@40 W(data: {"model_name":"m","model_version":"1","text_output":" a"}` + "\n\n)" +
				`@50 W(data: {"model_name":"m","model_version":"1","text_output":" b"}` + "\n\n) Z",
			want: want{swap.OK, 40, 40, 50, 2, -1, ""},
		},
		{
			api: swap.APIOllama, path: "/api/chat", contains: `"num_predict":16`,
			script: `@40 W({"model":"m","message":{"role":"assistant","content":"a"},"done":false}` + "\n)" +
				`@55 W({"model":"m","message":{"role":"assistant","content":"b"},"done":false}` + "\n)" +
				`@60 W({"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":2}` +
				"\n) Z",
			want: want{swap.OK, 40, 40, 55, 2, 2, "stop"},
		},
		{
			api: swap.APIImages, path: "/v1/images/generations", contains: `"size":"512x256"`,
			script: `@90 W({"created":1,"data":[{"b64_json":"` + png + `"}]}) Z`,
			want:   want{swap.OK, 90, 90, 90, 1, -1, ""},
		},
		{
			api: swap.APISpeech, path: "/v1/audio/speech", contains: `"input":"hello"`,
			body: wavOf(t, 2),
			want: want{swap.OK, 80, 80, 80, 1, -1, ""},
		},
		{
			api: swap.APITranscriptions, path: "/v1/audio/transcriptions", contains: "RIFF",
			script: `@70 W({"text":"hello there"}) Z`,
			want:   want{swap.OK, 70, 70, 70, 1, -1, ""},
		},
	}
	for _, shape := range shapes {
		t.Run(string(shape.api), func(t *testing.T) {
			caps := ClientOptions{Capabilities: protocol.Capabilities{UsageInStream: true}}
			onSyntheticTime(t, shape.handler(t), caps, func(t *testing.T, c *Client) {
				t.Helper()
				a := ask()
				a.API = shape.api
				switch shape.api {
				case swap.APIImages:
					a.Image = &swap.ImageAsk{Width: 512, Height: 256, Steps: 20}
				case swap.APITranscriptions:
					a.Audio = recording
				}
				o := c.Stream(t.Context(), a)
				shape.want.check(t, o)
				work := map[swap.API]float64{swap.APIImages: 512 * 256 * 20, swap.APISpeech: 2, swap.APITranscriptions: 3}
				if units, ok := work[shape.api]; ok {
					require.InDelta(t, units, *o.Work, 0.01)
				} else {
					require.Nil(t, o.Work)
				}
			})
		})
	}
}

func wavOf(t *testing.T, seconds int) string {
	t.Helper()
	g, err := workload.New(swap.Workload{API: swap.APITranscriptions, AudioSeconds: &swap.Lengths{Median: seconds, Max: seconds}})
	require.NoError(t, err)
	return string(g.Recording(seconds, ""))
}

// The error of an interface that answers as a whole is an error, also under status 200.
func TestErrorsOfWholeAnswers(t *testing.T) {
	failing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"type": "server_error", "message": "my secret"}})
	})
	audio := []byte(wavOf(t, 1))
	for _, api := range []swap.API{swap.APIImages, swap.APISpeech, swap.APITranscriptions} {
		onSyntheticTime(t, failing, ClientOptions{}, func(t *testing.T, c *Client) {
			t.Helper()
			a := ask()
			a.API, a.Audio, a.Image = api, audio, &swap.ImageAsk{Width: 64, Height: 64}
			o := c.Stream(t.Context(), a)
			require.Equal(t, swap.StreamError, o.Outcome, "%s: %s", api, o.Err)
			require.NotContains(t, o.Err, "secret")
		})
	}
}
