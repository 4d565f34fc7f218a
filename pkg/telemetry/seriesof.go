package telemetry

// EngineSeries is the name of the series in which an engine reports a canonical metric on its Prometheus page. ok is false for
// an engine that does not report it as one series of its own. Of several names it is the newest.
func EngineSeries(engine, metric string) (series string, ok bool) {
	for _, d := range engineDialects() {
		if d.name != engine {
			continue
		}
		for _, a := range d.aliases {
			if a.metric != metric || a.where != nil {
				continue
			}
			if a.part == histogramSum {
				return a.series + "_sum", true
			}
			return a.series, true
		}
	}
	return "", false
}
