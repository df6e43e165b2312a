# Two commands from a fresh clone: `make demo` and `make test`. Both install what is missing.

CARGO ?= cargo
export CARGO_TARGET_DIR ?= $(HOME)/.cache/diskwright/target
DEMO_OUT ?= $(CARGO_TARGET_DIR)/demo
# Programs that the tests and the checks run, each of one version: those of Python and npm as .ci/pinned says, with all they need.
TOOLS := $(CARGO_TARGET_DIR)/tools
PINNED := $(CURDIR)/.ci/pinned
CARGO_DENY := $(TOOLS)/cargo-deny-0.20.2/bin/cargo-deny
CARGO_DEB := $(TOOLS)/cargo-deb-3.8.0/bin/cargo-deb
CARGO_FUZZ := $(TOOLS)/cargo-fuzz-0.13.2/bin/cargo-fuzz
MDBOOK := $(TOOLS)/mdbook-0.5.4/bin/mdbook
CODESPELL := $(TOOLS)/codespell/bin/codespell

.PHONY: help demo dist dist-test check test package store bench bench-store bench-mount validate validate-innodb incidents incidents-real limiter limiter-real fuzz licences deny picture reference book prose linker tools moto headers

help:
	@echo "make demo     build diskwright, plan examples/tpcc-5000.toml, say where its report is"
	@echo "make dist     a tarball, a .deb and a wheel for Python with their checksums, in dist/; builds for release, a quarter of an hour"
	@echo "make dist-test  installs each of them, asks it for a plan, and removes it; wants root"
	@echo "make check    format, lints, spelling and style of what people read, unit tests"
	@echo "make package  the libraries for others, as crates that build alone"
	@echo "make test     format, lints, all tests; builds RocksDB, ten minutes, once"
	@echo "make store    the reference store and its placement driver, for diskwright bench; builds RocksDB too"
	@echo "make bench    benchmarks: disk behaviour, the planner, Timelines"
	@echo "make bench-store  what the reference store carries, and what the driver takes for it: the commands of docs/results/store.md"
	@echo "make bench-mount  mounted disks against fio, in full: writes the table of docs/results/mounted-disks.md"
	@echo "make validate the simulation against the reference store, half an hour: writes docs/results/validate.md"
	@echo "make validate-innodb  InnoDB's simulation against what was measured of MariaDB: writes docs/results/validate-innodb.md"
	@echo "make incidents  simulated incidents of known cause, and which one diagnose names: writes docs/results/incidents.md"
	@echo "make incidents-real  incidents made on mounted disks, an hour, goes on where it ended: the other half of that page"
	@echo "make limiter  the pilot's compaction limiter against the others, simulated: writes docs/results/limiter.md"
	@echo "make limiter-real  the same on the reference store, four hours, goes on where it ended: the other half of that page"
	@echo "make picture  docs/plan.png, from a real plan"
	@echo "make reference  docs/reference and the outputs in README and guides, from the code and the program"
	@echo "make book     the manual as a book of HTML pages"
	@echo "make prose    spelling and style of README, docs and help texts"
	@echo "make fuzz     every parser, FUZZ_SECONDS each"
	@echo "make licences licences and origins of the dependencies; asks nobody"
	@echo "make deny     those, and known vulnerabilities: fetches the advisory database from GitHub"

# In the profile of the tests, in which what computes is optimised: it builds in half the time, and the tests build on it. A measured
# run wants `cargo build --release`. Without the cloud's SDK, which takes five minutes to build and no plan needs.
demo: linker
	$(CARGO) build --locked --package diskwright --no-default-features
	@echo
	@$(CARGO_TARGET_DIR)/debug/diskwright plan examples/tpcc-5000.toml --out $(DEMO_OUT)
	@echo
	@echo "The report with its chart: file://$(DEMO_OUT)/report.html"

# What is distributed. One binary with the cloud parts in it, stripped.
DIST ?= $(CURDIR)/dist
PYTHON_TOOLS := $(TOOLS)/python-dist
dist: linker $(CARGO_DEB) $(PYTHON_TOOLS)/python.txt
	@command -v dpkg-shlibdeps >/dev/null || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends dpkg-dev; }
	CARGO="$(CARGO)" CARGO_DEB=$(CARGO_DEB) MATURIN=$(PYTHON_TOOLS)/bin/maturin packaging/dist.sh $(DIST)

dist-test: dist
	CARGO="$(CARGO)" PYTHON_TOOLS=$(PYTHON_TOOLS) packaging/dist-test.sh $(DIST)

# What one wants to know before each commit. The same selection of features as below, so that both share what was built.
CHECKED := --workspace --features diskwright/cloud --locked
check: linker headers prose
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(CHECKED) --all-targets -- -D warnings
	$(CARGO) test $(CHECKED) --lib --bins --no-fail-fast

LIBRARIES := units textfile limits catalog disk workload timeline deployment engine
package:
	$(CARGO) package $(LIBRARIES:%=--package diskwright-%)

# "All targets" leaves out the benchmarks that `cargo bench` does not run unasked; clippy is told of them by name.
test: linker tools moto headers
	@$(CARGO) clippy --version >/dev/null 2>&1 && $(CARGO) fmt --version >/dev/null 2>&1 || rustup component add clippy rustfmt
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --features diskwright/cloud --locked -- -D warnings
	$(CARGO) clippy --workspace --bench '*' --features diskwright/cloud --locked -- -D warnings
	$(CARGO) test --workspace --features diskwright/cloud --locked --no-fail-fast

# In the profile of the tests, in which what a request passes through is optimised: so RocksDB is built once.
store: linker headers
	$(CARGO) build --locked --package diskwright-store --package diskwright-pd
	@mkdir -p $(CARGO_TARGET_DIR)/release && cd $(CARGO_TARGET_DIR) && ln -f debug/diskwright-store debug/diskwright-pd release/
	@echo
	@echo "diskwright bench finds them in $(CARGO_TARGET_DIR)/debug and release, beside itself"

bench: linker headers
	$(CARGO) bench --workspace --features diskwright/cloud --locked
	$(CARGO) build --release --locked --package diskwright
	benches/whole-command.sh

# What the reference store carries and what the driver takes of the machine for it (docs/results/store.md), as root, ten minutes. Wants a
# machine that does nothing else.
bench-store: store
	$(CARGO) build --release --locked --package diskwright
	benches/store.sh

# Every number that the short tests take, longer, and 100 kills and 200 mounts. Wants a machine that does nothing else.
bench-mount: linker tools
	$(CARGO) bench --locked --package diskwright --bench mounted
	DISKWRIGHT_LONG=1 $(CARGO) test --locked --package diskwright --test nothing_lost -- --nocapture

# A grid of configurations on the reference store and in the simulation. VALIDATE="--calibrate" fits the constants, too;
# VALIDATE="--resume" goes on where the last run ended. Wants a machine that does nothing else.
validate: store tools
	$(CARGO) bench --locked --package diskwright --bench validate -- $(VALIDATE)

# What was measured is kept beside the grid; VALIDATE="--measure PROGRAM" measures it anew with a diskwright, as root, half an hour.
validate-innodb: linker
	$(CARGO) test --locked --package diskwright-simulate --bench innodb -- $(VALIDATE)

# In the profile of the tests, in which the simulator is optimised: nothing more is built. A quarter of an hour on two cores.
incidents: linker
	$(CARGO) test --locked --package diskwright-diagnose --bench incidents

# Incidents of fio, the store and MariaDB on mounted disks, as root; recordings are kept under the target folder's tmp, and what is
# kept is not made again. INCIDENTS="--look" tells what was seen of those that were not named right.
incidents-real: store tools
	$(CARGO) test --workspace --features diskwright/cloud --locked --bench real_incidents -- $(INCIDENTS)

# In the profile of the tests. A quarter of an hour on two cores; LIMITER=--hour simulates hours, and writes another table.
limiter: linker
	$(CARGO) test --locked --package diskwright-simulate --bench limiter -- $(LIMITER)

# On mounted disks, as root, in the profile of the tests; figures are kept beside the bench, and what is kept is not measured
# again. LIMITER_REAL="--until 120" begins no run after two hours. Wants a machine that does nothing else.
limiter-real: store
	$(CARGO) test --workspace --features diskwright/cloud --locked --bench limiter_real -- $(LIMITER_REAL)

FUZZ_SECONDS ?= 60
# libFuzzer asks for nightly features; the bootstrap variable lets a stable compiler build them. The targets are those of
# fuzz/Cargo.toml: none can be left out.
fuzz: $(CARGO_FUZZ)
	cd fuzz && targets=$$($(CARGO_FUZZ) fuzz list) && [ -n "$$targets" ] && for target in $$targets; do \
	  RUSTC_BOOTSTRAP=1 $(CARGO_FUZZ) fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done

# What no licence or advisory of deny.toml is met by: lines for the fuzzer are not met by the workspace, and the other way round.
QUIET := --hide-inclusion-graph --allow duplicate --allow license-not-encountered --allow license-exception-not-encountered
licences: $(CARGO_DENY)
	$(CARGO_DENY) --locked --offline check $(QUIET) licenses bans sources

deny: $(CARGO_DENY)
	$(CARGO_DENY) --locked check $(QUIET)
	$(CARGO_DENY) --locked --manifest-path fuzz/Cargo.toml check $(QUIET) --allow advisory-not-detected

# The README's picture, from a real run.
picture: linker tools
	docs/picture.sh

# The tables of the reference, and what README and guides show of the program. Cells that only people know are `?` in new rows.
reference: linker headers
	UPDATE_REFERENCE=1 $(CARGO) test --locked --features diskwright/cloud --package diskwright --package diskwright-reference --test reference --test integration -- manual every_

# The manual as HTML, with the help of every verb behind the table of commands.
BOOK := $(CARGO_TARGET_DIR)/book
book: $(MDBOOK) linker
	$(CARGO) build --locked --package diskwright
	lab/book.sh $(MDBOOK) $(CARGO_TARGET_DIR)/debug/diskwright $(BOOK)
	@echo "The manual: file://$(BOOK)/html/index.html"

prose: $(CODESPELL)
	lab/prose.py --codespell $(CODESPELL)

# What the tests run: disks are driven by fio and mounted, databases run on them, rendered files are read by the programs that
# they are for, pages are opened in a browser. The linter of CloudFormation is Python's and gets a folder of its own; Prometheus is only unpacked; a service of
# MariaDB that comes with the package is not wanted.
tools: $(CODESPELL) $(TOOLS)/cfn-lint.txt $(TOOLS)/bin/prometheus $(TOOLS)/operator/node_modules/.package-lock.json
	@missing=; for pair in fio:fio mkfs.xfs:xfsprogs mkfs.ext4:e2fsprogs losetup:mount shellcheck:shellcheck \
	  mariadbd:mariadb-server sysbench:sysbench chromium:chromium; do \
	  command -v $${pair%%:*} >/dev/null || [ -x /usr/sbin/$${pair%%:*} ] || missing="$$missing $${pair#*:}"; done; \
	[ -z "$$missing" ] || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends $$missing && \
	  case "$$missing" in *mariadb*) \
	    $$sudo systemctl disable --now mariadb 2>/dev/null || $$sudo service mariadb stop 2>/dev/null || true;; esac; }

# What is there already as pinned is not fetched again, though the list may be newer: a fresh clone is.
same = cmp -s $(1) $(2) && touch $(2)

$(TOOLS)/cfn-lint.txt: $(PINNED)/cfn-lint.txt
	@python3 -c 'import ensurepip' 2>/dev/null || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends python3-venv; }
	@$(call same,$<,$@) || { python3 -m venv $(TOOLS)/python && \
	  $(TOOLS)/python/bin/pip install --quiet --disable-pip-version-check --no-deps -r $< && \
	  $(TOOLS)/python/bin/pip check && \
	  mkdir -p $(TOOLS)/bin && ln -sf ../python/bin/cfn-lint $(TOOLS)/bin/cfn-lint && cp $< $@; }

$(TOOLS)/bin/prometheus:
	@mkdir -p $(TOOLS)/bin $(TOOLS)/deb; cd $(TOOLS)/deb && { apt-get download -qq prometheus || { \
	  sudo=$$(test "$$(id -u)" = 0 || echo sudo); $$sudo apt-get update -qq && apt-get download -qq prometheus; }; } && \
	dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x -C $(TOOLS) --strip-components=2 ./usr/bin/promtool ./usr/bin/prometheus

# The types of TiDB Operator as JSON schemas, of both its lines, made into JavaScript. The last file that npm writes says that all are there.
$(TOOLS)/operator/node_modules/.package-lock.json: $(PINNED)/operator/package-lock.json $(PINNED)/operator/package.json
	@command -v npm >/dev/null || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends nodejs npm; }
	@mkdir -p $(TOOLS)/operator
	@{ [ -e $@ ] && cmp -s $< $(TOOLS)/operator/package-lock.json && touch $@; } || { cp $^ $(TOOLS)/operator/ && \
	  npm ci --prefix $(TOOLS)/operator --silent --ignore-scripts --no-audit --no-fund; }

# An AWS to test against, from PyPI, once: CloudWatch, EC2, RDS and IAM in memory.
MOTO := $(CARGO_TARGET_DIR)/moto
moto: $(MOTO)/moto.txt
$(MOTO)/moto.txt: $(PINNED)/moto.txt
	@python3 -c 'import ensurepip, venv' 2>/dev/null || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends python3-venv; }
	@$(call same,$<,$@) || { python3 -m venv $(MOTO) && \
	  $(MOTO)/bin/pip install --quiet --disable-pip-version-check --no-deps -r $< && \
	  $(MOTO)/bin/pip check && cp $< $@; }

# What builds the wheel, and runs a notebook with it.
$(PYTHON_TOOLS)/python.txt: $(PINNED)/python.txt
	@python3 -c 'import ensurepip, venv' 2>/dev/null || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends python3-venv; }
	@$(call same,$<,$@) || { python3 -m venv $(PYTHON_TOOLS) && \
	  $(PYTHON_TOOLS)/bin/pip install --quiet --disable-pip-version-check --no-deps -r $< && \
	  $(PYTHON_TOOLS)/bin/pip check && cp $< $@; }

# The checks of dependencies, which take some minutes to build, once, and the fuzzer.
install = CARGO_TARGET_DIR=$(TOOLS)/build $(CARGO) install --quiet --locked --root $(patsubst %/bin/,%,$(dir $@)) $(1) && rm -rf $(TOOLS)/build
$(CARGO_DENY):
	$(call install,cargo-deny@0.20.2)
$(CARGO_DEB):
	$(call install,cargo-deb@3.8.0)
$(CARGO_FUZZ):
	$(call install,cargo-fuzz@0.13.2)
$(MDBOOK):
	$(call install,mdbook@0.5.4)

$(CODESPELL): $(PINNED)/codespell.txt
	@python3 -c 'import ensurepip, venv' 2>/dev/null || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends python3-venv; }
	@$(call same,$<,$(TOOLS)/codespell/codespell.txt) || { python3 -m venv $(TOOLS)/codespell && \
	  $(TOOLS)/codespell/bin/pip install --quiet --disable-pip-version-check --no-deps -r $< && cp $< $(TOOLS)/codespell/codespell.txt; }
	@touch $@

# RocksDB is C++, and its Rust names are made from its C header by libclang.
headers:
	@missing=; command -v c++ >/dev/null || missing="g++"; \
	ls /usr/lib/llvm-*/lib 2>/dev/null | grep -q '^libclang\(-[0-9.]*\)\?\.so' || missing="$$missing libclang-dev"; \
	[ -z "$$missing" ] || { sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends $$missing; }

# Rust needs a C linker.
linker:
	@command -v cc >/dev/null || { \
	  sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends gcc libc6-dev; }
