#!/usr/bin/env bash
# Writes docs/plan.svg, the README's picture: the chart of a plan's report, with its colours.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cargo run --quiet --release --locked --package diskwright -- plan examples/tpcc-5000.toml --out "$out" >/dev/null
{
  sed -n '/<svg class="chart"/{s/<svg /<svg xmlns="http:\/\/www.w3.org\/2000\/svg" /p;q}' "$out/report.html"
  echo '<style>'
  sed -n '/^:root/,/^\* /{/^\* /!p}' "$out/report.html"
  echo 'svg { background: var(--page); font: 12px system-ui, sans-serif; }'
  sed -n '/^\.chart [tg.p]/p' "$out/report.html"
  echo '</style>'
  sed -n '/<svg class="chart"/,/<\/svg>/{/<svg class="chart"/d;p}' "$out/report.html"
} >docs/plan.svg
