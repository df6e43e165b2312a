#!/usr/bin/env bash
# What the reference store carries on disks without limits and on one that binds, and what bench's driver takes of the machine.
set -euo pipefail
cd "$(dirname "$0")/.."
diskwright=${DISKWRIGHT:-${CARGO_TARGET_DIR:-$HOME/.cache/diskwright/target}/release/diskwright}
store=examples/store

run() {
  printf '\n$ diskwright bench %s\n' "$*"
  "$diskwright" bench "$@"
}

run $store/puts.toml --on $store/three-nodes.toml --clients 256
run $store/puts.toml --on $store/three-nodes.toml --clients 128
run $store/puts.toml --on $store/three-nodes.toml --rate 15000
run $store/gets.toml --on $store/one-node.toml --rate 60000
run $store/gets.toml --on $store/one-node.toml --clients 256
run $store/gets.toml --on $store/one-node.toml --clients 1024
run $store/gets-beyond-memory.toml --on $store/one-node-gp3.toml --memory 256MiB
