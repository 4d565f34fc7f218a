package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

// firstLine is the longest first line by which a format is recognised.
const firstLine = 1 << 16

// peek returns the start of a file without reading it, after the byte order mark with which some programs begin one.
func peek(in *bufio.Reader) ([]byte, error) {
	start, err := in.Peek(firstLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	rest := bytes.TrimPrefix(start, []byte("\ufeff"))
	_, err = in.Discard(len(start) - len(rest))
	return rest, err
}

// recognise names the format of a file by its first line. It returns nothing, and says so in wrong, for none of the formats.
func recognise(start []byte, wrong *badfile.Error) swap.TraceFormat {
	start = bytes.TrimLeft(start, " \t\r\n")
	if len(start) == 0 {
		wrong.Add(0, "", "the file is empty")
		return ""
	}
	line, _, _ := bytes.Cut(start, []byte("\n"))
	if line[0] == '{' {
		if isMooncake(line) {
			return swap.TraceMooncake
		}
	} else if header, err := csv.NewReader(bytes.NewReader(line)).Read(); err == nil {
		for _, format := range []swap.TraceFormat{swap.TraceAzure, swap.TraceBurstGPT, swap.TraceVidur} {
			if layout, _ := layoutOf(format); len(layout.locate(header).missing()) == 0 {
				return format
			}
		}
	}
	wrong.Add(0, "", "the first line is of no known format: TIMESTAMP,ContextTokens,GeneratedTokens for azure, "+
		"Timestamp,…,Request tokens,Response tokens,… for burstgpt, arrived_at,num_prefill_tokens,num_decode_tokens for vidur, "+
		"or a JSON object with timestamp, input_length and output_length for mooncake")
	return ""
}

// isMooncake tells its objects from those of the Bailian traces, which have the same keys and chat_id but count seconds.
func isMooncake(line []byte) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(line, &keys) != nil {
		return false
	}
	for _, key := range []string{timestampKey, inputKey, outputKey} {
		if _, has := keys[key]; !has {
			return false
		}
	}
	_, bailian := keys["chat_id"]
	return !bailian
}
