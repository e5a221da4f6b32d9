# Coffer. `make` alone lists the targets.

# Variables, to be set on the command line:
#   FILTER=NAME     make test, make mutants: only tests or mutants whose name contains NAME (mutants: or one of several)
#   LIMIT=N         make test: end a target after N seconds (default: after ten times its usual time)
#   SINCE=COMMIT    make mutants: only those whose source, test or own text has changed since COMMIT
#   CPUS=N          make test: run the tests on N processors (default: all; building uses all anyway)
#   JOBS=N          at most N compile jobs at once (default: one per core)
#   SECONDS=N       make fuzz: try each reader for so long (default: 60)
#   READER=NAME     make fuzz: only this reader
#   SEED=N CASE=N   make fuzz: repeat a case that was found; make mutate: SEED says which mistakes (default: 1)
#   SEED=N RUNS=N   make simulate: so many schedules, from this seed on (default: 1, 10000)
#   SAMPLE=N        make mutate: so many mistakes (default: 200)
#   EACH=N          make mutate: at least so many of them in each module (default: 0)
#   DESTDIR=DIR     make install, uninstall: put everything under DIR (for packagers)
#   PREFIX=DIR      make install: where programs and manual go (default /usr)
#   BUILD=DIR       make install: the programs to install (default .build-release/release)
#   MODULE=FILE     make install: pam_coffer.so (default .build-pam/pam_coffer.so); make mutate: only this module of Sources
#   PAMDIR=DIR      make install: the folder of PAM's modules (default: this machine's)
FILTER ?=
CPUS ?=
JOBS ?=
SECONDS ?= 60
READER ?=
SEED ?=
RUNS ?=
CASE ?=
SAMPLE ?= 200
EACH ?=
LIMIT ?=
DESTDIR ?=
PREFIX ?= /usr
PAMDIR ?= $(or $(firstword $(wildcard /usr/lib/$(shell uname -m)-linux-gnu/security /usr/lib64/security)),/usr/lib/security)

SWIFT := swift
# The broker, the other programs and the tests are behind this trait of the package (Package.swift).
all := --traits Daemons
jobs := $(if $(JOBS),--jobs $(JOBS))
release := .build-release
BUILD ?= $(release)/release
default_module := .build-pam/pam_coffer.so
MODULE ?= $(default_module)
programs := cofferd coffer-authenticator coffer coffer-secret-service

.DEFAULT_GOAL := help
.PHONY: help application build demo examples test race simulate fuzz bench docs check format mutants mutate memory pam release deb packages container clients syncthing sync-stores sync-size recording install uninstall machine clean

help: ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1@\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F@ '{ printf "%-16s %s\n", $$1, $$2 }'
	@echo 'Variables:'
	@sed -n 's/^#   \([A-Z]*=[A-Z]*  *\)/  \1/p' $(firstword $(MAKEFILE_LIST))

build: ## all programs, for trying out and for tests (.build/debug)
	$(SWIFT) build $(all) $(jobs)

demo: ## from nothing to a secret read through PAM, and a refusal; installs what is missing, and asks before
	@scripts/install-dependencies
	@$(MAKE) --no-print-directory build
	@scripts/demo

examples: needs-demo build ## the applications of Examples, built and run against a sandbox
	@scripts/examples

needs-%:
	@scripts/install-dependencies $*

test: needs-test ## build, check, all tests; some need root, some an sshd, and say so; asks before it installs
	$(SWIFT) build --build-tests $(all) $(jobs)
	scripts/check
	CPUS=$(CPUS) ALONE=$(ALONE) LIMIT=$(LIMIT) scripts/test $(FILTER)

race: needs-test ## the library's tests of many tasks and processes, under the thread sanitizer (.build-race)
	scripts/race

simulate: ## machines that share items, with a hostile store; a failure names SEED and is shrunk (.build-simulate)
	$(SWIFT) build $(all) $(jobs) --configuration release --scratch-path .build-simulate --product coffer-simulate
	.build-simulate/release/coffer-simulate $(if $(SEED),$(SEED),1) $(if $(RUNS),$(RUNS),10000)

fuzz: needs-test ## changed content for everything that reads from outside; a failure names SEED and CASE
	$(SWIFT) build --build-tests $(all) $(jobs)
	COFFER_FUZZ_SECONDS=$(SECONDS) COFFER_FUZZ_READER=$(READER) COFFER_FUZZ_SEED=$(SEED) COFFER_FUZZ_CASE=$(CASE) \
		$(SWIFT) test --skip-build $(all) --disable-xctest --filter '^FuzzTests\.'

bench: release ## times and sizes beside peers and floors, a line a figure
	$(optimised) --product coffer-benchmark
	$(optimised) --product coffer-bus-benchmark
	$(optimised) --product coffer-library-benchmark
	scripts/bench

docs: ## DocC archives of the libraries (.build-docs)
	for library in Coffer CofferSettings CofferSync CofferCaches CofferSessions CofferFiles CofferConfiguration CofferTestKit; do $(SWIFT) build $(all) $(jobs) --target $$library || exit 1; done
	scripts/docs

check: ## format, confinement of unsafe code, module arrows, unit files, documents
	scripts/check

format: ## bring all Swift files into the one format
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples pam/module

mutants: ## take each protection away, one by one, and see its test fail
	scripts/mutants $(if $(SINCE),--since $(SINCE)) $(FILTER)

mutate: ## careless mistakes that nobody chose, each tried on the tests of its module; names those that no test notices
	scripts/mutate --sample $(SAMPLE) $(if $(EACH),--each $(EACH)) $(if $(SEED),--seed $(SEED)) $(if $(filter-out $(default_module),$(MODULE)),--module $(MODULE))

memory: release ## what root finds in the memory of the optimised broker after a lock; as root
	$(SWIFT) build --build-tests $(all) $(jobs)
	COFFER_TEST_PROGRAMS=$(CURDIR)/$(release)/release scripts/test SystemTests.MemoryTests

pam: ## pam_coffer.so, the login programs' module (.build-pam/pam_coffer.so)
	scripts/build-pam

# Small programs that start quickly (docs/performance.md). The libraries of Swift and C++ are linked in as far as they are used. Types are
# found by their address, not by their name. Relative relocations are packed; nothing is exported; no library is looked for beside the program.
# There are no tables for unwinding (docs/decisions/0040-unwind-tables.md).
static := $(release)/static
optimised = $(SWIFT) build $(all) --configuration release --scratch-path $(release) $(jobs) --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xswiftc -use-ld=lld -Xswiftc -L$(CURDIR)/$(static) -Xlinker -Bstatic -Xlinker -lgcc_eh -Xlinker -Bdynamic \
	-Xlinker --as-needed -Xlinker --no-export-dynamic -Xlinker --icf=safe -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -s \
	-Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker $(CURDIR)/scripts/release.ld

release: export COFFER_SMALL := 1
release: pam ## optimised programs with the Swift library linked in (.build-release/release)
	@mkdir -p $(static)
	@library=$$(ls -v /usr/lib/gcc/$$(uname -m)-linux-gnu/*/libstdc++.a | tail -n 1); \
		[ -n "$$library" ] || { echo "libstdc++.a is missing; install it (Debian 12: libstdc++-12-dev)" >&2; exit 1; }; \
		ln -sf "$$library" $(static)/libstdc++.a
	for program in $(programs); do $(optimised) --product $$program || exit 1; done

deb: needs-packages release ## Debian packages of the optimised programs (.build-deb)
	scripts/deb

packages: needs-packages build pam ## install, update, remove and purge the packages in a clean root (debootstrap); needs root
	scripts/packages --programs .build/debug

container: needs-packages build pam ## what make machine does and needs no kernel of its own, in a container (systemd-nspawn); needs root
	scripts/container --programs .build/debug

application: needs-packages ## an application that uses the library, built in a clean root with Swift alone; needs root
	scripts/application

syncthing: needs-syncthing build ## three machines that share secrets through real Syncthings, and a month without one of them; needs root
	scripts/syncthing

sync-stores: needs-stores needs-syncthing build ## machines share through a folder, git, WebDAV, a bucket and Syncthing, with servers that are killed, emptied and put back
	scripts/sync-stores
	@if [ "$$(id -u)" = 0 ]; then scripts/syncthing; else echo "sync-stores: Syncthing is left out: its networks need root"; fi

sync-size: needs-stores release ## what a circle of a thousand machines costs one that joins it: time, memory, requests
	$(optimised) --product coffer-growth
	scripts/sync-size

clients: needs-packages build pam ## the clients that people have, unmodified, against installed packages in a clean root; needs root
	scripts/clients --programs .build/debug

recording: build ## record make demo again (docs/demo.cast, docs/demo.svg)
	@scripts/recording

install: ## programs, PAM files, units (after make release); files of yours in /etc are kept
	@scripts/install install

uninstall: ## remove what make install laid down; vaults and edited files are kept
	@scripts/install uninstall

install uninstall: export BUILD := $(BUILD)
install uninstall: export MODULE := $(MODULE)
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export PAMDIR := $(PAMDIR)
install uninstall: export DESTDIR := $(DESTDIR)

machine: release ## the installed product on a whole machine (qemu); needs root; installs what is missing
	@scripts/machine

clean: ## remove everything that was built
	rm -rf .build .build-examples .build-webserver .build-pam .build-race .build-docs $(release) .build-mutants .build-mutate .build-simulate .build-machine .build-deb .build-root
