package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// want is what a case expects. Times are ms after the send, -1 is never; tokens -1 is no usage.
type want struct {
	outcome        swap.Outcome
	first, visible int
	last           int
	chunks         int
	tokens         int
	finish         string
}

func (w want) check(t *testing.T, o Observation) {
	t.Helper()
	tokens := -1
	if o.OutputTokens != nil {
		tokens = int(*o.OutputTokens)
	}
	got := want{o.Outcome, after(o, o.First), after(o, o.Visible), after(o, o.Last), o.Chunks, tokens, o.FinishReason}
	require.Equal(t, w, got, "error text: %s", o.Err)
	require.Equal(t, o.Outcome.Good(), o.Err == "")
	require.Len(t, o.GapsUS, max(0, o.Chunks-1))
}

const three = "@10 R C(a) @20 C(b) @35 C(c) F(stop) U(5,3) D"

var threeChunks = want{swap.OK, 10, 10, 35, 3, 3, "stop"}

func raw(payload string) string { return "W(data: " + payload + "\n\n)" }

// The names are those of the failure stories that other load generators had: a framing, a chunk or an ending that made
// them report a wrong number.
func TestStreamCases(t *testing.T) {
	noSpace := func(p string) string { return "data:" + p + "\n\n" }
	crlf := func(p string) string { return "data: " + p + "\r\n\r\n" }
	cr := func(p string) string { return "data: " + p + "\r\r" }
	cases := []struct {
		name string
		stub stub
		want want
	}{
		{"T01 no space after data", stub{script: three, frame: noSpace}, threeChunks},
		{"T02 CRLF", stub{script: three, frame: crlf}, threeChunks},
		{"T02 lone CR", stub{script: three, frame: cr}, threeChunks},
		{
			"T03 keep-alive comments",
			stub{script: "@100 P @200 P @300 P @400 P @450 C(a) F(stop) U(5,1) D"},
			want{swap.OK, 450, 450, 450, 1, 1, "stop"},
		},
		{
			"T04 other fields, lines joined, byte order mark",
			stub{script: "@0 W(\xEF\xBB\xBFevent: message\nid: 7\nretry: 3000\ndata: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n)" +
				" @5 F(stop) D"},
			want{swap.OK, 0, 0, 0, 1, -1, "stop"},
		},
		{
			"T05 a character split over two writes",
			stub{script: "@10 W(data: {\"choices\":[{\"delta\":{\"content\":\"\xF0) @30 W(\x9F\x98\x80\"}}]}\n\n) F(stop) D"},
			want{swap.OK, 30, 30, 30, 1, -1, "stop"},
		},
		{
			"T07 one line of 300 KB",
			stub{script: "@10 C(" + strings.Repeat("x", 300<<10) + ") F(stop) U(5,1) D"},
			want{swap.OK, 10, 10, 10, 1, 1, "stop"},
		},
		{
			"T11 role before the first token",
			stub{script: "@5 R @214 C(a) @224 C(b) F(stop) U(5,2) D"},
			want{swap.OK, 214, 214, 224, 2, 2, "stop"},
		},
		{
			"T12 nothing generated",
			stub{script: "@0 R @30 F(stop) U(5,0) D"},
			want{swap.Empty, -1, -1, -1, 0, 0, "stop"},
		},
		{
			"T14 reasoning_content",
			stub{script: "@100 K(a) @110 K(b) @900 C(c) F(stop) U(5,3) D"},
			want{swap.OK, 100, 900, 900, 3, 3, "stop"},
		},
		{
			"T14 reasoning",
			stub{script: "@100 K(a) @110 K(b) @900 C(c) F(stop) U(5,3) D", reasoning: "reasoning"},
			want{swap.OK, 100, 900, 900, 3, 3, "stop"},
		},
		{
			"T15 reasoning up to max_tokens",
			stub{script: repeat(20, func(i int) string { return "@" + itoa(100+10*i) + " K(x)" }) + "F(length) U(5,20) D"},
			want{swap.OK, 100, -1, 290, 20, 20, "length"},
		},
		{
			"T16 usage chunk without choices",
			stub{script: "@10 C(a) @20 C(b) @30 F(stop) @40 U(5,2) D"},
			want{swap.OK, 10, 10, 20, 2, 2, "stop"},
		},
		{
			"T18 null tool calls, then real ones",
			stub{script: "@5 " + raw(`{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null}}]}`) +
				"@40 " + raw(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}]}`) +
				"@50 " + raw(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}`) + "F(tool_calls) D"},
			want{swap.OK, 40, 40, 50, 2, -1, "tool_calls"},
		},
		{
			"T19 unknown and null fields",
			stub{script: "@10 " + raw(`{"new":{"a":[1,{"b":"]}"}]},"usage":null,`+
				`"choices":[{"logprobs":null,"x":1.5e3,"delta":{"content":"a","y":[]}}]}`) + "F(stop) D"},
			want{swap.OK, 10, 10, 10, 1, -1, "stop"},
		},
		{
			"T20 four tokens a chunk",
			stub{script: repeat(10, func(i int) string { return "@" + itoa(100+40*i) + " C(abcd)" }) + "F(length) U(5,40) D"},
			want{swap.OK, 100, 100, 460, 10, 40, "length"},
		},
		{
			"T22 first token is no gap",
			stub{script: "@500 C(a) @510 C(b) @520 C(c) F(stop) U(5,3) D"},
			want{swap.OK, 500, 500, 520, 3, 3, "stop"},
		},
		{"T23 one token", stub{script: "@100 C(a) F(stop) U(5,1) D"}, want{swap.OK, 100, 100, 100, 1, 1, "stop"}},
		{"T25 content filter", stub{script: "@9 C(a) F(content_filter) D"}, want{swap.OK, 9, 9, 9, 1, -1, "content_filter"}},
		{"T25 abort", stub{script: "@9 C(a) F(abort) D"}, want{swap.StreamError, 9, 9, 9, 1, -1, "abort"}},
		{
			"T25 stop_reason",
			stub{script: "@9 C(a) " + raw(`{"choices":[{"delta":{},"stop_reason":"end_turn"}]}`) + "D"},
			want{swap.OK, 9, 9, 9, 1, -1, "end_turn"},
		},
		{
			"T26 tokens are the server's, not chunks",
			stub{script: repeat(10, func(i int) string { return "@" + itoa(10*i) + " C(ab)" }) + "F(stop) U(5,10) D"},
			want{swap.OK, 0, 0, 90, 10, 10, "stop"},
		},
		{"T28 no usage", stub{script: "@10 C(a) @20 C(b) F(stop) D"}, want{swap.OK, 10, 10, 20, 2, -1, "stop"}},
		{
			"T32 error inside 200",
			stub{script: "@0 R @50 " + raw(`{"error":{"message":"secret prompt","code":500}}`) + "D"},
			want{swap.StreamError, -1, -1, -1, 0, -1, ""},
		},
		{
			"T32 error after text",
			stub{script: "@10 C(a) F(stop) " + raw(`{"error":{"message":"m","type":"server_error"}}`) + "D"},
			want{swap.StreamError, 10, 10, 10, 1, -1, "stop"},
		},
		{
			"T32 event error",
			stub{script: "@0 R @50 W(event: error\ndata: something broke\n\n) D"},
			want{swap.StreamError, -1, -1, -1, 0, -1, ""},
		},
		{
			"T32 flat error object",
			stub{script: "@0 " + raw(`{"object":"error","message":"m","code":400}`) + "D"},
			want{swap.StreamError, -1, -1, -1, 0, -1, ""},
		},
		{
			"T32 null and empty errors are none",
			stub{script: "@5 " + raw(`{"error":null,"choices":[{"delta":{"content":"a"}}]}`) + "@9 " +
				raw(`{"error":"","choices":[{"delta":{"content":"b"}}]}`) + "F(stop) D"},
			want{swap.OK, 5, 5, 9, 2, -1, "stop"},
		},
		{
			"T33 broken connection",
			stub{script: repeat(5, func(i int) string { return "@" + itoa(10*i) + " C(a)" }) + "X"},
			want{swap.ResetMidStream, 0, 0, 40, 5, -1, ""},
		},
		{
			"T33 broken connection after the finish reason",
			stub{script: "@10 C(a) F(stop) X"},
			want{swap.ResetMidStream, 10, 10, 10, 1, -1, "stop"},
		},
		{"T33 clean end, no finish, no terminator", stub{script: "@10 C(a) @20 C(b) Z"}, want{swap.Truncated, 10, 10, 20, 2, -1, ""}},
		{"T33 terminator without a finish reason", stub{script: "@10 C(a) @20 C(b) D"}, want{swap.Truncated, 10, 10, 20, 2, -1, ""}},
		{"T33 cut inside an event", stub{script: "@10 C(a) W(data: {\"choi) Z"}, want{swap.Truncated, 10, 10, 10, 1, -1, ""}},
		{"no terminator but a finish reason", stub{script: "@10 C(a) F(stop) Z"}, want{swap.OKNoDone, 10, 10, 10, 1, -1, "stop"}},
		{"terminator without a blank line", stub{script: "@10 C(a) F(stop) W(data: [DONE]) Z"}, want{swap.OK, 10, 10, 10, 1, -1, "stop"}},
		{"broken connection after the terminator", stub{script: "@10 C(a) F(stop) D X"}, want{swap.OK, 10, 10, 10, 1, -1, "stop"}},
		{
			"a chunk that is no JSON",
			stub{script: "@10 C(a) " + raw(`{"choices":[}`) + "F(stop) D"},
			want{swap.ParseError, 10, 10, 10, 1, -1, "stop"},
		},
		{"not an event stream", stub{script: `@10 W({"choices":[]}) Z`}, want{swap.ParseError, -1, -1, -1, 0, -1, ""}},
		{"an empty body", stub{script: "@10 Z"}, want{swap.Truncated, -1, -1, -1, 0, -1, ""}},
		{
			"zeroed usage on every chunk does not replace the count",
			stub{script: "@5 C(a) U(5,7) " + raw(`{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`) + "F(stop) D"},
			want{swap.OK, 5, 5, 5, 1, 7, "stop"},
		},
		{
			"llama.cpp prompt progress is no token",
			stub{script: "@5 " + raw(`{"choices":[{"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":9}}`) +
				"@80 C(a) F(stop) D"},
			want{swap.OK, 80, 80, 80, 1, -1, "stop"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.want.check(t, observe(t, c.stub, ask())) })
	}
}

func TestCommentsAndRoleAreNoted(t *testing.T) {
	o := observe(t, stub{script: "@5 R @100 P @200 P @300 P @400 P @450 C(a) F(stop) D"}, ask())
	require.Equal(t, 5, after(o, o.Role))
	require.Equal(t, 4, o.Keepalives)
	require.Equal(t, 450, after(o, o.End))
	require.Equal(t, "fp_1", o.Fingerprint)
}

// T06: five events in one write arrive together, and that is said instead of a false spacing.
func TestCoalescedChunksAreCounted(t *testing.T) {
	o := observe(t, stub{script: "@10 C(a) C(b) C(c) C(d) C(e) F(stop) U(5,5) D", together: true}, ask())
	require.Equal(t, 5, o.Chunks)
	require.Equal(t, 4, o.Coalesced)
	require.Equal(t, []int64{0, 0, 0, 0}, o.GapsUS)
}

// T20 and T22: gaps are between chunks, and the first token is not one of them.
func TestGapsBetweenChunks(t *testing.T) {
	o := observe(t, stub{script: "@500 C(abcd) @540 C(abcd) @580 C(abcd) F(stop) U(5,12) D"}, ask())
	require.Equal(t, []int64{40_000, 40_000}, o.GapsUS)
	require.Zero(t, o.Coalesced)
}

// An error text must never carry what a server quotes.
func TestErrorsDoNotQuoteTheServer(t *testing.T) {
	o := observe(t, stub{script: "@0 " + raw(`{"error":{"message":"my secret prompt","type":"my secret prompt"}}`) + "D"}, ask())
	require.Equal(t, "error inside the stream", o.Err)
}
