// Package report turns a verdict and the data behind it into documents for people and for pipelines: one HTML file, Markdown
// for a pull request, JUnit for a CI server, text for a terminal, and the verdict's own JSON. It does no I/O and reads no
// clock: the same input gives the same bytes. Whatever comes from outside (model names, errors, labels, reasons) is escaped.
package report
