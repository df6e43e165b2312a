#!/usr/bin/env bash
# Makes what is distributed, into the folder that is the argument: a tarball, a .deb, a wheel, and their checksums. `make dist` calls it
# with CARGO_TARGET_DIR, and CARGO_DEB and MATURIN as the pinned tools. The same commit gives the same tarball: times in it are the
# commit's.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "$1")
: "${CARGO:=cargo}" "${CARGO_TARGET_DIR:?}" "${CARGO_DEB:?}" "${MATURIN:?}"

# Not set for the build: that asks git itself, and a changed variable would link the program anew.
epoch=${SOURCE_DATE_EPOCH:-$(git show --no-patch --format=%ct HEAD)}

$CARGO build --release --locked --package diskwright
release=$CARGO_TARGET_DIR/release
program=$release/diskwright
version=$("$program" --version --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')

shell=$release/shell
rm -rf "$shell"
mkdir -p "$shell"
"$program" man "$shell/man1" >/dev/null
"$program" completions bash >"$shell/diskwright.bash"
"$program" completions zsh >"$shell/_diskwright"
"$program" completions fish >"$shell/diskwright.fish"

rm -rf "$out"
mkdir -p "$out"

name=diskwright-$version-$(uname -m)-linux
tree=$release/$name
rm -rf "$tree"
mkdir -p "$tree"
cp -r "$program" "$shell"/* LICENSE CHANGELOG.md packaging/systemd packaging/kubernetes "$tree/"
tar --create --directory "$release" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX "$name" | gzip -9n >"$out/$name.tar.gz"

CARGO_TARGET_DIR=$CARGO_TARGET_DIR "$CARGO_DEB" --no-build --no-strip --package diskwright --output "$out/"

# The wheel carries the same program: Cargo finds it made.
(cd packaging/python && "$MATURIN" build --release --locked --out "$out" --compatibility linux)

(cd "$out" && sha256sum -- * >SHA256SUMS)
echo
(cd "$out" && ls -l --block-size=K -- * && echo "in $out")
