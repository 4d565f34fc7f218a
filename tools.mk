# Versions of the tools that the Makefile and CI use. Nothing else names them.
GOLANGCI_LINT_VERSION := v2.15.0
GOFUMPT_VERSION       := v0.12.0
WORKFLOWCHECK_VERSION := v0.5.0
TEMPORAL_CLI_VERSION  := v1.5.1
GOVULNCHECK_VERSION   := v1.9.0

# Tools are built once for a machine and a Go version, and shared by all clones.
GO_VERSION := $(shell go env GOVERSION)
TOOLS_DIR  ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/swapgate/tools/$(GO_VERSION)

GOLANGCI_LINT := $(TOOLS_DIR)/golangci-lint-$(GOLANGCI_LINT_VERSION)/golangci-lint
GOFUMPT       := $(TOOLS_DIR)/gofumpt-$(GOFUMPT_VERSION)/gofumpt
WORKFLOWCHECK := $(TOOLS_DIR)/workflowcheck-$(WORKFLOWCHECK_VERSION)/workflowcheck
TEMPORAL_CLI  := $(TOOLS_DIR)/temporal-$(TEMPORAL_CLI_VERSION)/temporal
GOVULNCHECK   := $(TOOLS_DIR)/govulncheck-$(GOVULNCHECK_VERSION)/govulncheck

# GOFLAGS is emptied so that flags meant for this module do not reach the tools.
install = GOFLAGS= GOBIN=$(@D) go install

$(GOLANGCI_LINT):
	$(install) github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

$(GOFUMPT):
	$(install) mvdan.cc/gofumpt@$(GOFUMPT_VERSION)

$(WORKFLOWCHECK):
	$(install) go.temporal.io/sdk/contrib/tools/workflowcheck@$(WORKFLOWCHECK_VERSION)

$(TEMPORAL_CLI):
	$(install) github.com/temporalio/cli/cmd/temporal@$(TEMPORAL_CLI_VERSION)

$(GOVULNCHECK):
	$(install) golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
