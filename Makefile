# Coffer. `make` alone lists what there is.

# Variables, to be set on the command line:
#   FILTER=NAME     make test, make mutants: only the tests, or the mutants, whose name holds NAME
#   JOBS=N          at most N compile jobs at once (default: one per core)
#   DESTDIR=DIR     make install: put everything under DIR (for packagers)
#   PREFIX=DIR      make install: where the programs go (default /usr)
#   PAMDIR=DIR      make install: where PAM looks for modules (default: where it does here)
FILTER ?=
JOBS ?=
DESTDIR ?=
PREFIX ?= /usr
PAMDIR ?= $(or $(firstword $(wildcard /usr/lib/$(shell uname -m)-linux-gnu/security /usr/lib64/security)),/usr/lib/security)

SWIFT := swift
jobs := $(if $(JOBS),--jobs $(JOBS))
release := .build-release
programs := cofferd coffer-authenticator coffer

.DEFAULT_GOAL := help
.PHONY: help build demo test check format mutants pam release install clean

help: ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1@\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F@ '{ printf "%-16s%s\n", $$1, $$2 }'
	@echo 'Variables:'
	@sed -n 's/^#   \([A-Z]*=[A-Z]*  *\)/  \1/p' $(firstword $(MAKEFILE_LIST))

build: ## all programs, for trying out and for tests (.build/debug)
	$(SWIFT) build $(jobs)

demo: ## from nothing to a secret read through PAM, and a refusal; installs what is missing
	@scripts/install-dependencies
	@$(MAKE) --no-print-directory build
	@scripts/demo

test: ## build, check, all tests; some need root, some an sshd, and say so
	$(SWIFT) build --build-tests $(jobs)
	scripts/check
	scripts/test $(FILTER)

check: ## format, confinement of unsafe code, module arrows, unit files, documents
	scripts/check

format: ## bring all Swift files into the one format
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests pam/module

mutants: ## take each protection away, one by one, and see its test fail
	scripts/mutants $(FILTER)

pam: ## pam_coffer.so, the login programs' module (.build-pam/pam_coffer.so)
	scripts/build-pam

release: pam ## optimised programs with the Swift library linked in (.build-release/release)
	for program in $(programs); do \
		$(SWIFT) build --configuration release --static-swift-stdlib --scratch-path $(release) $(jobs) --product $$program || exit 1; \
	done

install: ## programs, PAM files, units, accounts (after make release)
	for program in $(programs); do test -x $(release)/release/$$program || { echo 'Run first: make release'; exit 1; }; done
	install -D -m 0755 -t $(DESTDIR)$(PREFIX)/bin $(release)/release/coffer
	install -D -m 0755 -t $(DESTDIR)$(PREFIX)/libexec/coffer $(release)/release/cofferd $(release)/release/coffer-authenticator
	install -D -m 0644 -t $(DESTDIR)/etc/pam.d $(wildcard pam/coffer pam/coffer-*)
	test -f .build-pam/pam_coffer.so || { echo 'Run first: make pam'; exit 1; }
	install -D -m 0644 -t $(DESTDIR)$(PAMDIR) .build-pam/pam_coffer.so
	install -D -m 0644 -t $(DESTDIR)/usr/lib/systemd/system packaging/systemd/*
	install -D -m 0644 packaging/sysusers.d/coffer.conf $(DESTDIR)/usr/lib/sysusers.d/coffer.conf
	install -D -m 0644 packaging/tmpfiles.d/coffer.conf $(DESTDIR)/usr/lib/tmpfiles.d/coffer.conf
	install -D -m 0644 -t $(DESTDIR)/etc/coffer packaging/cofferd.conf
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man1 docs/man/*.1
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	$(release)/release/coffer --generate-completion-script bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/coffer
	$(release)/release/coffer --generate-completion-script zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_coffer
	$(release)/release/coffer --generate-completion-script fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/coffer.fish

clean: ## remove everything that was built
	rm -rf .build .build-pam $(release) .build-mutants
