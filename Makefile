# Everything that is done with the project, the same by hand and in CI. A machine needs git, make
# and the Swift toolchain; what else a target needs from Debian it installs.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build test counts sanitize test-faults fuzz lint format docs bench soak screenshots
MAKEFLAGS += --no-print-directory

# The address of `make run`.
LISTEN ?= 127.0.0.1:8080
# More flags for `make run`, `make test` and `make sanitize`: make test ARGS='--filter ReactorCoreTests';
# for `make fuzz`, the parsers: make fuzz ARGS='json headers'.
ARGS ?=

packages := config/install-packages
python_packages := config/install-python-packages
formatted := Package.swift Sources Tests
documented := ReactorStreams ReactorCore ReactorTesting ReactorService MicrohttpdServer
# What is measured and run is what the image holds: with Swift's libraries in it, where calls are
# cheaper.
release := -c release --static-swift-stdlib
docs := .build/docs
bench := .build/bench

help: ## Show this.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and start the daemon on LISTEN (127.0.0.1:8080), with ARGS.
	@$(packages) build run
	swift build $(release) --product reactord
	@printf '%s\n' '' 'Once it listens, try in another terminal (Ctrl-C here ends it):' '' \
	  "  curl -N http://$(LISTEN)/v1/reactors/counter/sessions/demo/events" \
	  "  curl --json '\"increase\"' http://$(LISTEN)/v1/reactors/counter/sessions/demo/actions" \
	  "  curl http://$(LISTEN)/v1/reactors/counter/sessions/demo/state" ''
	@exec "$$(swift build $(release) --show-bin-path)/reactord" serve \
	  --config config/reactord.json5 --listen $(LISTEN) $(ARGS)

build: ## Build everything, optimised.
	@$(packages) build run
	swift build -c release

test: ## Run all tests, with ARGS.
	@$(packages) build run test
	@config/unpack-packages test-unpacked .build/prometheus
	@$(python_packages)
	swift build --build-tests
	config/run-tests $(ARGS)

counts: ## Write down anew what an action and a delivery cost, see Tests/HotPathCounts.
	@$(packages) build run
	swift run HotPathCounts Tests/HotPathCounts/counts.json
	swift build $(release) --product HotPathCounts
	"$$(swift build $(release) --show-bin-path)/HotPathCounts" Tests/HotPathCounts/counts.json
	swift build --build-tests
	WRITE_COUNTS=1 swift test --skip-build --filter SystemCallCountsTests

sanitize: ## Run the tests under ThreadSanitizer and AddressSanitizer, with ARGS.
	@$(packages) build run test
	@config/unpack-packages test-unpacked .build/prometheus
	@$(python_packages)
	config/test-sanitized thread $(ARGS)
	config/test-sanitized address $(ARGS)

test-faults: ## Kill the service many times, fill its disk and lock its store.
	@$(packages) build run test
	swift build --build-tests
	FAULT_ROUNDS=200 swift test --skip-build --filter 'KillTests|FaultTests' $(ARGS)

fuzz: ## Feed each parser what libFuzzer makes up, for FUZZ_SECONDS (60) each.
	@$(packages) build run
	config/fuzz $(ARGS)

screenshots: ## Write pictures of the pages to .build/screenshots.
	@$(packages) build run test
	swift build --build-tests
	SCREENSHOTS=$(CURDIR)/.build/screenshots swift test --skip-build --filter ScreenshotTests

lint: ## Check the format and the rules of the sources.
	swift format lint --strict --parallel --recursive --configuration config/swift-format.json $(formatted)
	config/check-sources

format: ## Format the sources.
	swift format --in-place --parallel --recursive --configuration config/swift-format.json $(formatted)

docs: ## Write the documentation of the libraries to .build/docs.
	@$(packages) build
	config/build-docs $(docs) $(documented)

bench: ## Run the benchmarks beside their peers, all or those in ARGS; BENCH_SECONDS (2) for each.
	@$(packages) build run bench
	@config/unpack-packages bench-unpacked $(bench)/nginx
	for product in reactord BareHandler StreamLoad Benchmarks; do \
	  swift build $(release) --product $$product; \
	done
	@BENCH_OUTPUT=$(bench) "$$(swift build $(release) --show-bin-path)/Benchmarks" $(ARGS)

soak: ## Let clients come and go for SOAK_SECONDS (600); what they leave behind has to be nothing.
	@$(packages) build run test
	swift build $(release) --product reactord
	swift build --build-tests
	SOAK_SECONDS=$${SOAK_SECONDS:-600} SOAK_PROGRAM="$$(swift build $(release) --show-bin-path)/reactord" \
	  swift test --skip-build --filter SoakTests $(ARGS)
