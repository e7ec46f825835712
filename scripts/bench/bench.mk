# The benchmarks. `make bench` takes an hour on a noisy machine; `make bench SIZE=small` minutes; ONLY="lua swift.chain" picks contests.

SWIFT ?= swift
SIZE ?= full
ONLY ?=
# Built like the installed command, with Swift's runtime and Lua inside, and stripped.
BENCH_SCRATCH ?= .build
BENCH_BUILD := $(SWIFT) build $(EMBEDDED) --traits StaticLua,Journal,Pictures --scratch-path $(BENCH_SCRATCH)
BENCH_PROGRAMS := $(BENCH_SCRATCH)/bench
BENCH := OPSCRIPT="$(abspath $(BENCH_PROGRAMS))/opscript" OPSCRIPT_BENCH="$(abspath $(BENCH_PROGRAMS))/OpScriptBench" \
	lua5.4 scripts/bench/bench.lua

.PHONY: bench-build
bench-build: link-parts
	@scripts/bench/install-peers.sh
	@lua5.4 scripts/bench/driver/tests.lua >/dev/null
	$(BENCH_BUILD) --product opscript
	$(BENCH_BUILD) --product OpScriptBench
	@mkdir -p $(BENCH_PROGRAMS)
	@strip -o $(BENCH_PROGRAMS)/opscript $(BENCH_SCRATCH)/release/opscript
	@strip -o $(BENCH_PROGRAMS)/OpScriptBench $(BENCH_SCRATCH)/release/OpScriptBench

.PHONY: bench
bench: bench-build ## medians, spreads and ratios of OpScript and its peers (SIZE=small: quickly)
	@$(BENCH) measure $(SIZE) $(ONLY)

.PHONY: bench-check
bench-check: bench-build ## the same, compared with bars.lua and counts.lua of scripts/bench; fails if one is missed
	@$(BENCH) check $(SIZE) $(ONLY)

.PHONY: bench-counts
bench-counts: bench-build ## write a new scripts/bench/counts.lua: instructions for one operation
	@$(BENCH) counts >$(BENCH_PROGRAMS)/counts.lua
	@mv $(BENCH_PROGRAMS)/counts.lua scripts/bench/counts.lua
