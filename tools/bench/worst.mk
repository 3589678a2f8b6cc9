# SPDX-License-Identifier: GPL-2.0
#
# What two CPUs give, and the worst case: part of Makefile.
#
#   make two-cpus     throughput of two threads, divided by that of one
#   make worst        both of these:
#   make worst-ticks  steps of a tick, beside a classical wheel; on the host, seconds
#   make canary       lateness of a timer during a crowd of expiries; some minutes
#
# Results are CSV and Markdown in results/. The programs have --help; OPTIONS="--timers 10000"
# gives them options.

OPTIONS	?=
vm_run	:= $(top)/tools/vm/run
results	:= results

# Budget of a pass, where the wheel does not know of it.
pass_steps := $(shell sed -n 's/^\#define PASS_STEPS[[:blank:]]*//p' $(top)/module/expiry.c)

guest_programs := build/two-cpus build/canary

$(guest_programs): build/%: build/%.o build/measure.o build/numbers.o $(lib)/libtwheel.a
	gcc -static -pthread -o $@ $^

# The wheel of the module, as tools/host builds it.
build/worst-ticks: worst-ticks.c cascade.c numbers.c $(top)/module/wheel.c cascade.h numbers.h \
		$(wildcard $(top)/module/wheel*.h) worst.mk | build
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare \
		-Wno-missing-field-initializers -DPASS_STEPS=$(pass_steps) \
		-I$(top)/tools/host/shim -I$(top)/include -o $@ $(filter %.c,$^)

# Runs $(1), keeps its CSV as that of target $@ and makes a table of it. Lines with # are
# progress, for the terminal; in the VM they come on the same stream.
measured = @mkdir -p $(results) && set -o pipefail && \
	$(1) | sed -u -e '/^\#/{w /dev/stderr' -e 'd}' >build/$@.csv && \
	mv build/$@.csv $(results)/$@.csv && \
	awk -f table.awk $(results)/$@.csv >$(results)/$@.md && cat $(results)/$@.md

two-cpus worst-ticks canary: SHELL := /bin/bash

two-cpus: build/two-cpus
	$(call measured,$(vm_run) --smp 2 --timeout 3000 -- $< $(OPTIONS))

worst-ticks: build/worst-ticks
	$(call measured,$< $(OPTIONS))

canary: build/canary
	$(call measured,$(vm_run) --icount --memory 1G --timeout 3000 -- $< $(OPTIONS))

worst: worst-ticks canary

.PHONY: two-cpus worst worst-ticks canary
