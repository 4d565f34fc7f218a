package activities

import (
	"context"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// Schemas of the documents for people and pipelines.
const (
	verdictSchema = "verdict/v" + swap.VerdictSchemaVersion
	reportSchema  = "report/v1"
	chartSchema   = "chart/v1"
)

// PublishReport writes report.html, verdict.json and chart.png of a run. Writing them again gives the same documents.
func (a *Activities) PublishReport(ctx context.Context, in swap.PublishReportInput) (swap.Artifacts, error) {
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.Artifacts{}, err
	}
	defer store.Close()
	run := runKey(ctx, in.Spec.Target)
	verdict := in.Verdict
	verdict.Artifacts.TemporalURL = temporalURL(ctx, in.Spec.Notify.TemporalUI)
	verdict.Artifacts.ReportURL = reportURL(store, in.Spec.Notify.ReportBaseURL, runstore.ReportKey(run))
	data, err := chartData(ctx, store, verdict, in.Spec.Load.Calibration)
	if err != nil {
		return swap.Artifacts{}, err
	}
	html, err := report.HTML(data)
	if err != nil {
		return swap.Artifacts{}, err
	}
	page, err := store.PutBytes(ctx, runstore.ReportKey(run), "text/html; charset=utf-8", html, reportSchema)
	if err != nil {
		return swap.Artifacts{}, err
	}
	verdict.Artifacts.Report = &page
	if verdict.Artifacts.Chart, err = putChart(ctx, store, run, data); err != nil {
		return swap.Artifacts{}, err
	}
	doc, err := report.JSON(verdict)
	if err != nil {
		return swap.Artifacts{}, err
	}
	ref, err := store.PutBytes(ctx, runstore.VerdictKey(run), "application/json", doc, verdictSchema)
	verdict.Artifacts.Verdict = &ref
	return verdict.Artifacts, err
}

// putChart writes the picture of the main charts, for messages; nil where nothing was measured.
func putChart(ctx context.Context, store *runstore.Store, run swap.RunKey, data report.Data) (*swap.ObjectRef, error) {
	picture, err := report.PNG(data)
	if err != nil || picture == nil {
		return nil, err
	}
	ref, err := store.PutBytes(ctx, runstore.ChartKey(run), "image/png", picture, chartSchema)
	if err != nil {
		return nil, err
	}
	return &ref, nil
}

// chartData reads what the report's charts show. What a run did not get to is left empty; what cannot be read any more is
// an error, because a report that hides lost data would look complete.
func chartData(ctx context.Context, store *runstore.Store, v swap.Verdict, limits swap.Calibration) (report.Data, error) {
	data := report.Data{Verdict: v}
	var all []rawlog.Record
	for _, s := range v.Steps {
		manifest, records, err := runstore.ReadLeanStep(ctx, store, s.Manifest)
		if err != nil {
			return data, err
		}
		all = append(all, records...)
		data.Steps = append(data.Steps, stepChart(s, manifest, records, limits))
		data.Spans = append(data.Spans, stepSpan(s, manifest))
		data.Blocks = append(data.Blocks, blockChart(manifest)...)
	}
	data.Latency = latencyChart(all)
	for _, t := range v.Telemetry {
		var samples []telemetry.Sample
		for _, ref := range t.Samples {
			part, err := runstore.ReadTable[telemetry.Sample](ctx, store, ref)
			if err != nil {
				return data, err
			}
			samples = append(samples, part...)
		}
		data.Telemetry = append(data.Telemetry, telemetryChart(samples)...)
	}
	return data, nil
}

// temporalURL is this run's page in the Temporal UI; empty without a base URL.
func temporalURL(ctx context.Context, base string) string {
	info := activity.GetInfo(ctx)
	return swap.RunURL(base, info.Namespace, info.WorkflowExecution.ID, info.WorkflowExecution.RunID)
}

// reportURL is where people read the report; empty without a base URL.
func reportURL(store *runstore.Store, base, key string) string {
	if base == "" {
		return ""
	}
	return strings.TrimRight(base, "/") + "/" + strings.TrimPrefix(store.URI(key), "s3://")
}
