package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// engineCase is one engine with two models.
type engineCase struct {
	method   swap.InPlaceMethod
	from, to swap.InPlaceModel
	routes   routes
	// loads is the route that loads.
	loads string
}

func model(name, path, version string) swap.InPlaceModel {
	return swap.InPlaceModel{Name: name, InPlaceSource: swap.InPlaceSource{Path: path, Version: version}}
}

// engineCases are the engines in the shapes in which they reply.
func engineCases() []engineCase {
	return []engineCase{
		{swap.InPlaceVLLMLoRA, model("v1", "/l/1", ""), model("v2", "/l/2", ""), vllmLoRARoutes, "load_lora"},
		{swap.InPlaceVLLMReload, model("m", "/w/1", ""), model("m", "/w/2", ""), vllmReloadRoutes, "collective_rpc"},
		{swap.InPlaceSGLang, model("m", "/w/1", ""), model("m", "/w/2", ""), sglangRoutes, "update_weights"},
		{swap.InPlaceTriton, model("a", "", ""), model("b", "", ""), tritonRoutes, "/load"},
		{swap.InPlaceTriton, model("m", "", "1"), model("m", "", "2"), tritonRoutes, "/load"},
		{swap.InPlaceLlamaCPP, model("a", "", ""), model("b", "", ""), llamaCPPRoutes, "models/load"},
		{swap.InPlaceOllama, model("a", "", ""), model("b:7b", "", ""), ollamaRoutes, "/api/generate"},
		{swap.InPlaceLlamaSwap, model("a", "", ""), model("b", "", ""), llamaSwapRoutes, "/upstream"},
	}
}

func (c engineCase) name() string { return string(c.method) + " " + c.from.Name + " " + c.from.Version }

var vllmLoRARoutes = routes{
	"GET /v1/models": cards,
	"POST /v1/load_lora_adapter": func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) {
		m := model(text(body, "lora_name"), text(body, "lora_path"), "")
		f.load(w, r, m, false, "Success: LoRA adapter '"+m.Name+"' added successfully.")
	},
	"POST /v1/unload_lora_adapter": func(f *fake, w http.ResponseWriter, _ *http.Request, body map[string]any) {
		name := text(body, "lora_name")
		if _, ok := f.listed[name]; !ok {
			reply(w, 404, map[string]any{"error": map[string]any{"message": "not loaded", "type": "NotFoundError", "code": 404}})
			return
		}
		f.unload(name)
		reply(w, 200, "Success: LoRA adapter '"+name+"' removed successfully.")
	},
}

var vllmReloadRoutes = routes{
	"GET /v1/models": cards,
	"GET /is_sleeping": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		f.look()
		reply(w, 200, map[string]any{"is_sleeping": f.asleep})
	},
	"POST /sleep": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		f.asleep = true
		reply(w, 200, "")
	},
	"POST /wake_up": func(f *fake, w http.ResponseWriter, r *http.Request, _ map[string]any) {
		f.asleep = r.URL.Query().Get("tags") != "kv_cache"
		reply(w, 200, "")
	},
	"POST /collective_rpc": func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) {
		kwargs, _ := body["kwargs"].(map[string]any)
		f.load(w, r, model("m", text(kwargs, "weights_path"), ""), true, map[string]any{"results": []any{nil}})
	},
	"POST /reset_prefix_cache": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		n := 0
		for _, c := range f.calls {
			if strings.Contains(c, "reset_prefix_cache") {
				n++
			}
		}
		reply(w, 200, map[string]any{"success": n > 1})
	},
}

var sglangRoutes = routes{
	"GET /get_model_info": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		f.look()
		reply(w, 200, map[string]any{"model_path": strings.TrimPrefix(f.listed["m"], "m"), "is_generation": true})
	},
	"POST /update_weights_from_disk": func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) {
		f.load(w, r, model("m", text(body, "model_path"), ""), true, map[string]any{
			"success": true, "message": "Succeeded.", "num_paused_requests": 0,
		})
	},
	"POST /weights_checker": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		if f.noChecksum {
			reply(w, 404, map[string]any{"detail": "Not Found"})
			return
		}
		reply(w, 200, map[string]any{"ranks": []any{}, "per_engine_checksum": map[string]string{"all": f.weights["m"]}})
	},
}

var tritonRoutes = routes{
	"POST /v2/repository/index": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		f.look()
		index := []map[string]string{{"name": "old", "version": "1", "state": "UNAVAILABLE", "reason": "unloaded"}}
		for _, name := range f.names() {
			version := strings.TrimPrefix(f.listed[name], name)
			index = append(index, map[string]string{"name": name, "version": version, "state": "READY"})
		}
		reply(w, 200, index)
	},
	"GET /v2/models/{model}/config": func(_ *fake, w http.ResponseWriter, r *http.Request, _ map[string]any) {
		reply(w, 200, map[string]any{
			"name": r.PathValue("model"), "max_batch_size": 8,
			"version_policy": map[string]any{"latest": map[string]any{"num_versions": 1}},
		})
	},
	"POST /v2/repository/models/{model}/load": func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) {
		version := ""
		if parameters, ok := body["parameters"].(map[string]any); ok {
			var config struct {
				MaxBatchSize  int `json:"max_batch_size"`
				VersionPolicy struct {
					Latest   any
					Specific struct{ Versions []int }
				} `json:"version_policy"`
			}
			err := json.Unmarshal([]byte(text(parameters, "config")), &config)
			if err != nil || config.MaxBatchSize != 8 || config.VersionPolicy.Latest != nil {
				reply(w, 400, map[string]any{"error": "the configuration is not whole"})
				return
			}
			version = strconv.Itoa(config.VersionPolicy.Specific.Versions[0])
		}
		f.load(w, r, model(r.PathValue("model"), "", version), false, "")
	},
	"POST /v2/repository/models/{model}/unload": func(f *fake, w http.ResponseWriter, r *http.Request, _ map[string]any) {
		f.unload(r.PathValue("model"))
		reply(w, 200, "")
	},
}

var llamaCPPRoutes = routes{
	"GET /models": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		f.look()
		data := []map[string]any{}
		for _, name := range []string{"a", "b"} {
			status := "unloaded"
			if _, loaded := f.listed[name]; loaded {
				status = "loaded"
			} else if f.coming != nil {
				status = "loading"
			}
			data = append(data, map[string]any{"id": name, "status": map[string]any{"value": status, "args": []string{"-c", "4096"}}})
		}
		reply(w, 200, map[string]any{"data": data})
	},
	"POST /models/load": func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) {
		if _, loaded := f.listed[text(body, "model")]; loaded {
			reply(w, 400, map[string]any{"error": map[string]any{
				"code": 400, "message": "model is already running", "type": "invalid_request_error",
			}})
			return
		}
		f.load(w, r, model(text(body, "model"), "", ""), false, map[string]any{"success": true})
	},
	"POST /models/unload": func(f *fake, w http.ResponseWriter, _ *http.Request, body map[string]any) {
		f.unload(text(body, "model"))
		reply(w, 200, map[string]any{"success": true})
	},
}

var ollamaRoutes = routes{
	"GET /api/ps": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		f.look()
		models := []map[string]any{}
		for _, name := range f.names() {
			if !strings.Contains(name, ":") {
				models = append(models, map[string]any{"name": name + ":latest", "digest": "d-" + f.weights[name]})
				continue
			}
			models = append(models, map[string]any{"name": name, "digest": "d-" + f.weights[name], "size_vram": 1})
		}
		reply(w, 200, map[string]any{"models": models})
	},
	"GET /api/tags": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		models := []map[string]any{{"name": "a:latest"}}
		for _, name := range f.stored {
			models = append(models, map[string]any{"name": name})
		}
		reply(w, 200, map[string]any{"models": models})
	},
	"POST /api/pull": func(f *fake, w http.ResponseWriter, _ *http.Request, body map[string]any) {
		if text(body, "model") == "none" {
			reply(w, 200, map[string]any{"error": "pull model manifest: file does not exist"})
			return
		}
		f.stored = append(f.stored, text(body, "model"))
		reply(w, 200, map[string]any{"status": "success"})
	},
	"POST /api/generate": func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) {
		m := model(text(body, "model"), "", "")
		if body["keep_alive"].(float64) == 0 {
			f.unload(m.Name)
			reply(w, 200, map[string]any{"model": m.Name, "response": "", "done": true, "done_reason": "unload"})
			return
		}
		if f.mode == refusing {
			reply(w, 500, map[string]any{"error": "unable to load model"})
			return
		}
		f.load(w, r, m, false, map[string]any{"model": m.Name, "response": "", "done": true})
	},
}

var llamaSwapRoutes = routes{
	"GET /running": func(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		f.look()
		running := []map[string]any{}
		for _, name := range f.names() {
			running = append(running, map[string]any{"model": name, "state": "ready", "ttl": 0})
		}
		if f.coming != nil {
			running = append(running, map[string]any{"model": "b", "state": "starting"})
		}
		reply(w, 200, map[string]any{"running": running})
	},
	"GET /v1/models": func(_ *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		reply(w, 200, map[string]any{"data": []map[string]any{{"id": "a"}, {"id": "b"}}})
	},
	"GET /upstream/{model}/": func(f *fake, w http.ResponseWriter, r *http.Request, _ map[string]any) {
		f.load(w, r, model(r.PathValue("model"), "", ""), true, "<html>")
	},
	"POST /api/models/unload/{model}": func(f *fake, w http.ResponseWriter, r *http.Request, _ map[string]any) {
		f.unload(r.PathValue("model"))
		_, _ = fmt.Fprint(w, "OK")
	},
}
