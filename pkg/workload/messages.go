package workload

import (
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Role is who said a message.
type Role string

// The roles of a chat.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one message of a chat.
type Message struct {
	Role    Role
	Content string
}

// Messages is what turn k sends, given the answers to the turns before it and the unit's salt (Generator.Salt). A turn of a
// session sends the whole conversation, with the salt once at its start; a turn of a ring sends the last answer and its own
// text; every other turn its own text alone.
//
// ok is false when an answer that the turn builds on is missing or blank: the unit has ended, and this turn and those after
// it cannot be asked.
func (u Unit) Messages(k int, salt string, answers []string) (messages []Message, ok bool) {
	switch {
	case !u.Turns[k].Follows:
		return []Message{{RoleUser, salt + u.Turns[k].Text}}, true
	case u.Shape == swap.ShapeRing:
		return u.handOver(k, salt, answers)
	}
	return u.conversation(k, salt, answers)
}

func (u Unit) handOver(k int, salt string, answers []string) ([]Message, bool) {
	answer, ok := answerTo(answers, k-1)
	if !ok {
		return nil, false
	}
	return []Message{{RoleUser, salt + "Continue from: " + answer + "\n\n" + u.Turns[k].Text}}, true
}

func (u Unit) conversation(k int, salt string, answers []string) ([]Message, bool) {
	out := make([]Message, 0, 2*k+1)
	for j := range k {
		answer, ok := answerTo(answers, j)
		if !ok {
			return nil, false
		}
		out = append(out, Message{RoleUser, u.Turns[j].Text}, Message{RoleAssistant, answer})
	}
	out = append(out, Message{RoleUser, u.Turns[k].Text})
	out[0].Content = salt + out[0].Content
	return out, true
}

func answerTo(answers []string, turn int) (string, bool) {
	if turn >= len(answers) || strings.TrimSpace(answers[turn]) == "" {
		return "", false
	}
	return answers[turn], true
}

// Plain is a chat as one text: a lone message as it is, a conversation with the speakers' names. It is what Fingerprint
// takes of a request.
func Plain(messages []Message) string {
	if len(messages) == 1 {
		return messages[0].Content
	}
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(string(m.Role))
		b.WriteString(": ")
		b.WriteString(m.Content)
		b.WriteByte('\n')
	}
	return b.String()
}
