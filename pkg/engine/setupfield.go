package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// field is where a page gives one fact: the keys to go through, joined by dots, and what is done with the value found. The first
// page that gives a fact is believed.
type field struct {
	at  string
	set func(*swap.ArmFacts, any)
}

func readFields(page map[string]any, fields []field, facts *swap.ArmFacts) {
	for _, f := range fields {
		if value, found := lookUp(page, f.at); found {
			f.set(facts, value)
		}
	}
}

func lookUp(page map[string]any, at string) (any, bool) {
	keys := strings.Split(at, ".")
	for _, key := range keys[:len(keys)-1] {
		page, _ = page[key].(map[string]any)
	}
	value, found := page[keys[len(keys)-1]]
	return value, found
}

func weightsID(f *swap.ArmFacts) *string    { return &f.Setup.WeightsID }
func quantization(f *swap.ArmFacts) *string { return &f.Setup.Quantization }
func kvDType(f *swap.ArmFacts) *string      { return &f.Setup.KVCacheDType }
func tokenizer(f *swap.ArmFacts) *string    { return &f.Setup.Tokenizer }
func chatTemplate(f *swap.ArmFacts) *string { return &f.Setup.ChatTemplateSHA256 }

func maxRequests(f *swap.ArmFacts) *swap.Value      { return &f.Setup.MaxRequests }
func tensorParallel(f *swap.ArmFacts) *swap.Value   { return &f.Setup.TensorParallel }
func pipelineParallel(f *swap.ArmFacts) *swap.Value { return &f.Setup.PipelineParallel }
func dataParallel(f *swap.ArmFacts) *swap.Value     { return &f.Setup.DataParallel }

// longestFact bounds a text that is kept of a server: histories carry it with every stage.
const longestFact = 120

// text keeps a short text.
func text(of func(*swap.ArmFacts) *string) func(*swap.ArmFacts, any) {
	return func(f *swap.ArmFacts, value any) {
		s, _ := value.(string)
		s = strings.TrimPrefix(strings.Join(strings.Fields(s), " "), "torch.")
		if s == "" || s == "None" || *of(f) != "" {
			return
		}
		if len(s) > longestFact {
			s = strings.ToValidUTF8(s[:longestFact], "") + "…"
		}
		*of(f) = s
	}
}

// orNone keeps a short text for which null has a meaning.
func orNone(of func(*swap.ArmFacts) *string) func(*swap.ArmFacts, any) {
	keep := text(of)
	return func(f *swap.ArmFacts, value any) {
		if value == nil {
			value = "none"
		}
		keep(f, value)
	}
}

// number keeps a positive number, given as one or as its digits.
func number(of func(*swap.ArmFacts) *swap.Value) func(*swap.ArmFacts, any) {
	return func(f *swap.ArmFacts, value any) {
		n, ok := value.(float64)
		if s, isText := value.(string); isText {
			parsed, err := strconv.ParseFloat(s, 64)
			n, ok = parsed, err == nil
		}
		if v := swap.Of(n); ok && v.Or(0) > 0 && !of(f).Valid() {
			*of(f) = v
		}
	}
}

// contextLength keeps the context length where the card of the model had none.
func contextLength(f *swap.ArmFacts, value any) {
	number(func(f *swap.ArmFacts) *swap.Value { return &f.MaxModelLen })(f, value)
}

// onOff keeps a switch of prefix caching; inverted is one that turns it off.
func onOff(inverted bool) func(*swap.ArmFacts, any) {
	return func(f *swap.ArmFacts, value any) {
		on, ok := value.(bool)
		if s, isText := value.(string); isText {
			parsed, err := strconv.ParseBool(s)
			on, ok = parsed, err == nil
		}
		if !ok || f.Setup.PrefixCaching != "" {
			return
		}
		f.Setup.PrefixCaching = "off"
		if on != inverted {
			f.Setup.PrefixCaching = "on"
		}
	}
}

// hashed keeps the hash of a long text.
func hashed(of func(*swap.ArmFacts) *string) func(*swap.ArmFacts, any) {
	return func(f *swap.ArmFacts, value any) {
		if s, ok := value.(string); ok && s != "" {
			*of(f) = shortHash([]byte(s))
		}
	}
}

// shortHash is long enough to tell two documents apart and short enough to be read.
func shortHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

var gpuIndex = regexp.MustCompile(`^GPU \d+: `)

// gpuModels keeps the models of a list such as "GPU 0: NVIDIA H100\nGPU 1: NVIDIA H100", each once.
func gpuModels(f *swap.ArmFacts, value any) {
	list, _ := value.(string)
	var models []string
	for line := range strings.Lines(list) {
		if name := gpuIndex.ReplaceAllString(strings.TrimSpace(line), ""); name != "" && !slices.Contains(models, name) {
			models = append(models, name)
		}
	}
	text(func(f *swap.ArmFacts) *string { return &f.Setup.GPU })(f, strings.Join(models, ", "))
}

var tritonVersion = regexp.MustCompile(`(?m)(?:^|\s)triton==([0-9][0-9A-Za-z.+]*)`)

// tritonPackage keeps the version of the kernel compiler from a list of Python packages.
func tritonPackage(f *swap.ArmFacts, value any) {
	list, _ := value.(string)
	if m := tritonVersion.FindStringSubmatch(list); m != nil {
		text(func(f *swap.ArmFacts) *string { return &f.Setup.Triton })(f, m[1])
	}
}

// loadedBy reads Ollama's list of loaded models: the digest of the weights, and the context they were loaded with.
func loadedBy(model string) func(*swap.ArmFacts, any) {
	return func(f *swap.ArmFacts, value any) {
		list, _ := value.([]any)
		for _, item := range list {
			loaded, _ := item.(map[string]any)
			if name := str(loaded, "name"); name == model || name == model+":latest" {
				text(weightsID)(f, loaded["digest"])
				contextLength(f, loaded["context_length"])
			}
		}
	}
}
