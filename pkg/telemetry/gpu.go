package telemetry

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// ErrNoDriver says that this host has no usable NVIDIA driver, or that this build cannot talk to one.
var ErrNoDriver = errors.New("no NVIDIA driver")

// GPU reads one GPU of this host.
type GPU interface {
	Index() int
	UUID() string
	// Read returns the metrics that the GPU reports, under their canonical names, and the names of those it cannot. An
	// error says that the GPU itself failed.
	Read() (GPUReading, error)
}

// GPUReading is what one GPU said.
type GPUReading struct {
	Values []GPUValue
	// Unsupported names the metrics that the GPU, its driver or its rights do not offer.
	Unsupported []string
}

// GPUValue is one metric of a GPU.
type GPUValue struct {
	Metric string
	// Origin is the driver call that gave the value.
	Origin string
	Value  float64
}

// GPUSampler reads the GPUs of this host.
type GPUSampler struct {
	name        string
	gpus        []GPU
	unsupported map[string]bool
}

// NewGPUSampler samples the given GPUs.
func NewGPUSampler(name string, gpus []GPU) *GPUSampler {
	return &GPUSampler{name: name, gpus: gpus, unsupported: map[string]bool{}}
}

// Name implements Sampler.
func (s *GPUSampler) Name() string { return s.name }

// Sample implements Sampler. A GPU that fails does not hide the others.
func (s *GPUSampler) Sample(ctx context.Context) ([]Sample, error) {
	var out []Sample
	var faults []error
	for _, g := range s.gpus {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		reading, err := g.Read()
		if err != nil {
			faults = append(faults, fmt.Errorf("GPU %d (%s): %w", g.Index(), g.UUID(), err))
		}
		for _, v := range reading.Values {
			out = append(out, Sample{
				Metric: v.Metric, Origin: v.Origin, Value: v.Value, GPU: strconv.Itoa(g.Index()), GPUUUID: g.UUID(),
			})
		}
		for _, m := range reading.Unsupported {
			s.unsupported[fmt.Sprintf("gpu %d: %s", g.Index(), m)] = true
		}
	}
	return out, errors.Join(faults...)
}

// Unsupported lists, once each, the metrics that some GPU does not offer ("gpu 0: gpu_power_w"). Call it when sampling
// has ended.
func (s *GPUSampler) Unsupported() []string { return sortedKeys(s.unsupported) }
