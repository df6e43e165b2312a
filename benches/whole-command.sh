#!/usr/bin/env bash
# Whole commands, wall time and peak memory, smallest of several runs: noise only adds.
set -euo pipefail
cd "$(dirname "$0")/.."
diskwright=${DISKWRIGHT:-${CARGO_TARGET_DIR:-$HOME/.cache/diskwright/target}/release/diskwright}
runs=${RUNS:-5}
[ -x "$diskwright" ] || cargo build --release --locked -p diskwright

measure() { # a name, then the command's arguments
  local name=$1 best=999999 memory=0 out
  shift
  for _ in $(seq "$runs"); do
    out=$(python3 - "$diskwright" "$@" <<'PY'
import os, subprocess, sys, time
start = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, _, use = os.wait4(child.pid, 0)
print(f"{(time.monotonic() - start) * 1000:.0f} {use.ru_maxrss // 1024}")
PY
    )
    [ "${out% *}" -lt "$best" ] && best=${out% *}
    [ "${out#* }" -gt "$memory" ] && memory=${out#* }
  done
  printf '%-42s %7d ms %6d MiB\n' "$name" "$best" "$memory"
}

for workload in tpcc-5000 social-inserts rds-inserts tikv-node-iostat ycsb-a-uniform; do
  measure "plan $workload" plan "examples/$workload.toml"
done
measure "plan uncertain, 1,000 futures" plan examples/mix.toml --futures 1000
measure "check undeliverable" check examples/undeliverable.toml
measure "claims" claims
