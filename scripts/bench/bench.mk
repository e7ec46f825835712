# The benchmarks. `make bench` takes minutes, `make bench SIZE=small` about one; ONLY="lua swift.chain" picks contests.

SWIFT ?= swift
SIZE ?= full
ONLY ?=
# As the installed command is built: Swift's runtime and Lua inside, and stripped.
BENCH_SCRATCH ?= .build-install
BENCH_BUILD := $(SWIFT) build -c release --static-swift-stdlib --disable-default-traits --traits StaticLua \
	--scratch-path $(BENCH_SCRATCH)
BENCH := OPSCRIPT="$(CURDIR)/$(BENCH_SCRATCH)/opscript" \
	OPSCRIPT_BENCH="$(CURDIR)/$(BENCH_SCRATCH)/OpScriptBench" lua5.4 scripts/bench/bench.lua

.PHONY: bench-build
bench-build:
	@scripts/bench/install-peers.sh
	$(BENCH_BUILD) --product opscript
	$(BENCH_BUILD) --product OpScriptBench
	@for name in opscript OpScriptBench; do \
		strip -o $(BENCH_SCRATCH)/$$name $(BENCH_SCRATCH)/release/$$name; done

.PHONY: bench
bench: bench-build ## medians, spreads and ratios of OpScript beside its peers (SIZE=small: quickly)
	@$(BENCH) $(SIZE) $(ONLY)

.PHONY: bench-check
bench-check: bench-build ## the same, compared with scripts/bench/bars.lua and counts.lua; fails where one is missed
	@$(BENCH) check $(SIZE) $(ONLY)

.PHONY: bench-counts
bench-counts: bench-build ## write scripts/bench/counts.lua anew: instructions for one operation
	@$(BENCH) counts >scripts/bench/counts.new
	@mv scripts/bench/counts.new scripts/bench/counts.lua
