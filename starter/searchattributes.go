package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/starter/internal/control"
)

const attributesTimeout = 30 * time.Second

func newSearchAttributesCommand(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "search-attributes",
		Short: "List or register the search attributes by which runs are found",
	})
	cmd.AddCommand(newListAttributesCommand(a), newRegisterAttributesCommand(a))
	return cmd
}

func newListAttributesCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List swapgate's search attributes and whether the namespace has them",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkTextOrJSON(format); err != nil {
				return err
			}
			return a.withTemporal(cmd.Context(), func(ctx context.Context, c *control.Client) error {
				list, err := c.SearchAttributes(ctx)
				if err != nil {
					return fmt.Errorf("list the search attributes of namespace %q: %w", c.Namespace, err)
				}
				return a.print(format, list, attributeTable(list))
			})
		},
	}
	textOrJSON(cmd, &format)
	return cmd
}

func newRegisterAttributesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "register",
		Short: "Register the search attributes that the namespace lacks",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTemporal(cmd.Context(), func(ctx context.Context, c *control.Client) error {
				added, err := c.RegisterSearchAttributes(ctx)
				if err != nil {
					return fmt.Errorf("register search attributes in namespace %q: %w", c.Namespace, err)
				}
				text := "nothing to do: all are registered\n"
				if len(added) > 0 {
					text = "registered " + strings.Join(added, ", ") + "\n"
				}
				return a.print(formatText, added, text)
			})
		},
	}
}

func (a *app) withTemporal(ctx context.Context, do func(context.Context, *control.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, attributesTimeout)
	defer cancel()
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}

func attributeTable(list []control.SearchAttribute) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range list {
		state := "missing"
		switch {
		case s.Registered:
			state = "registered"
		case s.Conflict != "":
			state = "registered with type " + s.Conflict
		}
		// A strings.Builder does not fail.
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.Type, state)
	}
	_ = w.Flush()
	return b.String()
}
