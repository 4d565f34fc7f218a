package notify

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/slack-go/slack"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Payload is what chat.postMessage is asked to post. It holds no credential.
type Payload struct {
	Channel string        `json:"channel"`
	Text    string        `json:"text"`
	Blocks  []slack.Block `json:"blocks"`
	// Links in a message are not unfolded into previews.
	UnfurlLinks bool `json:"unfurl_links"`
	UnfurlMedia bool `json:"unfurl_media"`
	// ThreadTS puts the message into the thread of another; Broadcast shows it in the channel too.
	ThreadTS  string `json:"thread_ts,omitempty"`
	Broadcast bool   `json:"reply_broadcast,omitempty"`
}

// In is the payload as a reply in the thread of a message.
func (p Payload) In(thread Sent, broadcast bool) Payload {
	p.Channel, p.ThreadTS, p.Broadcast = thread.Channel, thread.TS, broadcast
	return p
}

// NewPayload is the message about a verdict for a channel.
func NewPayload(channel string, v swap.Verdict) Payload {
	return Payload{Channel: channel, Text: Fallback(v), Blocks: Message(v)}
}

// NewAlarm is a message that something needs a person now, about the run of v.
func NewAlarm(channel, alarm string, v swap.Verdict) Payload {
	said := mrkdwn(alarm, maxReasonText)
	blocks := []slack.Block{section("*" + bold(said) + "*")}
	if addresses := links(v); addresses != "" {
		blocks = append(blocks, section(addresses))
	}
	return Payload{Channel: channel, Text: said, Blocks: append(blocks, slack.NewContextBlock("", text(contextLine(v))))}
}

// JSON is the payload as it would be posted, indented: what is stored where nothing is posted.
func JSON(p Payload) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(p); err != nil {
		return nil, fmt.Errorf("cannot write the Slack message for channel %q as JSON: %w", p.Channel, err)
	}
	return b.Bytes(), nil
}

func (p Payload) options() []slack.MsgOption {
	options := []slack.MsgOption{
		slack.MsgOptionText(p.Text, false), slack.MsgOptionBlocks(p.Blocks...),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
	if p.ThreadTS != "" {
		options = append(options, slack.MsgOptionTS(p.ThreadTS))
	}
	if p.Broadcast {
		options = append(options, slack.MsgOptionBroadcast())
	}
	return options
}
