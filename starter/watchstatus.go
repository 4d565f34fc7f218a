package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

func newWatchStatusCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "status TARGET",
		Short: "Say when a target is watched and what the last watch found",
		Args:  exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTextOrJSON(format); err != nil {
				return err
			}
			return a.withTemporal(cmd.Context(), func(ctx context.Context, c *control.Client) error {
				state, err := c.Watch(ctx, args[0])
				if err != nil {
					return err
				}
				return a.print(format, state, watchStateText(state))
			})
		},
	}
	textOrJSON(cmd, &format)
	return cmd
}

func watchStateText(s control.WatchState) string {
	var b strings.Builder
	switch {
	case s.Schedule == "":
		fmt.Fprintf(&b, "%s has no schedule\n", s.Target)
	case s.Paused:
		fmt.Fprintf(&b, "%s: %s, paused %s\n", s.Schedule, s.When, s.Note)
	default:
		fmt.Fprintf(&b, "%s: %s\n", s.Schedule, s.When)
	}
	for _, id := range s.Running {
		fmt.Fprintf(&b, "running: %s\n", id)
	}
	if len(s.Next) > 0 && !s.Paused {
		fmt.Fprintf(&b, "next: %s\n", s.Next[0].UTC().Format(time.RFC3339))
	}
	switch {
	case s.Result != nil:
		fmt.Fprintf(&b, "last, %s:\n%s", s.Last.Started.UTC().Format(time.RFC3339), watchText(*s.Result))
	case s.Last != nil:
		fmt.Fprintf(&b, "last, %s: %s (%s)\n", s.Last.Started.UTC().Format(time.RFC3339), s.Last.State, s.Last.WorkflowID)
	default:
		b.WriteString("no watch has ended yet\n")
	}
	return b.String()
}

func newWatchDeleteCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "delete TARGET",
		Short: "Delete the schedule that watches a target; a watch that runs goes on",
		Args:  exactly("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTemporal(cmd.Context(), func(ctx context.Context, c *control.Client) error {
				if err := c.DeleteWatch(ctx, args[0]); err != nil {
					return err
				}
				id := swap.WatchWorkflowID(args[0])
				return a.print(formatText, nil, "deleted schedule "+id+"\n")
			})
		},
	}
}
