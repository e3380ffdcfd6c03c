# The targets for development and CI. They need git, make and the Swift toolchain, and install the
# Debian packages that they use.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run try cluster build test unit test-debian-13 release-tests client counts settings release-counts sanitize test-faults fuzz costs without-postgresql lint check-portable format docs site picture image check-image dist check-dist install bench differential upstream generators function-order hostile soak screenshots
MAKEFLAGS += --no-print-directory

# The address of `make run`.
LISTEN ?= 127.0.0.1:8080
# The configuration of `make run`: debug builds in about half the time, release responds faster.
CONFIGURATION ?= debug
# The targets that `make test` and `make unit` build, with those that they need, or names of groups of
# them in Package.swift: make test PART=ReactorHostTests, make unit PART=kit,wire.
PART ?=
ifneq ($(PART),)
export REACTORD_PART := $(PART)
endif
# Additional arguments of `make run`, `make test` and `make sanitize`, and the parsers of `make fuzz`:
# make test ARGS='--filter ReactorCoreTests', make fuzz ARGS='json headers'.
ARGS ?=

# A toolchain that was unpacked does not start without the packages that it needs.
packages := config/install-packages toolchain
python_packages := config/install-python-packages
formatted := Package.swift Sources Tests
documented := ReactorStreams ReactorRx ReactorCore ReactorFlows ReactorSessions ReactorTesting ReactorTestingHost ReactorCoding ReactorClient ReactorLog ReactorHost ReactorCluster \
  ReactorTransport ReactorHTTP Identity SQLiteLog ReactorService MicrohttpdServer
# The flags of the image, so that benchmarks measure the same binary.
release := $(shell config/release-flags)
run_build := $(if $(filter release,$(CONFIGURATION)),$(release),-c $(CONFIGURATION))
# The suites of the HTTP contract, which `make test-faults` runs before three nodes as well, without the
# test of a service that the sessions of one process share.
contract := AddressTableTests|ErrorTableTests|ActionShapeTests|ActionArrayTests|ConditionTests|IdempotencyTests|PreferenceTests|StateTests|StreamTests|ReplayTests|ResumeTests|PatchTests|SelectTests|ForkTests|SessionTests|SessionListTests|TimerEndpointTests|CurlTests
# The suites of requests that are malformed, too large, or sent by hostile clients.
hostile_input := HostileClientTests|LimitTests|MalformedHTTPTests|RequestSmugglingTests
docs := .build/docs
bench := .build/bench

help: ## Show this.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and start the daemon on LISTEN (127.0.0.1:8080), with ARGS; CONFIGURATION=release is faster.
	@$(packages) build try
	config/with-progress swift build $(run_build) --product reactord
	@reactord="$$(swift build $(run_build) --show-bin-path)/reactord"; \
	if "$$reactord" health --url http://$(LISTEN) 2>/dev/null; then \
	  echo 'make run: a service listens on $(LISTEN); end it first (Ctrl-C), or set LISTEN to another address' >&2; \
	  exit 1; \
	fi; \
	{ for attempt in {1..100}; do \
	    sleep 0.1; \
	    kill -0 $$$$ 2>/dev/null || break; \
	    "$$reactord" health --url http://$(LISTEN) 2>/dev/null || continue; \
	    printf '%s\n' '' 'Follow a session in a second terminal (Ctrl-C here ends the daemon):' '' \
	      "  curl -N http://$(LISTEN)/v1/reactors/counter/sessions/demo/events" '' \
	      'In a third terminal, send an action and read the State:' '' \
	      "  curl --json '\"increase\"' http://$(LISTEN)/v1/reactors/counter/sessions/demo/actions" \
	      "  curl http://$(LISTEN)/v1/reactors/counter/sessions/demo/state" ''; \
	    break; \
	  done; } & \
	exec "$$reactord" serve --config config/reactord.json5 --listen $(LISTEN) $(ARGS)

try: ## Build and start a tour in five steps for a browser, on LISTEN.
	@$(packages) build try tour
	config/with-progress swift build $(run_build) --product reactord
	@config/try "$$(swift build $(run_build) --show-bin-path)/reactord" $(LISTEN)

cluster: ## Build and start a PostgreSQL server and N nodes (3) on ports 8081 and 7946, with ARGS.
	@$(packages) build try cluster
	config/with-progress swift build $(run_build) --product reactord
	@config/cluster "$$(swift build $(run_build) --show-bin-path)/reactord" $(ARGS)

build: ## Build all products in release mode.
	@$(packages) build
	swift build -c release

test: ## Run all tests, or those of the targets in PART, with ARGS.
	@$(packages) build test
	@config/unpack-packages test-unpacked .build/prometheus
	@$(python_packages)
	swift build --build-tests
	config/run-tests $(ARGS)

groups := kit,wire,server,cluster,client,examples,tools
unit: export REACTORD_PART := $(or $(PART),$(groups))
unit: ## Run the tests of PART (kit, wire, server, cluster, client, examples, tools, targets), without EndToEndTests.
	@if [[ $$REACTORD_PART == *EndToEndTests* ]]; then echo 'make unit: run EndToEndTests with make test' >&2; exit 64; fi
	@$(packages) build cluster
	swift build --build-tests
	config/run-tests $(ARGS)

client: ## Check the modules of reactor.js, flow.js and the bindings against their types and bundle them.
	@$(packages) test
	tsc -p Sources/Server/ReactorPages/Client
	esbuild --bundle --minify --format=esm --charset=utf8 Sources/Server/ReactorPages/Client/client.js \
	  > Sources/Server/ReactorPages/reactor.js
	esbuild --bundle --minify --format=esm --charset=utf8 --external:/reactor.js \
	  Sources/Server/ReactorPages/Client/flow/flow.js | sed 's|"/reactor.js"|"./reactor.js"|g' > Sources/Server/ReactorPages/flow.js
	for name in react svelte vue; do \
	  esbuild --minify --format=esm --charset=utf8 \
	    Sources/Server/ReactorPages/Client/bindings/$$name.js \
	    > Sources/Server/ReactorPages/reactor-$$name.js || exit 1; \
	done

counts: ## Update the counts of the hot path, see Tests/Tools/HotPathCounts.
	@$(packages) build
	swift run HotPathCounts Tests/Tools/HotPathCounts/counts.json
	swift build $(release) --product HotPathCounts
	"$$(swift build $(release) --show-bin-path)/HotPathCounts" Tests/Tools/HotPathCounts/counts.json
	swift build --build-tests
	WRITE_COUNTS=1 swift test --skip-build --filter SystemCallCountsTests

test-debian-13: ## Build the daemon in a Debian 13 root, and run the contract and the tests of the transport there, with ARGS.
	@$(packages) build test second-system
	swift build --build-tests
	config/test-in-debian-13 --filter 'MicrohttpdServerTests|EndToEndTests.($(contract)|$(hostile_input))' $(ARGS)

release-tests: ## Run the contract and the tests of stores and clusters against a release build, with ARGS.
	@$(packages) build test
	for product in reactord adjustable; do swift build $(release) --product $$product; done
	swift build --build-tests
	TEST_RESULT=.build/release-test-result.txt REACTORD_PROGRAM="$$(swift build $(release) --show-bin-path)/reactord" \
	  config/run-tests --filter 'EndToEndTests.($(contract)|.*Store.*Tests|.*KillTests|Cluster.*Tests)' $(ARGS)

release-counts: ## Compare the counts of the hot path with a release build.
	@$(packages) build
	swift build $(release) --product HotPathCounts
	cp Tests/Tools/HotPathCounts/counts.json .build/counts.json
	"$$(swift build $(release) --show-bin-path)/HotPathCounts" .build/counts.json
	diff -u Tests/Tools/HotPathCounts/counts.json .build/counts.json

settings: ## Write the files derived from the table of settings, after a change of it.
	@$(packages) build
	swift build --build-tests
	WRITE_SETTINGS=1 swift test --skip-build --filter SettingsTableTests

sanitize: ## Run the tests under ThreadSanitizer and AddressSanitizer, with ARGS.
	@$(packages) build test
	@config/unpack-packages test-unpacked .build/prometheus
	@$(python_packages)
	config/test-sanitized thread $(ARGS)
	config/test-sanitized address $(ARGS)

test-faults: ## Run the crash and disk fault tests with many rounds, and clusters with faults for CLUSTER_SECONDS (600) each.
	@$(packages) build test
	@config/unpack-packages test-unpacked .build/prometheus
	@config/unpack-packages patroni-unpacked .build/patroni
	@$(python_packages)
	swift build --build-tests
	PATRONI=$(CURDIR)/.build/patroni FAULT_ROUNDS=200 CLUSTER_SEEDS=10000 CLUSTER_SECONDS=$${CLUSTER_SECONDS:-600} \
	  swift test --skip-build --filter 'KillTests|FaultTests|ClusterTests.SimulationTests' $(ARGS)
	REACTORD_TEST_STORE=cluster swift test --skip-build --filter '$(contract)' \
	  --skip 'every session of the host' $(ARGS)

fuzz: costs ## Check the costs of each parser, and fuzz it with libFuzzer for FUZZ_SECONDS (60).
	config/fuzz $(ARGS)

costs: ## Check the CPU time per byte of all parsers or those in ARGS, with hostile inputs of 1 KB to 1 MB.
	@$(packages) build
	swift build $(release) --product ParserCosts
	"$$(swift build $(release) --show-bin-path)/ParserCosts" $(ARGS)

without-postgresql: ## Build the daemon without PostgreSQL, and check that it needs no libpq.
	@$(packages) build
	swift build --product reactord --disable-default-traits --scratch-path .build/without-postgresql
	config/check-without-postgresql "$$(swift build --scratch-path .build/without-postgresql --show-bin-path)/reactord"

screenshots: ## Write screenshots of the pages to .build/screenshots.
	@$(packages) build test
	swift build --build-tests
	SCREENSHOTS=$(CURDIR)/.build/screenshots swift test --skip-build --filter ScreenshotTests

lint: ## Check the format, the rules and the language of the sources.
	@$(packages) lint
	swift format lint --strict --parallel --recursive $(formatted)
	config/check-sources

check-portable: ## Check that the sources and the scripts assume no processor.
	config/check-portable

format: ## Format the sources.
	swift format --in-place --parallel --recursive $(formatted)

docs: ## Write the documentation to .build/docs: a site that opens from index.html, and the declarations of the libraries.
	@$(packages) build docs
	config/build-docs $(docs) $(documented)
	config/build-site $(docs)

site: ## Write the articles only to .build/site, a site that opens from index.html.
	@$(packages) docs
	config/build-site .build/site

picture: ## Take the picture of README.md in Chromium.
	@$(packages) build try test
	swift build --product reactord
	config/picture "$$(swift build --show-bin-path)/reactord" config/pictures/inspector.png

image: ## Build the image; without a Docker engine it uses buildah and needs no registry.
	config/build-image

check-image: ## Run a release build of the daemon in the file system of the image.
	@$(packages) build
	swift build $(release) --product reactord
	config/check-image "$$(swift build $(release) --show-bin-path)/reactord"

dist: ## Write a Debian package, an archive with the static binary, and their sums to .build/dist.
	@$(packages) build dist
	swift build $(release) --product reactord
	config/build-dist "$$(swift build $(release) --show-bin-path)/reactord" .build/dist

check-dist: ## Install, run, upgrade and remove the package in a clean Debian system, as root.
	@$(packages) build dist
	swift build $(release) --product reactord
	config/check-dist "$$(swift build $(release) --show-bin-path)/reactord"

install: ## Build in release mode and install below PREFIX (/usr/local), in DESTDIR.
	@$(packages) build
	swift build $(release) --product reactord
	config/install-files "$$(swift build $(release) --show-bin-path)/reactord" $(or $(PREFIX),/usr/local) $(DESTDIR)

bench: ## Run all benchmarks or those in ARGS beside their peers, BENCH_SECONDS (2) each; streams beside a checkout in RXSWIFT.
	@$(packages) build bench cluster
	@config/unpack-packages bench-unpacked $(bench)/nginx
	for product in reactord faulty BareHandler StreamLoad StreamPeer Benchmarks; do \
	  swift build $(release) --product $$product; \
	done
	@export STREAM_PEER=; if [[ -n "$(RXSWIFT)" ]]; then STREAM_PEER=$$(config/build-peer StreamPeer "$(RXSWIFT)"); fi; \
	BENCH_OUTPUT=$(bench) "$$(swift build $(release) --show-bin-path)/Benchmarks" $(ARGS)

differential: ## Compare CHAINS (30000) random chains of streams with those of RxSwift, whose checkout is RXSWIFT.
	@$(packages) build
	swift build --product RandomChains
	@peer="$$(config/build-peer RandomChains "$(RXSWIFT)")"; \
	config/differential "$$(swift build --show-bin-path)/RandomChains" "$$peer" $(or $(CHAINS),30000)

upstream: ## Run the tests of RxSwift and ReactorKit, whose checkouts are RXSWIFT and REACTORKIT, with these libraries.
	@$(packages) build
	config/upstream "$(RXSWIFT)" "$(REACTORKIT)"

generators: ## Generate clients of each reactor with openapi-generator, in Python and Go, and run them.
	@$(packages) build generators
	swift build --product reactord
	Tests/Tools/GeneratedClients/run "$$(swift build --show-bin-path)/reactord"

function-order: ## Profile requests, and write the order of functions in release builds.
	@$(packages) build order
	for product in reactord StreamLoad; do swift build $(release) --product $$product; done
	@directory="$$(swift build $(release) --show-bin-path)"; \
	config/order-functions "$$directory/reactord" "$$directory/StreamLoad"

hostile: ## Run abusive clients beside well-behaved ones, all kinds or those in ARGS.
	@$(packages) build cluster
	for product in reactord Hostile; do swift build $(release) --product $$product; done
	"$$(swift build $(release) --show-bin-path)/Hostile" $(ARGS)

soak: ## Connect and disconnect clients for SOAK_SECONDS (600), and check for leaks.
	@$(packages) build test
	swift build $(release) --product reactord
	swift build --build-tests
	SOAK_SECONDS=$${SOAK_SECONDS:-600} SOAK_PROGRAM="$$(swift build $(release) --show-bin-path)/reactord" \
	  swift test --skip-build --filter SoakTests $(ARGS)
