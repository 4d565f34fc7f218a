// Package activities holds one durable step a file. An activity turns a request into calls on the packages that do the
// work, is safe to repeat, and returns errors of the types in errors.go. Deciding is left to pure packages.
package activities
