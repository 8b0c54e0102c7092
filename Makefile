# Every task of the project. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PLATFORM := $(shell node -p 'process.platform + "-" + process.arch')
OUT      := prebuilds/$(PLATFORM)
LIB      := $(OUT)/libsluice.so
ADDON    := $(OUT)/addon.node
MODULES  := node_modules/.package-lock.json
ARM64    := prebuilds/linux-arm64
CROSS_CC ?= aarch64-linux-gnu-gcc
C_BUILD  := test/c/build
CONTROLS := build/controls
HAZARDS  := build/hazards

# Builds without one guard each: by a switch of addon/*.c, or by build tags of internal/flow.
ADDON_CONTROLS := no-mask no-pin no-wait no-loan no-nodelete no-restore no-check worker-loop no-lent direct
GO_CONTROLS    := nofault panic norecover preempt
GO_TAGS_nofault   := control_nofault
GO_TAGS_panic     := control_panic
GO_TAGS_norecover := control_panic,control_norecover
LIBRARY_no-wait   := $(CONTROLS)/nofault/libsluice.so
LIBRARY_no-lent   := $(CONTROLS)/starving/libsluice.so
comma := ,

# SIMD is an experiment of the Go toolchain: only versions that were tested get it.
GO_VERSION  = $(shell go env GOVERSION 2>/dev/null)
GO          = $(if $(filter go1.26 go1.26.%,$(GO_VERSION)),GOEXPERIMENT=simd )go
GO_PACKAGES = . ./internal/...
# Go is not to interrupt goroutines by SIGURG, which would be lost to handlers in JavaScript, or they to Go: docs/decisions.md.
NO_PREEMPT  = -X=runtime.godebugDefault=asyncpreemptoff=1
# What C programs may call is all that the library shows: it has a libwebp of its own, as other modules in the process have.
EXPORTS     = -extldflags=-Wl,--version-script=$(CURDIR)/include/sluice.map
GO_SOURCES := $(wildcard *.go) $(shell find internal -name '*.go' -not -name '*_test.go') go.mod go.sum include/sluice.h include/sluice.map internal/webp/libwebp.h
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Node's own headers, where they lie beside it: node-gyp then downloads none.
NODE_DIR     := $(shell node -p 'path.resolve(process.execPath, "../..")')
NODE_HEADERS := $(wildcard $(NODE_DIR)/include/node/node_api.h)
NODEDIR       = $(if $(NODE_HEADERS),--nodedir=$(NODE_DIR))
C_WARNINGS    = -std=c11 -O2 -Wall -Wextra -Werror

# libwebp fills its tables in at the first encode: under a lock when it is built for threads, else several encodes may at once.
LIBWEBP = -DWEBP_USE_THREAD

# What is built here is to load on older systems. The revision tells Go's build cache, which does not look into the header.
GLIBC = -include $(CURDIR)/addon/glibc.h -DSLUICE_GLIBC_REVISION=0x$(shell sha1sum addon/glibc.h | cut -c1-7)

VERSIONS ?= 22 24 26

BENCHES ?= png jpeg png8 formats chunk-size response-time latency features arrow coding small-writes first-part

FUZZN    ?=
FUZZTIME ?= $(if $(FUZZN),$(FUZZN)x,30s)

.PHONY: dist dist-test pack versions help setup build test race check fuzz numbers setup-e2e e2e hazards controls soak soak-http asan tsan bench bench-net bench-compare demo fmt clean

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(MODULES) ## install what npm has to install

build: $(MODULES) $(LIB) $(ADDON) ## build the Go library and the addon into prebuilds/

test: build ## Go tests, JavaScript unit tests, TypeScript types
	$(GO) test $(GO_PACKAGES)
	node --test --test-timeout=120000 $(wildcard test/unit/*.test.*js)
	npx tsc -p test/types

race: ## Go tests under the race detector
	$(GO) test -race $(GO_PACKAGES)

check: build ## format, vet, lint, types, C warnings, Go tests, clean module and lock files
	@unformatted=$$(gofmt -l *.go internal); [ -z "$$unformatted" ] || { echo "run make fmt: $$unformatted"; exit 1; }
	$(GO) vet $(GO_PACKAGES)
	$(GO) run $(STATICCHECK) $(GO_PACKAGES)
	go mod tidy -diff
	npx eslint .
	npx tsc -p test/types
	$(CC) $(C_WARNINGS) -fsyntax-only -Iinclude $(C_NODE) addon/*.c test/c/encode.c
	@if grep -nE '"resolved"' package-lock.json; then echo 'package-lock.json names download addresses: npm install --omit-lockfile-registry-resolved'; exit 1; fi
	@case '$(GO_VERSION)' in go1.26|go1.26.*) internal/jpeg/gen/spills.sh ;; esac # what vectors need
	go test $(GO_PACKAGES) # without vectors; make test is with them

fuzz: ## fuzz for FUZZTIME (30s) or FUZZN executions a target; Go prints how many were made
	$(GO) test -run '^$$' -fuzz '^FuzzEncode$$' -fuzztime $(FUZZTIME) ./internal/png
	$(GO) test -run '^$$' -fuzz '^FuzzColors$$' -fuzztime $(FUZZTIME) ./internal/kernel
	$(GO) test -run '^$$' -fuzz '^FuzzMeans$$' -fuzztime $(FUZZTIME) ./internal/quantize
	$(GO) test -run '^$$' -fuzz '^FuzzNearest$$' -fuzztime $(FUZZTIME) ./internal/quantize
	$(GO) test -run '^$$' -fuzz '^FuzzPalette$$' -fuzztime $(FUZZTIME) ./internal/quantize
	$(GO) test -run '^$$' -fuzz '^FuzzEncode$$' -fuzztime $(FUZZTIME) ./internal/jpeg
	$(GO) test -run '^$$' -fuzz '^FuzzKernels$$' -fuzztime $(FUZZTIME) ./internal/jpeg
	$(GO) test -run '^$$' -fuzz '^FuzzWKB$$' -fuzztime $(FUZZTIME) ./internal/gml
	$(GO) test -run '^$$' -fuzz '^FuzzBatch$$' -fuzztime $(FUZZTIME) ./internal/gml
	$(GO) test -run '^$$' -fuzz '^FuzzStream$$' -fuzztime $(FUZZTIME) .
	$(GO) test -run '^$$' -fuzz '^FuzzStream$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 20x ./internal/arrowipc

numbers: ## hold ten million random numbers against strconv's digits; SLUICE_NUMBERS=
	SLUICE_NUMBERS=$${SLUICE_NUMBERS:-10000000} $(GO) test -v -count 1 -timeout 60m -run 'Numbers' ./internal/text

setup-e2e: ## install what e2e needs from apt (as root)
	apt-get update
	apt-get install -y --no-install-recommends pngcheck libpng-dev libjpeg-turbo-progs libturbojpeg0-dev libxml2-utils gdal-bin curl python3 chromium pngquant python3-pil \
	  python3-owslib python3-mapproxy nginx-light postgresql-15-postgis-3

e2e: build controls $(C_BUILD)/encode $(C_BUILD)/decode ## the demo server, a C program, libpng and the hazards against the built package
	@for tool in pngcheck cjpeg djpeg xmllint ogr2ogr curl python3 chromium nginx; do command -v $$tool >/dev/null || { echo "$$tool is missing: make setup-e2e"; exit 1; }; done
	node --test --test-timeout=300000 $(wildcard test/e2e/*.test.js)
	node --test --test-concurrency=1 --test-timeout=300000 $(wildcard test/e2e/server/*.test.js)
	node --test --test-concurrency=1 $(wildcard test/e2e/hazards/*.test.js)

hazards: controls ## the hazards alone; each control build must fail as often as its test is sized for
	HAZARDS=strict node --test --test-concurrency=1 $(wildcard test/e2e/hazards/*.test.js)

controls: build $(ADDON_CONTROLS:%=$(CONTROLS)/%/addon.node) $(GO_CONTROLS:%=$(CONTROLS)/%/addon.node) $(HAZARDS)/flood $(HAZARDS)/second.node $(HAZARDS)/errno.node ## builds without one guard each, for tests that must fail on them

soak: build $(HAZARDS)/flood ## signals, children, workers, aborts and slow readers, all at once, for SOAK_SECONDS (90)
	node --expose-gc test/soak/soak.js $(SOAK_SECONDS)

soak-http: build ## send() for REQUESTS (100000) requests, whole, failing and left: nothing may grow
	node --expose-gc test/soak/http.js $(REQUESTS)

# Without the tests of builds that do not load: they look at another one.
SANITIZED = $(filter-out %/load.test.js,$(wildcard test/unit/*.test.*js))

# Hazards that end in time under a sanitizer, without those that measure memory or time: docs/operators.md.
ASAN_HAZARDS = $(patsubst %,test/e2e/hazards/%.test.js,children exit faults inputs modules outputs profiling signals urgent workers)
TSAN_HAZARDS = $(patsubst %,test/e2e/hazards/%.test.js,modules outputs urgent)

asan: $(MODULES) $(CONTROLS)/asan/addon.node $(CONTROLS)/panic/addon.node $(HAZARDS)/flood $(HAZARDS)/second.node $(HAZARDS)/errno.node ## JavaScript unit tests and most hazards with the addon and Go under AddressSanitizer
	test/soak/sanitized.sh asan $(CONTROLS)/asan $(SANITIZED) $(ASAN_HAZARDS)

tsan: $(MODULES) $(CONTROLS)/tsan/addon.node $(HAZARDS)/errno.node $(HAZARDS)/second.node $(HAZARDS)/flood ## the same with the addon under ThreadSanitizer, and few hazards
	test/soak/sanitized.sh tsan $(CONTROLS)/tsan $(SANITIZED) $(TSAN_HAZARDS)

bench: build ## tables: PNG and JPEG encoders, palettes, other formats, small chunks, response time; BENCHES= ROUNDS= CORPUS= IMAGE= BENCH_JSON=
	failed=0; for bench in $(BENCHES); do node test/bench/$$bench.js $(if $(ROUNDS),--rounds $(ROUNDS)) || failed=1; done; exit $$failed

bench-net: build ## response times over shaped links, levels, slow clients, with charts: docs/benchmarks (as root); BLOCKS="response levels slow:IMAGE render" QUICK=1 CORPUS=
	@command -v tc >/dev/null || { echo 'tc is missing: apt-get install iproute2'; exit 1; }
	node test/bench/net/run.js $(if $(QUICK),--quick) $(BLOCKS)

bench-compare: ## hold two results of bench against each other: A=old.json B=new.json
	@[ -n "$(A)" ] && [ -n "$(B)" ] || { echo 'usage: make bench-compare A=old.json B=new.json'; exit 2; }
	@node test/bench/compare.js "$(A)" "$(B)"

dist: build $(ARM64)/libsluice.so $(ARM64)/addon.node ## the package with builds for x64 and arm64 in build/dist (gcc-aarch64-linux-gnu)
	@mkdir -p build/dist
	npm pack --silent --pack-destination build/dist

pack: build ## install the package as npm would, in every mode, and look at what is in it
	node --test --test-concurrency=1 $(wildcard test/pack/*.test.js)
	npx publint --strict
	npx attw --pack . --profile node16 --no-color # Node 20 and later, bundlers: "exports" is read

dist-test: dist ## unit tests of the arm64 build under qemu-user
	test/pack/arm64.sh

versions: build controls ## unit and hazard tests on other versions of Node.js; VERSIONS="22 24 26"; Bun and Deno are tried too
	test/versions/run.sh $(VERSIONS)

demo: build ## start the example map server; PORT=8080
	@node example/server.js

fmt: $(MODULES) ## format Go and JavaScript
	gofmt -w *.go internal
	npx eslint --fix .

clean: ## remove everything built
	rm -rf build prebuilds coverage example/data $(C_BUILD)

$(MODULES): package-lock.json
	npm ci
	@touch $@

$(LIB): $(GO_SOURCES) Makefile
	@case '$(GO_VERSION)' in \
	  go1.2[6-9]*|go1.[3-9][0-9]*) ;; \
	  '') echo 'sluice needs Go 1.26 or later, and there is no go command: see https://go.dev/doc/install'; exit 1 ;; \
	  *) echo 'sluice needs Go 1.26 or later, this is $(GO_VERSION): see https://go.dev/doc/install'; exit 1 ;; esac
	CGO_ENABLED=1 CGO_CFLAGS='-O2 -g $(GLIBC) $(LIBWEBP)' $(GO) build -buildmode=c-shared -trimpath -ldflags '-s -w $(NO_PREEMPT) $(EXPORTS)' -o $@ .
	@rm -f $(OUT)/libsluice.h

$(ADDON): binding.gyp $(wildcard addon/*.c addon/*.h) include/sluice.h
	npm run --silent addon -- $(NODEDIR)
	@touch $@

# Headers for the warnings pass: beside Node, or where node-gyp put them.
C_NODE = -I$(if $(NODE_HEADERS),$(NODE_DIR)/include/node,$(HOME)/.cache/node-gyp/$(shell node -p process.versions.node)/include/node)

# Cross-compiled for another processor, without vectors.
$(ARM64)/libsluice.so: $(GO_SOURCES) addon/glibc.h Makefile
	CC=$(CROSS_CC) GOARCH=arm64 CGO_ENABLED=1 CGO_CFLAGS='-O2 -g $(GLIBC) $(LIBWEBP)' go build -buildmode=c-shared -trimpath -ldflags '-s -w $(NO_PREEMPT) $(EXPORTS)' -o $@ .
	@rm -f $(ARM64)/libsluice.h

$(ARM64)/addon.node: $(wildcard addon/*.c addon/*.h) include/sluice.h $(LIB)
	@mkdir -p $(@D)
	$(CROSS_CC) $(C_WARNINGS) $(GLIBC) -s -fPIC -shared -fvisibility=hidden -Iinclude $(C_NODE) -Wl,-z,nodelete -o $@ addon/*.c -ldl -lpthread

$(C_BUILD)/encode: test/c/encode.c include/sluice.h $(LIB)
	@mkdir -p $(@D)
	$(CC) $(C_WARNINGS) -Iinclude -o $@ $< -L$(OUT) -lsluice -lpthread -Wl,-rpath,$(CURDIR)/$(OUT)

$(C_BUILD)/decode: test/c/decode.c
	@mkdir -p $(@D)
	@echo '#include <png.h>' | $(CC) -E -x c - >/dev/null 2>&1 || { echo 'libpng is missing: make setup-e2e'; exit 1; }
	$(CC) $(C_WARNINGS) -o $@ $< -lpng

CONTROL_FLAGS  = $(C_WARNINGS) -g -fPIC -shared -fvisibility=hidden -Iinclude $(C_NODE)

$(ADDON_CONTROLS:%=$(CONTROLS)/%/addon.node): $(CONTROLS)/%/addon.node: $(wildcard addon/*.c addon/*.h) include/sluice.h $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CONTROL_FLAGS) -DSLUICE_CONTROL_$(shell tr a-z- A-Z_ <<< $*) $(if $(filter no-nodelete,$*),,-Wl$(comma)-z$(comma)nodelete) -o $@ addon/*.c -ldl -lpthread
	@cp $(or $(LIBRARY_$*),$(LIB)) $(@D)/

$(GO_CONTROLS:%=$(CONTROLS)/%/addon.node): $(CONTROLS)/%/addon.node: $(ADDON) $(GO_SOURCES)
	@mkdir -p $(@D)
	CGO_ENABLED=1 CGO_CFLAGS='-O2 -g $(LIBWEBP)' $(GO) build -buildmode=c-shared -trimpath -ldflags '-s -w $(if $(filter-out preempt,$*),$(NO_PREEMPT)) $(EXPORTS)' -tags '$(GO_TAGS_$*)' -o $(@D)/libsluice.so .
	@rm -f $(@D)/libsluice.h
	@cp $(or $(ADDON_UNDER),$(ADDON)) $@

$(CONTROLS)/no-wait/addon.node: $(CONTROLS)/nofault/addon.node
$(CONTROLS)/no-lent/addon.node: $(CONTROLS)/starving/addon.node

# Not without a guard, but with another library under the addon.
$(CONTROLS)/starving/addon.node: test/e2e/hazards/support/starving.c include/sluice.h $(ADDON)
	@mkdir -p $(@D)
	$(CC) $(C_WARNINGS) -fPIC -shared -o $(@D)/libsluice.so $<
	@cp $(ADDON) $@

# An addon that takes Go's handler for SIGURG away hides what the handler does.
$(CONTROLS)/preempt/addon.node: ADDON_UNDER = $(CONTROLS)/no-restore/addon.node
$(CONTROLS)/preempt/addon.node: $(CONTROLS)/no-restore/addon.node

# Sanitized: the addon alone under tsan, whose runtime cannot follow Go's stacks; under asan the Go library as well.
$(CONTROLS)/asan/addon.node: $(wildcard addon/*.c addon/*.h) include/sluice.h $(GO_SOURCES) Makefile
	@mkdir -p $(@D)
	CGO_ENABLED=1 CGO_CFLAGS='-O2 -g $(LIBWEBP)' go build -asan -buildmode=c-shared -trimpath -ldflags '$(NO_PREEMPT)' -o $(@D)/libsluice.so .
	@rm -f $(@D)/libsluice.h
	$(CC) $(CONTROL_FLAGS) -fsanitize=address -fno-omit-frame-pointer -Wl,-z,nodelete -o $@ addon/*.c -ldl -lpthread

$(CONTROLS)/tsan/addon.node: $(wildcard addon/*.c addon/*.h) include/sluice.h $(GO_SOURCES) Makefile
	@mkdir -p $(@D)
	CGO_ENABLED=1 CGO_CFLAGS='-g -O1 -fsanitize=thread $(LIBWEBP)' CGO_LDFLAGS=-fsanitize=thread go build -buildmode=c-shared -trimpath -ldflags '$(NO_PREEMPT)' -o $(@D)/libsluice.so .
	@rm -f $(@D)/libsluice.h
	$(CC) $(CONTROL_FLAGS) -fsanitize=thread -fno-omit-frame-pointer -Wl,-z,nodelete -o $@ addon/*.c -ldl -lpthread

$(HAZARDS)/flood: test/e2e/hazards/support/flood.c
	@mkdir -p $(@D)
	$(CC) $(C_WARNINGS) -o $@ $<

$(HAZARDS)/errno.node: test/e2e/hazards/support/errno.c
	@mkdir -p $(@D)
	$(CC) $(C_WARNINGS) $(C_NODE) -fPIC -shared -o $@ $< -lpthread

$(HAZARDS)/second.node: test/e2e/hazards/support/second/main.go
	@mkdir -p $(@D)
	CGO_ENABLED=1 CGO_CFLAGS='$(C_NODE)' go build -buildmode=c-shared -ldflags '-s -w' -o $@ ./$(<D)
	@rm -f $(@:.node=.h)
