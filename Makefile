# SPDX-License-Identifier: GPL-2.0
#
# Targets for people. What kbuild builds stands in Kbuild; how, in tools/.

SHELL := /bin/bash

# The kernel to build for: a build directory. Without one of the running kernel, Debian's.
KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) stock)
not_running := $(if $(filter stock-file,$(KDIR)-$(origin KDIR)), \
	(for Debian's current kernel: no headers of the running one here))

# For install; tools/lib and tools/cli have bindir, libdir and includedir below PREFIX.
export PREFIX ?= /usr/local
mandir ?= $(PREFIX)/share/man

# For host-test: how many random operations, and the seed; the seed is for fuzz, fuzz-host and
# torture, too.
OPS ?=
SEED ?=

# For fuzz, fuzz-host and torture: how long; for fuzz-host alone: one input to run.
SECONDS ?= 60
INPUT ?=

# For fuzz and torture: the kernel and how many processors; for torture alone: only rounds of
# this kind, and how many of them.
KERNEL ?= debug
SMP ?= 2
MODE ?= all
ROUNDS ?= 0

# For bench: how many timers.
SIZES ?=

# What tools/vm/run can boot; see tools/vm/kernel.
debian = stock backport
built = debug debug-6.12 debug-7.3 rt kcsan

# For check-matrix: which kernels; clang's is compiled for only.
KERNELS ?= $(debian) $(built) clang

tap = tools/scripts/tap

# host-test [OPS=n] [SEED=n]; only what was given is passed on
host_args = $(if $(OPS),OPS=$(OPS)) $(if $(SEED),SEED=$(SEED))

.PHONY: all
all: module tools ## build the module for KDIR, and the tools

.PHONY: help
help: ## list the targets
	@echo "make [TARGET] [KDIR=kernel build directory]"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 20

.PHONY: module
module: ## build twheel.ko for KDIR
	@tools/scripts/deps build $(if $(filter stock,$(KDIR)),headers)
	@dir=$$(tools/vm/build-modules $(KDIR)) && \
	echo "built $${dir#$$PWD/}/module/twheel.ko$(not_running)"

.PHONY: tools
tools: ## library, command, examples
	@tools/scripts/deps build
	@$(MAKE) -s -C tools/lib && echo "built tools/lib/libtwheel.a and .so"
	@$(MAKE) -s -C tools/cli && echo "built tools/cli/twheel"
	@$(MAKE) -s -C tools/examples && echo "built tools/examples"

# The makefiles of the tools run elsewhere, where a relative directory is another one.
absolute = $(foreach name,PREFIX DESTDIR,$(if $(filter-out /%,$(firstword $($(name)))), \
	$(error $(name)=$($(name)): write the whole path, as $(abspath $($(name))))))

.PHONY: install uninstall
install: tools ## library, headers, command, man pages [PREFIX=/usr/local] [DESTDIR=]
	$(absolute)
	@$(MAKE) -s -C tools/lib install && $(MAKE) -s -C tools/cli install && \
	tools/scripts/man-pages install '$(DESTDIR)$(mandir)' || \
	{ echo "not installed: be root, or give a PREFIX that you may write to" >&2; exit 1; }
	@echo "installed in $(DESTDIR)$(PREFIX)"
	$(if $(DESTDIR),,@echo "run ldconfig (as root) so that programs find libtwheel.so there")

uninstall: ## remove what install puts there
	$(absolute)
	@$(MAKE) -s -C tools/lib uninstall
	@$(MAKE) -s -C tools/cli uninstall
	@tools/scripts/man-pages uninstall '$(DESTDIR)$(mandir)'

.PHONY: demo
demo: tools ## timers started, reset, stopped and expiring, in a VM with Debian's kernel
	@echo "Booting Debian's kernel in QEMU with twheel.ko, to run tools/cli/demo.tw ..."
	@tools/vm/run --add tools/cli/demo.tw -- twheel run demo.tw
	@echo "You saw timers of /dev/twheel start, be reset, stop and expire;" \
		"now change tools/cli/demo.tw and run make demo again."

.PHONY: check
check: ## every test below; the last line is "N passed, N failed"
	@tools/scripts/check

.PHONY: kunit
kunit: kunit-debug ## KUnit suites, in a VM with a KASAN and lockdep kernel

.PHONY: $(built:%=kunit-%)
$(built:%=kunit-%): kunit-%:
	@$(tap) kunit-$* tools/vm/kunit $*

.PHONY: selftest
selftest: selftest-stock selftest-debug ## self tests of the device, on both kernels

.PHONY: $(debian:%=selftest-%) $(built:%=selftest-%)
$(debian:%=selftest-%) $(built:%=selftest-%): selftest-%:
	@$(tap) selftest-$* tools/vm/selftest $*

.PHONY: host-test
host-test: ## layers, library and command under ASan and UBSan, no VM [OPS=n] [SEED=n]
	@tools/scripts/deps build lib-test
	@status=0; \
	$(tap) host-test $(MAKE) -s -C tools/host check $(host_args) || status=1; \
	$(tap) cli-test $(MAKE) -s -C tools/cli check || status=1; \
	$(tap) lib-test $(MAKE) -s -C tools/lib check || status=1; \
	$(tap) fuzz-test $(MAKE) -s -C tools/fuzz check || status=1; \
	$(tap) torture-test $(MAKE) -s -C tools/torture check || status=1; \
	$(tap) install-test tools/lib/test-install.sh || status=1; \
	exit $$status

.PHONY: prove
prove: prove-geometry prove-spin prove-contracts ## the wheel's geometry, the life of leases

.PHONY: prove-geometry
prove-geometry: ## what make check runs of that: every pair of times of small wheels
	@tools/scripts/deps build
	@status=0; \
	$(tap) prove-geometry $(MAKE) -s -C tools/prove check || status=1; \
	$(tap) prove-geometry-test tools/prove/test-prove.sh || status=1; \
	exit $$status

.PHONY: prove-spin
prove-spin:
	@tools/scripts/deps build spin
	@$(tap) prove-spin tools/prove/spin

.PHONY: prove-contracts
prove-contracts:
	@tools/scripts/deps build contracts
	@$(tap) prove-contracts tools/prove/contracts

.PHONY: coverage
coverage: ## what KUnit and the self tests reach of module/, counted by gcov: 20 minutes
	@$(tap) coverage tools/coverage/run

.PHONY: fuzz
fuzz: ## random operations against a model, in a VM [SECONDS=60] [SEED=1] [KERNEL=debug] [SMP=2]
	@tools/fuzz/run $(KERNEL) $(SMP) $(SECONDS) $(or $(SEED),1)

.PHONY: fuzz-host
fuzz-host: ## layers against the models, fuzzed, no VM [SECONDS=60] [SEED=1] [INPUT=file]
	@$(tap) fuzz-host tools/host/fuzz $(if $(INPUT),'$(INPUT)',$(or $(SEED),1) $(SECONDS))

.PHONY: torture
torture: ## everybody at once, kills, unloading [SECONDS] [SEED] [KERNEL=debug] [SMP=2] [MODE] [ROUNDS]
	@tools/torture/run $(KERNEL) $(SMP) $(SECONDS) $(or $(SEED),1) --mode $(MODE) --rounds $(ROUNDS)

.PHONY: style
style: ## checkpatch, sparse, compiler warnings, shellcheck
	@$(tap) style tools/scripts/style

.PHONY: clang-compile
clang-compile:
	@$(tap) clang-compile tools/scripts/style clang-W1

.PHONY: vm-test
vm-test: vm-test-stock vm-test-debug ## does the VM runner notice crashes and hangs?

.PHONY: vm-test-stock vm-test-debug vm-test-kcsan
vm-test-stock vm-test-debug vm-test-kcsan: vm-test-%:
	@$(tap) vm-test-$* tools/vm/test-run.sh $*

.PHONY: check-matrix
check-matrix: ## self tests and KUnit on each kernel, and a table [KERNELS="stock debug-7.3"]
	@tools/scripts/matrix $(KERNELS)

.PHONY: bench
bench: ## measure twheel and its peers, in the VM: a quarter of an hour [SIZES="1000 100000"]
	@status=0; \
	tools/bench/run $(if $(SIZES),--sizes "$(SIZES)") || status=1; \
	$(MAKE) -s -k -j1 -C tools/bench worst-ticks canary two-cpus >/dev/null || status=1; \
	tools/bench/report && exit $$status

.PHONY: bench-check
bench-check: ## key figures against tools/bench/baseline.csv
	@$(tap) bench-check tools/bench/check

.PHONY: clean
clean: ## remove what was built here (kernels stay in ~/.cache/twheel)
	@rm -rf build
	@for dir in $(patsubst %/Makefile,%,$(wildcard tools/*/Makefile)); do \
		$(MAKE) -s -C $$dir clean || exit; \
	done
