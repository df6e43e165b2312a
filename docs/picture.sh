#!/usr/bin/env bash
# Writes docs/plan.png, the README's picture: the chart of a plan's report, as Chromium draws it.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v chromium >/dev/null || { echo "docs/picture.sh: chromium is not there; \`make tools\` installs it" >&2; exit 3; }
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cargo run --quiet --locked --package diskwright -- plan examples/tpcc-5000.toml --out "$out" >/dev/null
# The chart alone, without what only a reader uses.
alone='<style>main > :not(#chart-0), .values, .readout, .scale, .legend output { display: none !important } body { padding: 1rem }</style>'
sed "s|</head>|$alone</head>|" "$out/report.html" >"$out/chart.html"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size=960,500 \
  --user-data-dir="$out/profile" --screenshot="$out/plan.png" "file://$out/chart.html" >/dev/null 2>&1
mv "$out/plan.png" docs/plan.png
