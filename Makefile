include tools.mk

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# go-nvml's own header makes gcc warn on every build.
export CGO_CFLAGS := -O2 -g -Wno-deprecated-declarations
# Tests and the demo start this dev server instead of downloading one.
export SWAPGATE_TEMPORAL_CLI ?= $(TEMPORAL_CLI)

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
DATE    ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)

IMAGE      ?= swapgate:$(VERSION)
SHARED_DIR ?= $(abspath ../shared)
TEST       := go test -race -shuffle=on -timeout 15m

# The packages that have tests behind a build tag; ./... would run every other test once more.
tagged = $(or $(patsubst %/,%,$(sort $(dir $(shell grep -rlE '^//go:build .*\b$(1)\b' --include='*_test.go' .)))),\
	$(error no test has the build tag $(1)))

##@ Build

.PHONY: build
build: ## Build bin/swapgate and bin/swapgate-worker
	go build -ldflags '$(LDFLAGS)' -o bin/swapgate ./starter
	go build -ldflags '$(LDFLAGS)' -o bin/swapgate-worker ./worker

.PHONY: demo
demo: build $(TEMPORAL_CLI) ## Run the whole system on this machine: a good candidate, then a slow one
	bin/swapgate demo

.PHONY: image
image: ## Build the container image
	docker build -f deploy/Dockerfile -t $(IMAGE) --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) --build-arg DATE=$(DATE) .

.PHONY: generate
generate: ## Regenerate what is generated: JSON Schemas
	go generate ./...

.PHONY: clean
clean: ## Remove what was built
	rm -rf bin out coverage.out

##@ Test

.PHONY: test
test: $(TEMPORAL_CLI) ## All tests, with the race detector; those that break a running site last and alone, because they measure
	$(TEST) $$(go list ./... | grep -v /servertest)
	$(TEST) -count=1 ./starter/servertest/...

.PHONY: test-shared
test-shared: ## Tests that need real traces and other tools' results in SHARED_DIR
	SWAPGATE_SHARED_DIR=$(SHARED_DIR) $(TEST) -tags shared $(call tagged,shared)

.PHONY: test-server
test-server: $(TEMPORAL_CLI) ## Of these, the ones that break a running site: kills, restarts, outages
	$(TEST) -count=1 ./starter/servertest/...

.PHONY: test-endurance
test-endurance: ## A million requests of 50 tokens through a load step and through the raw log, within 300 MB; takes ten minutes
	go test -count=1 -timeout 30m -tags endurance -run Endurance -v $(call tagged,endurance)

.PHONY: test-simulation
test-simulation: ## The judge's error rates and the coverage of its intervals by 2,000 simulated runs each; takes ten minutes
	go test -count=1 -timeout 30m -tags simulation -run 'Characteristics|Coverage|FalseAlarms' -v $(call tagged,simulation)

.PHONY: test-gateways
test-gateways: export PATH := $(PATH):/usr/sbin
test-gateways: ## Tests against the real HAProxy and NGINX, of Debian's packages haproxy and nginx-light, which root gets installed
	@missing=(); command -v haproxy >/dev/null || missing+=(haproxy); command -v nginx >/dev/null || missing+=(nginx-light); \
	if (($${#missing[@]} == 0)); then exit 0; fi; \
	if [[ $$(id -u) != 0 ]]; then echo "test-gateways: install $${missing[*]} (apt-get install), or run as root" >&2; exit 69; fi; \
	apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$${missing[@]}"
	$(TEST) -count=1 -tags gateway $(call tagged,gateway)

.PHONY: test-engine
test-engine: ## Tests against a real inference engine at SWAPGATE_ENGINE_URL
	@test -n "$${SWAPGATE_ENGINE_URL:-}" || { echo 'test-engine: set SWAPGATE_ENGINE_URL to a running OpenAI-compatible server' >&2; exit 64; }
	$(TEST) -count=1 -tags engine $(call tagged,engine)

.PHONY: record-history
record-history: $(TEMPORAL_CLI) ## Record the workflow histories that replay tests read, from this commit
	SWAPGATE_RECORD_HISTORIES=$(CURDIR)/workflows/testdata/histories go test -count=1 ./starter/servertest/...

.PHONY: acceptance
acceptance: build $(TEMPORAL_CLI) ## Run both demos and check their exit codes and verdicts
	go test -count=1 -timeout 20m -tags acceptance -run TestDemoVerdicts -v .

DRILL_RUNS ?= 10
DRILL_SEED ?= 1

.PHONY: drill
drill: build $(TEMPORAL_CLI) ## Break things in the middle of ten runs, and check where live traffic ends
	bin/swapgate drill --runs $(DRILL_RUNS) --seed $(DRILL_SEED) --dir out/drill

##@ Check

.PHONY: fmt
fmt: $(GOFUMPT) ## Format the code
	git ls-files -z '*.go' | xargs -0 $(GOFUMPT) -w

.PHONY: fmt-check
fmt-check: $(GOFUMPT) ## Fail if a file is not formatted
	@files=$$(git ls-files -z '*.go' | xargs -0 $(GOFUMPT) -l); if [ -n "$$files" ]; then echo "not formatted; run make fmt:"; echo "$$files"; exit 1; fi

PROMTOOL ?= promtool

.PHONY: check-alerts
check-alerts: ## Check generated alert rules with Prometheus' own parser; needs promtool, of Debian's package prometheus
	$(PROMTOOL) check rules pkg/baseline/alertrules/testdata/*.yaml

.PHONY: tidy-check
tidy-check: ## Fail if go.mod or go.sum is not tidy
	go mod tidy -diff

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run golangci-lint
	$(GOLANGCI_LINT) run ./...

.PHONY: workflowcheck
workflowcheck: $(WORKFLOWCHECK) ## Find code in workflows that would not replay the same way
	$(WORKFLOWCHECK) -config workflowcheck.config.yaml ./workflows/...

.PHONY: compose-check
compose-check: ## Check docker-compose.yml, the Kubernetes manifests and the image's recipe
	go test -count=1 ./deploy/...
	@if docker compose version >/dev/null 2>&1; then docker compose --env-file .env.example config --quiet; fi
	@if kubectl version --client >/dev/null 2>&1; then kubectl kustomize deploy/kubernetes >/dev/null; fi

.PHONY: vuln
vuln: $(GOVULNCHECK) ## Look for known vulnerabilities (needs the vulnerability database)
	$(GOVULNCHECK) ./...

.PHONY: check
check: fmt-check tidy-check lint workflowcheck compose-check $(if $(shell command -v $(PROMTOOL)),check-alerts) ## All checks that need no test run

##@ Help

.PHONY: tools
tools: $(GOLANGCI_LINT) $(GOFUMPT) $(WORKFLOWCHECK) $(TEMPORAL_CLI) ## Install the tools, at the versions of tools.mk
	@printf '%s\n' $^

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' Makefile
