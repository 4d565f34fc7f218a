// Package phrase turns the values of a verdict into words and numbers for people: the same wording in the HTML report, in
// Markdown, in JUnit, on a terminal and in Slack. It escapes nothing: every format escapes for itself, after Clean.
package phrase
