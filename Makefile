# Two commands from a fresh clone: `make demo` and `make test`. Both install what is missing.

CARGO ?= cargo
export CARGO_TARGET_DIR ?= $(HOME)/.cache/diskwright/target
DEMO_OUT ?= $(CARGO_TARGET_DIR)/demo

.PHONY: help demo test store bench bench-mount validate incidents fuzz deny picture linker tools headers

help:
	@echo "make demo     build diskwright, plan examples/tpcc-5000.toml, say where its report is"
	@echo "make test     format, lints, all tests; builds RocksDB, ten minutes, once"
	@echo "make store    the reference store and its placement driver, for diskwright bench; builds RocksDB too"
	@echo "make bench    benchmarks: disk behaviour, the planner, Timelines"
	@echo "make bench-mount  mounted disks against fio, in full: writes the table of docs/mount.md"
	@echo "make validate the simulation against the reference store, half an hour: writes docs/validate.md"
	@echo "make incidents  simulated incidents of known cause, and which one diagnose names: writes docs/incidents.md"
	@echo "make picture  docs/plan.svg, from a real plan"
	@echo "make fuzz     every parser, FUZZ_SECONDS each (needs cargo-fuzz)"
	@echo "make deny     licences and known vulnerabilities of the dependencies"

demo: linker
	$(CARGO) build --release --locked --package diskwright
	@echo
	@$(CARGO_TARGET_DIR)/release/diskwright plan examples/tpcc-5000.toml --out $(DEMO_OUT)
	@echo
	@echo "The report with its chart: file://$(DEMO_OUT)/report.html"

test: linker tools headers
	@$(CARGO) clippy --version >/dev/null 2>&1 && $(CARGO) fmt --version >/dev/null 2>&1 || rustup component add clippy rustfmt
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) test --workspace --locked --no-fail-fast

# In the profile of the tests, in which what a request passes through is optimised: so RocksDB is built once.
store: linker headers
	$(CARGO) build --locked --package diskwright-store --package diskwright-pd
	@mkdir -p $(CARGO_TARGET_DIR)/release && cd $(CARGO_TARGET_DIR) && ln -f debug/diskwright-store debug/diskwright-pd release/
	@echo
	@echo "diskwright bench finds $(CARGO_TARGET_DIR)/release/diskwright-store"

bench: linker headers
	$(CARGO) bench --workspace --locked
	$(CARGO) build --release --locked --package diskwright
	benches/whole-command.sh

# Every number that the short tests take, longer, and 100 kills and 200 mounts. Wants a machine that does nothing else.
bench-mount: linker tools
	$(CARGO) bench --locked --package diskwright --bench mounted
	DISKWRIGHT_LONG=1 $(CARGO) test --locked --package diskwright --test nothing_lost -- --nocapture

# A grid of configurations on the reference store and in the simulation. VALIDATE="--calibrate" fits the constants, too;
# VALIDATE="--resume" goes on where the last run ended. Wants a machine that does nothing else.
validate: store tools
	$(CARGO) bench --locked --package diskwright --bench validate -- $(VALIDATE)

# In the profile of the tests, in which the simulator is optimised: nothing more is built. A quarter of an hour on two cores.
incidents: linker
	$(CARGO) test --locked --package diskwright-diagnose --bench incidents

FUZZ_SECONDS ?= 60
# libFuzzer asks for nightly features; the bootstrap variable lets a stable compiler build them.
fuzz:
	cd fuzz && for target in disk workload deployment units iostat timeline events; do \
	  RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done

deny:
	@command -v cargo-deny >/dev/null || $(CARGO) install --locked cargo-deny
	$(CARGO) deny check

# The README's picture, from a real run.
picture: linker
	docs/picture.sh

# What the tests of mounted disks run.
tools:
	@missing=; for pair in fio:fio mkfs.xfs:xfsprogs mkfs.ext4:e2fsprogs losetup:mount; do \
	  command -v $${pair%%:*} >/dev/null || [ -x /usr/sbin/$${pair%%:*} ] || missing="$$missing $${pair#*:}"; done; \
	[ -z "$$missing" ] || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends $$missing; }

# RocksDB is C++, and its Rust names are made from its C header by libclang.
headers:
	@missing=; command -v c++ >/dev/null || missing="g++"; \
	ls /usr/lib/llvm-*/lib/libclang*.so* >/dev/null 2>&1 || missing="$$missing libclang-dev"; \
	[ -z "$$missing" ] || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends $$missing; }

# Rust needs a C linker.
linker:
	@command -v cc >/dev/null || { \
	  sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends gcc libc6-dev; }
