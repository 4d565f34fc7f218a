// Package notify tells people of a verdict in Slack. Building a message is pure; Poster is the one thing that talks to Slack,
// and Once keeps a message from being posted twice, whatever is retried. docs/slack.md is for operators.
package notify
