#!/bin/sh
# The study in some minutes, or in as many as SECONDS_EACH says: the same inserts on both volumes, one after the other. The gp2
# begins with CREDITS of its burst bucket, so that they run out within the run. Needs root and mariadb-server.
set -eu
here=$(dirname "$0")
out=${1:-rds-study}
seconds=${SECONDS_EACH:-180}
credits=${CREDITS:-2%}
program=${DISKWRIGHT:-diskwright}
mkdir -p "$out"
for volume in gp2 io1; do
  "$program" bench "$here/inserts.toml" --launch mariadb --on "$here/$volume.toml" --credits "$credits" \
    --warm-up 5s --least "${seconds}s" --most "${seconds}s" \
    --out "$out/$volume.json" --out "$out/$volume.csv" --out "$out/$volume.parquet"
done
echo
"$here/table.awk" "$out/gp2.csv" "$out/io1.csv"
echo
"$program" bench compare "$out/gp2.json" "$out/io1.json" || true
